package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestForgetCutOff: an order to forget that is cut off in the middle is carried out by the next try, with one proof. One
// whose answer alone is lost says that all is erased. No one is told that the order itself was erased.
func TestForgetCutOff(t *testing.T) {
	t.Parallel()
	for _, pressed := range []bool{false, true} {
		for _, cut := range []string{"by a kill in the middle", "by an error in the middle", "by a kill before the answer"} {
			t.Run(fmt.Sprintf("%s, pressed %t", cut, pressed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { forgetCutOff(t, cut, pressed) })
			})
		}
	}
}

func forgetCutOff(t *testing.T, cut string, pressed bool) {
	h := setup(t, nil)
	defer func() { h.end() }()
	h.receive(h.dm(ada, "My zebra is called Quagga."))
	h.settled()
	if pressed {
		h.receive(h.dm(ada, "/forget Quagga"))
		h.settled()
	}
	tries := 0
	switch cut {
	case "by a kill in the middle":
		h.mirrors = func(ctx context.Context) error {
			tries++
			<-ctx.Done()
			return ctx.Err()
		}
	case "by an error in the middle":
		h.mirrors = func(context.Context) error {
			if tries++; tries == 1 {
				return errors.New("the disk is full")
			}
			return nil
		}
	default:
		h.fails = func() error {
			tries++
			return errors.New("the server is dying")
		}
	}
	if pressed {
		question := h.wire.shown[len(h.wire.shown)-1]
		h.press(ada, &question, 0)
	} else {
		h.receive(h.dm(ada, "/forget Quagga --yes"))
	}
	h.settled()
	if strings.Contains(cut, "kill") {
		h.end()
		h.mirrors, h.fails = nil, nil
		h.begin()
		h.settled()
	}
	if tries == 0 {
		t.Fatal("nothing was cut off")
	}
	texts := strings.Join(h.wire.said(), "\n")
	proofs, bare := strings.Count(texts, "and nothing is left"), strings.Count(texts, "before I could show the proof")
	if cut == "by a kill before the answer" {
		want(t, "proofs, and answers without one", [2]int{proofs, bare}, [2]int{0, 1})
	} else {
		want(t, "proofs, and answers without one", [2]int{proofs, bare}, [2]int{1, 0})
	}
	if strings.Contains(texts, line) {
		t.Errorf("got %s, want the order carried out", texts)
	}
	traces, err := h.db.Mentions(context.Background(), h.bot.Owner, mention.Of("Quagga"))
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range traces {
		if trace.Hits > 0 {
			t.Errorf("%d mentions are left in the %s", trace.Hits, trace.File)
		}
	}
	h.receive(h.dm(ada, "/memory"))
	h.settled()
	want(t, "memory", h.wire.said()[len(h.wire.said())-1], "Nothing is remembered yet.")
}
