package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// answered stores a turn of a lineage whose answer cost something.
func answered(t *testing.T, st Store, o owner.Owner, root session.ID, at time.Time, sent int) {
	t.Helper()
	l := newTalk(o, root, "")
	l.now = at
	step := l.step(t, st, "hello", "hi")
	last := &step.Messages[1]
	step.Receipt = &lineage.Receipt{
		ID: "r_" + string(root), SessionID: root, RootID: root, Seq: last.Seq, At: last.RecordedAt, Context: lineage.Context{Sent: sent, Naive: 2 * sent},
	}
	l.commit(t, st, step)
}

func testCostReport(t *testing.T, st Store) {
	monday := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	answered(t, st, alice(), "a", monday.Add(-time.Hour), 1) // the week before
	answered(t, st, alice(), "b", monday, 2)
	answered(t, st, alice(), "c", monday.Add(30*time.Minute), 4)
	answered(t, st, alice(), "d", monday.Add(6*24*time.Hour), 8)
	answered(t, st, bob(), "e", monday, 16)
	row := func(at time.Time, group string, turns, sent int) curate.CostRow {
		return curate.CostRow{At: at, Group: group, Turns: turns, Context: lineage.Context{Sent: sent, Naive: 2 * sent}}
	}
	whole := curate.CostFilter{From: monday.AddDate(0, 0, -7), To: monday.AddDate(0, 0, 7), Stretch: curate.Week}
	for what, c := range map[string]struct {
		change func(*curate.CostFilter)
		want   []curate.CostRow
	}{
		"weeks":    {func(*curate.CostFilter) {}, []curate.CostRow{row(monday.AddDate(0, 0, -7), "", 1, 1), row(monday, "", 3, 14)}},
		"days":     {func(f *curate.CostFilter) { f.Stretch, f.From = curate.Day, monday }, []curate.CostRow{row(monday, "", 2, 6), row(monday.AddDate(0, 0, 6), "", 1, 8)}},
		"hours":    {func(f *curate.CostFilter) { f.Stretch, f.To = curate.Hour, monday }, []curate.CostRow{row(monday.Add(-time.Hour), "", 1, 1)}},
		"sessions": {func(f *curate.CostFilter) { f.By, f.From = curate.BySession, monday }, []curate.CostRow{row(monday, "b", 1, 2), row(monday, "c", 1, 4), row(monday, "d", 1, 8)}},
		"models":   {func(f *curate.CostFilter) { f.By, f.From = curate.ByModel, monday }, []curate.CostRow{row(monday, "model-1", 3, 14)}},
		"sources":  {func(f *curate.CostFilter) { f.By, f.From = curate.BySource, monday }, []curate.CostRow{row(monday, "api_server", 3, 14)}},
	} {
		f := whole
		c.change(&f)
		got, err := st.CostReport(t.Context(), alice(), f)
		kind(t, what, err, "")
		same(t, what, got, c.want)
	}
}
