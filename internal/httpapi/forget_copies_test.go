package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// forgetsFact erases the first fact in a list whose quote has a word, and returns how many of them were listed.
func (w *world) forgetsFact(t *testing.T, query, word string) int {
	t.Helper()
	var list struct{ Data []struct{ ID, Quote string } }
	w.decode(w.call("GET", "/api/memory?"+query, ""), &list)
	var ids []string
	for _, f := range list.Data {
		if strings.Contains(f.Quote, word) {
			ids = append(ids, f.ID)
		}
	}
	if len(ids) == 0 {
		t.Fatalf("got no fact with %q in %+v", word, list)
	}
	got := w.call("DELETE", "/api/memory/"+ids[0]+"?"+query, "")
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	return len(ids)
}

// isLeft checks how often an export has words that were forgotten, and other words of the same messages, which stay.
func (w *world) isLeft(t *testing.T, gone string, stays string, times int) {
	t.Helper()
	if text := w.export(""); strings.Contains(text, gone) || strings.Count(text, stays) != times {
		t.Errorf("got %d times %q, %d times %q, want none and %d: %s", strings.Count(text, gone), gone, strings.Count(text, stays), stays, times, text)
	}
}

const (
	bello = "My dog is called Bello. I live in Graz."
	kai   = "My name is Kai."
)

// forks copies a session up to one of its messages.
func (w *world) forks(t *testing.T, id string, message int64) (fork string) {
	t.Helper()
	var made struct{ ID string }
	body := `{}`
	if message != 0 {
		body = fmt.Sprintf(`{"message_id":%d}`, message)
	}
	got := w.call("POST", "/api/sessions/"+id+"/fork", body)
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != 201 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	return made.ID
}

// TestForgetFactInCopies: the words of a fact go from the copies of its message, too: from those that an edit in another
// program has undone, from forks made before and after, from forks of these, and from a session apart.
func TestForgetFactInCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", namedLine(kai, fine, bello, good), "imported:1 messages:4")
	before := w.forks(t, "chat:c", 0)
	w.imports(t, "", namedLine("My name is Kim.", fine, bello, good), "changed:1 messages:4")
	w.forks(t, "chat:c", 0)
	w.forks(t, before, 0)
	w.chat("chat:c", "I went on here.")
	w.imports(t, "", namedLine("My name is Kim.", fine, bello, good, tea, good), "apart:1 messages:6")
	w.chat("other", bello)
	w.forgetsFact(t, "session_id="+before, "Bello")
	if got := w.export("?session_id=other"); !strings.Contains(got, "Bello") {
		t.Errorf("got %s, want what was said in another session", got)
	}
	w.call("DELETE", "/api/sessions/other", "")
	w.isLeft(t, "Bello", "I live in Graz.", 6)
	w.states()
}

// TestForgetFactInUndone: the words of a fact go from what was undone here, too. Where the same was said twice, the other
// one is a fact of its own.
func TestForgetFactInUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "I like tea.")
	for _, text := range []string{bello, "My dog is called Bello. I live in Graz, as you know.", "My dog is called Bellomo. I live in Graz."} {
		w.clock.Advance(time.Second)
		w.chat("s", text)
		w.call("POST", "/api/sessions/s/undo", "")
	}
	w.clock.Advance(time.Second)
	w.chat("s", bello)
	w.forks(t, "s", 0)
	w.forgetsFact(t, "session_id=s", "Bello")
	w.isLeft(t, "called Bello.", "I live in Graz", 5)
	w.states()
	for range 2 {
		w.clock.Advance(time.Second)
		w.chat("s", bello)
	}
	for want := 2; want > 0; want-- {
		if got := w.forgetsFact(t, "session_id=s", "Bello"); got != want {
			t.Errorf("got %d facts, want %d", got, want)
		}
	}
}
