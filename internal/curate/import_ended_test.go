package curate_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// listed is a line of memories in an order, as the lines of a file.
func listed(texts ...string) *curate.Archived {
	origin := &lineage.Origin{}
	var ms []session.Message
	sum := ""
	for i, text := range texts {
		sum += text
		origin.Marks, origin.Texts = append(origin.Marks, markOf(sum)...), append(origin.Texts, markOf(text)...)
		ms = append(ms, session.Message{Role: session.Assistant, Name: "mem", Content: text, SaidAt: dayOf(i)})
	}
	return noted(archived("me", origin, ms))
}

// current are the words of the facts of a key that hold, and ended of those that do not.
func current(t *testing.T, c *curate.Curator) (holds, ended []string) {
	t.Helper()
	facts, err := c.Facts(t.Context(), owner.Local(), memory.Scope{Key: "me"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range facts {
		switch f := &facts[i]; {
		case !f.Current():
			ended = append(ended, f.Quote)
		case f.Kind.Asserted():
			holds = append(holds, f.Quote)
		}
	}
	slices.Sort(holds)
	slices.Sort(ended)
	return holds, ended
}

// factOf is the id of a fact that holds.
func factOf(t *testing.T, c *curate.Curator, quote string) memory.FactID {
	t.Helper()
	facts, err := c.Facts(t.Context(), owner.Local(), memory.Scope{Key: "me"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range facts {
		if facts[i].Quote == quote && facts[i].Current() {
			return facts[i].ID
		}
	}
	t.Fatalf("no fact %q holds", quote)
	return ""
}

const graz, linz = "Lives in Graz.", "I live in Linz."

// replaces replaces a memory here.
func replaces(t *testing.T, c *curate.Curator) {
	t.Helper()
	note := curate.Note{Owner: owner.Local(), Key: "me", Text: linz, Replaces: factOf(t, c, graz)}
	if _, err := c.Remember(t.Context(), &note); err != nil {
		t.Fatal(err)
	}
}

// takesBack ends a memory here without a new one.
func takesBack(t *testing.T, c *curate.Curator) {
	t.Helper()
	_, _, err := c.Append(t.Context(), &curate.Addition{Owner: owner.Local(), Session: "s", Key: "me",
		Messages: []session.Message{{Role: session.User, Content: "Forget everything about Graz."}}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestImportKeepsEnded: a memory that was replaced or taken back here does not hold again because one before it was
// edited in the other program.
func TestImportKeepsEnded(t *testing.T) {
	t.Parallel()
	alone := func(list ...memo) *curate.Archived { return noted(standingAlone("me", list)) }
	car, tea := memo{"1", "Owns a car.", 1}, memo{"3", "Likes green tea.", 3}
	home := memo{"2", graz, 2}
	for name, c := range map[string]struct {
		lines []*curate.Archived // the import, and the later ones
		holds []string           // at last, without what was said here
	}{
		"memories that stand alone": {
			[]*curate.Archived{
				alone(car, home, tea), alone(memo{"1", "Owns a boat.", 9}), alone(memo{"0", "Has a fish.", 1}, memo{"1", "Owns a bike.", 10}),
			},
			[]string{"Has a fish.", "Likes green tea.", "Owns a bike."},
		},
		"memories in an order": {
			[]*curate.Archived{
				listed("Owns a car.", graz, "Likes green tea."), listed("Owns a boat.", graz, "Likes green tea."), listed(graz, "Likes green tea."),
			},
			[]string{"Likes green tea."},
		},
		"one text": {
			[]*curate.Archived{
				listed("Owns a car.\n\n" + graz + "\n\nLikes green tea."), listed("Owns a boat.\n\n" + graz + "\n\nLikes green tea."),
				listed("Has a fish.\n\n" + graz + "\n\nLikes rum."),
			},
			[]string{"Has a fish.", "Likes rum."},
		},
	} {
		for how, here := range map[string]func(*testing.T, *curate.Curator){"replaced": replaces, "taken back": takesBack} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				db := opened(t)
				with := func() *curate.Curator {
					_, curator := runtest.New(db, &runtest.Parts{Config: run.Config{Now: runtest.NewClock().Now}})
					return curator
				}
				curator := with()
				holds := c.holds
				for i, line := range c.lines {
					if _, err := curator.Import(t.Context(), line); err != nil {
						t.Fatal(err)
					}
					if i == 0 {
						here(t, curator)
						continue
					}
					if got, ended := current(t, curator); slices.Contains(got, graz) || !slices.Contains(ended, graz) {
						t.Errorf("import %d: %q hold, and %q do not", i, got, ended)
					}
					verified(t, curator)
				}
				if how == "replaced" {
					holds = append(slices.Clone(holds), linz)
					slices.Sort(holds)
				}
				for _, curator := range []*curate.Curator{curator, with()} {
					if got, _ := current(t, curator); gocmp.Diff(holds, got) != "" {
						t.Errorf("got %q, want %q", got, holds)
					}
				}
				if how == "replaced" {
					if _, err := curator.Undo(t.Context(), owner.Local(), "memory:me"); err != nil {
						t.Fatal(err)
					}
					for _, curator := range []*curate.Curator{curator, with()} {
						if got, _ := current(t, curator); !slices.Contains(got, graz) {
							t.Errorf("without what replaced it: got %q, want %q among them", got, graz)
						}
					}
					verified(t, curator)
				}
			})
		}
	}
}

// TestImportApartKeepsEnded: a memory that was replaced within its session stays replaced where the other program's version
// becomes a session apart.
func TestImportApartKeepsEnded(t *testing.T) {
	t.Parallel()
	db := opened(t)
	_, curator := runtest.New(db, &runtest.Parts{Config: run.Config{Now: runtest.NewClock().Now}})
	if _, err := curator.Import(t.Context(), listed("Owns a car.", graz)); err != nil {
		t.Fatal(err)
	}
	note := curate.Note{Owner: owner.Local(), Session: "mem:c", Key: "me", Text: linz, Replaces: factOf(t, curator, graz)}
	if _, err := curator.Remember(t.Context(), &note); err != nil {
		t.Fatal(err)
	}
	if got, err := curator.Import(t.Context(), listed("Owns a boat.", graz)); err != nil || got.Fate != curate.FateApart {
		t.Fatalf("got %+v and %v, want a session apart", got, err)
	}
	if got, _ := current(t, curator); slices.Contains(got, graz) || !slices.Contains(got, "Owns a boat.") {
		t.Errorf("got %q", got)
	}
	verified(t, curator)
}

// TestImportKeepsEndedKilled: whichever transaction of an import is the last one, a second run leaves what was replaced
// here as it is.
func TestImportKeepsEndedKilled(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		db := opened(t)
		_, curator := runtest.New(db, &runtest.Parts{Config: run.Config{Now: runtest.NewClock().Now}})
		if _, err := curator.Import(t.Context(), listed("Owns a car.", graz, "Likes green tea.")); err != nil {
			t.Fatal(err)
		}
		replaces(t, curator)
		next := listed("Owns a boat.", graz, "Likes green tea.")
		db.fails, db.killed = db.writes+n, true
		_, failed := curator.Import(t.Context(), next)
		db.fails = 0
		_, curator = runtest.New(db, &runtest.Parts{Config: run.Config{Now: runtest.NewClock().Now}})
		if _, err := curator.Import(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		got, _ := current(t, curator)
		if want := []string{linz, "Likes green tea.", "Owns a boat."}; gocmp.Diff(want, got) != "" {
			t.Errorf("killed at transaction %d: got %q, want %q", n, got, want)
		}
		verified(t, curator)
		if failed == nil {
			return
		}
	}
}
