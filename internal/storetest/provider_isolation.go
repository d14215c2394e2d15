package storetest

import (
	"context"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
)

// settleProvider stores what a provider was told by an owner, and a debt, with the owner's
// mark.
func settleProvider(t *testing.T, st Store, o owner.Owner) {
	t.Helper()
	ctx, s := t.Context(), provider.SourceOf(theKey, "")
	_, err := st.TakeProviderName(ctx, o, theProvider, s, func(int) []string { return []string{"place-" + markOf(o)} })
	kind(t, "take a name", err, "")
	p := provider.Progress{DoneTo: 4, Marks: []provider.Mark{{Source: s, To: 4, Sent: 4}, {Source: provider.Source("k:" + markOf(o)), To: 1}}}
	kind(t, "keep", st.KeepTold(ctx, o, theProvider, curate.Task{Root: theSession, Kind: provider.Telling}, &p), "")
	_, err = st.TakeProviderName(ctx, o, "elsewhere", s, func(int) []string { return []string{"place-" + markOf(o)} })
	kind(t, "take a name", err, "")
	if _, err := st.OweAll(ctx, o, "elsewhere"); err != nil {
		t.Fatalf("owe: %v", err)
	}
}

func providerReadingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"ProviderName": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ProviderName(ctx, o, theProvider, provider.SourceOf(theKey, ""))
		}},
		"ProviderNames": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ProviderNames(ctx, o, theProvider, "k:")
		}},
		"Untold": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Untold(ctx, o, "nobody", epoch(), 9)
		}},
		"Told": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Told(ctx, o, theProvider, theSession)
		}},
		"Debts": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) { return st.Debts(ctx, o) }},
		"Debt": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Debt(ctx, o, "elsewhere", "place-"+markOf(o))
		}},
	}
}

func providerWritingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"TakeProviderName": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.TakeProviderName(ctx, o, theProvider, "k:other", provider.Source("k:other").Candidates)
		}},
		"KeepTold": {stranger: fault.NotFound, silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			p := provider.Progress{DoneTo: 9, ReadDoneTo: 4, Marks: []provider.Mark{{Source: "k:the-key", To: 9}}}
			return nil, st.KeepTold(ctx, o, theProvider, curate.Task{Root: theSession, Kind: provider.Telling}, &p)
		}},
		"BackfillProvider": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.BackfillProvider(ctx, o, theProvider)
		}},
		"EmptyPlace": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.EmptyPlace(ctx, o, theProvider, "place-"+markOf(alice()), true)
		}},
		"SettleDebt": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.SettleDebt(ctx, o, &provider.Debt{Provider: "elsewhere", Name: "place-" + markOf(alice()), Whole: true}, true)
		}},
		"OweAll": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.OweAll(ctx, o, theProvider)
		}},
	}
}
