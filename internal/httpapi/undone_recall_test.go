package httpapi_test

import (
	"net/url"
	"testing"
)

// TestUndoneWordsCountNowhere: the words of undone messages count in no score. A restarted server,
// which has never seen them, ranks alike.
func TestUndoneWordsCountNowhere(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{"of a session": nil, "of a key": {"X-Hermes-Session-Key", "us"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			for _, text := range []string{"The skiff has a leak.", "My oboe has 23 keys.", "The ferry leaves at 7:40 from pier C."} {
				w.chat("s", text, headers...)
			}
			for range 2 {
				w.call("POST", "/api/sessions/s/undo", "")
			}
			w.chat("s", "We decided to move to Trieste because of the bora.", headers...)
			questions := []string{"How many keys has my oboe?", "When does the ferry leave?", "Where do we move, and why?", "Has the skiff a leak?"}
			recall := func() (all []string) {
				for _, q := range questions {
					all = append(all, w.call("GET", "/api/memory/recall?explain=true&session_id=s&q="+url.QueryEscape(q), "").body)
				}
				return all
			}
			before := recall()
			w.restart()
			for i, after := range recall() {
				if before[i] != after {
					t.Errorf("%s\nbefore a restart: %s\nafter it: %s", questions[i], before[i], after)
				}
			}
		})
	}
}
