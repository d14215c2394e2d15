package curate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// ForgetSession erases a lineage and everything derived from it. It does not search for
// remains, because a session has no text to search for.
func (c *Curator) ForgetSession(ctx context.Context, o owner.Owner, id session.ID, dryRun bool) (*Forgotten, error) {
	tip, err := c.sessions.Tip(ctx, o, id)
	if err != nil {
		return nil, fmt.Errorf("find session: %w", err)
	}
	out, since := &Forgotten{DryRun: dryRun, Searched: []Trace{}, listing: listed(math.MaxInt)}, c.now()
	if err := c.dropLineage(ctx, o, tip, out); err != nil || dryRun {
		return out, err
	}
	return out, errors.Join(c.mirrored(ctx, o), c.passOn(ctx, o, since, out))
}

// ForgetKey erases every lineage that has a message under a key. NotFound if there is none.
func (c *Curator) ForgetKey(ctx context.Context, o owner.Owner, key session.Key, dryRun bool) (*Forgotten, error) {
	out, since := &Forgotten{DryRun: dryRun, Searched: []Trace{}, listing: listed(math.MaxInt)}, c.now()
	roots, err := c.catalog.RootsOfKey(ctx, o, key)
	if err != nil {
		return nil, fmt.Errorf("list lineages: %w", err)
	}
	found := false
	err = c.eachLineage(ctx, o, func(tip session.Session) error {
		if tip.Key != key && !slices.Contains(roots, tip.RootID) {
			return nil
		}
		found = true
		return c.dropLineage(ctx, o, tip, out)
	})
	if err == nil && !found {
		return nil, fault.New(fault.NotFound, "session_key_not_found", "No session has this key.").At("session_key")
	}
	if err != nil || dryRun {
		return out, err
	}
	return out, errors.Join(c.mirrored(ctx, o), c.passOn(ctx, o, since, out))
}

func (c *Curator) dropLineage(ctx context.Context, o owner.Owner, tip session.Session, out *Forgotten) error {
	rows, err := c.sessions.Sessions(ctx, o, session.Filter{Lineage: tip.RootID})
	if err != nil {
		return fmt.Errorf("list lineage: %w", err)
	}
	if err := c.countWhole(ctx, o, tip.RootID, rows, out); err != nil || out.DryRun {
		return err
	}
	return c.inLedger(func(l Ledger, done bool) error { return l.ForgotLineage(ctx, o, tip.RootID, done) },
		func() error {
			_, err := c.remove(ctx, o, tip.ID, nil)
			return err
		})
}

// countWhole adds to a certificate what a lineage has that is erased whole. Undone messages count, too.
func (c *Curator) countWhole(ctx context.Context, o owner.Owner, root session.ID, rows []session.Session, out *Forgotten) error {
	out.Sessions += len(rows)
	for i := range rows {
		if r := &rows[i]; r.Title+r.SystemPrompt+r.Summary != "" {
			out.Texts++
		}
	}
	err := c.quotes.Facts(ctx, o, memory.Scope{Root: root, Whole: true}, func(*memory.StoredFact) bool {
		out.Facts++
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("count facts: %w", err)
	}
	before := out.Messages
	for m, err := range c.messages(ctx, o, root) {
		if err != nil {
			return err
		}
		out.Messages++
		out.Sentences += len(language.Sentences(m.Content))
	}
	if out.DryRun && len(rows) > 0 {
		out.listWhole(&rows[len(rows)-1], out.Messages-before)
	}
	return nil
}
