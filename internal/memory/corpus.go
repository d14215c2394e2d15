package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// corpus is the index over the messages of a scope: pieces, and the newest messages in
// memory. It holds no texts. The caller holds a lock.
type corpus struct {
	from  *source // nil for a scope of which nothing is stored
	index *ranking.Index
	parts []messagePart // by rising id
	// taints of the messages that are added.
	taints taints
	// broken is the error of a piece, which was replaced by its messages. err is that of
	// reading those.
	broken, err error
	// reread is the id up to which messages were read again.
	reread int64
}

// messagePart is an open message piece.
type messagePart struct {
	Piece
	open *ranking.Piece
}

// newCorpus is the empty index of a scope.
func newCorpus(from *source) corpus {
	return corpus{from: from, index: ranking.New(), taints: taints{from: from}}
}

// openMessages opens the message pieces of a scope, from the first one to the first gap. Those
// that are among known ones are not opened again.
func openMessages(src *source, cache *piece.Cache, m *Manifest, known []messagePart) ([]messagePart, error) {
	pieces := m.Run(MessagePiece)
	sources, err := src.sources(idsOf(pieces, func(id PieceID) bool { return !slices.ContainsFunc(known, hasID(id)) }))
	if err != nil {
		return nil, err
	}
	var parts []messagePart
	for _, p := range pieces {
		if at := slices.IndexFunc(known, hasID(p.ID)); at >= 0 {
			parts = append(parts, known[at])
			continue
		}
		open, err := ranking.OpenPiece(src.ctx, sources[0], cache)
		if err != nil {
			return nil, &brokenPiece{p.ID, err}
		}
		sources = sources[1:]
		parts = append(parts, messagePart{p, open})
	}
	return parts, nil
}

// hasID returns a function that finds a part by its piece.
func hasID(id PieceID) func(messagePart) bool {
	return func(p messagePart) bool { return p.ID == id }
}

// openPieces are the open pieces of some parts.
func openPieces(parts []messagePart) []*ranking.Piece {
	out := make([]*ranking.Piece, len(parts))
	for i := range parts {
		out[i] = parts[i].open
	}
	return out
}

// lastOf is the id up to which parts index the messages of the scope.
func lastOf(parts []messagePart) int64 {
	if len(parts) == 0 {
		return 0
	}
	return parts[len(parts)-1].Last
}

// begin begins a session of reading, and end ends it. All but head needs one.
func (c *corpus) begin() {
	if c.from != nil {
		c.index.Read(c.from.ctx)
	}
}

func (c *corpus) end() { _ = c.index.End() } // its error was asked for by failure

// rest makes the corpus rest on pieces, which hold its oldest messages.
func (c *corpus) rest(parts []messagePart) error {
	x, err := c.index.Rest(c.from.ctx, c.index.Len()-c.head(), lastOf(parts), openPieces(parts)...)
	if err != nil {
		return err
	}
	for i := range c.parts {
		if !slices.ContainsFunc(parts, hasID(c.parts[i].ID)) {
			c.parts[i].open.Drop()
		}
	}
	c.index, c.parts = x, parts
	return c.failure()
}

// failure is the error of a piece that cannot be read.
func (c *corpus) failure() error {
	p, err := c.index.Broken()
	for i := range c.parts {
		if c.parts[i].open == p {
			return &brokenPiece{c.parts[i].ID, err}
		}
	}
	return err
}

// again indexes the messages that no piece indexes once more, from the store: the index cannot lose
// messages that were undone, and their words would count in every score.
func (c *corpus) again() error {
	parts := c.parts
	c.index, c.parts, c.taints, c.reread = ranking.New(), nil, taints{from: c.from}, 0
	if err := c.rest(parts); err != nil {
		return err
	}
	defer c.end()
	return c.read(c.from.ctx, &Ahead[ranking.Document]{}, func(*ranking.Document) {})
}

// head is the number of messages that no piece indexes.
func (c *corpus) head() int {
	n := c.index.Len()
	for i := range c.parts {
		n -= c.parts[i].Count
	}
	return n
}

// add adds a message.
func (c *corpus) add(d *ranking.Document) {
	if d.MessageID <= c.reread {
		return
	}
	if err := c.taints.mark(d); err != nil {
		c.err = cmp.Or(c.err, err)
	}
	if searched(d) {
		c.index.Add(*d)
	}
}

// search searches. If a piece cannot be read, its messages are read again from the store, and
// those after it.
func (c *corpus) search(q ranking.Query) []ranking.Hit {
	hits := c.index.Search(q)
	if c.healthy() {
		return hits
	}
	return c.index.Search(q)
}

// tainted reports whether a message is, or may repeat, text of another program.
func (c *corpus) tainted(id int64) bool {
	tainted := c.index.Tainted(id)
	if c.healthy() {
		return tainted
	}
	return c.index.Tainted(id)
}

// healthy reports whether all pieces could be read. If not, it reads the messages from the
// store.
func (c *corpus) healthy() bool {
	err := c.failure()
	if err == nil {
		return true
	}
	c.broken = err
	c.index, c.parts, c.taints = ranking.New(), nil, taints{from: c.from}
	if err := c.read(c.from.ctx, &Ahead[ranking.Document]{}, func(*ranking.Document) {}); err != nil {
		c.err = cmp.Or(c.err, err)
	}
	c.reread = c.index.Last()
	return false
}

// read adds the messages that no piece indexes, of which some may have been read ahead. see is told
// of each.
func (c *corpus) read(ctx context.Context, ahead *Ahead[ranking.Document], see func(*ranking.Document)) error {
	each := func(d *ranking.Document) bool {
		see(d)
		c.add(d)
		return c.err == nil
	}
	after := lastOf(c.parts)
	known, all := ahead.behind(after)
	for i := range known {
		if !each(&known[i]) {
			return c.err
		}
		after = known[i].MessageID
	}
	if all {
		return nil
	}
	return cmp.Or(c.err, c.from.documents(ctx, after, each))
}
