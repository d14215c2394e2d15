package curate

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// An import whose process ends in between leaves a part of a lineage. The tip of that part is marked as incomplete, or
// is a session that was compressed and has no successor. The next import of the lineage completes it.

// brokenOff reports whether a tip is where an import of a lineage was broken off. last is the lineage's last session.
func brokenOff(tip *session.Session, last session.ID) bool {
	return tip.EndReason == session.EndIncomplete || tip.ID != last && tip.EndReason == session.EndCompression
}

// part is the tip of the part of an exported lineage that an earlier import has left; nil for none. A conversation of
// another program has none: its import adds the rest.
func (im *importer) part(ctx context.Context, a *Archived) (*session.Session, error) {
	root := a.Sessions[0].ID
	if a.Origin != nil {
		return nil, nil
	}
	tip, err := im.curator.sessions.Tip(ctx, im.o, root)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for session: %w", err)
	case tip.RootID != root, !brokenOff(&tip, im.want.ID):
		return nil, nil
	}
	return &tip, nil
}

// storeRest stores what is lacking of a lineage of which a part is stored.
func (im *importer) storeRest(ctx context.Context, a *Archived, part *session.Session) (Imported, error) {
	line, err := im.resume(ctx, a, part)
	if err != nil {
		return Imported{}, err
	}
	defer line.stop()
	got, err := im.storeAll(ctx, part.RootID, line.rest)
	if err != nil {
		return got, err
	}
	left, err := im.curator.unsettled(ctx, im.o, a.Sessions) // by the import that was broken off
	for _, key := range left {
		if !slices.Contains(got.Keys, key) {
			got.Keys = append(got.Keys, key)
		}
	}
	return got, err
}

// resume takes up an import behind the part of the lineage that is stored, and returns the messages behind it. It
// fails with Conflict if that part has other messages than the line.
func (im *importer) resume(ctx context.Context, a *Archived, tip *session.Session) (*pulled, error) {
	place := slices.IndexFunc(a.Sessions, func(s session.Session) bool { return s.ID == tip.ID })
	if place < 0 {
		return nil, im.errExists(tip.RootID)
	}
	im.begun, im.opened, im.tip, im.rows = true, true, *tip, im.rows[place+1:]
	line := pull(a.Messages)
	for stored, err := range im.curator.messages(ctx, im.o, tip.RootID) {
		if err == nil {
			err = im.meet(line, &stored)
		}
		if err != nil {
			line.stop()
			return nil, err
		}
	}
	return line, nil
}

// meet reads the next message of a line, which must be a stored one, and notes what the messages behind it refer to.
func (im *importer) meet(line *pulled, stored *session.Message) error {
	m, err, more := line.pull()
	if err != nil {
		return err
	}
	was := m.ID
	im.clean(&m)
	if !more || !im.isStored(&m, stored) {
		return im.errExists(stored.RootID)
	}
	im.last = stored.Hash
	lineage.NameTools(im.names, []session.Message{*stored})
	if stored.Role == session.User {
		im.begins = append(im.begins, stored.Seq)
	}
	im.nameInput(stored, was)
	if im.gone.sentences() && stored.Stands() {
		im.doom(memory.Distill(ranking.DocumentOf(stored), nil))
	}
	return nil
}

// isStored reports whether a message of a line is the next stored one, which may lack sentences, and arguments of calls.
func (im *importer) isStored(m, stored *session.Message) bool {
	whole := bytes.Equal(lineage.Chain(im.last, m), stored.Hash)
	im.leaveOutAt(m, stored)
	return m.SessionID == stored.SessionID && (whole || alike(m, stored))
}

// alike reports whether a message of a line says what a stored one says.
func alike(m, stored *session.Message) bool {
	return bytes.Equal(lineage.Chain(nil, m), lineage.Chain(nil, stored))
}

// incomplete reports whether the import of a lineage was broken off before it was marked as complete.
func (c *Curator) incomplete(ctx context.Context, o owner.Owner, root session.ID) (bool, error) {
	tip, err := c.sessions.Tip(ctx, o, root)
	if err != nil {
		return false, fmt.Errorf("find session: %w", err)
	}
	return tip.EndReason == session.EndIncomplete, nil
}

// finish marks a lineage as complete, with the end of the line, whose messages an import has stored that was broken
// off behind them.
func (c *Curator) finish(ctx context.Context, o owner.Owner, root session.ID, line *session.Session) error {
	tip, err := c.sessions.Tip(ctx, o, root)
	if err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	if tip.EndReason != session.EndIncomplete {
		return nil
	}
	tip.EndedAt, tip.EndReason = line.EndedAt, line.EndReason
	if err := c.store.AppendTurn(ctx, o, lineage.Step{Session: tip}); err != nil {
		return fmt.Errorf("complete an import: %w", err)
	}
	return nil
}
