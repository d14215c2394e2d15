package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/sqlite"
)

func TestDiskFinding(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	full := errors.New("no space left on device")
	for _, c := range []struct {
		name string
		room sqlite.Room
		err  error
		want verdict
		says string
	}{
		{"plenty", sqlite.Room{Free: 100 * gib, Total: 200 * gib, Known: true}, nil, fine, "are free"},
		{"little", sqlite.Room{Free: 200 << 20, Total: 200 * gib, Known: true}, nil, warning, "209.7 MB of"},
		{"only what is kept for deletions", sqlite.Room{Free: 60 << 20, Total: 200 * gib, Known: true}, nil, failing, "nothing more is stored"},
		{"nothing", sqlite.Room{Free: 0, Total: 200 * gib, Known: true}, full, failing, "nothing more is stored"},
		{"a small disk, half full", sqlite.Room{Free: 1 << 20, Total: 2 << 20, Known: true}, nil, fine, "are free"},
		{"a small disk, full", sqlite.Room{Free: 8 << 10, Total: 2 << 20, Known: true}, nil, failing, "nothing more is stored"},
		{"a quota", sqlite.Room{Free: 100 * gib, Total: 200 * gib, Known: true}, full, failing, "no space left on device"},
		{"a system that does not say", sqlite.Room{}, nil, fine, "can be written to"},
		{"a full disk of a system that does not say", sqlite.Room{}, full, failing, "no space left on device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := diskFinding("/home", c.room, c.err)
			if got.Level != c.want || !strings.Contains(got.Says, c.says) || (got.Do == "") != (got.Level == fine) {
				t.Errorf("got %+v, want %s, saying %q", got, c.want, c.says)
			}
		})
	}
}

// TestTryToWrite writes where one can, and leaves nothing there.
func TestTryToWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := tryToWrite(dir); err != nil {
		t.Errorf("got %v", err)
	}
	if err := tryToWrite(dir + "/not there"); err == nil {
		t.Error("a directory that is not there can be written to")
	}
	if examineDisk(dir).Level == failing {
		t.Errorf("got %+v", examineDisk(dir))
	}
}
