package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Ledger records outside of the store what was forgotten, so that a backup which still holds
// it forgets it again when it is restored. It keeps hashes, and no content. Each method is
// called before an erasure, and with done after it. What it records is durable when it
// returns.
type Ledger interface {
	// Forgot records a thing, by the hash of its words, which is not keyed yet.
	Forgot(ctx context.Context, o owner.Owner, e *memory.Erasure, done bool) error
	// ForgotLineage records a lineage that was forgotten whole.
	ForgotLineage(ctx context.Context, o owner.Owner, root session.ID, done bool) error
	// ForgotSentence records a sentence that was erased from one message.
	ForgotSentence(ctx context.Context, o owner.Owner, at memory.Place, sentence string, done bool) error
	// Forgotten is what was recorded so far of an owner.
	Forgotten(o owner.Owner) (*Again, error)
}

// inLedger erases something with an entry before and an entry behind. A backup that is made
// in between holds what is being erased, and is older than the second entry.
func (c *Curator) inLedger(note func(l Ledger, done bool) error, erase func() error) error {
	if c.ledger == nil {
		return erase()
	}
	if err := note(c.ledger, false); err != nil {
		return fmt.Errorf("record the erasure: %w", err)
	}
	if err := erase(); err != nil {
		return err
	}
	if err := note(c.ledger, true); err != nil {
		return fmt.Errorf("record the erasure: %w", err)
	}
	return nil
}
