package errand_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/errand"
)

// TestLarge: reading a prompt takes time in proportion to its size, whatever tags it has.
// Otherwise this test would take minutes.
func TestLarge(t *testing.T) {
	t.Parallel()
	const lead = "Generate a concise title for the following conversation. Respond with JSON.\n### Task:\n"
	for name, tt := range map[string]struct {
		text string
		want errand.Kind
	}{
		"tags without an end":     {strings.Repeat("<a>", 600_000), ""},
		"tags of an instruction":  {strings.Repeat("<task>", 300_000) + "</task>", ""},
		"tags with text in them":  {strings.Repeat("<a>b</a>", 250_000), errand.Title},
		"one tag after the other": {strings.Repeat("<a><b>c</b>", 5) + "<chat>d</chat>", errand.Title},
	} {
		if got := errand.Recognise(&errand.Call{Messages: []errand.Message{{Role: "user", Text: lead + tt.text}}}); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
