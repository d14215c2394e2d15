package lineage

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// emptyStore is a store in which nothing was ever said.
type emptyStore struct {
	session.Store
}

func (*emptyStore) Tip(context.Context, owner.Owner, session.ID) (session.Session, error) {
	return session.Session{}, fault.New(fault.NotFound, "session_not_found", "No session with this id.")
}

// idle reports how many lineages rest in memory, and how many there are.
func (ls *Lineages) idle() (resting, all int) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.order.Len(), len(ls.byKey)
}

// waitingFor reports how many wait for a lineage's turn.
func (ls *Lineages) waitingFor(root session.ID) int {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if s := ls.byKey[key{owner: owner.LocalID, root: root}]; s != nil {
		return len(s.waiting)
	}
	return 0
}

// TestTurnsAreFIFO: turns of a lineage come in the order they were asked for.
func TestTurnsAreFIFO(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ls := New(Parts{Sessions: &emptyStore{}, Hot: 8})
		turn, err := ls.Take(t.Context(), owner.Local(), "s", Whole)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				turn, err := ls.Take(t.Context(), owner.Local(), "s", Whole)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				turn.Release()
			}()
			synctest.Wait() // it stands in line now
		}
		turn.Release()
		synctest.Wait()
		want := make([]int, 20)
		for i := range want {
			want[i] = i
		}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("order of turns (-want +got):\n%s", diff)
		}
	})
}

// TestTurnsOfOthersDoNotWait: other lineages, and other owners' lineages of the
// same name, run at the same time.
func TestTurnsOfOthersDoNotWait(t *testing.T) {
	t.Parallel()
	ls := New(Parts{Sessions: &emptyStore{}, Hot: 8})
	var releases []func()
	for _, o := range []owner.Owner{owner.Local(), owner.Stored("ada"), owner.Stored("bob")} {
		for _, id := range []session.ID{"s", "t"} {
			turn, err := ls.Take(t.Context(), o, id, Whole)
			if err != nil {
				t.Fatal(err)
			}
			releases = append(releases, turn.Release)
		}
	}
	for _, release := range releases {
		release()
	}
}

// TestWaitingIsCancelled: who goes away while waiting leaves the line, and those
// behind move up.
func TestWaitingIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ls := New(Parts{Sessions: &emptyStore{}, Hot: 8})
		turn, err := ls.Take(t.Context(), owner.Local(), "s", Whole)
		if err != nil {
			t.Fatal(err)
		}
		results := make([]error, 3)
		cancels := make([]context.CancelFunc, 3)
		for i := range results {
			ctx, cancel := context.WithCancel(t.Context())
			cancels[i] = cancel
			go func() {
				var turn *Held
				if turn, results[i] = ls.Take(ctx, owner.Local(), "s", Whole); results[i] == nil {
					turn.Release()
				}
			}()
			synctest.Wait()
		}
		cancels[1]()
		synctest.Wait()
		if fault.KindOf(results[1]) != fault.Canceled || ls.waitingFor("s") != 2 {
			t.Errorf("got %v and %d waiting, want a cancelled fault and 2", results[1], ls.waitingFor("s"))
		}
		turn.Release()
		synctest.Wait()
		if results[0] != nil || results[2] != nil {
			t.Errorf("got %v and %v of those who stayed, want their turns", results[0], results[2])
		}
		cancels[0]()
		cancels[2]()
	})
}

// TestTurnHandedToOneWhoLeft: a turn that is handed over in the very moment its
// taker leaves goes on to the next.
func TestTurnHandedToOneWhoLeft(t *testing.T) {
	t.Parallel()
	ls := New(Parts{Sessions: &emptyStore{}, Hot: 8})
	for range 200 {
		turn, err := ls.Take(t.Context(), owner.Local(), "s", Whole)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if late, err := ls.Take(ctx, owner.Local(), "s", Whole); err == nil {
				late.Release()
			}
		})
		all.Go(cancel)
		all.Go(turn.Release)
		all.Wait()
		cancel()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if turn, err := ls.Take(ctx, owner.Local(), "s", Whole); err != nil {
		t.Errorf("the turn was lost: %v", err)
	} else {
		turn.Release()
	}
}

// TestLineagesAreForgotten: only so many rest in memory, the last used; one that
// is in use is never forgotten.
func TestLineagesAreForgotten(t *testing.T) {
	t.Parallel()
	ls := New(Parts{Sessions: &emptyStore{}, Hot: 4})
	held, err := ls.Take(t.Context(), owner.Local(), "held", Whole)
	if err != nil {
		t.Fatal(err)
	}
	held.Tip.Title = "mine"
	for i := range 100 {
		turn, err := ls.Take(t.Context(), owner.Local(), session.ID("s"+strconv.Itoa(i)), Whole)
		if err != nil {
			t.Fatal(err)
		}
		turn.Release()
	}
	if resting, all := ls.idle(); resting != 4 || all != 5 {
		t.Errorf("got %d resting of %d, want 4 of 5", resting, all)
	}
	lineage := held.Lineage
	held.Release()
	again, err := ls.Take(t.Context(), owner.Local(), "held", Whole)
	if err != nil || again.Lineage != lineage {
		t.Errorf("got %p, %v, want the lineage that was in use, %p", again, err, lineage)
	}
	again.Release()
}

// oneLineage is a store that has one lineage.
type oneLineage struct {
	session.Store
	said  []session.Message
	asked []session.Range
}

func (s *oneLineage) Tip(context.Context, owner.Owner, session.ID) (session.Session, error) {
	return session.Session{ID: "s", RootID: "s", NextSeq: int64(len(s.said))}, nil
}

func (s *oneLineage) Messages(_ context.Context, _ owner.Owner, _ session.ID, r session.Range) ([]session.Message, error) {
	s.asked = append(s.asked, r)
	from := 0
	if r.Newest && r.Limit > 0 {
		from = max(0, len(s.said)-r.Limit)
	}
	return s.said[from:], nil
}

// TestHeldBare: who does not look at the newest messages does not read them; who does
// gets all of them, also those that were added meanwhile.
func TestHeldBare(t *testing.T) {
	t.Parallel()
	store := &oneLineage{said: []session.Message{{Seq: 0, Hash: []byte("a")}, {Seq: 1, Hash: []byte("b")}}}
	ls := New(Parts{Sessions: store, Hot: 4})
	seqs := func(reach Reach) (seqs []int64, last string) {
		t.Helper()
		l, err := ls.Take(t.Context(), owner.Local(), "s", reach)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Release()
		for i := range l.Recent {
			seqs = append(seqs, l.Recent[i].Seq)
		}
		return seqs, string(l.Last)
	}
	if got, last := seqs(Bare); got != nil || last != "b" || len(store.asked) != 1 || store.asked[0].Limit != 1 {
		t.Errorf("held: got %d behind %q, asked for %+v, want nothing behind b, and the newest message", got, last, store.asked)
	}
	l, err := ls.Take(t.Context(), owner.Local(), "s", Bare)
	if err != nil {
		t.Fatal(err)
	}
	store.said = append(store.said, session.Message{Seq: 2, Hash: []byte("c")})
	l.Remember(store.said[2:])
	l.Release()
	if got, last := seqs(Bare); got != nil || last != "c" || len(store.asked) != 1 {
		t.Errorf("held again: got %d behind %q, asked %d times, want nothing behind c, of what is in memory", got, last, len(store.asked))
	}
	for range 2 {
		if got, last := seqs(Whole); !cmp.Equal(got, []int64{0, 1, 2}) || last != "c" || len(store.asked) != 2 {
			t.Errorf("taken: got %d behind %q, asked %d times, want all three, read once", got, last, len(store.asked))
		}
	}
	if got, _ := seqs(Bare); len(got) != 3 {
		t.Errorf("held thereafter: got %d, want what is in memory", got)
	}
}

// TestRemember: of a lineage only what a turn may look at is held.
func TestRemember(t *testing.T) {
	t.Parallel()
	l := &Lineage{Exists: true}
	for i := range 5000 {
		l.Remember([]session.Message{{Seq: int64(i)}})
		l.Tip.NextSeq = int64(i + 1)
		if i%40 == 39 {
			l.Tip.TailFrom = int64(i - 10)
		}
		if len(l.Recent) > MaxRecent+MinRecent {
			t.Fatalf("holds %d messages", len(l.Recent))
		}
		if from := l.Recent[0].Seq; from > l.Tip.TailFrom || len(l.Recent) < min(i+1, MinRecent) {
			t.Fatalf("after %d: holds %d from %d, want the tail from %d and %d at least", i, len(l.Recent), from, l.Tip.TailFrom, MinRecent)
		}
		if newest := l.Recent[len(l.Recent)-1].Seq; newest != int64(i) {
			t.Fatalf("got the newest %d, want %d", newest, i)
		}
		for k := 1; k < len(l.Recent); k++ {
			if l.Recent[k].Seq != l.Recent[k-1].Seq+1 {
				t.Fatalf("there is a gap behind %d", l.Recent[k-1].Seq)
			}
		}
	}
}

// TestLargeTexts: a lineage holds no more of large texts than a tail may take, the
// newest of them, and between turns nothing that is large.
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	of := func(sizes ...int) []session.Message {
		ms := make([]session.Message, len(sizes))
		for i, n := range sizes {
			ms[i] = session.Message{Seq: int64(i), Content: strings.Repeat("x", n)}
		}
		return ms
	}
	for _, tt := range []struct {
		name  string
		said  []session.Message
		first int64 // that is held
		rests bool  // between turns, too
	}{
		{"small", of(10, 20, 30), 0, true},
		{"as much as may rest", of(maxIdle-1, 1), 0, true},
		{"more than may rest", of(maxIdle, 1), 0, false},
		{"one that is too large", of(MaxRecentBytes+1, 5), 0, false},
		{"too many", of(10, MaxRecentBytes/2, MaxRecentBytes/2, 5), 1, false},
		{"far too many", of(10, MaxRecentBytes, MaxRecentBytes, 5), 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := Lineage{Exists: true, loaded: true}
			l.Remember(tt.said)
			if l.Recent[0].Seq != tt.first || l.Recent[len(l.Recent)-1].Seq != int64(len(tt.said)-1) {
				t.Errorf("got %d messages from %d on, want from %d on", len(l.Recent), l.Recent[0].Seq, tt.first)
			}
			if l.rest(); l.bare == tt.rests || len(l.Recent) > 0 != tt.rests {
				t.Errorf("kept between turns: %d messages, bare: %t, want them: %t", len(l.Recent), l.bare, tt.rests)
			}
		})
	}
}
