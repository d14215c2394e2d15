package curate

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// taken checks that the ids are free. same says that the same lineage is stored
// already.
func (im *importer) taken(ctx context.Context, a *Archived) (same bool, err error) {
	for i := range im.rows {
		row := &im.rows[i]
		found, err := im.curator.sessions.Session(ctx, im.o, row.ID)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("look for session: %w", err)
		}
		if i == 0 && found.RootID == row.RootID && a.Hash != nil {
			same, err = im.holds(ctx, row.RootID, a)
		}
		if err == nil && !same {
			err = im.errExists(row.ID)
		}
		return same, err
	}
	return false, nil
}

// codeExists is the code of errExists.
const codeExists = "session_exists"

// errExists says that a session has an id of the line, and what to do next.
func (im *importer) errExists(id session.ID) error {
	what := "with other messages"
	if im.origin != nil {
		what = "and is not known to come from this conversation"
	}
	return fault.New(fault.Conflict, codeExists, fmt.Sprintf("A session with the id %q exists already, %s; it was left as it is. "+
		"To take this one in its place, delete that one with `hermes sessions delete %s`, and import again. "+
		"To keep both, copy that one first with `hermes sessions fork %s`.", id, what, id, id)).At("id")
}

// holds reports whether a stored lineage is the exported one. Its running hash covers all messages. Those of
// which something was forgotten have the hash of before, there and here, so that they are compared themselves.
func (im *importer) holds(ctx context.Context, root session.ID, a *Archived) (bool, error) {
	newest, err := im.curator.sessions.Messages(ctx, im.o, root, session.Range{Limit: 1, Newest: true})
	switch {
	case err != nil:
		return false, fmt.Errorf("read messages: %w", err)
	case len(newest) == 0:
		return im.want.NextSeq == 0, nil
	case newest[0].Seq+1 != im.want.NextSeq:
		return false, nil
	case bytes.Equal(newest[0].Hash, a.Hash):
		return true, nil
	}
	return im.saysTheSame(ctx, root, a)
}

// saysTheSame compares the messages of a line, without what is left out of them, with those of a stored lineage.
func (im *importer) saysTheSame(ctx context.Context, root session.ID, a *Archived) (bool, error) {
	err := im.readErasures(ctx)
	if err == nil && im.gone == nil {
		im.gone, err = im.curator.forgotten(ctx, a)
	}
	if err != nil {
		return false, err
	}
	line := pull(a.Messages)
	defer line.stop()
	for stored, err := range im.curator.messages(ctx, im.o, root) {
		if err != nil {
			return false, err
		}
		m, err, more := line.pull()
		if err != nil || !more {
			return false, err
		}
		im.clean(&m)
		im.leaveOutAt(&m, &stored)
		if !alike(&m, &stored) {
			return false, nil
		}
	}
	return true, nil
}
