package backup_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// house is a home with a real database, whose clock is moved.
type house struct {
	home    string
	clock   *runtest.Clock
	db      *sqlite.DB
	curator *curate.Curator
	source  *backup.Source
}

func setup(t *testing.T) *house {
	t.Helper()
	h := &house{home: t.TempDir(), clock: runtest.NewClock()}
	h.db = runtest.Open(t, filepath.Join(h.home, "state.db"))
	t.Cleanup(func() {
		if err := h.db.Close(); err != nil {
			t.Error(err)
		}
	})
	_, h.curator = runtest.New(h.db, &runtest.Parts{Config: run.Config{Now: h.clock.Now}})
	h.source = &backup.Source{Home: h.home, Program: "test", Place: "here", Now: h.clock.Now}
	return h
}

// tell stores a message.
func (h *house) tell(t *testing.T, id session.ID, text string) {
	t.Helper()
	_, _, err := h.curator.Append(t.Context(), &curate.Addition{
		Owner: owner.Local(), Session: id, Messages: []session.Message{{Role: session.User, Content: text, SaidAt: h.clock.Now()}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file of the home.
func (h *house) put(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(h.home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// backup makes a backup in memory.
func (h *house) backup(t *testing.T) []byte {
	t.Helper()
	made, err := h.source.Make(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := made.Write(&out); err != nil {
		t.Fatal(err)
	}
	if int64(out.Len()) > made.Size()+1024 {
		t.Errorf("the backup has %d bytes, and was said to have %d at most", out.Len(), made.Size())
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// full is a house with some of everything.
func full(t *testing.T) *house {
	t.Helper()
	h := setup(t)
	for i := range 20 {
		h.tell(t, session.ID(fmt.Sprintf("s%d", i%4)), fmt.Sprintf("I like tea number %d from Darjeeling.", i))
	}
	h.put(t, "skills/tea/SKILL.md", "How to make tea")
	h.put(t, "files/ab/abcd", "picture")
	h.put(t, "config.yaml", "log: {level: info}\n")
	h.put(t, "server.json", "{}")
	return h
}
