package memory

import (
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/piece"
)

// stepFacts makes the next fact piece of a scope, if there is one to be made.
func (k *Keeper) stepFacts(from *source, m *Manifest, swap *Swap, v *View) error {
	if v != nil && len(m.Withdrawn) == 0 && mergeable(m.Run(FactPiece), k.Facts.Least) == 0 {
		if made, known, err := v.newFacts(m, k.Facts); known || err != nil {
			return k.take(from, m, swap, &made, err)
		}
	}
	on, err := openStored(from, piece.NewCache(keeperCache), m, nil)
	if err != nil {
		return err
	}
	run := m.Run(FactPiece)
	if from, to := k.replaceable(run, on.parts); from < to {
		return k.mergeFacts(on, m, swap, from, to)
	}
	facts, err := from.store.FactsSince(from.ctx, from.owner, from.scope, on.last(), mostPiece)
	if err != nil {
		return fmt.Errorf("read facts: %w", err)
	}
	facts = facts[:max(0, len(facts)-k.Facts.Spare)]
	numbers := make([]FactNumber, len(facts))
	for i := range facts {
		numbers[i] = facts[i].Number
	}
	facts = facts[:lastWhole(numbers)]
	if len(facts) == 0 || len(facts) < k.Facts.Least {
		return nil
	}
	s := NewState()
	s.rest(on, on.last())
	s.take(facts)
	swap.Remove = append(swap.Remove, m.Beyond(FactPiece)...) // the new piece may overlap them
	p := Piece{Kind: FactPiece, Format: factFormat, Count: len(facts), Span: Span{next(run), facts[len(facts)-1].Number.Message()}}
	err = k.add(from, m, p, swap, func(emit emitter) error { return s.writeFacts(len(facts), emit) })
	return errors.Join(on.failed(), err)
}

// replaceable are the pieces to be replaced by one: those of one size, or one with facts of
// undone messages.
func (k *Keeper) replaceable(run []Piece, parts []factPart) (from, to int) {
	if n := mergeable(run, k.Facts.Least); n > 0 {
		return len(run) - n, len(run)
	}
	for i := range parts {
		if len(parts[i].undone) > 0 {
			return i, i + 1
		}
	}
	return 0, 0
}

// mergeFacts replaces some pieces by one of the facts that stand.
func (k *Keeper) mergeFacts(on *stored, m *Manifest, swap *Swap, from, to int) error {
	var run []Piece
	var readers []*factReader
	for _, p := range on.parts[from:to] {
		p.Count = p.size()
		run, readers = append(run, p.Piece), append(readers, p.factReader)
	}
	err := k.replace(on.source, m, swap, run, func(emit emitter) error { return mergeFacts(readers, emit) })
	return errors.Join(on.failed(), err)
}

// lastWhole is the number of facts up to the end of the last message but one, all of whose
// facts are there.
func lastWhole(facts []FactNumber) int {
	n := len(facts)
	for n > 0 && facts[n-1].Message() == facts[len(facts)-1].Message() {
		n--
	}
	return n
}
