package curate_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// stamps is the sentence that is forgotten by itself.
const stamps = "I collect stamps."

// sentenceCase is an import of what has a sentence that was forgotten by itself.
type sentenceCase struct {
	first, next func(session.Key) *curate.Archived
	// export takes next from an export of the first one, which is deleted here.
	export bool
}

// archivedHere is an export of a lineage.
func archivedHere(t *testing.T, db runtest.Database, root session.ID) *curate.Archived {
	t.Helper()
	rows, err := db.Sessions(t.Context(), owner.Local(), session.Filter{Lineage: root})
	ms, failed := db.Messages(t.Context(), owner.Local(), root, session.Range{})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	return &curate.Archived{Owner: owner.Local(), Sessions: rows, Hash: ms[len(ms)-1].Hash,
		Messages: func(yield func(session.Message, error) bool) {
			for _, m := range slices.Clone(ms) {
				if !yield(m, nil) {
					return
				}
			}
		}}
}

// noted is a line of memories, each statement of which is a fact.
func noted(a *curate.Archived) *curate.Archived {
	messages := a.Messages
	a.Messages = func(yield func(session.Message, error) bool) {
		for m, err := range messages {
			m.Note = memory.ProgramNote
			if !yield(m, err) {
				return
			}
		}
	}
	return a
}

// house makes a home in which a sentence was forgotten by itself.
func (c *sentenceCase) house(t *testing.T, db *ending, key session.Key) (with func(*ending) *curate.Curator, next *curate.Archived) {
	t.Helper()
	ledger := backup.NewLedger(t.TempDir(), "", []byte("key"), runtest.NewClock().Now, slog.New(slog.DiscardHandler))
	with = func(db *ending) *curate.Curator {
		_, curator := runtest.New(db, &runtest.Parts{Ledger: ledger, Config: run.Config{Now: runtest.NewClock().Now}})
		return curator
	}
	curator := with(db)
	if _, err := curator.Import(t.Context(), c.first(key)); err != nil {
		t.Fatal(err)
	}
	if c.export {
		next = archivedHere(t, db, "mem:c")
	}
	scope := memory.Scope{Root: "mem:c", Key: key}
	facts, err := curator.Facts(t.Context(), owner.Local(), scope)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(facts, func(f memory.Fact) bool { return f.Quote == stamps })
	if at < 0 {
		t.Fatalf("got the facts %+v, want the one to forget", facts)
	}
	if _, err := curator.ForgetFact(t.Context(), owner.Local(), scope, facts[at].ID); err != nil {
		t.Fatal(err)
	}
	if c.export {
		if _, err := curator.Delete(t.Context(), owner.Local(), "mem:c", nil); err != nil {
			t.Fatal(err)
		}
		return with, next
	}
	return with, c.next(key)
}

// called is a line in which a model has stored the sentence with a tool.
func called(key session.Key) *curate.Archived {
	a := talked(key, "I like tea.", "Fine.", "Good.")
	messages := a.Messages
	a.Messages = func(yield func(session.Message, error) bool) {
		i := 0
		for m, err := range messages {
			switch i++; i {
			case 2:
				call := openai.Call{ID: "c1", Type: "function"}
				call.Function.Name, call.Function.Arguments = "memory", `{"statement":"`+stamps+`"}`
				m.Content, m.ToolCalls = "", openai.MarshalCalls([]openai.Call{call})
			case 3:
				m.Role, m.Content, m.ToolCallID, m.Note = session.Tool, stamps, "c1", memory.FormatNote("", "")
			}
			if !yield(m, err) {
				return
			}
		}
	}
	return a
}

// saying are the stored messages, also undone ones, that have the sentence.
func saying(t *testing.T, db runtest.Database) (out []string) {
	t.Helper()
	for _, root := range []session.ID{"mem:c", "mem:c~2"} {
		ms, err := db.Messages(t.Context(), owner.Local(), root, session.Range{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range ms {
			if text := ms[i].Content + string(ms[i].ToolCalls); strings.Contains(text, "stamps") {
				out = append(out, string(root)+" "+text)
			}
		}
	}
	return out
}

// TestImportKilledBehindASentence: a sentence that was forgotten by itself is at no time in a message that an import
// stores, whichever transaction is the last one before the process is killed.
func TestImportKilledBehindASentence(t *testing.T) {
	t.Parallel()
	said := func(texts ...string) func(session.Key) *curate.Archived {
		return func(key session.Key) *curate.Archived { return talked(key, texts...) }
	}
	alone := func(list ...memo) func(session.Key) *curate.Archived {
		return func(key session.Key) *curate.Archived { return noted(standingAlone(key, list)) }
	}
	old := said("My cat is called Ada.", "Fine.", "I like tea. "+stamps, "Good.", "I need ink.", "So.")
	for name, c := range map[string]sentenceCase{
		"edited conversation": {first: old, next: said("My cat is called Eve.", "Fine.", "I like tea. "+stamps, "Good.")},
		"edited memories": {
			first: alone(memo{"1", "I own a car.", 1}, memo{"2", "I like tea. " + stamps, 3}),
			next:  alone(memo{"1", "I own a boat.", 2}, memo{"2", "I like tea. " + stamps, 3}),
		},
		"export":                {first: old, export: true},
		"export of a tool call": {first: called, export: true},
	} {
		for _, key := range []session.Key{"me", ""} {
			t.Run(name+", key "+string(key), func(t *testing.T) {
				t.Parallel()
				for n := 1; ; n++ {
					db := opened(t)
					with, next := c.house(t, db, key)
					before := db.writes
					db.fails, db.killed = before+n, true
					_, err := with(db).Import(t.Context(), next)
					if got := saying(t, db); len(got) > 0 {
						t.Errorf("killed at transaction %d: got %q", n, got)
					}
					db.fails, db.killed = 0, false
					again := with(db)
					if _, err := again.Import(t.Context(), next); err != nil {
						t.Errorf("killed at transaction %d: the second run: %v", n, err)
					}
					if got := saying(t, db); len(got) > 0 {
						t.Errorf("the second run behind transaction %d: got %q", n, got)
					}
					left := 0
					for m, err := range archivedHere(t, db, "mem:c").Messages {
						if err == nil && m.Stands() && strings.Contains(m.Content, "I like tea.") {
							left++
						}
					}
					if left != 1 {
						t.Errorf("the second run behind transaction %d: %d messages have the rest of the message", n, left)
					}
					verified(t, again)
					if err == nil {
						return
					}
				}
			})
		}
	}
}
