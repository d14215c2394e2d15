package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

func workTests() []test {
	return []test{
		{"work is requested, claimed and done", testWork},
		{"one of many workers claims an item", testWorkClaimers},
		{"a worker with a lost claim stores nothing", testWorkFence},
		{"a request during the work is not lost", testWorkAsked},
		{"failed work keeps its wake time", testWorkFailed},
		{"the first item of every owner comes before the second of any", testWorkFair},
		{"erasing a lineage erases its work", testWorkErased},
	}
}

// wanted is an item as it is requested.
func wanted(root session.ID, kind curate.Work, at time.Time) study.Item {
	return study.Item{Root: root, Kind: kind, WakeAt: at, UpdatedAt: epoch()}
}

func wantWork(t *testing.T, st Store, o owner.Owner, items ...study.Item) {
	t.Helper()
	kind(t, "ask for work", st.WantWork(t.Context(), o, items), "")
}

func bothKinds() []curate.Work { return []curate.Work{curate.Reading, curate.Vectors} }

func claimWork(t *testing.T, st Store, at time.Time, root session.ID) (study.Item, bool) {
	t.Helper()
	it, ok, err := st.ClaimWork(t.Context(), alice(), study.Claim{Root: root, Kind: curate.Reading, At: at, Until: at.Add(time.Minute)})
	kind(t, "claim", err, "")
	return it, ok
}

func work(t *testing.T, what string, st Store, want ...study.Item) {
	t.Helper()
	got, err := st.Work(t.Context(), alice(), study.Filter{Limit: 9})
	kind(t, what, err, "")
	same(t, what, got, want)
}

func counted(t *testing.T, what string, st Store, at time.Time, want study.Counts) {
	t.Helper()
	got, err := st.WorkCounts(t.Context(), at)
	kind(t, what, err, "")
	same(t, what, got, want)
}

func testWork(t *testing.T, st Store) {
	newTalk(alice(), "s", "").say(t, st, "told")
	at := epoch().Add(time.Hour)
	wantWork(t, st, alice(), wanted("s", curate.Reading, at), wanted("s", curate.Vectors, at.Add(time.Hour)), wanted("gone", curate.Reading, at))
	due, next, err := st.DueWork(t.Context(), at.Add(-time.Millisecond), bothKinds(), 9)
	kind(t, "due before", err, "")
	same(t, "due before", len(due), 0)
	same(t, "next", next, at)
	_, next, err = st.DueWork(t.Context(), at, []curate.Work{curate.Vectors}, 9)
	kind(t, "due of another kind", err, "")
	same(t, "next of another kind", next, at.Add(time.Hour))
	if _, ok := claimWork(t, st, at.Add(-time.Millisecond), "s"); ok {
		t.Error("work was claimed before its time")
	}
	it, ok := claimWork(t, st, at, "s")
	if !ok || !it.Running || it.Attempts != 1 || !it.WakeAt.Equal(at.Add(time.Minute)) {
		t.Errorf("got %+v, %v", it, ok)
	}
	counted(t, "under way", st, at, study.Counts{Waiting: 1, Running: 1})
	if _, ok := claimWork(t, st, at, "s"); ok {
		t.Error("work was claimed twice")
	}
	got, err := st.Work(t.Context(), alice(), study.Filter{After: study.Due{Root: "s", Kind: curate.Vectors}, Limit: 1})
	kind(t, "behind a cursor", err, "")
	same(t, "behind a cursor", got, []study.Item{it})
	held, err := st.RenewWork(t.Context(), alice(), &it, at.Add(2*time.Minute))
	kind(t, "renew", err, "")
	same(t, "renewed", held, true)
	done, err := st.SettleWork(t.Context(), alice(), &it, true)
	kind(t, "settle", err, "")
	same(t, "settled", done, true)
	got, err = st.Work(t.Context(), alice(), study.Filter{Limit: 9})
	kind(t, "what is left", err, "")
	if len(got) != 1 || got[0].Kind != curate.Vectors {
		t.Errorf("got %+v, want the vectors alone", got)
	}
}

func testWorkClaimers(t *testing.T, st Store) {
	root := func(i int) session.ID { return session.ID(fmt.Sprintf("s_%d", i)) }
	for i := range contested {
		newTalk(alice(), root(i), "").say(t, st, "told")
		wantWork(t, st, alice(), wanted(root(i), curate.Reading, epoch()))
	}
	contend(t, func(i int) (bool, error) {
		_, ok, err := st.ClaimWork(t.Context(), alice(), study.Claim{Root: root(i), Kind: curate.Reading, At: epoch(), Until: hour(1)})
		return ok, err
	})
}

func testWorkFence(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "told")
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch()))
	first, _ := claimWork(t, st, epoch(), "s")
	late := epoch().Add(2 * time.Minute) // its lease is over
	second, ok := claimWork(t, st, late, "s")
	if !ok || second.Fence == first.Fence || second.Attempts != 2 {
		t.Fatalf("got %+v, %v after %+v", second, ok, first)
	}
	for what, call := range map[string]func() (bool, error){
		"renew":  func() (bool, error) { return st.RenewWork(t.Context(), alice(), &first, late.Add(time.Hour)) },
		"settle": func() (bool, error) { return st.SettleWork(t.Context(), alice(), &first, true) },
		"defer":  func() (bool, error) { return st.SettleWork(t.Context(), alice(), &first, false) },
	} {
		ok, err := call()
		kind(t, what, err, "")
		same(t, what, ok, false)
	}
	s := studied(&l.messages[0], "canary-lost")
	s.Kind, s.Fence = curate.Reading, first.Fence
	kind(t, "keep under a lost claim", st.KeepStudy(t.Context(), alice(), s), fault.Conflict)
	vectors(t, "nothing is stored", st, memory.Scope{Root: "s"}, theEmbeddings)
	marks(t, "nothing is marked", st, "s", curate.Marks{})
	s.Fence = second.Fence
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), s), "")
	work(t, "the claim stays", st, second)
}

func testWorkAsked(t *testing.T, st Store) {
	newTalk(alice(), "s", "").say(t, st, "told")
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch()))
	it, _ := claimWork(t, st, epoch(), "s")
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch().Add(time.Hour)))
	it.UpdatedAt = epoch().Add(time.Second)
	ok, err := st.SettleWork(t.Context(), alice(), &it, true)
	kind(t, "settle", err, "")
	same(t, "settled", ok, true)
	again, ok := claimWork(t, st, epoch().Add(time.Second), "s")
	if !ok || again.Attempts != 1 || again.Asked != it.Asked+1 {
		t.Errorf("got %+v, %v, want it due at once", again, ok)
	}
}

func testWorkFailed(t *testing.T, st Store) {
	newTalk(alice(), "s", "").say(t, st, "told")
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch()))
	it, _ := claimWork(t, st, epoch(), "s")
	it.Running, it.WakeAt, it.Error, it.UpdatedAt = false, epoch().Add(time.Hour), "It did not answer.", epoch().Add(time.Second)
	_, err := st.SettleWork(t.Context(), alice(), &it, false)
	kind(t, "settle", err, "")
	work(t, "failed", st, it)
	counted(t, "failing", st, epoch(), study.Counts{Waiting: 1, Failing: 1, Error: it.Error})
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch()))
	it.Asked++
	work(t, "asked for again", st, it)
	it, _ = claimWork(t, st, it.WakeAt, "s")
	it.Running, it.WakeAt, it.Error, it.Attempts = false, epoch().Add(2*time.Hour), "", 0
	_, err = st.SettleWork(t.Context(), alice(), &it, false)
	kind(t, "settle", err, "")
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch()))
	it.Asked, it.WakeAt = it.Asked+1, epoch()
	work(t, "what waits is moved", st, it)
}

func testWorkFair(t *testing.T, st Store) {
	var want []study.Due
	for _, o := range []owner.Owner{alice(), bob()} {
		for i := range 3 {
			root := session.ID(fmt.Sprintf("%s-%d", o.ID(), i))
			newTalk(o, root, "").say(t, st, "told")
			wantWork(t, st, o, wanted(root, curate.Reading, epoch().Add(time.Duration(i)*time.Second)))
		}
	}
	for i := range 3 {
		for _, o := range []owner.Owner{alice(), bob()} {
			want = append(want, study.Due{Owner: o, Root: session.ID(fmt.Sprintf("%s-%d", o.ID(), i)), Kind: curate.Reading})
		}
	}
	got, _, err := st.DueWork(t.Context(), epoch().Add(time.Minute), bothKinds(), 4)
	kind(t, "due", err, "")
	if len(got) != 4 {
		t.Fatalf("got %d, want 4", len(got))
	}
	for i := range got {
		if got[i].Owner.ID() != want[i].Owner.ID() || got[i].Root != want[i].Root {
			t.Errorf("at %d: got %s of %s, want %s", i, got[i].Root, got[i].Owner.ID(), want[i].Root)
		}
	}
}

func testWorkErased(t *testing.T, st Store) {
	newTalk(alice(), "gone-quetzal", "").say(t, st, "told")
	wantWork(t, st, alice(), wanted("gone-quetzal", curate.Reading, epoch()))
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone-quetzal"), "")
	work(t, "work", st)
	wantWork(t, st, alice(), wanted("gone-quetzal", curate.Reading, epoch()))
	work(t, "work of a lineage that is gone", st)
	if n := traces(t, st, "quetzal"); n > 0 {
		t.Errorf("got %d traces, want none", n)
	}
}

// The isolation cases follow.

// settleWork stores work for an owner, with the owner's mark.
func settleWork(t *testing.T, st Store, o owner.Owner) {
	t.Helper()
	ctx := t.Context()
	kind(t, "ask for work", st.WantWork(ctx, o, []study.Item{wanted(theSession, curate.Reading, epoch()), wanted(theSession, curate.Vectors, epoch())}), "")
	it, ok, err := st.ClaimWork(ctx, o, study.Claim{Root: theSession, Kind: curate.Reading, At: epoch(), Until: epoch().Add(time.Minute)})
	if err != nil || !ok {
		t.Fatalf("claim: %v, %v", ok, err)
	}
	it.Error = markOf(o)
	if _, err := st.SettleWork(ctx, o, &it, false); err != nil {
		t.Fatalf("settle: %v", err)
	}
}

func workOfTheOwner(ctx context.Context, st Store, o owner.Owner) (any, error) {
	return st.Work(ctx, o, study.Filter{Limit: 9})
}

func wantTheWork(ctx context.Context, st Store, o owner.Owner) (any, error) {
	return nil, st.WantWork(ctx, o, []study.Item{wanted(theSession, curate.Reading, epoch().Add(time.Hour))})
}

func claimTheWork(ctx context.Context, st Store, o owner.Owner) (any, error) {
	it, ok, err := st.ClaimWork(ctx, o, study.Claim{Root: theSession, Kind: curate.Reading, At: epoch().Add(time.Hour), Until: epoch().Add(2 * time.Hour)})
	if !ok {
		return nil, err
	}
	return it, err
}

func renewTheWork(ctx context.Context, st Store, o owner.Owner) (any, error) {
	_, err := st.RenewWork(ctx, o, &study.Item{Root: theSession, Kind: curate.Reading, Fence: epoch().UnixMilli() + 1}, epoch().Add(time.Hour))
	return nil, err
}

func settleTheWork(ctx context.Context, st Store, o owner.Owner) (any, error) {
	_, err := st.SettleWork(ctx, o, &study.Item{Root: theSession, Kind: curate.Reading, Fence: epoch().UnixMilli() + 1}, true)
	return nil, err
}
