package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func lineageTests() []test {
	return []test{{"any sequence of turns, folds and erasures", testLineageModel}}
}

// testLineageModel runs random sequences of steps and compares the store with a model:
// after each step the lineage it touched, at the end all of them. Every sequence has
// its own owner in one store. -rapid.checks sets the number of sequences.
func testLineageModel(t *testing.T, st Store) {
	var n atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{st: st, o: owner.Stored(fmt.Sprintf("owner-%d", n.Add(1)))}
		rt.Repeat(map[string]func(*rapid.T){
			"open":   w.open,
			"say":    w.say,
			"fold":   w.fold,
			"clash":  w.clash,
			"create": w.create,
			"erase":  w.erase,
			"end":    w.end,
			"":       w.check,
		})
		for _, l := range w.talks {
			l.check(rt, st)
		}
	})
}

// world is the expected state of an owner's lineages. There are few ids, so that they
// are reused: as roots, as children, and after an erasure.
type world struct {
	st    Store
	o     owner.Owner
	talks []*talk
	last  *talk // what the last step touched; nil if nothing
	turn  int
}

func (w *world) id(t *rapid.T) session.ID {
	return session.ID(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}).Draw(t, "id"))
}

// holder is the lineage that has an id; nil if the id is free.
func (w *world) holder(id session.ID) *talk {
	for _, l := range w.talks {
		if slices.Contains(l.ids(), id) {
			return l
		}
	}
	return nil
}

func (w *world) some(t *rapid.T) *talk {
	if len(w.talks) == 0 {
		t.Skip("no lineage yet")
	}
	w.last = rapid.SampledFrom(w.talks).Draw(t, "lineage")
	return w.last
}

func (w *world) texts(t *rapid.T) []string {
	w.turn++
	return []string{fmt.Sprintf("question %d", w.turn), "answer", "and more"}[:rapid.IntRange(1, 3).Draw(t, "messages")]
}

// open starts a lineage under a free id, or fails to under one that is taken.
func (w *world) open(t *rapid.T) {
	id := w.id(t)
	l := newTalk(w.o, id, session.Key(rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(t, "key")))
	step := l.step(t, w.st, w.texts(t)...)
	if w.holder(id) != nil {
		kind(t, "open "+string(id), w.st.AppendTurn(context.Background(), w.o, step), fault.Conflict)
		return
	}
	l.commit(t, w.st, step)
	w.talks, w.last = append(w.talks, l), l
}

func (w *world) say(t *rapid.T) { w.some(t).say(t, w.st, w.texts(t)...) }

// fold opens a child under a free id, or fails to under one that is taken.
func (w *world) fold(t *rapid.T) {
	l, id := w.some(t), w.id(t)
	step := l.fold(t, w.st, id, w.texts(t)...)
	if w.holder(id) != nil {
		kind(t, "fold into "+string(id), w.st.AppendTurn(context.Background(), w.o, step), fault.Conflict)
		return
	}
	l.commit(t, w.st, step)
}

// clash is a writer that has missed the newest message.
func (w *world) clash(t *rapid.T) {
	l := w.some(t)
	step := l.step(t, w.st, "too late")
	step.Messages[0].Seq = rapid.Int64Range(0, int64(len(l.messages)-1)).Draw(t, "place")
	kind(t, "clash", w.st.AppendTurn(context.Background(), w.o, step), fault.Conflict)
}

// create creates a session without a turn; it fails if the id is taken.
func (w *world) create(t *rapid.T) {
	id := w.id(t)
	l := newTalk(w.o, id, "")
	err := w.st.CreateSession(context.Background(), w.o, l.tip())
	if w.holder(id) != nil {
		kind(t, "create "+string(id), err, fault.Conflict)
		return
	}
	kind(t, "create "+string(id), err, "")
	step := l.step(t, w.st, w.texts(t)...)
	step.Opened = false
	l.commit(t, w.st, step)
	w.talks, w.last = append(w.talks, l), l
}

func (w *world) erase(t *rapid.T) {
	l := w.some(t)
	kind(t, "erase", w.st.DeleteLineage(context.Background(), w.o, l.root()), "")
	for _, id := range l.ids() {
		_, err := w.st.Tip(context.Background(), w.o, id)
		kind(t, "tip of the erased "+string(id), err, fault.NotFound)
	}
	w.talks = slices.DeleteFunc(w.talks, func(o *talk) bool { return o == l })
	w.last = nil
}

// end closes a tip; the next turn reopens it.
func (w *world) end(t *rapid.T) {
	l := w.some(t)
	reason := session.EndReason("user_exit")
	got, err := w.st.UpdateSession(context.Background(), w.o, l.tip().ID, session.Patch{EndReason: &reason, At: l.now})
	kind(t, "end", err, "")
	want := l.tip()
	want.EndedAt, want.EndReason = l.now, reason
	same(t, "ended", got, want)
	l.say(t, w.st, "and again")
}

// check compares the lineage touched last, and the list of all lineages.
func (w *world) check(t *rapid.T) {
	if w.last != nil {
		w.last.check(t, w.st)
	}
	var roots []session.ID
	for _, l := range w.talks {
		roots = append(roots, l.root())
	}
	list, err := w.st.Sessions(context.Background(), w.o, session.Filter{})
	kind(t, "list", err, "")
	same(t, "list", sortedIDs(rootsOf(list)), sortedIDs(roots))
}
