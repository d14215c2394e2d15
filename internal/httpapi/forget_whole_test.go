package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestForgetWholeCounts: the certificate of a session that is erased whole has what it had, undone messages included.
func TestForgetWholeCounts(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]string{"session": `"session_id":"zebu"`, "key": `"session_key":"k"`, "thing": `"about":"zebu"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			add := func(id, key, text string) {
				t.Helper()
				body := fmt.Sprintf(`{"messages":[{"role":"user","content":%q},{"role":"assistant","content":"Fine."}]}`, text)
				if got := w.call("POST", "/api/sessions/"+id+"/messages", body, "X-Hermes-Session-Key", key); got.status != 200 {
					t.Fatalf("got %d %s", got.status, got.body)
				}
			}
			add("other", "", "I like milk.")
			add("zebu", "j", "I like tea.")
			add("zebu", "k", "My dog is called Bello. I live in Graz.")
			add("zebu", "k", "I like rum. I like gin. I like ale.")
			w.call("POST", "/api/sessions/zebu/undo", "")
			want := `"dry_run":true,"messages_redacted":6,"sentences_erased":9,"facts_erased":3,"sessions_deleted":1,"titles_prompts_summaries_redacted":1,`
			for _, dry := range []string{"true", "false"} {
				got := w.call("POST", "/api/memory/forget", `{`+what+`,"dry_run":`+dry+`}`)
				if want := strings.Replace(want, "true", dry, 1); got.status != 200 || !strings.Contains(got.body, want) {
					t.Errorf("got %d %s, want %s", got.status, got.body, want)
				}
			}
		})
	}
}

// TestForgetKeyWithoutFacts: a session that has gone over to another key is erased with the key of its first messages, also
// if memory has learnt nothing from those, or they were undone.
func TestForgetKeyWithoutFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, said := range []struct{ id, key, text string }{
		{"greeted", "k", "Hello!"}, {"undone", "k", "I like rum."}, {"undone", "", ""}, {"greeted", "j", "I like tea."},
		{"undone", "j", "I like milk."}, {"other", "j", "I like ale."},
	} {
		if said.text == "" {
			w.call("POST", "/api/sessions/"+said.id+"/undo", "")
			continue
		}
		w.chat(said.id, said.text, "X-Hermes-Session-Key", said.key)
	}
	if got := w.call("POST", "/api/memory/forget", `{"session_key":"k"}`); !strings.Contains(got.body, `"sessions_deleted":2,`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	for id, want := range map[string]int{"greeted": 404, "undone": 404, "other": 200} {
		if got := w.call("GET", "/api/sessions/"+id, ""); got.status != want {
			t.Errorf("%s: got %d %s", id, got.status, got.body)
		}
	}
}
