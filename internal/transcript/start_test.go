package transcript_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// TestChangedBetweenStarts: what others have done to the files while no server ran is mended
// at the start, after an orderly end and after a kill.
func TestChangedBetweenStarts(t *testing.T) {
	t.Parallel()
	me, other := owner.Local(), owner.Stored("other")
	for name, change := range map[string]func(dir string) error{
		"removed":       func(dir string) error { return os.Remove(filepath.Join(dir, "a.jsonl")) },
		"emptied":       func(dir string) error { return os.Truncate(filepath.Join(dir, "a.jsonl"), 0) },
		"cut off":       func(dir string) error { return os.Truncate(filepath.Join(dir, "a.jsonl"), 100) },
		"index removed": func(dir string) error { return os.Remove(filepath.Join(dir, "sessions.json")) },
		"index changed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sessions.json"), []byte("{}\n"), 0o600)
		},
		"of another owner": func(dir string) error { return os.RemoveAll(filepath.Join(dir, transcript.DirOf(other))) },
		"a stray": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "gone.jsonl"), []byte(`{"type":"session","mirror":1,"id":"gone"}`+"\n"), 0o600)
		},
		"words of the same length": func(dir string) error {
			path := filepath.Join(dir, "a.jsonl")
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text[len(text)-10] ^= 1
			return os.WriteFile(path, text, 0o600)
		},
	} {
		for _, killed := range []bool{false, true} {
			h := setup(t)
			h.say(me, "a", "k", "I like tea.")
			h.say(other, "b", "l", "I like coffee.")
			if !killed {
				h.mirror.Start(t.Context())
			}
			if err := h.mirror.Flush(t.Context(), me); err != nil {
				t.Fatal(err)
			}
			if err := h.mirror.Close(); err != nil {
				t.Fatal(err)
			}
			if err := change(filepath.Join(h.home, "sessions")); err != nil {
				t.Fatal(err)
			}
			h.start()
			if err := h.mirror.Close(); err != nil {
				t.Fatal(err)
			}
			if got := h.problems(me, other); got != "" {
				t.Errorf("%s, killed: %v:\n%s", name, killed, got)
			}
		}
	}
}

// TestUnchangedBetweenStarts: files that nothing has changed are not read at a start.
func TestUnchangedBetweenStarts(t *testing.T) {
	t.Parallel()
	h := setup(t)
	me := owner.Local()
	h.say(me, "a", "k", "I like tea.")
	for range 3 {
		h.start()
		h.say(me, "b", "", "I like coffee.")
		if err := h.mirror.Close(); err != nil {
			t.Fatal(err)
		}
		if got := h.problems(me); got != "" {
			t.Fatal(got)
		}
	}
	before, err := h.db.TranscriptPosition(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.start()
	if err := h.mirror.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := h.db.TranscriptPosition(t.Context()); err != nil || after != before {
		t.Errorf("the position went from %d to %d, %v", before, after, err)
	}
}

// start is a start of the mirror as a server does it.
func (h *house) start() {
	h.mirror = h.newMirror()
	h.mirror.Start(context.Background())
}
