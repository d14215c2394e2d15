package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestForgottenHistory: a client that sends its history again does not bring back what was
// forgotten in it. What its user says now is stored.
func TestForgottenHistory(t *testing.T) {
	t.Parallel()
	for at := range 4 {
		t.Run(fmt.Sprint("message ", at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", "me")}
			c := &resender{w: w, headers: auth}
			for i := range 4 {
				text := fmt.Sprintf("Story %d is a long story about the sea.", i)
				if i == at {
					text = "My sister is called Wilhelmina. She lives in Rome."
				}
				c.says(text)
			}
			w.forgets("Wilhelmina", auth...)
			c.says("And what is the weather like?")
			if hits := w.hits("Wilhelmina", auth...); hits != 0 {
				t.Errorf("the history brought back %d messages", hits)
			}
			c.says("Wilhelmina is my sister.")
			if hits := w.hits("Wilhelmina", auth...); hits != 1 {
				t.Errorf("what was said again: got %d messages, want 1", hits)
			}
		})
	}
}

// TestForgottenCalls: a call whose arguments name a forgotten thing stays for its result.
func TestForgottenCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	key := []string{"X-Hermes-Session-Key", "k"}
	w.call("POST", "/v1/chat/completions", chatBody("My sister is called Wilhelmina.", false), key...)
	w.forgets("Wilhelmina")
	got := w.call("POST", "/v1/chat/completions", `{"model":"hermes","messages":[{"role":"user","content":"Where does Wilhelmina live?"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"name\":\"Wilhelmina\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"In Rome."}]}`, key...)
	if got.status != http.StatusOK {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	sent := string(w.up.Last().Body)
	if strings.Contains(sent, "Wilhelmina") || !strings.Contains(sent, `"name":"find","arguments":"{}"`) {
		t.Errorf("got the prompt %s, want the call without its arguments", sent)
	}
}

// forgets erases all that names a thing.
func (w *world) forgets(thing string, headers ...string) {
	w.t.Helper()
	got := w.call("POST", "/api/memory/forget", fmt.Sprintf(`{"about":%q}`, thing), headers...)
	if got.status != http.StatusOK || !strings.Contains(got.body, `"left":0`) {
		w.t.Fatalf("got %d %s", got.status, got.body)
	}
}

// hits are how many messages have a word.
func (w *world) hits(word string, headers ...string) int {
	w.t.Helper()
	var found struct {
		Data []struct {
			Matches int `json:"match_count"`
		} `json:"data"`
	}
	w.decode(w.call("GET", "/api/search?q="+word, "", headers...), &found)
	n := 0
	for _, s := range found.Data {
		n += s.Matches
	}
	return n
}

// TestForgottenSlots: memory keeps the subject of a statement in stems and in one spelling.
// A sentence whose subject names the thing only in that form is erased, so that the sentence
// does not teach the name again.
func TestForgottenSlots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		thing, text string
		left        string // of the other sentences
	}{
		{"study", "My studies end in May. My dog is called Rex.", "Rex"},
		{"color", "My favourite colour is green. My dog is called Rex.", "Rex"},
		{"company", "The companies of the valley amount to 40. My dog is called Rex.", "Rex"},
		{"city", "My favourite cities are Bonn and Ulm. They are old. My dog is called Rex.", "Rex"},
	} {
		t.Run(c.thing, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			for _, session := range []string{"a", "b"} {
				w.call("POST", "/v1/chat/completions", chatBody(c.text, false), "X-Hermes-Session-Id", session, "X-Hermes-Session-Key", "k")
			}
			w.call("POST", "/v1/chat/completions", chatBody(c.text, false), "X-Hermes-Session-Id", "alone")
			w.forgets(c.thing)
			if got := w.call("POST", "/api/memory/rebuild", `{"verify":true}`); !strings.Contains(string(got.body), `"identical":true,"data"`) {
				t.Errorf("got %s, want what a rebuild learns", got.body)
			}
			got := w.call("GET", "/api/sessions/b/messages", "")
			if !strings.Contains(string(got.body), c.left) {
				t.Errorf("got %s, want %q to stay", got.body, c.left)
			}
		})
	}
}
