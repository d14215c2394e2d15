package storetest

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

func providerTests() []test {
	return []test{
		{"no two sources share a name", testProviderNames},
		{"a store has a name at providers", testProviderHome},
		{"a provider is in use since it was switched on", testProviderSwitch},
		{"what is told is kept under a claim", testProviderTold},
		{"what a job said is skipped", testProviderSkips},
		{"what was told and is erased is owed", testProviderOwed},
		{"what was not told is not owed", testProviderNotOwed},
		{"what was sent may have been told", testProviderSent},
		{"an emptied place is told again", testProviderEmptied},
		{"a debt that cannot be paid waits", testProviderDebtWaits},
		{"everything is owed", testProviderOweAll},
		{"a backfill begins everywhere", testProviderBackfill},
		{"a name stays until it is not owed", testProviderNameErased},
	}
}

// theProvider is the provider of these tests.
const theProvider = "honcho@memory"

// named gives the source of a talk a name.
func named(t *testing.T, st Store, o owner.Owner, s provider.Source) string {
	t.Helper()
	name, err := st.TakeProviderName(t.Context(), o, theProvider, s, s.Candidates)
	kind(t, "take a name", err, "")
	return name
}

// tell notes that the messages of a talk before a Seq were told.
func tell(t *testing.T, st Store, l *talk, to int64) string {
	t.Helper()
	s := provider.SourceOf(l.key, l.root())
	p, err := st.Told(t.Context(), l.o, theProvider, l.root())
	kind(t, "told", err, "")
	p.DoneTo, p.Marks = to, []provider.Mark{{Source: s, To: to, Sent: to}}
	kind(t, "keep", st.KeepTold(t.Context(), l.o, theProvider, curate.Task{Root: l.root(), Kind: provider.Telling}, &p), "")
	return named(t, st, l.o, s)
}

func testProviderNames(t *testing.T, st Store) {
	ctx := t.Context()
	colon, hyphen := provider.SourceOf("a:b", ""), provider.SourceOf("a-b", "")
	none, err := st.ProviderName(ctx, alice(), theProvider, colon)
	kind(t, "no name", err, "")
	same(t, "no name", none, "")
	first, second := named(t, st, alice(), hyphen), named(t, st, alice(), colon)
	same(t, "the first", first, "a-b")
	if second == first || len(second) != len("a-b-01234567") {
		t.Errorf("got %q and %q, want two names", first, second)
	}
	same(t, "again", named(t, st, alice(), colon), second)
	same(t, "of another owner", named(t, st, bob(), colon), "a-b")
	got, err := st.ProviderName(ctx, alice(), theProvider, colon)
	kind(t, "name", err, "")
	same(t, "name", got, second)
	other, err := st.ProviderName(ctx, alice(), "elsewhere", colon)
	kind(t, "name elsewhere", err, "")
	same(t, "name elsewhere", other, "")
	list, err := st.ProviderNames(ctx, alice(), theProvider, "k:a:")
	kind(t, "names", err, "")
	same(t, "names", list, []string{second})
	if _, err := st.TakeProviderName(ctx, alice(), theProvider, "k:c", func(int) []string { return []string{"a-b"} }); err == nil {
		t.Error("a taken name was given")
	}
}

func testProviderHome(t *testing.T, st Store) {
	first, err := st.ProviderHome(t.Context(), theProvider)
	kind(t, "home", err, "")
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("got %q, want 12 digits", first)
	}
	named(t, st, alice(), provider.SourceOf("key", "")) // is no name from before
	for _, id := range []string{theProvider, "elsewhere"} {
		again, err := st.ProviderHome(t.Context(), id)
		kind(t, "home", err, "")
		same(t, "at "+id, again, first)
	}
}

func testProviderSwitch(t *testing.T, st Store) {
	ctx := t.Context()
	for _, c := range []struct {
		to   string
		hour int
		want time.Time
	}{
		{"", 0, time.Time{}}, {theProvider, 1, hour(1)}, {theProvider, 2, hour(1)}, {"other", 3, hour(3)}, {theProvider, 4, hour(4)},
		{"", 5, time.Time{}}, {theProvider, 6, hour(6)},
	} {
		got, err := st.SwitchProvider(ctx, c.to, hour(c.hour))
		kind(t, "switch", err, "")
		same(t, fmt.Sprintf("%q in hour %d", c.to, c.hour), got, c.want)
		for _, id := range []string{theProvider, "other"} {
			want := time.Time{}
			if id == c.to {
				want = c.want
			}
			since, err := st.ProviderSince(ctx, id)
			kind(t, "since", err, "")
			same(t, fmt.Sprintf("%s is in use in hour %d since", id, c.hour), since, want)
		}
	}
}

func untold(t *testing.T, what string, st Store, since time.Time, want ...session.ID) {
	t.Helper()
	got, err := st.Untold(t.Context(), alice(), theProvider, since, 9)
	kind(t, what, err, "")
	same(t, what, got, want)
}

func testProviderTold(t *testing.T, st Store) {
	ctx := t.Context()
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "one", "two")
	untold(t, "before anything", st, epoch(), "s")
	untold(t, "from before", st, hour(1))
	wantWork(t, st, alice(), wanted("s", provider.Telling, epoch()))
	it, ok, err := st.ClaimWork(ctx, alice(), study.Claim{Root: "s", Kind: provider.Telling, At: epoch(), Until: hour(1)})
	if err != nil || !ok {
		t.Fatalf("claim: %v, %v", ok, err)
	}
	want := provider.Progress{DoneTo: 2, Marks: []provider.Mark{
		{Source: "k:key", To: 1, Sent: 1}, {Source: "k:key", From: 2, To: 3, Sent: 4}, {Source: "r:s", To: 1, Sent: 1},
	}}
	task := curate.Task{Root: "s", Kind: provider.Telling, Fence: it.Fence - 1}
	kind(t, "keep under a lost claim", st.KeepTold(ctx, alice(), theProvider, task, &want), fault.Conflict)
	task.Fence = it.Fence
	kind(t, "keep", st.KeepTold(ctx, alice(), theProvider, task, &want), "")
	got, err := st.Told(ctx, alice(), theProvider, "s")
	kind(t, "told", err, "")
	want.ReadDoneTo = want.DoneTo
	same(t, "told", got, want)
	none, err := st.Told(ctx, alice(), "elsewhere", "s")
	kind(t, "told elsewhere", err, "")
	want.Marks[1].To = 4
	more := provider.Progress{DoneTo: 2, ReadDoneTo: 2, Marks: want.Marks[1:2]}
	kind(t, "keep more", st.KeepTold(ctx, alice(), theProvider, task, &more), "")
	got, err = st.Told(ctx, alice(), theProvider, "s")
	kind(t, "told", err, "")
	same(t, "told more", got, want)
	same(t, "told elsewhere", none, provider.Progress{})
	untold(t, "after it", st, epoch())
	l.say(t, st, "three")
	untold(t, "more", st, hour(1), "s")
	task.Root, task.Fence = "gone", 0
	kind(t, "keep of no lineage", st.KeepTold(ctx, alice(), theProvider, task, &want), fault.NotFound)
}

func testProviderSkips(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "one", "two")
	for _, why := range []lineage.Untold{lineage.Never, lineage.OfImport} {
		step := l.step(t, st, "prompt", "answer")
		step.Untold = why
		l.commit(t, st, step)
	}
	got, err := st.Told(t.Context(), alice(), theProvider, "s")
	kind(t, "told", err, "")
	same(t, "skips", got.Skips, []provider.Skip{{From: 2, To: 4, Never: true}, {From: 4, To: 6}})
}

func testProviderSent(t *testing.T, st Store) {
	ctx := t.Context()
	l := newTalk(alice(), "s", "")
	l.say(t, st, "one", "two")
	named(t, st, alice(), "r:s")
	p := provider.Progress{Marks: []provider.Mark{{Source: "r:s", Sent: 2}}}
	kind(t, "keep", st.KeepTold(ctx, alice(), theProvider, curate.Task{Root: "s", Kind: provider.Telling}, &p), "")
	for root, want := range map[session.ID][]provider.Source{"s": nil, "other": {"r:s"}} {
		told, err := st.Told(ctx, alice(), theProvider, root)
		kind(t, "told", err, "")
		same(t, "unsure for "+string(root), told.Unsure, want)
	}
	newer := newTalk(alice(), "newer", "")
	newer.say(t, st, "one", "two")
	p.DoneTo = 2 // nothing else is to be told of it
	kind(t, "look past", st.KeepTold(ctx, alice(), theProvider, curate.Task{Root: "s", Kind: provider.Telling}, &p), "")
	untold(t, "the unknown outcome first", st, epoch(), "s", "newer")
	untold(t, "from before", st, hour(99999), "s")
	kind(t, "delete", st.DeleteLineage(ctx, alice(), "s"), "")
	if got := owed(t, st); len(got) != 1 || got[0].Count != 2 {
		t.Errorf("got %+v, want both messages", got)
	}
}

func testProviderBackfill(t *testing.T, st Store) {
	ctx := t.Context()
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "")
	a.say(t, st, "one", "two")
	b.say(t, st, "one", "two")
	tell(t, st, a, 2)
	roots, err := st.BackfillProvider(ctx, alice(), theProvider)
	kind(t, "backfill", err, "")
	same(t, "lineages", roots, []session.ID{"a", "b"})
	p, err := st.Told(ctx, alice(), theProvider, "a")
	kind(t, "told", err, "")
	same(t, "told", p, provider.Progress{Backfill: true, Marks: []provider.Mark{{Source: "k:key", To: 2, Sent: 2}}})
	late := provider.Progress{DoneTo: 3, ReadDoneTo: 2, Marks: []provider.Mark{{Source: "k:key", To: 3, Sent: 3}}}
	kind(t, "keep what was read before", st.KeepTold(ctx, alice(), theProvider, curate.Task{Root: "a", Kind: provider.Telling}, &late), fault.Conflict)
	late.ReadDoneTo, late.DoneTo = 0, 3
	kind(t, "keep what was read at the beginning", st.KeepTold(ctx, alice(), theProvider, curate.Task{Root: "a", Kind: provider.Telling}, &late), fault.Conflict)
	again, err := st.Told(ctx, alice(), theProvider, "a")
	kind(t, "told", err, "")
	same(t, "told after what was refused", again, p)
	for _, to := range []string{"", theProvider} { // a break
		_, err := st.SwitchProvider(ctx, to, hour(1))
		kind(t, "switch", err, "")
	}
	p, err = st.Told(ctx, alice(), theProvider, "b")
	kind(t, "told", err, "")
	same(t, "after a break", p, provider.Progress{})
}

func testProviderNameErased(t *testing.T, st Store) {
	ctx := t.Context()
	l := newTalk(alice(), "s", "quetzal")
	l.say(t, st, "one", "two")
	place := tell(t, st, l, 2)
	named(t, st, alice(), provider.Source("s:"+place+":quetzal"))
	kind(t, "delete", st.DeleteLineage(ctx, alice(), "s"), "")
	sweep := func() int {
		t.Helper()
		_, err := st.Sweep(ctx, alice(), mention.Of("quetzal"), false)
		kind(t, "sweep", err, "")
		left, err := st.Mentions(ctx, alice(), mention.Of("quetzal"))
		kind(t, "mentions", err, "")
		return found(left)
	}
	if sweep() == 0 {
		t.Error("the name of a place that is still to be emptied was erased")
	}
	d, err := st.Debt(ctx, alice(), theProvider, place)
	kind(t, "debt", err, "")
	kind(t, "pay", st.SettleDebt(ctx, alice(), &d, true), "")
	same(t, "left", sweep(), 0)
}

// The isolation cases follow.
