package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestCommandsMaskSecrets: no command shows a secret that a person told, and none quotes the mark
// of an erasure.
func TestCommandsMaskSecrets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := h.overBridge
		say("The password of my router is Gr33n-Door!")
		if got := say("/memory password"); strings.Contains(got, "Gr33n") || !strings.Contains(got, "secret") {
			t.Errorf("/memory password is answered with %q, want the password masked", got)
		}
		say("What is the password of my router?")
		for _, command := range []string{"/why", "/memory", "/memory router", "/undo", "/undo", "/history", "/status"} {
			if got := say(command); strings.Contains(got, "Gr33n") {
				t.Errorf("%s is answered with %q, want the password masked", command, got)
			}
		}
		say("My zebra is called Quagga.")
		if got := say("/forget Quagga --yes"); !strings.Contains(got, "nothing is left") {
			t.Errorf("/forget is answered with %q", got)
		}
		for _, command := range []string{"/memory", "/memory erased", "/memory zebra", "/why"} {
			if got := say(command); strings.Contains(got, "erased") {
				t.Errorf("%s is answered with %q, want nothing that was erased", command, got)
			}
		}
	})
}
