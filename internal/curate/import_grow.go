package curate

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// grow adds what an exported session has behind the stored messages of the same session: the session went on
// since, as where an upgrade was undone. It reports false if the stored messages are others.
func (c *Curator) grow(ctx context.Context, a *Archived) (got Imported, grown bool, err error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, a.Sessions[0].ID)
	if err != nil || !longer(&a.Sessions[0], &tip) { // it may be of another lineage, which is not to be held
		return Imported{}, false, err
	}
	l, err := c.lineages.Take(ctx, a.Owner, a.Sessions[0].ID, lineage.Whole)
	if err != nil {
		return Imported{}, false, err
	}
	defer l.Release()
	line, _, err := c.continued(ctx, a)
	if line == nil || err != nil {
		return Imported{}, false, err
	}
	defer line.stop()
	more := *a
	more.Messages = line.rest
	got, err = c.extend(ctx, &more, l, 0)
	got.Fate, got.Session = FateGrown, a.Sessions[0].ID
	return got, true, err
}

// longer reports whether an exported session is a stored one with more messages.
func longer(exported, stored *session.Session) bool {
	return exported.ID == stored.ID && exported.RootID == stored.RootID && exported.NextSeq > stored.NextSeq
}

// continued reads an exported session up to the end of the stored messages, and returns what is left, and how many
// messages that are; nil if the stored messages are others, or as many. What they say is compared by their
// running hash.
func (c *Curator) continued(ctx context.Context, a *Archived) (line *pulled, more int, err error) {
	row := &a.Sessions[0]
	tip, err := c.sessions.Tip(ctx, a.Owner, row.ID)
	if err != nil {
		return nil, 0, fmt.Errorf("find session: %w", err)
	}
	if !longer(row, &tip) {
		return nil, 0, nil
	}
	newest, err := c.sessions.Messages(ctx, a.Owner, tip.RootID, session.Range{Limit: 1, Newest: true})
	if err != nil {
		return nil, 0, fmt.Errorf("read messages: %w", err)
	}
	line = pull(a.Messages)
	var hash []byte
	for range tip.NextSeq {
		m, err, there := line.pull()
		if err != nil || !there {
			line.stop()
			return nil, 0, err
		}
		hash = lineage.Chain(hash, &m)
	}
	var stored []byte
	if len(newest) > 0 {
		stored = newest[0].Hash
	}
	if !bytes.Equal(hash, stored) {
		line.stop()
		return nil, 0, nil
	}
	return line, int(row.NextSeq - tip.NextSeq), nil
}
