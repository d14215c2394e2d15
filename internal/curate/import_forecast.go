package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
)

// Forecast tells what [Curator.Import] would do. It does not read the messages, and changes
// nothing.
func (c *Curator) Forecast(ctx context.Context, a *Archived) (Imported, error) {
	if a.Origin == nil {
		im := &importer{curator: c, o: a.Owner, rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
		same, err := im.taken(ctx, a.Hash)
		return Imported{Same: same}, err
	}
	out := Imported{Fate: FateNew, Session: a.Sessions[0].ID, Messages: a.Origin.Len()}
	known, err := c.origin(ctx, a)
	switch {
	case err != nil:
		return Imported{}, err
	case known == nil, known.Root == "" && a.Restore:
		im := &importer{curator: c, o: a.Owner, rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
		_, err := im.taken(ctx, nil)
		return out, err
	case known.Root == "":
		return Imported{Fate: FateDeleted}, nil
	}
	old, err := c.nothingNew(ctx, a, known)
	if err != nil || old {
		return Imported{Same: old, Fate: FateSame, Session: known.Root}, err
	}
	if a.Origin.Adds {
		return Imported{Fate: FateGrown, Session: known.Root, Messages: len(known.Fresh(a.Origin))}, nil
	}
	common := known.Common(a.Origin)
	out.Session = known.Root
	out.Fate, err = c.fate(ctx, a, known, common)
	if out.Fate != FateApart {
		out.Messages -= common
	}
	return out, err
}

// fate is what would become of a conversation of which a part is stored.
func (c *Curator) fate(ctx context.Context, a *Archived, known *lineage.Origin, common int) (Fate, error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, known.Root)
	if fault.KindOf(err) == fault.NotFound {
		return FateDeleted, nil
	}
	if err != nil {
		return "", fmt.Errorf("find session: %w", err)
	}
	_, standing, err := c.placeOf(ctx, a.Owner, known.Root, common)
	switch {
	case err != nil:
		return "", err
	case tip.NextSeq != known.NextSeq, standing < common:
		return FateApart, nil
	case common < known.Len():
		return FateChanged, nil
	}
	return FateGrown, nil
}
