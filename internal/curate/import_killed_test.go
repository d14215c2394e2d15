package curate_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// ending is a database in which one transaction fails, as on a full disk, or all from that one on, as those of a
// process that was killed.
type ending struct {
	runtest.Database
	writes, fails int // the number of transactions so far, and of the one that fails; 0 for none
	killed        bool
}

var errEnded = errors.New("no space left")

func (e *ending) write(do func() error) error {
	e.writes++
	if e.writes == e.fails || e.killed && e.fails > 0 && e.writes > e.fails {
		return errEnded
	}
	return do()
}

func (e *ending) AppendTurn(ctx context.Context, o owner.Owner, step lineage.Step) error {
	return e.write(func() error { return e.Database.AppendTurn(ctx, o, step) })
}

func (e *ending) Rewrite(ctx context.Context, o owner.Owner, w curate.Rewrite) error {
	return e.write(func() error { return e.Database.Rewrite(ctx, o, w) })
}

func (e *ending) DeleteLineage(ctx context.Context, o owner.Owner, root session.ID) error {
	return e.write(func() error { return e.Database.DeleteLineage(ctx, o, root) })
}

// memo is a memory of another program.
type memo struct {
	id, text string
	day      int
}

// memos are many memories of different days.
func memos(n int) (list []memo) {
	for i := range n {
		list = append(list, memo{fmt.Sprint("m", i), fmt.Sprintf("Owns gadget%d from brand%d.", i, i%13), i / 2})
	}
	return list
}

// edited are memories of which some have another text and another day, without some others, and with new ones.
func edited(list []memo, edits map[int]int, without []int, more ...memo) (out []memo) {
	for i, m := range list {
		if day, other := edits[i]; other {
			m.text, m.day = fmt.Sprintf("Sold gadget%d to Ada%d.", i, i), day
		}
		if !slices.Contains(without, i) {
			out = append(out, m)
		}
	}
	return append(out, more...)
}

// archived is a conversation "c" of the program "mem" under a session key.
func archived(key session.Key, origin *lineage.Origin, messages []session.Message) *curate.Archived {
	origin.System, origin.ID = "mem", "c"
	begun := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	row := session.Session{ID: "mem:c", RootID: "mem:c", Key: key, Source: "import", StartedAt: begun, LastActive: begun}
	return &curate.Archived{Owner: owner.Local(), Sessions: []session.Session{row}, Origin: origin,
		Messages: func(yield func(session.Message, error) bool) {
			for _, m := range messages {
				m.SessionID, m.Key, m.RecordedAt = row.ID, key, m.SaidAt
				if !yield(m, nil) {
					return
				}
			}
		}}
}

func markOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:lineage.MarkSize]
}

func dayOf(n int) time.Time { return time.Date(2025, 3, 1+n, 12, 0, 0, 0, time.UTC) }

// standingAlone is a line of memories.
func standingAlone(key session.Key, list []memo) *curate.Archived {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b memo) int { return cmp.Compare(a.day, b.day) })
	origin := &lineage.Origin{Adds: true}
	var ms []session.Message
	for _, m := range list {
		origin.Marks, origin.Texts = append(origin.Marks, markOf(m.id+" "+m.text)...), append(origin.Texts, markOf(m.id)...)
		origin.ChangedAt = dayOf(m.day)
		ms = append(ms, session.Message{Role: session.Assistant, Name: "mem", Content: m.text, SaidAt: dayOf(m.day)})
	}
	return archived(key, origin, ms)
}

// talked is a line of a conversation, whose messages have ids: an edit leaves the ids as they are.
func talked(key session.Key, texts ...string) *curate.Archived {
	origin := &lineage.Origin{}
	var ms []session.Message
	for i, text := range texts {
		origin.Marks, origin.Texts = append(origin.Marks, markOf(fmt.Sprint(i))...), append(origin.Texts, markOf(text)...)
		role := [...]session.Role{session.User, session.Assistant}[i%2]
		ms = append(ms, session.Message{Role: role, Content: text, SaidAt: dayOf(i)})
	}
	return archived(key, origin, ms)
}

// held is what a store has of imports: the standing messages and the facts, with what replaced them.
func held(t *testing.T, db runtest.Database, key session.Key) (out []string) {
	t.Helper()
	for _, root := range []session.ID{"mem:c", "mem:c~2", "mem:c~3"} {
		tip, err := db.Tip(t.Context(), owner.Local(), root)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		ms, failed := db.Messages(t.Context(), owner.Local(), root, session.Range{Standing: true})
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s ended as %q", root, tip.EndReason))
		tokens := int64(0)
		for i := range ms {
			out = append(out, fmt.Sprintf("%s %s %q %q", root, ms[i].SaidAt.Format(time.DateOnly), ms[i].Key, ms[i].Content))
			tokens += int64(ms[i].Tokens + 4)
		}
		if tip.LineageTokens != tokens {
			t.Errorf("%s: got %d tokens, want %d", root, tip.LineageTokens, tokens)
		}
		scope := memory.Scope{Root: root, Key: key}
		facts, err := memory.NewViews(db, 64<<20).PastFacts(t.Context(), owner.Local(), scope)
		if err != nil {
			t.Fatal(err)
		}
		quotes := make(map[memory.FactID]string)
		for i := range facts {
			quotes[facts[i].ID] = facts[i].Quote
		}
		for i := range facts {
			out = append(out, fmt.Sprintf("fact %q, now %q", facts[i].Quote, quotes[facts[i].SupersededBy]))
		}
	}
	return out
}

// claims checks that the noted marks are as many as the messages that stand of a conversation.
func claims(t *testing.T, db runtest.Database) {
	t.Helper()
	origin, err := db.Origin(t.Context(), owner.Local(), "mem", "c")
	if fault.KindOf(err) == fault.NotFound { // nothing is stored
		return
	}
	ms, failed := db.Messages(t.Context(), owner.Local(), origin.Root, session.Range{To: origin.NextSeq, Standing: true})
	if err := errors.Join(err, failed); err != nil || len(ms) != origin.Len() {
		t.Errorf("%s: got %d marks for %d messages, and %v", origin.Root, origin.Len(), len(ms), err)
	}
}

// verified checks that memory is what a rebuild learns.
func verified(t *testing.T, c *curate.Curator) {
	t.Helper()
	scopes, err := c.Rebuild(t.Context(), owner.Local(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scopes {
		if !scopes[i].Identical() {
			t.Errorf("memory differs from what a rebuild learns: %+v", scopes[i])
		}
	}
}

// interrupted is an import that is interrupted.
type interrupted struct {
	first, next func(session.Key) *curate.Archived // the lines; first may be nil
	here        func(*testing.T, *curate.Curator)  // is done between the two; may be nil
	restore     bool
}

// run imports the lines. begin is called before the last one.
func (i *interrupted) run(t *testing.T, db runtest.Database, key session.Key, begin func()) (*curate.Curator, error) {
	t.Helper()
	_, c := runtest.New(db, &runtest.Parts{Config: run.Config{Now: runtest.NewClock().Now}})
	if i.first != nil {
		if _, err := c.Import(t.Context(), i.first(key)); err != nil {
			t.Fatal(err)
		}
	}
	if i.here != nil {
		i.here(t, c)
	}
	begin()
	return c, i.again(t, c, key)
}

// again imports the last line.
func (i *interrupted) again(t *testing.T, c *curate.Curator, key session.Key) error {
	last := i.next(key)
	last.Restore = i.restore
	_, err := c.Import(t.Context(), last)
	return err
}

// secondRun checks that a second run, behind a first one whose transaction n failed, brings what is wanted.
func (i *interrupted) secondRun(t *testing.T, key session.Key, n int, killed bool, want []string) {
	t.Helper()
	db := opened(t)
	if _, err := i.run(t, db, key, func() { db.fails, db.killed = db.writes+n, killed }); !errors.Is(err, errEnded) {
		t.Fatalf("transaction %d: got %v", n, err)
	}
	claims(t, db)
	_, c := runtest.New(db.Database, &runtest.Parts{Config: run.Config{Now: runtest.NewClock().Now}})
	if err := i.again(t, c, key); err != nil {
		t.Errorf("transaction %d, killed %v: the second run: %v", n, killed, err)
		return
	}
	claims(t, db)
	verified(t, c)
	if diff := gocmp.Diff(want, held(t, db.Database, key)); diff != "" {
		t.Errorf("transaction %d, killed %v (-uninterrupted +second run):\n%.2000s", n, killed, diff)
	}
}

// opened is a new database.
func opened(t *testing.T) *ending {
	t.Helper()
	db := runtest.Open(t, filepath.Join(t.TempDir(), "state.db"))
	t.Cleanup(func() { _ = db.Close() })
	return &ending{Database: db}
}

// says lets the session go on here.
func says(t *testing.T, c *curate.Curator) {
	t.Helper()
	_, _, err := c.Append(t.Context(), &curate.Addition{Owner: owner.Local(), Session: "mem:c",
		Messages: []session.Message{{Role: session.User, Content: "I have a dog, too."}}})
	if err != nil {
		t.Fatal(err)
	}
}

// forgets forgets a name here.
func forgets(t *testing.T, c *curate.Curator) {
	t.Helper()
	if _, err := c.Forget(t.Context(), owner.Local(), "Ada", false); err != nil {
		t.Fatal(err)
	}
}

// TestImportKilled: whichever transaction of an import is the last one before the process is killed, or fails, a second
// run brings what an import brings that nothing has interrupted.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	alone := func(list []memo) func(session.Key) *curate.Archived {
		return func(key session.Key) *curate.Archived { return standingAlone(key, list) }
	}
	said := func(texts ...string) func(session.Key) *curate.Archived {
		return func(key session.Key) *curate.Archived { return talked(key, texts...) }
	}
	old := memos(300)
	next := alone(edited(old, map[int]int{3: 40, 4: 40, 70: 400, 280: 290}, []int{5, 6, 100, 299}, memo{"new", "Has a new boat.", 20}))
	chat := said("My cat is called Ada.", "Fine.", "I live in Oslo.", "Good.", "I need ink.", "So.")
	other := said("My cat is called Eve.", "Fine.", "I live in Rome.")
	for name, c := range map[string]interrupted{
		"new memories":          {next: alone(old)},
		"grown memories":        {first: alone(old[:9]), next: alone(old)},
		"edited memories":       {first: alone(old), next: next},
		"memories apart":        {first: alone(old), here: says, next: next},
		"restored memories":     {first: next, here: forgets, next: next, restore: true},
		"edited conversation":   {first: chat, next: other},
		"conversation apart":    {first: chat, here: says, next: other},
		"restored conversation": {first: chat, here: forgets, next: chat, restore: true},
	} {
		for _, key := range []session.Key{"me", ""} {
			t.Run(fmt.Sprintf("%s, key %q", name, key), func(t *testing.T) {
				t.Parallel()
				whole, before := opened(t), 0
				curator, err := c.run(t, whole, key, func() { before = whole.writes })
				if err != nil {
					t.Fatal(err)
				}
				verified(t, curator)
				want := held(t, whole, key)
				for n := 1; n <= whole.writes-before; n++ {
					c.secondRun(t, key, n, true, want)
					c.secondRun(t, key, n, false, want)
				}
			})
		}
	}
}

// TestImportApartLeftOut: a conversation that cannot become a session apart, because a message has the key of a forgotten
// thing, is still known to be held by the session before.
func TestImportApartLeftOut(t *testing.T) {
	t.Parallel()
	db := opened(t)
	old := memos(300) // in two transactions
	line := standingAlone("me", edited(old, map[int]int{3: 400}, nil))
	i := &interrupted{
		first: func(key session.Key) *curate.Archived { return standingAlone(key, old) },
		here:  func(t *testing.T, c *curate.Curator) { says(t, c); forgets(t, c) },
		next: func(session.Key) *curate.Archived {
			named := *line
			named.Messages = func(yield func(session.Message, error) bool) {
				n := 0
				for m, err := range line.Messages {
					if n++; n == len(old) {
						m.Key = "ada"
					}
					if !yield(m, err) {
						return
					}
				}
			}
			return &named
		},
	}
	c, err := i.run(t, db, "me", func() {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Tip(t.Context(), owner.Local(), "mem:c~2"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the session apart: got %v, want none", err)
	}
	if got, err := c.Import(t.Context(), line); err != nil || got.Fate != curate.FateApart {
		t.Errorf("without the key: got %+v and %v, want a session apart", got, err)
	}
}
