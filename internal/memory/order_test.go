package memory

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/pairtest"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// lives are statements in the order they were said, each of which ends the one before it.
var lives = [][]string{
	{"I work at Condor.", "I work at Lufthansa."},
	{"The rent of the flat is 900 euros.", "The rent of the flat is 930 euros.", "The rent of the flat is 900 euros."},
	{"My boss is Albert Stein.", "My boss is Ursula Kranz."},
	{"My boss is Albert Stein.", "My boss is Ursula Kranz.", "My boss is Petra Lohr."},
	{"The rent is 900 euros.", "The rent is 930 euros.", "The rent is 950 euros."},
	{"Our budget is 4,000 euros.", "Our budget is 5,500 euros."},
	{"The meeting is on Tuesday.", "The meeting is on Thursday.", "The meeting is on Friday."},
	{"We're committed to microservices.", "Merged all services back into a monolith because deploys were slow."},
	{"Ich wohne in Trier.", "Ich wohne in Mainz."},
	{"Ich wohne in Trier.", "Ich wohne in Mainz.", "Ich wohne in Bonn."},
	{"Mein Chef ist Albert Stein.", "Mein Chef ist Peter Lohr."},
	{"Die Miete beträgt 900 Euro.", "Die Miete beträgt 950 Euro."},
	{"Mon chef est Luc Martin.", "Mon chef est Paul Girard."},
	{"Mi jefe es Carlos Ruiz.", "Mi jefe es Pablo Soto."},
	{"The rate limit is 100.", "The rate limit is now 200.", "The rate limit is now 300."},
	{"I use Vim for notes.", "I no longer use Vim for notes."},
	{"We use Postgres for the database.", "We switched from Postgres to Oracle for the database."},
}

// toldAt is a statement of a conversation of its own, said on a day and stored as the nth.
func toldAt(n, day int, text string) ranking.Document {
	root := session.ID(fmt.Sprintf("s%d", day))
	return ranking.Document{
		MessageID: int64(n + 1), SessionID: root, Root: root, Role: session.User, Text: text, SaidAt: firstDay.AddDate(0, day, 0),
	}
}

// history is what holds of some statements, and what ended the others, by the months in which they were said.
func history(s *State) map[string]string {
	out := map[string]string{}
	for f := range s.Facts() {
		by := "holds"
		for _, link := range f.Links {
			if was, _ := s.Fact(link.To); link.Kind == Supersedes && was.SupersededBy != f.ID {
				out[f.Statement+" supersedes "+was.Statement] = "though it is not what ended it"
			}
		}
		if !f.Current() {
			ender, _ := s.Fact(f.SupersededBy)
			by = string(ender.Source.Root)
			if !ender.SaidAt.Equal(f.SupersededAt) || !f.SaidAt.Before(ender.SaidAt) {
				by += ", not later"
			}
			if !slices.Contains(ender.Links, Link{Supersedes, f.ID}) {
				by += ", no link"
			}
		}
		out[string(f.Source.Root)+" "+f.Statement] = by
	}
	return out
}

// learnIn learns statements in an order of storing.
func learnIn(life []string, order []int) *State {
	s := NewState()
	for n, day := range order {
		s.Learn(Distill(toldAt(n, day, life[day]), nil))
	}
	return s
}

// TestDatesDecide: whatever the order in which statements are stored, each is ended by what was said next.
func TestDatesDecide(t *testing.T) {
	t.Parallel()
	for _, life := range lives {
		inOrder := make([]int, len(life))
		want := map[string]string{}
		for i, text := range life {
			inOrder[i] = i
			by := "holds"
			if i+1 < len(life) {
				by = fmt.Sprintf("s%d", i+1)
			}
			want[fmt.Sprintf("s%d %s", i, strings.TrimRight(text, "."))] = by
		}
		if diff := cmp.Diff(want, history(learnIn(life, inOrder))); diff != "" {
			t.Errorf("%q in order (-want +got):\n%s", life, diff)
			continue
		}
		for order := range permutations(len(life)) {
			if diff := cmp.Diff(want, history(learnIn(life, order))); diff != "" {
				t.Errorf("%q stored in the order %v (-want +got):\n%s", life, order, diff)
			}
		}
	}
}

// permutations are all orders of n things.
func permutations(n int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		var step func(order []int) bool
		step = func(order []int) bool {
			if len(order) == n {
				return yield(order)
			}
			for i := range n {
				if !slices.Contains(order, i) && !step(append(order[:len(order):len(order)], i)) {
					return false
				}
			}
			return true
		}
		step(nil)
	}
}

// TestAnyOrderHolds mixes several lives, stored in random orders: the same statements hold, and the state that is
// restored from the facts, and the one over pieces of them, tell the same.
func TestAnyOrderHolds(t *testing.T) {
	t.Parallel()
	mixed := [][]int{{1, 3, 4, 6, 9}, {1, 5, 6, 10, 12}, {3, 4, 8, 13, 15}, {0, 2, 7, 11, 14}}
	random := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // a fixed order
	for round := range 48 {
		var life []string
		for step := range 4 { // the lives go on side by side
			for _, i := range mixed[round%len(mixed)] {
				if step < len(lives[i]) {
					life = append(life, lives[i][step])
				}
			}
		}
		inOrder := make([]int, len(life))
		for i := range inOrder {
			inOrder[i] = i
		}
		want := holding(learnIn(life, inOrder))
		order := random.Perm(len(life))
		s := learnIn(life, order)
		if diff := cmp.Diff(want, holding(s)); diff != "" {
			t.Errorf("stored in the order %v (-in order +got):\n%s", order, diff)
		}
		again := NewState()
		again.Restore(slices.Collect(s.Facts()))
		if again.Hash() != s.Hash() || cmp.Diff(doubts(s), doubts(again)) != "" {
			t.Errorf("stored in the order %v: a restored state differs: %s", order, cmp.Diff(doubts(s), doubts(again)))
		}
		if diff := cmp.Diff(s.Block(2000, quarter, BlockOptions{}).Text, again.Block(2000, quarter, BlockOptions{}).Text); diff != "" {
			t.Errorf("stored in the order %v: blocks (-learnt +restored):\n%s", order, diff)
		}
	}
}

// holding are the statements that hold.
func holding(s *State) []string {
	out := map[string]bool{}
	for f := range s.Facts() {
		if f.Current() {
			out[string(f.Source.Root)+" "+f.Statement] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// doubts are the facts that others perhaps replaced, and where all are shown.
func doubts(s *State) []Mark {
	var out []Mark
	for k := range s.all() {
		out = append(out, Mark{Number: k.Number, DoubtedBy: k.DoubtedBy, Section: k.Section, Weight: k.Weight})
	}
	return out
}

// earlier is a message stored with others, said in a month.
type earlier struct {
	month int
	text  string
	by    Source
}

// TestStoredLater: what is stored later and was said earlier.
func TestStoredLater(t *testing.T) {
	t.Parallel()
	user, bob, program := Source{Role: session.User}, Source{Role: session.User, Speaker: "Bob"}, Source{Role: session.Assistant, Speaker: "mem0"}
	for name, c := range map[string]struct {
		stored []earlier
		want   map[string]string
	}{
		"is ended by a later denial": {
			[]earlier{{3, "I no longer use Vim for notes.", user}, {1, "I use Vim for notes.", user}},
			map[string]string{"s3 I no longer use Vim for notes": "holds", "s1 I use Vim for notes": "s3"},
		},
		"takes back nothing that was said later": {
			[]earlier{{3, "The rate limit is 100.", user}, {1, "Forget what I said about the rate limit.", user}},
			map[string]string{"s3 The rate limit is 100": "holds", "s1 Forget what I said about the rate limit.": "holds"},
		},
		"is not ended by what was taken back": {
			[]earlier{{3, "The rate limit is 300.", user}, {4, "I was wrong about the rate limit.", user}, {1, "The rate limit is 100.", user}},
			map[string]string{
				"s3 The rate limit is 300": "s4", "s4 I was wrong about the rate limit.": "holds", "s1 The rate limit is 100": "holds",
			},
		},
		"is not ended by another person": {
			[]earlier{{3, "The rate limit is 300.", bob}, {1, "The rate limit is 100.", user}},
			map[string]string{"s3 The rate limit is 300": "holds", "s1 The rate limit is 100": "holds"},
		},
		"is ended as the memory of another program": {
			[]earlier{{3, "The rate limit is 300.", user}, {1, "The rate limit is 100.", program}},
			map[string]string{"s3 The rate limit is 300": "holds", "s1 The rate limit is 100": "s3"},
		},
		"is not ended by the memory of another program": {
			[]earlier{{3, "The rate limit is 300.", program}, {1, "The rate limit is 100.", user}},
			map[string]string{"s3 The rate limit is 300": "holds", "s1 The rate limit is 100": "holds"},
		},
		"ends what was said before it": {
			[]earlier{{1, "The rate limit is 100.", user}, {5, "The rate limit is 500.", user}, {3, "The rate limit is 300.", user}},
			map[string]string{"s1 The rate limit is 100": "s3", "s3 The rate limit is 300": "s5", "s5 The rate limit is 500": "holds"},
		},
		"leaves other things": {
			[]earlier{{3, "The rate limit is 300.", user}, {1, "The page size is 100.", user}},
			map[string]string{"s3 The rate limit is 300": "holds", "s1 The page size is 100": "holds"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewState()
			for n, e := range c.stored {
				d := toldAt(n, e.month, e.text)
				if d.Role, d.Speaker = e.by.Role, e.by.Speaker; e.by == program {
					d.Note = ProgramNote
				}
				s.Learn(Distill(d, nil))
			}
			if diff := cmp.Diff(c.want, history(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSaidAtOnce: of statements of one time, the one that is stored later ends the other.
func TestSaidAtOnce(t *testing.T) {
	t.Parallel()
	s := NewState()
	for n, text := range []string{"The rate limit is 300.", "The rate limit is 100."} {
		d := toldAt(n, 1, text)
		d.Root = session.ID(text)
		s.Learn(Distill(d, nil))
	}
	if got := holding(s); len(got) != 1 || !strings.HasSuffix(got[0], "100") {
		t.Errorf("got %q, want the rate limit of 100", got)
	}
}

// TestKnownThen: before a statement was stored, another one was known to have ended what it ends.
func TestKnownThen(t *testing.T) {
	t.Parallel()
	all := slices.Collect(learnIn([]string{"The rate limit is 100.", "The rate limit is 300.", "The rate limit is 500."}, []int{0, 2, 1}).Facts())
	if by := all[0].SupersededBy; by != all[2].ID {
		t.Fatalf("got %s, want it ended by what was said next", by)
	}
	if diff := cmp.Diff([]Link{{Superseded, all[0].ID}, {Supersedes, all[2].ID}}, all[1].Links); diff != "" {
		t.Errorf("links of what ended it before (-want +got):\n%s", diff)
	}
	then := asKnown(all[:2], Scope{AsOf: firstDay})
	if f := &then[0]; f.SupersededBy != then[1].ID || !f.SupersededAt.Equal(then[1].SaidAt) || !then[1].Current() {
		t.Errorf("got %+v", then)
	}
}

// TestTimelineTurned: a page of a timeline shows what a fact of its topic ended, also if that is stored later.
func TestTimelineTurned(t *testing.T) {
	t.Parallel()
	v := NewView()
	for n, d := range []ranking.Document{
		toldAt(0, 5, "We switched from Postgres to Oracle for the database."), toldAt(1, 1, "We use Postgres for the database."),
	} {
		v.Learn(d)
		page := v.TimelinePage("Oracle", &FactQuery{Limit: 9})
		if diff := cmp.Diff(v.Timeline("Oracle"), page.Facts); diff != "" || len(page.Facts) != n+1 {
			t.Errorf("after %d messages (-whole +page):\n%s", n+1, diff)
		}
	}
}

// TestLoseEarlier: the end of a lineage, stored behind what was said later, is undone as if it had never been said.
func TestLoseEarlier(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5)) //nolint:gosec // a fixed order
	for _, life := range lives {
		order := random.Perm(len(life))
		s, want := learnIn(life, order), learnIn(life, order[:len(order)-1])
		lost := s.ofMessages([]int64{int64(len(order))})
		if !s.apart(lost) {
			continue // it is learnt again from the messages
		}
		s.lose(lost[0].Number)
		if s.Hash() != want.Hash() || cmp.Diff(doubts(want), doubts(s)) != "" {
			t.Errorf("%q stored in the order %v: without the last one:\n%s", life, order, cmp.Diff(history(want), history(s)))
		}
	}
}

// TestEitherOrder: of two statements, the same one ends the other, or none does, in whichever order they are stored.
func TestEitherOrder(t *testing.T) {
	t.Parallel()
	pairs, ended := slices.Concat(pairtest.Reversals(), pairtest.Controls()), 0
	for _, p := range slices.Concat(pairtest.Chats(), pairtest.Values()) {
		pairs = append(pairs, p.Pairs...)
	}
	for _, p := range pairs {
		life := []string{p.Was, p.Now}
		want := history(learnIn(life, []int{0, 1}))
		if diff := cmp.Diff(want, history(learnIn(life, []int{1, 0}))); diff != "" {
			t.Errorf("%q (-in order +in the other one):\n%s", life, diff)
		}
		for _, by := range want {
			if by != "holds" {
				ended++
			}
		}
	}
	if ended < 300 {
		t.Errorf("got %d ended statements of %d pairs", ended, len(pairs))
	}
}
