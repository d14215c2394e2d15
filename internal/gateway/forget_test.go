package gateway_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// TestForgetOverABridge: a bridge has no buttons, so that the question says how to confirm in
// words. Nothing is erased before.
func TestForgetOverABridge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := h.overBridge
		remembered := func() int {
			t.Helper()
			return strings.Count(say("/memory"), "“")
		}
		say("My zebra is called Quagga.")
		for _, step := range []struct {
			text, answer string
			left         int
		}{
			{"/forget", "Say what to forget", 1},
			{"/forget --yes", "Say what to forget", 1},
			{"/forget giraffe", "Nothing here mentions that", 1},
			{"/forget Quagga", "with `--yes` behind it", 1},
			{"/forget Quagga --yes", "and nothing is left", 0},
			{"/forget Quagga --yes", "Nothing here mentions that", 0},
			{"/forget Quagga", "Nothing here mentions that", 0},
		} {
			if got := say(step.text); !strings.Contains(got, step.answer) {
				t.Errorf("%s is answered with %q, want %q in it", step.text, got, step.answer)
			}
			if got := remembered(); got != step.left {
				t.Errorf("after %s %d quotes are left, want %d", step.text, got, step.left)
			}
		}
	})
}

// TestForgetByAButton: the question shows what became of it, although it named the thing and is
// erased with it. A second press finds no button, and a press that a crash cut off is done again.
func TestForgetByAButton(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]bool{"at once": false, "over a crash behind the edit": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, nil)
				defer h.end()
				say := func(text string) {
					h.receive(h.dm(ada, text))
					h.settled()
				}
				say("My zebra is called Quagga.")
				say("/forget Quagga")
				question := h.wire.shown[len(h.wire.shown)-1]
				if len(question.buttons) != 2 {
					t.Fatalf("the question %q has the buttons %v", question.text, question.buttons)
				}
				if cut {
					h.breaks = func() error {
						h.breaks = nil
						return errors.New("a crash")
					}
				}
				h.press(ada, &question, 0)
				h.settled()
				texts := strings.Join(h.wire.said(), "\n")
				want(t, "questions that stand", strings.Count(texts, "Quagga stands"), 0)
				want(t, "edits of the question", strings.Count(texts, "Erased."), 1)
				want(t, "proofs", strings.Count(texts, "and nothing is left"), 1)
				say("/memory")
				want(t, "memory", h.wire.said()[len(h.wire.said())-1], "Nothing is remembered yet.")
				h.press(ada, &question, 0)
				h.settled()
				want(t, "the second press", h.wire.said()[len(h.wire.said())-1], "That was decided before.")
			})
		})
	}
}

// TestForgetAskedAgain: each /forget asks with a message of its own, also for a thing that was kept, or is asked about already.
// Each question can be answered.
func TestForgetAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := func(text string) shown {
			t.Helper()
			before := len(h.wire.said())
			h.receive(h.dm(ada, text))
			h.settled()
			if len(h.wire.shown) != before+1 {
				t.Fatalf("%s: %d messages came, want one", text, len(h.wire.shown)-before)
			}
			return h.wire.shown[before]
		}
		say("My zebra is called Quagga.")
		kept := say("/forget Quagga")
		h.press(ada, &kept, 1)
		h.settled()
		first := say("/forget Quagga")
		second := say("/forget quagga")
		third := say("/forget Quagga")
		for _, question := range []shown{first, second, third} {
			want(t, "buttons of a question", len(question.buttons), 2)
		}
		h.press(ada, &first, 1)
		h.settled()
		h.press(ada, &third, 0)
		h.settled()
		texts := strings.Join(h.wire.said(), "\n")
		want(t, "questions that were answered with no", strings.Count(texts, "Kept."), 2)
		want(t, "proofs", strings.Count(texts, "and nothing is left"), 1)
		h.press(ada, &second, 0)
		h.settled()
		want(t, "a question about what is gone", h.wire.said()[len(h.wire.said())-1], "That was decided before.")
	})
}

// TestForgetALongThing: the question about a very long thing is one message, and its buttons work.
func TestForgetALongThing(t *testing.T) {
	t.Parallel()
	for name, thing := range map[string]string{
		"words": strings.Repeat("seventeen zebras ", 40) + "end", "one word": strings.Repeat("zebra", 120), "signs": strings.Repeat("a*_", 180), "emoji": strings.Repeat("🦓", 380),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, nil)
				defer h.end()
				h.receive(h.dm(ada, "I have "+thing+" at home."))
				h.settled()
				before := len(h.wire.said())
				h.receive(h.dm(ada, "/forget "+thing))
				h.settled()
				if got := len(h.wire.said()) - before; got != 1 {
					t.Errorf("asked in %d messages", got)
				}
				question := h.wire.shown[len(h.wire.shown)-1]
				h.press(ada, &question, 0)
				h.settled()
				last := h.wire.said()[len(h.wire.said())-1]
				if !strings.Contains(last, "and nothing is left") {
					t.Errorf("the button is answered with %q", last)
				}
			})
		})
	}
}

// TestForgetCounts: the question counts the facts that the erasure then erases, also where a part
// of a message stays.
func TestForgetCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := h.overBridge
		say("My zebra is called Quagga.")
		say("My cat is called Tom. My sister feeds Quagga every day. I live in Oslo.")
		say("The vet saw Quagga on Monday.")
		for _, command := range []string{"/forget Quagga", "/forget Quagga --yes"} {
			if got := say(command); !strings.Contains(got, " 3 facts") {
				t.Errorf("%s is answered with %q, want 3 facts", command, got)
			}
		}
		if got := say("/memory"); !strings.Contains(got, "Tom") || !strings.Contains(got, "Oslo") {
			t.Errorf("/memory is answered with %q, want the sentences around the erased one", got)
		}
	})
}
