package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func localOwner() owner.Owner { return owner.Local() }

// TestCostDoesNotGrow: 600 turns of about a hundred tokens at the default budget.
// What the model is sent never exceeds it and does not grow, the first turn's
// fact and its reason are there at turn 602, there is one call for each turn, and
// nothing of another session (C1–C7, C12, C13, L19).
func TestCostDoesNotGrow(t *testing.T) {
	t.Parallel()
	const budget, turns = 8000, 600
	h := setup(t, budget)
	h.chat("other", "My secret animal is a QUAGGA.", false)
	h.chat("s", "I'm Alex. We decided to write the distributed cache in Rust because Go's garbage collector caused latency spikes.", false)
	var sizes []int
	for turn := 1; turn <= turns; turn++ {
		got := h.chat("s", long(turn), turn%2 == 0)
		n := size(h.model.last())
		sizes = append(sizes, n)
		c := got.result.Context
		if n > budget || c.Sent > budget || n > c.Sent || c.Sent != c.System+c.Memory+c.Tail+c.Input {
			t.Fatalf("turn %d: the prompt has %d tokens, the account is %+v", turn, n, c)
		}
	}
	early, late := mean(sizes[200:300]), mean(sizes[500:600])
	t.Logf("tokens sent: turns 200–300 %.0f, turns 500–600 %.0f, most %d", early, late, slices.Max(sizes))
	if late > 1.1*early {
		t.Errorf("got a mean of %.0f tokens in turns 500–600, %.0f in turns 200–300: it grows", late, early)
	}
	got := h.chat("s", "What is the distributed cache written in, and why?", false)
	prompt := strings.Join(words(h.model.last()), "\n")
	for _, want := range []string{"distributed cache in Rust", "garbage collector"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("turn 602 was not told %q; it was shown %.3000s", want, prompt)
		}
	}
	for _, p := range h.model.prompts()[1:] {
		if strings.Contains(strings.Join(words(p.Messages), "\n"), "QUAGGA") {
			t.Fatal("another session's words are in a prompt")
		}
	}
	if calls := len(h.model.prompts()); calls != turns+3 {
		t.Errorf("got %d calls, want one for each of %d turns", calls, turns+3)
	}
	if naive := got.result.Context.Naive; naive < 600*90 {
		t.Errorf("got %d tokens for a client that resends everything, want them all", naive)
	}
	if ms := h.transcript("s"); len(ms) != 2*(turns+2) || ms[0].Role != session.User {
		t.Errorf("got %d messages, want every one of %d", len(ms), 2*(turns+2))
	}
}

// TestPastIsKnownAtOnce: a client that sends its whole history along with its
// first session header loses nothing of it, not even in that very answer.
func TestPastIsKnownAtOnce(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	ms := user("I'm Alex. We decided to write the distributed cache in Rust because Go's garbage collector caused latency spikes.")
	for turn := range 150 {
		ms = append(ms, session.Message{Role: session.Assistant, Content: "ok"}, session.Message{Role: session.User, Content: long(turn)})
	}
	ms = append(ms, session.Message{Role: session.Assistant, Content: "ok"}, session.Message{Role: session.User, Content: "What is the distributed cache written in?"})
	got := h.turn(&run.Request{Session: "s", Messages: ms})
	if got.err != nil {
		t.Fatal(got.err)
	}
	if prompt := strings.Join(words(h.model.last()), "\n"); !strings.Contains(prompt, "distributed cache in Rust") || !strings.Contains(prompt, long(149)) {
		t.Errorf("the first message or the newest is missing in the prompt %.2000s", prompt)
	}
	if c := got.result.Context; c.Sent > 8000 || c.Naive < 150*90 {
		t.Errorf("got the account %+v, want a bounded part of all that was sent", c)
	}
	if n := len(h.transcript("s")); n != len(ms)+1 {
		t.Errorf("got %d messages, want %d", n, len(ms)+1)
	}
}

func mean(ns []int) float64 {
	sum := 0
	for _, n := range ns {
		sum += n
	}
	return float64(sum) / float64(len(ns))
}
