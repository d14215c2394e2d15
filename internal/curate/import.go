package curate

import (
	"context"
	"errors"
	"iter"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Archived is a lineage in an export.
type Archived struct {
	Owner owner.Owner
	// Sessions are the sessions of the lineage, oldest first; at least one.
	Sessions []session.Session
	// Hash is the hash of the newest message; empty without messages; nil if unknown.
	Hash []byte
	// Messages are all messages of the lineage, in order.
	Messages iter.Seq2[session.Message, error]
	// Restore also restores forgotten content.
	Restore bool
	// Origin is the whole conversation in another program, of which Messages are the
	// messages; nil for an export of this one. Its Root and NextSeq are not used.
	Origin *lineage.Origin
	// From is the conversation of another program that the lineage held where an export of this
	// program was made; nil for none. Its Root is not used.
	From *lineage.Origin
	// held are the lineages that have held the conversation so far, the last one of them first.
	held []session.ID
	// ended are statements of the memories that the lineage before has, and that were ended here.
	ended memory.Endings
}

// Imported is the outcome for a lineage.
type Imported struct {
	// Same says that this lineage is stored already.
	Same     bool
	Messages int
	// Undone is the number of stored messages that were undone, because they are others in the other program, or stand
	// behind such ones. Edited is the number of memories that were edited there. Absent is the number of memories that
	// were imported before, and that the line lacks.
	Undone, Edited, Absent int
	// Cut is the number of messages that were stored without something, because that was forgotten here. A forecast knows
	// no places, and does not count sentences that were forgotten by themselves.
	Cut int
	// Fate is what became of a conversation of another program; "" for an export.
	Fate Fate
	// Session is the session that a conversation of another program was written to. Of one that was deleted here, it is
	// the one that stays; "" for none.
	Session session.ID
	// Keys are session keys whose memory lacks messages. After the whole import,
	// [Curator.SettleKeys] learns them.
	Keys []session.Key
	// doomed are facts whose sentences were forgotten. They are erased once the lineage is released.
	doomed []memory.Fact
}

// Import stores an exported lineage with its ids, times, marks and receipts. Facts are
// derived, so they are learnt again. It fails with Conflict, and changes nothing, if
// another lineage has one of the session ids. What was forgotten here stays out. A session that the export
// only continues is continued.
func (c *Curator) Import(ctx context.Context, a *Archived) (Imported, error) {
	store := c.importExported
	if a.Origin != nil {
		store = c.importOrigin
	}
	got, err := store(ctx, a)
	// A session that was continued in part keeps that part, also without the client.
	return got, errors.Join(err, c.eraseForgotten(context.WithoutCancel(ctx), a.Owner, got.doomed))
}

// importExported stores a lineage of an export of this program, or its new messages.
func (c *Curator) importExported(ctx context.Context, a *Archived) (Imported, error) {
	got, err := c.importNew(ctx, a)
	if fault.CodeOf(err) == codeExists && len(a.Sessions) == 1 {
		if more, grown, failed := c.grow(ctx, a); grown || failed != nil {
			return more, failed
		}
	}
	return got, err
}

// importNew stores a lineage whose ids must be free.
func (c *Curator) importNew(ctx context.Context, a *Archived) (Imported, error) {
	count, _ := compression.CounterFor(c.budgets.Model)
	gone, err := c.forgotten(ctx, a)
	if err != nil {
		return Imported{}, err
	}
	im := &importer{curator: c, gone: gone, o: a.Owner, count: count, names: make(map[string]string), inputs: make(map[int64]int64),
		restore: a.Restore, origin: a.Origin, from: a.From, ended: a.ended, apart: len(a.held) > 0,
		rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
	root := a.Sessions[0].ID
	l, err := c.lineages.Take(ctx, a.Owner, root, lineage.Bare)
	if err != nil {
		return Imported{}, err
	}
	defer l.Release()
	l.Stale() // the next turn reads the import from the store
	if err := im.readErasures(ctx); err != nil {
		return Imported{}, err
	}
	im.leaveOutOrigin()
	part, err := im.part(ctx, a)
	if err != nil {
		return Imported{}, err
	}
	if part != nil {
		return im.storeRest(ctx, a, part)
	}
	switch same, err := im.taken(ctx, a); {
	case err != nil:
		return Imported{}, err
	case same:
		if err := im.noteFrom(ctx); err != nil {
			return Imported{}, err
		}
		keys, err := c.unsettled(ctx, a.Owner, a.Sessions)
		return Imported{Same: true, Keys: keys}, err
	case gone.whole(a), named(a, im.erasures):
		return Imported{Fate: FateDeleted}, nil
	}
	return im.storeAll(ctx, root, a.Messages)
}

// storeAll stores the sessions of a line that are not created yet, and its messages.
func (im *importer) storeAll(ctx context.Context, root session.ID, messages iter.Seq2[session.Message, error]) (Imported, error) {
	for i := range im.rows {
		im.cleanRow(&im.rows[i])
	}
	if err := im.run(ctx, messages); err != nil {
		return im.remove(ctx, root, err)
	}
	return Imported{Messages: int(im.tip.NextSeq), Cut: im.cut, Keys: im.keys, doomed: im.doomed}, nil
}

// remove removes the part of a new lineage that is stored, because of an error. A lineage with a message of a
// forgotten session key is left out. A part of a session apart stays, because the next import adds the rest.
func (im *importer) remove(ctx context.Context, root session.ID, err error) (out Imported, because error) {
	if errors.Is(err, errNamed) {
		out.Fate, err = FateDeleted, nil
	}
	switch {
	case !im.opened:
		return out, err
	case im.apart && err != nil:
		return Imported{Messages: int(im.tip.NextSeq), Cut: im.cut, Keys: im.touched(), doomed: im.doomed}, err
	}
	whole := context.WithoutCancel(ctx)
	if clean := im.curator.sessions.DeleteLineage(whole, im.o, root); clean != nil {
		im.curator.log.WarnContext(ctx, "could not remove an import that was broken off", "err", clean)
	}
	im.curator.views.DropOwner(im.o)
	out.Keys = im.touched()
	return out, err
}

// importer stores one lineage.
type importer struct {
	curator  *Curator
	o        owner.Owner
	restore  bool
	erasures []memory.Erasure // the content to leave out
	// gone is what was forgotten by itself, and doomed what of it has come back.
	gone   *Again
	doomed []memory.Fact
	// ended are statements of withdrawn memories that were ended here.
	ended memory.Endings
	// left are facts whose sentences were left out of messages that are not stored yet.
	left []memory.Fact
	// cut counts the messages from which something forgotten was left out.
	cut int
	// origin is the conversation of another program, and stored how many of its messages
	// are stored.
	origin *lineage.Origin
	stored int
	// from is the conversation of another program that an exported lineage held.
	from *lineage.Origin

	rows []session.Session // sessions that are not created yet
	want session.Session   // the exported tip
	tip  session.Session
	last []byte
	// count counts the tokens of a text. Token counts of the export are not trusted.
	count compression.Counter
	// begins are the Seqs of the user's messages.
	begins []int64
	// inputs are the new ids of user and tool messages, by exported id.
	inputs map[int64]int64
	// receipts are the ids of the receipts stored so far.
	receipts map[string]bool
	// opened says that there are rows to remove if the import fails, and apart that another lineage has held the
	// conversation so far.
	opened, apart bool
	// begun says that messages of the lineage were stored before, and extends that the whole lineage was.
	begun, extends bool
	names          map[string]string // tool names by call id
	keys           []session.Key     // whose memory lacks messages
	// met are the scopes that have learnt messages of this lineage.
	met map[memory.Scope]bool
}
