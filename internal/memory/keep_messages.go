package memory

import (
	"errors"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// stepMessages makes the next message piece of a scope, if there is one to be made.
func (k *Keeper) stepMessages(from *source, m *Manifest, swap *Swap, v *View) error {
	if v != nil && mergeable(m.Run(MessagePiece), k.Messages.Least) == 0 {
		if made, known, err := v.newMessages(m, k.Messages); known || err != nil {
			return k.take(from, m, swap, &made, err)
		}
	}
	parts, err := openMessages(from, piece.NewCache(keeperCache), m, nil)
	if err != nil {
		return err
	}
	c := newCorpus(from)
	if err := c.rest(parts); err != nil {
		return err
	}
	run := m.Run(MessagePiece)
	if n := mergeable(run, k.Messages.Least); n > 0 {
		run = run[len(run)-n:]
		to := c.index.Len()
		begin := to - merged(run).Count
		err = k.replace(from, m, swap, run, func(emit emitter) error { return c.index.Write(begin, to, emit) })
	} else {
		err = k.extendMessages(from, m, swap, &c, next(run))
	}
	if failed := c.failure(); failed != nil {
		return failed
	}
	return err
}

// extendMessages makes a piece of the messages after the others, from id first on.
func (k *Keeper) extendMessages(from *source, m *Manifest, swap *Swap, c *corpus, first int64) error {
	begin := c.index.Len()
	var spare []ranking.Document // the newest messages that were read
	last := int64(0)
	err := from.documents(from.ctx, lastOf(c.parts), func(d *ranking.Document) bool {
		if spare = append(spare, *d); len(spare) > k.Messages.Spare {
			last = spare[0].MessageID
			c.add(&spare[0])
			spare[0] = ranking.Document{} // its text is not needed any more
			spare = spare[1:]
		}
		return c.err == nil && c.index.Len()-begin < mostPiece
	})
	if c.err != nil || err != nil {
		return errors.Join(c.err, err)
	}
	n := c.index.Len() - begin
	if n == 0 || n < k.Messages.Least {
		return nil
	}
	swap.Remove = append(swap.Remove, m.Beyond(MessagePiece)...) // the new piece may overlap them
	p := Piece{Kind: MessagePiece, Format: ranking.PieceFormat, Count: n, Span: Span{first, last}}
	return k.add(from, m, p, swap, func(emit emitter) error { return c.index.Write(begin, begin+n, emit) })
}
