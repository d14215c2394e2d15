package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestOneTurnAtATime: ten requests at once to one session are all kept, strictly
// alternating (S26).
func TestOneTurnAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{answer: func(r *upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Step{Text: "answer to " + lastMessage(r)}
	}})
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() { w.chat("s", fmt.Sprintf("question %d", i)) })
	}
	all.Wait()
	got := w.messages(t, "s", 20)
	if len(got) != 20 {
		t.Fatalf("got %d messages, want 20", len(got))
	}
	seen := make(map[string]bool)
	for i := 0; i < len(got); i += 2 {
		question, answer := got[i], got[i+1]
		if question.Role != "user" || answer.Role != "assistant" || answer.Content != "answer to "+question.Content {
			t.Errorf("messages %d and %d are %v and %v", i, i+1, question, answer)
		}
		seen[question.Content] = true
	}
	if len(seen) != 10 {
		t.Errorf("got %d different questions, want 10", len(seen))
	}
}

// lastMessage is the text of the newest message that an upstream was sent.
func lastMessage(r *upstreamtest.Request) string {
	n, err := parseNode(string(r.Body))
	if err != nil {
		return err.Error()
	}
	messages, _ := n.member("messages")
	content, _ := messages.items[len(messages.items)-1].member("content")
	return content.text
}

// TestManySessionsAtOnce: fifty sessions with a canary each; no session ever gets the
// canary of another (S1, S2).
func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	const sessions, turns = 50, 4
	var all sync.WaitGroup
	for i := range sessions {
		all.Go(func() {
			id := fmt.Sprintf("user:%d", i)
			w.chat(id, fmt.Sprintf("Remember that my animal is ZEBRA-%d-.", i))
			for turn := 1; turn < turns; turn++ {
				w.chat(id, "What is my animal?")
			}
		})
	}
	all.Wait()
	requests := w.up.Requests()
	if len(requests) != sessions*turns {
		t.Errorf("got %d upstream calls, want one for each of %d turns", len(requests), sessions*turns)
	}
	for _, r := range requests {
		body := string(r.Body)
		first := strings.Index(body, "ZEBRA-")
		if first < 0 {
			t.Fatalf("got a prompt without a canary: %s", body)
		}
		own := body[first : first+strings.Index(body[first+6:], "-")+7]
		if n, all := strings.Count(body, own), strings.Count(body, "ZEBRA-"); n != all {
			t.Errorf("got %d canaries in addition to %s in a prompt: %s", all-n, own, body)
		}
	}
}

// TestSameKeyAtOnce: equal requests at the same time are one turn and one call
// of the upstream; all get its answer.
func TestSameKeyAtOnce(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("stream %t", stream), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			hold := make(chan struct{})
			w.up.Queue(upstreamtest.Step{Text: "one answer", Hold: hold})
			replies := make([]reply, 8)
			var all sync.WaitGroup
			for i := range replies {
				all.Go(func() {
					replies[i] = w.call("POST", "/v1/chat/completions", chatBody("hi", stream),
						"X-Hermes-Session-Id", "s", "Idempotency-Key", "k")
				})
			}
			<-w.up.Arrivals()
			other := w.call("POST", "/v1/chat/completions", chatBody("another body", stream), "X-Hermes-Session-Id", "s", "Idempotency-Key", "k")
			if other.status != http.StatusConflict {
				t.Errorf("another body under a running key: got %d %s, want 409", other.status, other.body)
			}
			close(hold)
			all.Wait()
			replayed := 0
			for _, r := range replies {
				if r.status != 200 || !strings.Contains(r.body, "one answer") {
					t.Errorf("got %d %s, want the answer", r.status, r.body)
				}
				if r.header.Get("Idempotency-Replayed") == "true" {
					replayed++
				}
			}
			if replayed != len(replies)-1 {
				t.Errorf("got %d replayed, want %d", replayed, len(replies)-1)
			}
			if n := len(w.up.Requests()); n != 1 {
				t.Errorf("got %d upstream calls, want 1", n)
			}
			if diff := cmp.Diff([]message{{"user", "hi", ""}, {"assistant", "one answer", "stop"}}, w.messages(t, "s", 2)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNothingSharedByAccident: requests without a session, all saying the same,
// get sessions of their own (S15).
func TestNothingSharedByAccident(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	ids := make(chan string, 20)
	var all sync.WaitGroup
	for range cap(ids) {
		all.Go(func() {
			ids <- w.call("POST", "/v1/chat/completions", chatBody("hi", false)).header.Get("X-Hermes-Session-Id")
		})
	}
	all.Wait()
	close(ids)
	seen := make(map[string]bool)
	for id := range ids {
		if seen[id] || id == "" {
			t.Errorf("got the id %q twice", id)
		}
		seen[id] = true
	}
}
