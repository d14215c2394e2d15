package storetest

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// readerCases read single facts and messages, and pieces.
func readerCases() map[string]isolationCase {
	scopes := []memory.Scope{{Key: theKey}, {Root: theSession, Whole: true}}
	// facts is a case that reads facts of all owners' messages.
	facts := func(read func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, ids []int64) ([]memory.StoredFact, error)) isolationCase {
		return isolationCase{call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ids, err := everyID(ctx, st)
			if err != nil {
				return nil, err
			}
			var out []memory.StoredFact
			for _, scope := range scopes {
				some, err := read(ctx, st, o, scope, ids)
				if err != nil {
					return nil, err
				}
				out = append(out, some...)
			}
			return out, nil
		}}
	}
	return map[string]isolationCase{
		"FactsNumbered": facts(func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, ids []int64) ([]memory.StoredFact, error) {
			var numbers []memory.FactNumber
			for _, id := range ids {
				numbers = append(numbers, memory.NumberOf(id, 0))
			}
			return st.FactsNumbered(ctx, o, scope, numbers)
		}),
		"FactsNamed": facts(func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, _ []int64) ([]memory.StoredFact, error) {
			return st.FactsNamed(ctx, o, scope, []memory.FactID{"f_the-fact"})
		}),
		"FactsSince": facts(func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, _ []int64) ([]memory.StoredFact, error) {
			return st.FactsSince(ctx, o, scope, 0, 100)
		}),
		"FactsOfMessages": facts(func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, ids []int64) ([]memory.StoredFact, error) {
			return st.FactsOfMessages(ctx, o, scope, ids)
		}),
		"FactsListed": facts(func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, _ []int64) ([]memory.StoredFact, error) {
			return st.FactsListed(ctx, o, scope, memory.FactFilter{Behind: -1}, 100)
		}),
		"FactTexts": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.FactTexts(ctx, o, scopes[0], -1, 100)
		}},
		"FactsReversed": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			reversed, err := st.FactsReversed(ctx, o, scopes[0])
			if o.ID() == carol().ID() && reversed > 0 {
				return nil, fmt.Errorf("got %d replaced facts for a stranger", reversed)
			}
			return reversed, err
		}},
		"Shelf": facts(func(ctx context.Context, st Store, o owner.Owner, scope memory.Scope, _ []int64) ([]memory.StoredFact, error) {
			return st.Shelf(ctx, o, scope, []memory.Section{0, 1}, memory.ShelfTop(), 100)
		}),
		"DocumentsNumbered": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ids, err := everyID(ctx, st)
			if err != nil {
				return nil, err
			}
			return st.DocumentsNumbered(ctx, o, scopes[0], ids)
		}},
		"MessageIDs": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ids, err := st.MessageIDs(ctx, o, scopes[0], memory.Span{Last: 1 << 60})
			if err != nil {
				return nil, err
			}
			return st.DocumentsNumbered(ctx, o, scopes[0], ids)
		}},
		"DocumentsBefore": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.DocumentsBefore(ctx, o, scopes[0], theSession, 100, 100)
		}},
		"Manifest": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			m, err := st.Manifest(ctx, o, scopes[0])
			if o.ID() == carol().ID() && (m.Scope != 0 || m.Version != memory.Unwritten) {
				return nil, fmt.Errorf("got %+v for a stranger, want a scope without messages", m)
			}
			return m, err
		}},
		"Opening":     {call: openingOfTheOwner},
		"PieceBlock":  {call: blocksOfTheOwners},
		"PieceBlocks": {call: blocksOfTheOwnersTogether},
	}
}

// openingOfTheOwner returns an opening with the owner's messages: a near store reads nothing ahead.
func openingOfTheOwner(ctx context.Context, st Store, o owner.Owner) (any, error) {
	scope := memory.Scope{Key: theKey}
	begun, err := st.Opening(ctx, o, scope)
	if err != nil {
		return nil, err
	}
	docs, err := st.DocumentsBefore(ctx, o, scope, theSession, 100, 100)
	return []any{begun, docs}, err
}

// everyID are the ids of the messages of all owners in these tests.
func everyID(ctx context.Context, st Store) ([]int64, error) {
	var out []int64
	for _, o := range []owner.Owner{alice(), bob()} {
		ms, err := st.Messages(ctx, o, theSession, session.Range{})
		if err != nil {
			return nil, err
		}
		for i := range ms {
			out = append(out, ms[i].ID)
		}
	}
	return out, nil
}
