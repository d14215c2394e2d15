package language_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
)

// TestManyElements: reading a text takes time in proportion to its size, whatever elements
// it has. Otherwise this test would take minutes.
func TestManyElements(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{"without an end": "", "with text after the end": "</x> We use Rust."} {
		if got := language.Sentences(strings.Repeat("<x>\n", 1_000_000) + end); len(got) == 0 {
			t.Errorf("%s: got no sentence", name)
		}
	}
}
