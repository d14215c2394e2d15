package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestInputNotStored: when the user's message cannot be stored, no byte of an
// answer is given, nothing is kept of it anywhere, and the next turn goes on as
// if it had never been.
func TestInputNotStored(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{true, false} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("streaming %t first %t", streaming, first), func(t *testing.T) {
				t.Parallel()
				h := setup(t, 8000)
				var want []string
				if !first {
					h.chat("s", "hello", false)
					want = []string{"user:hello", "assistant:ok"}
				}
				h.store.next(true)
				got := h.turn(&run.Request{Session: "s", Streaming: streaming, Messages: user("My cat is called ZEBRA.")})
				if !errors.Is(got.err, errBrittle) || got.text != "" || got.result != nil {
					t.Errorf("got %q, %+v, %v, want the store's error and nothing else", got.text, got.result, got.err)
				}
				h.chat("s", "What is my cat called?", false)
				want = append(want, "user:What is my cat called?", "assistant:ok")
				if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
					t.Errorf("transcript (-want +got):\n%s", diff)
				}
				if prompt := strings.Join(words(h.model.last()), "\n"); strings.Contains(prompt, "ZEBRA") {
					t.Errorf("the next prompt knows what was not stored: %s", prompt)
				}
			})
		}
	}
}

// TestAnswerNotStored: when the answer cannot be stored, the stream ends with an
// error and not as if all were well, and what is cached does not know more than
// the store.
func TestAnswerNotStored(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{true, false} {
		t.Run(fmt.Sprintf("streaming %t", streaming), func(t *testing.T) {
			t.Parallel()
			h := setup(t, 8000)
			h.chat("s", "hello", false)
			select {
			case <-h.store.wrote:
			default:
			}
			h.model.say(saying{text: "The launch code is QUAGGA.", after: h.store.wrote}) // once its question is stored
			h.store.next(false, true)
			got := h.turn(&run.Request{Session: "s", Streaming: streaming, Messages: user("What is the launch code?")})
			if !errors.Is(got.err, errBrittle) || got.result == nil || got.result.Stored {
				t.Errorf("got %+v, %v, want the store's error", got.result, got.err)
			}
			want := []string{"user:hello", "assistant:ok", "user:What is the launch code?"}
			if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
			h.chat("s", "What is the launch code?", false) // a retry: the message is there already
			want = append(want, "assistant:ok")
			if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
				t.Errorf("transcript after the retry (-want +got):\n%s", diff)
			}
			if prompt := strings.Join(words(h.model.last()), "\n"); strings.Contains(prompt, "QUAGGA") {
				t.Errorf("the next prompt knows an answer that was not stored: %s", prompt)
			}
			h.checkMemory(t, "s")
			for i, m := range h.transcript("s") {
				if m.Seq != int64(i) {
					t.Errorf("message %d has the place %d: there is a gap", i, m.Seq)
				}
			}
		})
	}
}

// checkMemory holds that what is cached of a scope is what the store says.
func (h *house) checkMemory(t *testing.T, id session.ID) {
	t.Helper()
	cached, err := h.curator.Inspect(t.Context(), owner.Local(), id, memory.Scope{Root: id})
	if err != nil {
		t.Fatal(err)
	}
	h.views.Drop(owner.Local(), memory.Scope{Root: cached.Session.RootID})
	read, err := h.curator.Inspect(t.Context(), owner.Local(), id, memory.Scope{Root: id})
	if err != nil {
		t.Fatal(err)
	}
	if cached.Hash != read.Hash {
		t.Errorf("got the state %s from memory and %s from the store", cached.Hash, read.Hash)
	}
}

// TestCompressionNotStored: a child that could not be stored is none: the parent
// goes on, and the next turn makes another.
func TestCompressionNotStored(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"commit", "ids"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := setup(t, 1500)
			turn := 0
			for ; turn < 60; turn++ { // until the next one must compress
				if turn > 0 && size(h.model.last()) > 1150 {
					break
				}
				h.chat("s", long(turn), false)
			}
			before := h.lineage("s")
			huge := long(turn) + long(turn+1) + long(turn+2)
			if what == "ids" {
				h.store.mu.Lock()
				h.store.ids = true
				h.store.mu.Unlock()
			} else {
				h.store.next(true)
			}
			if got := h.turn(&run.Request{Session: "s", Messages: user(huge)}); !errors.Is(got.err, errBrittle) {
				t.Fatalf("got %v, want the store's error", got.err)
			}
			if diff := cmp.Diff(before, h.lineage("s")); diff != "" {
				t.Errorf("sessions after a failed compression (-before +after):\n%s", diff)
			}
			got := h.chat("s", huge, false)
			if !got.result.Compressed {
				t.Errorf("the next turn did not compress: the test is too small")
			}
			rows := h.lineage("s")
			if len(rows) != len(before)+1 || rows[len(rows)-1].ID != got.result.SessionID {
				t.Errorf("got %d sessions and the tip %s, want %d and %s", len(rows), rows[len(rows)-1].ID, len(before)+1, got.result.SessionID)
			}
			h.checkMemory(t, "s")
		})
	}
}

// TestKeyedTurnNotStored: the same under a session key, whose memory several
// sessions share.
func TestKeyedTurnNotStored(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	turn := func(id session.ID, text string) told {
		return h.turn(&run.Request{Session: id, Key: "team", Messages: user(text)})
	}
	turn("a", "We use Rust because of latency.")
	h.store.next(true)
	if got := turn("b", "My cat is called ZEBRA."); !errors.Is(got.err, errBrittle) {
		t.Fatalf("got %v, want the store's error", got.err)
	}
	turn("c", "What is my cat called, and why do we use Rust?")
	prompt := strings.Join(words(h.model.last()), "\n")
	if strings.Contains(prompt, "ZEBRA") || !strings.Contains(prompt, "Rust because of latency") {
		t.Errorf("got the prompt %s", prompt)
	}
}

// TestRefusedModel: a model that refuses leaves the user's message, and the same
// request is a retry.
func TestRefusedModel(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	limit := fault.New(fault.RateLimited, "rate_limit_exceeded", "Slow down.")
	h.model.say(saying{err: limit}, saying{err: limit})
	for range 2 {
		got := h.turn(&run.Request{Session: "s", Messages: user("hi")})
		var refused *run.Refused
		if !errors.As(got.err, &refused) || fault.KindOf(got.err) != fault.RateLimited || refused.SessionID != "s" {
			t.Errorf("got %v, want the refusal with its session", got.err)
		}
	}
	h.chat("s", "hi", true)
	if diff := cmp.Diff([]string{"user:hi", "assistant:ok"}, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// TestStreamLeft: a caller that stops listening, or never begins, gives the turn
// back; what it heard is kept.
func TestStreamLeft(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.model.say(saying{text: "one two three"}, saying{text: "never heard"})
	s, err := h.runner.Start(t.Context(), &run.Request{Owner: owner.Local(), Session: "s", Streaming: true, Messages: user("count")})
	if err != nil {
		t.Fatal(err)
	}
	for d, err := range s.Deltas(t.Context()) {
		if err != nil || d.Content != "one " {
			t.Errorf("got %q, %v", d.Content, err)
		}
		break
	}
	s, err = h.runner.Start(t.Context(), &run.Request{Owner: owner.Local(), Session: "s", Streaming: true, Messages: user("again")})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	h.chat("s", "still there?", false)
	want := []string{"user:count", "assistant:one  (cancelled)", "user:again", "user:still there?", "assistant:ok"}
	if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// TestContextEnds: a request whose context ends while it waits for its session
// is told so, and hands nothing on that it did not have.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	s, err := h.runner.Start(t.Context(), &run.Request{Owner: owner.Local(), Session: "s", Messages: user("first")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := h.runner.Start(ctx, &run.Request{Owner: owner.Local(), Session: "s", Messages: user("second")})
		failed <- err
	}()
	cancel()
	if err := <-failed; fault.KindOf(err) != fault.Canceled {
		t.Errorf("got %v, want a cancelled fault", err)
	}
	s.Close()
	h.chat("s", "third", false)
}

func user(text string) []session.Message {
	return []session.Message{{Role: session.User, Content: text}}
}

// TestTimesFollowTheOrder: what waited for its session is recorded when its turn
// has come, not before the answer it waited for.
func TestTimesFollowTheOrder(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	var mu sync.Mutex
	at := h.now
	h.clock = func() time.Time { // every look at it is a second later
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() { h.chat("s", fmt.Sprint("question ", i), i%2 == 0) })
	}
	all.Wait()
	ms := h.transcript("s")
	for i := 1; i < len(ms); i++ {
		if ms[i].RecordedAt.Before(ms[i-1].RecordedAt) || ms[i].SaidAt.Before(ms[i-1].SaidAt) {
			t.Errorf("message %d is of %v, the one before it of %v", i, ms[i].RecordedAt, ms[i-1].RecordedAt)
		}
	}
}
