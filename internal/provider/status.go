package provider

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Status is the state of a provider, for an owner.
type Status struct {
	// ID and Type name the provider; "" for none.
	ID   string
	Type string
	// Serves says that it is told what the owner's conversations say.
	Serves   bool
	UserOnly bool
	Wait     time.Duration
	// Since is since when it has been in use without a break; zero if it is not in use.
	Since time.Time
	// Asked, Answered and Told count since the start: questions, those that brought something,
	// and messages.
	Asked, Answered, Told int64
	// Waiting are lineages of the owner that it is yet to be told of, as far as they are
	// known.
	Waiting int
	// WaitsFor says what some of them wait for, although the provider answers; "" for nothing.
	WaitsFor string
	// RestsUntil is the end of the pause after failures, with Problem as the last one; zero
	// if it is asked.
	RestsUntil time.Time
	Problem    string
	// Owed is what it has not confirmed to have forgotten.
	Owed []curate.Owed
}

// Status returns the state of the provider.
func (m *Manager) Status(ctx context.Context, o owner.Owner) (*Status, error) {
	s := &Status{Owed: []curate.Owed{}}
	list, err := m.Debts.Debts(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("list what a memory provider is to forget: %w", err)
	}
	for i := range list {
		s.Owed = append(s.Owed, m.owed(&list[i]))
	}
	if m.Provider == nil {
		return s, nil
	}
	s.ID, s.Type, s.Serves, s.UserOnly, s.Wait, s.Since = m.ID, m.Type, m.serves(o), m.UserOnly, m.Wait, m.since
	if s.Since.IsZero() { // a command looks at a home without serving it
		if s.Since, err = m.Tellings.ProviderSince(ctx, m.ID); err != nil {
			return nil, fmt.Errorf("read since when the memory provider is in use: %w", err)
		}
	}
	s.Asked, s.Answered, s.Told = m.stats.asked.Load(), m.stats.answered.Load(), m.stats.told.Load()
	if s.Serves && !s.Since.IsZero() {
		roots, err := m.waiting(ctx, o, s.Since)
		if err != nil {
			return nil, fmt.Errorf("look for what is to be told: %w", err)
		}
		why := m.hindrance(o, roots)
		s.Waiting, s.WaitsFor, s.Problem = len(roots), why.waits, why.refusal
	}
	for _, b := range []*breaker{&m.recall, &m.tell} {
		until, last := b.state()
		if problem := last.told(o); problem != "" {
			s.Problem = problem
		}
		if until.After(s.RestsUntil) {
			s.RestsUntil = until
		}
	}
	return s, nil
}

// on fails if there is no provider that serves an owner.
func (m *Manager) on(o owner.Owner) error {
	switch {
	case m.Provider == nil:
		return fault.New(fault.Conflict, "no_memory_provider", "No memory provider is configured. Set memory_provider.type; docs/providers.md tells how.")
	case !m.serves(o):
		return fault.New(fault.Conflict, "provider_not_for_owner",
			"The memory provider is not told what this owner says: memory_provider.owners does not list the owner.")
	}
	return nil
}

// Backfill is what a backfill tells.
type Backfill struct {
	Lineages, Messages, Characters int
}

// CountBackfill counts what a backfill would tell.
func (m *Manager) CountBackfill(ctx context.Context, o owner.Owner) (Backfill, error) {
	if err := m.on(o); err != nil {
		return Backfill{}, err
	}
	var out Backfill
	f := session.Filter{Limit: pageSize}
	for {
		tips, err := m.Sessions.Sessions(ctx, o, f)
		if err != nil {
			return out, fmt.Errorf("list sessions: %w", err)
		}
		for i := range tips {
			if err := m.countLineage(ctx, o, &tips[i], &out); err != nil {
				return out, err
			}
		}
		if len(tips) < f.Limit {
			return out, nil
		}
		last := &tips[len(tips)-1]
		f.Before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
	}
}

// countLineage counts what a backfill would tell of a lineage.
func (m *Manager) countLineage(ctx context.Context, o owner.Owner, tip *session.Session, out *Backfill) error {
	if neverTold(tip) {
		return nil
	}
	progress, err := m.Tellings.Told(ctx, o, m.ID, tip.RootID)
	if err != nil {
		return fmt.Errorf("read what was told: %w", err)
	}
	progress.Backfill = true
	l := &lineage{Manager: m, o: o, task: curate.Task{Root: tip.RootID}, tip: *tip, progress: progress}
	before := out.Messages
	err = l.due(ctx, 0, func(text string) bool {
		out.Messages++
		out.Characters += utf8.RuneCountInString(text)
		return true
	})
	if err != nil {
		return err
	}
	if out.Messages > before {
		out.Lineages++
	}
	return nil
}

// Backfill lets the provider be told what was said before it was in use, and what was
// imported. From then on the provider is in use: switching it on later would end the backfill.
func (m *Manager) Backfill(ctx context.Context, o owner.Owner) (Backfill, error) {
	count, err := m.CountBackfill(ctx, o)
	if err != nil {
		return count, err
	}
	if m.since.IsZero() { // a command serves no turns, so that it has not begun the use
		if _, err := m.Tellings.SwitchProvider(ctx, m.ID, m.moment()); err != nil {
			return count, fmt.Errorf("switch a provider on: %w", err)
		}
	}
	roots, err := m.Tellings.BackfillProvider(ctx, o, m.ID)
	if err != nil {
		return count, fmt.Errorf("begin a backfill: %w", err)
	}
	m.want(ctx, o, roots)
	m.bell.Ring()
	return count, nil
}

// ForgetAll lets the provider forget everything that it was told of an owner. What was said
// so far is not told again.
func (m *Manager) ForgetAll(ctx context.Context, o owner.Owner) (*curate.PassedOn, error) {
	if m.Provider == nil {
		return nil, m.on(o)
	}
	since := m.moment()
	if _, err := m.Debts.OweAll(ctx, o, m.ID); err != nil {
		return nil, fmt.Errorf("let the memory provider forget everything: %w", err)
	}
	passed, err := m.PassOn(ctx, o, since)
	if passed == nil && err == nil {
		passed = &curate.PassedOn{Left: []curate.Owed{}}
	}
	return passed, err
}
