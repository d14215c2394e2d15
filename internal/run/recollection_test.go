package run_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestRecalledAgain: what a turn has quoted is quoted to the next one without
// being read again, and to none once it was taken back or erased.
func TestRecalledAgain(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(*house) error{
		"erased": func(h *house) error {
			_, err := h.curator.Forget(t.Context(), owner.Local(), "QUAGGA", false)
			return err
		},
		"deleted": func(h *house) error {
			_, err := h.curator.Delete(t.Context(), owner.Local(), "old", nil)
			return err
		},
		"taken back": func(h *house) error {
			h.undo("old")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t, 8000)
			ask := func(id session.ID, text string) string {
				t.Helper()
				if got := h.turn(&run.Request{Session: id, Key: "team", Messages: user(text)}); got.err != nil {
					t.Fatal(got.err)
				}
				return strings.Join(words(h.model.last()), "\n")
			}
			quoted := func(prompt string) bool {
				return strings.Contains(prompt, `"What about the QUAGGA by the river gate?"`)
			}
			ask("old", "What about the QUAGGA by the river gate?")
			const question = "Who asked about the river gate?"
			for _, id := range []session.ID{"first", "second"} {
				if prompt := ask(id, question); !quoted(prompt) {
					t.Errorf("%s: the prompt quotes nothing:\n%s", id, prompt)
				}
			}
			if err := gone(h); err != nil {
				t.Fatal(err)
			}
			if prompt := ask("third", question); quoted(prompt) {
				t.Errorf("the prompt quotes what is gone:\n%s", prompt)
			}
		})
	}
}
