package transfer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestNoTemporary: where no temporary file can be made, the error says so, and what to do.
func TestNoTemporary(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", missing)
	_, err := NewSpool()
	const hint = "Nothing was stored. Set TMPDIR to a directory with more room, or free some there, and run the import again."
	if got := fault.MessageOf(err); !strings.Contains(got, "There is no directory "+missing+" for") || !strings.HasSuffix(got, hint) {
		t.Errorf("got %q", got)
	}
}
