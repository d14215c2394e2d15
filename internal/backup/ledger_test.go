package backup

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestLedger: what was forgotten since a backup is found again by its hashes, in another home
// too, and only under the same key.
func TestLedger(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	home, dir, key, o := t.TempDir(), t.TempDir(), []byte("key"), owner.Local()
	l := NewLedger(home, dir, key, func() time.Time { return at }, slog.New(slog.DiscardHandler))
	note := func(about string, done bool) {
		t.Helper()
		e := memory.NewErasure(o, mention.Of(about), at)
		if err := l.Forgot(t.Context(), o, &e, done); err != nil {
			t.Fatal(err)
		}
	}
	note("Old Name", false)
	note("Old Name", true)
	note("Interrupted Name", false)
	if err := l.Revoked(t.Context(), "old key"); err != nil {
		t.Fatal(err)
	}
	note("Straddling Name", false)
	since := at.Add(time.Minute)
	at = at.Add(2 * time.Minute)
	note("Straddling Name", true)
	note("New Name", false)
	note("New Name", true)
	note("C#", true)
	place := memory.Place{Root: "s", Seq: 3}
	for _, err := range []error{
		l.ForgotLineage(t.Context(), o, "s9", true), l.ForgotSentence(t.Context(), o, place, "I like tea.", true), l.Revoked(t.Context(), "new key"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, where := range []string{home, dir} {
		entries, err := ReadLedger(where)
		if err != nil {
			t.Fatal(err)
		}
		p := PendingOf(entries, since, []byte("another key"), key)
		a := p.Again(o)
		forgotten := func(o owner.Owner, root session.ID) bool {
			at, found := a.Lineage(o, root)
			return found && !at.IsZero()
		}
		text := "We met Old Name, Interrupted Name, Straddling Name and New  name."
		var names []string
		for _, found := range memory.FindErased(o, text, a.Things) {
			names = append(names, found.Name)
		}
		if diff := cmp.Diff([]string{"Interrupted Name", "Straddling Name", "New  name"}, names); diff != "" {
			t.Errorf("the things (-want +got):\n%s", diff)
		}
		for what, c := range map[string]struct{ got, want bool }{
			"a forgotten lineage":        {forgotten(o, "s9"), true},
			"another lineage":            {forgotten(o, "s8"), false},
			"another owner's lineage":    {forgotten(owner.Stored("bob"), "s9"), false},
			"an erased sentence":         {a.Sentence(o, place, "I like tea."), true},
			"the sentence elsewhere":     {a.Sentence(o, memory.Place{Root: "s", Seq: 4}, "I like tea."), false},
			"a key revoked before":       {p.Revoked("old key"), true},
			"a key revoked since":        {p.Revoked("new key"), true},
			"a valid key":                {p.Revoked("key"), false},
			"no thing of another owner":  {len(p.Again(owner.Stored("bob")).Things) == 0, true},
			"one thing without words":    {p.Unfound == 1, true},
			"none under an unknown key":  {p.Foreign == 0, true},
			"all under an unknown store": {PendingOf(entries, since, []byte("x")).Foreign == 8, true},
		} {
			if c.got != c.want {
				t.Errorf("%s in %s: got %t", what, where, c.got)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(home, LedgerName))
	if err != nil || mention.Of("Name").In(string(text)) || mention.Of("tea").In(string(text)) {
		t.Errorf("the ledger has content: %s, %v", text, err)
	}
}

// TestLedgerCopy: a ledger whose copy could not be written is copied later, and a torn line
// takes no other with it.
func TestLedgerCopy(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "not there yet")
	l := NewLedger(home, dir, []byte("key"), time.Now, slog.New(slog.DiscardHandler))
	for _, id := range []string{"a", "b"} {
		if err := l.Revoked(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, LedgerName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, `{"kind":"key","has`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Revoked(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Copy(); err != nil {
			t.Fatal(err)
		}
	}
	mine, err := ReadLedger(home)
	if err != nil || len(mine) != 3 {
		t.Errorf("the ledger: got %d entries, want 3: %v", len(mine), err)
	}
	copied, err := ReadLedger(dir)
	if err != nil || len(copied) != 3 {
		t.Errorf("the copy: got %d entries, want 3: %v", len(copied), err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the ledger: got %v, %v", info, err)
	}
}

func FuzzLedger(f *testing.F) {
	f.Add([]byte(`{"kind":"key","store":"00","hash":"00","at":"2026-01-01T00:00:00Z"}` + "\n{"))
	f.Add([]byte(`{"kind":"thing","store":"00","hash":"0000000000000000000000000000000000000000000000000000000000000000","words":-1,"at":"2026-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries := parseLedger(text)
		p := PendingOf(entries, time.Time{}, []byte("key"))
		for i := range p.things {
			memory.FindErased(owner.Local(), "some text of several words", []memory.Erasure{p.things[i].erasure})
		}
		for i := range entries {
			if entries[i].Words < 0 || len(entries[i].Hash) != 64 {
				t.Errorf("got the entry %+v", entries[i])
			}
		}
	})
}

// TestSharedLedger: servers that write to one directory at once lose no entry of one another.
func TestSharedLedger(t *testing.T) {
	t.Parallel()
	const servers, each = 8, 100
	dir := t.TempDir()
	var working sync.WaitGroup
	for range servers {
		l := NewLedger(t.TempDir(), dir, []byte("key"), time.Now, slog.New(slog.DiscardHandler))
		working.Go(func() {
			for n := range each {
				if err := l.Revoked(context.Background(), fmt.Sprint("key ", n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Wait()
	entries, err := ReadLedger(dir)
	if err != nil || len(entries) != servers*each {
		t.Errorf("got %d entries, %v, want %d", len(entries), err, servers*each)
	}
}
