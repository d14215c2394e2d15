package curate

import (
	"context"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
)

// Forecast tells what [Curator.Import] would do. It reads messages only if the marks do not tell, or if something was
// forgotten that new messages may have, and changes nothing.
func (c *Curator) Forecast(ctx context.Context, a *Archived) (Imported, error) {
	if a.Origin == nil {
		return c.forecastOwn(ctx, a)
	}
	known, err := c.origin(ctx, a)
	switch {
	case err != nil:
		return Imported{}, err
	case known == nil:
		im := &importer{curator: c, o: a.Owner, origin: a.Origin, rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
		if _, err := im.taken(ctx, &Archived{}); err != nil {
			return Imported{}, err
		}
		return c.unlessNamed(ctx, a, Imported{Fate: FateNew, Session: a.Sessions[0].ID, Messages: a.Origin.Len()}, a.Messages)
	case known.Root == "":
		return c.forecastDeleted(ctx, a)
	}
	old, err := c.nothingNew(ctx, a, known)
	switch {
	case err != nil:
		return Imported{}, err
	case old && !compares(a, known):
		return Imported{Same: true, Fate: FateSame, Session: known.Root, Absent: a.absent(known)}, nil
	case a.Origin.Adds:
		return c.forecastAdds(ctx, a, known)
	}
	p, err := c.plan(ctx, a, known)
	if fault.KindOf(err) == fault.NotFound {
		return Imported{Fate: FateDeleted}, nil
	}
	if err != nil {
		return Imported{}, err
	}
	defer p.close()
	out := Imported{Same: p.fate == FateSame, Fate: p.fate, Session: known.Root}
	switch p.fate {
	case FateSame:
	case FateApart:
		out.Messages = a.Origin.Len()
		if out.Session, err = c.apartID(ctx, a); err != nil {
			return Imported{}, err
		}
		return c.unlessNamed(ctx, a, out, p.rest)
	default:
		out.Messages, out.Undone = a.Origin.Len()-p.common, p.undone()
		out.Cut, err = c.lacking(ctx, a, behind(p.rest, p.common-p.read))
	}
	return out, err
}

// forecastOwn tells what would become of an export of this program.
func (c *Curator) forecastOwn(ctx context.Context, a *Archived) (Imported, error) {
	im := &importer{curator: c, o: a.Owner, restore: a.Restore, rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
	if part, err := im.part(ctx, a); err != nil || part != nil {
		return Imported{}, err
	}
	same, err := im.taken(ctx, a)
	if fault.CodeOf(err) == codeExists && len(a.Sessions) == 1 {
		line, more, failed := c.continued(ctx, a)
		switch {
		case failed != nil:
			return Imported{}, failed
		case line != nil:
			defer line.stop()
			cut, err := c.lacking(ctx, a, line.rest)
			return Imported{Fate: FateGrown, Session: a.Sessions[0].ID, Messages: more, Cut: cut}, err
		}
	}
	if same || err != nil {
		return Imported{Same: same}, err
	}
	gone, err := c.forgotten(ctx, a)
	if gone.whole(a) || err != nil {
		return Imported{Fate: FateDeleted}, err
	}
	return c.unlessNamed(ctx, a, Imported{}, a.Messages)
}

// forecastAdds tells what would become of messages that stand alone.
func (c *Curator) forecastAdds(ctx context.Context, a *Archived, known *lineage.Origin) (Imported, error) {
	p, err := c.planAdds(ctx, a, known)
	if fault.KindOf(err) == fault.NotFound {
		return Imported{Fate: FateDeleted}, nil
	}
	if err != nil {
		return Imported{}, err
	}
	var out Imported
	p.tell(&out, a, known)
	if p.fate == FateApart {
		if out.Session, err = c.apartID(ctx, a); err != nil {
			return Imported{}, err
		}
	}
	erasures, err := c.leftOut(ctx, a.Owner, a.Restore)
	if err != nil {
		return Imported{}, err
	}
	for m, err := range p.messages {
		if err != nil {
			return Imported{}, err
		}
		out.Messages++
		if leaveOutOf(a.Owner, &m, erasures) {
			out.Cut++
		}
	}
	if out.Messages == 0 {
		out.Same, out.Fate = true, FateSame
	}
	return out, nil
}
