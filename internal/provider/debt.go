package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
)

// Times of forgetting.
const (
	forgetTime  = 30 * time.Second // of one attempt
	passTime    = 10 * time.Second // of all attempts before a certificate
	triesFor    = 30 * 24 * time.Hour
	recheck     = 5 * time.Second // after a request was taken
	longRecheck = time.Hour
	keepsPaid   = time.Hour
)

// payment is a debt that was paid.
type payment struct {
	at     time.Time
	things int
}

// payDue makes the provider forget what is due.
func (m *Manager) payDue(ctx context.Context) (did bool, next time.Time, err error) {
	due, next, err := m.Debts.DueDebts(ctx, m.ID, m.moment(), atOnce)
	if err != nil {
		return false, next, err
	}
	for i := range due {
		if may, _ := m.tell.open(); !may || ctx.Err() != nil {
			return did, next, ctx.Err()
		}
		did = true
		if err := m.pay(ctx, due[i].Owner, due[i].Name); err != nil {
			return did, next, err
		}
	}
	return did, next, nil
}

// pay makes the provider forget what a place is to forget. An error is one of the store.
func (m *Manager) pay(ctx context.Context, o owner.Owner, name string) error {
	m.calls.Lock()
	defer m.calls.Unlock()
	d, err := m.Debts.Debt(ctx, o, m.ID, name)
	if fault.KindOf(err) == fault.NotFound { // it was paid meanwhile
		return nil
	}
	if err != nil {
		return fmt.Errorf("read a debt: %w", err)
	}
	if !d.Whole && d.Alone {
		if err := m.empty(ctx, o, &d, false); err != nil {
			return err
		}
	}
	began := m.Now()
	storing := m.lately.storing(o, &d, began)
	passed, err := m.forget(ctx, o, &d)
	if errors.Is(err, run.ErrWholePlace) {
		if err := m.empty(ctx, o, &d, true); err != nil {
			return err
		}
		passed, err = m.forget(ctx, o, &d)
	}
	if err != nil && errors.Is(ctx.Err(), context.Canceled) { // shutdown: the next server goes on
		return nil
	}
	if storing && passed.Left == "" {
		passed.Left = textStoring
	}
	m.settle(ctx, o, &d, began, passed, err)
	paid := err == nil && passed.Left == ""
	if err := m.Debts.SettleDebt(context.WithoutCancel(ctx), o, &d, paid); err != nil {
		return fmt.Errorf("settle a debt: %w", err)
	}
	if paid {
		m.note(o, max(1, d.Count))
	}
	m.forgetNames(o)
	m.bell.Ring()
	return nil
}

// empty turns a debt into one for the whole place. With again, the rest is told in another
// place.
func (m *Manager) empty(ctx context.Context, o owner.Owner, d *Debt, again bool) error {
	roots, err := m.Debts.EmptyPlace(ctx, o, m.ID, d.Name, again)
	if err != nil {
		return fmt.Errorf("empty a place: %w", err)
	}
	d.Whole, d.IDs = true, nil
	m.want(ctx, o, roots)
	return nil
}

// forget makes the provider forget a debt: of the user of the place, and of every speaker
// if the whole place is to go.
func (m *Manager) forget(ctx context.Context, o owner.Owner, d *Debt) (run.Passed, error) {
	ctx, stop := context.WithTimeout(ctx, forgetTime)
	defer stop()
	peers := []string{d.Name}
	ids := d.IDs
	if d.Whole {
		ids = nil
		if m.Peer == "" {
			others, err := m.Names.ProviderNames(ctx, o, m.ID, speakers(d.Name))
			if err != nil {
				return run.Passed{}, fmt.Errorf("find the speakers of a place: %w", err)
			}
			peers = append(peers, others...)
		}
	}
	var all run.Passed
	for _, peer := range peers {
		var passed run.Passed
		err := recovery.Do(func() (err error) {
			passed, err = m.Provider.Forget(ctx, m.place(o, d.Name, peer), ids)
			return err
		})
		if err != nil {
			return run.Passed{}, err
		}
		all.Confirmed += passed.Confirmed
		if all.Left == "" {
			all.Left = passed.Left
		}
	}
	return all, nil
}

// settle notes the outcome of an attempt in the debt.
func (m *Manager) settle(ctx context.Context, o owner.Owner, d *Debt, began time.Time, passed run.Passed, err error) {
	now := m.moment()
	d.Attempts++
	switch {
	case err != nil:
		d.Error, d.WakeAt = fault.MessageOf(err), now.Add(claim.Backoff(d.Attempts, firstRest, longestRest))
		if m.tell.failed(began, failure{o.ID(), err}, waitOf(err)) {
			m.Log.WarnContext(ctx, "the memory provider was not reached to forget something; it will be tried again", "provider", m.ID, "err", err)
		}
	case passed.Left != "":
		m.tell.succeeded()
		if d.AskedAt.IsZero() {
			d.AskedAt = now
		}
		d.Error, d.WakeAt = passed.Left, now.Add(claim.Backoff(d.Attempts, recheck, longRecheck))
	default:
		m.tell.succeeded()
		m.stats.confirmed.Add(1)
	}
	if now.Sub(d.OwedAt) > triesFor {
		d.WakeAt = time.Time{}
		m.Log.ErrorContext(ctx, "the memory provider has not confirmed for 30 days that something is forgotten; it is not tried again",
			"provider", m.ID, "place", d.Name, "last", d.Error)
	}
}

// note remembers a payment for the certificate that waits for it.
func (m *Manager) note(o owner.Owner, things int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.Now()
	kept := m.paid[o.ID()][:0]
	for _, p := range m.paid[o.ID()] {
		if now.Sub(p.at) < keepsPaid {
			kept = append(kept, p)
		}
	}
	m.paid[o.ID()] = append(kept, payment{now, things})
}

// PassOn implements curate.External.
func (m *Manager) PassOn(ctx context.Context, o owner.Owner, since time.Time) (*curate.PassedOn, error) {
	list, err := m.Debts.Debts(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("list what a memory provider is to forget: %w", err)
	}
	if m.Provider != nil {
		m.forgetNames(o) // a late answer may hold it
		call, stop := context.WithTimeout(ctx, passTime)
		defer stop()
		for i := range list {
			if may, _ := m.tell.open(); !may || list[i].Provider != m.ID || call.Err() != nil {
				continue
			}
			if err := m.pay(call, o, list[i].Name); err != nil && call.Err() == nil {
				return nil, err
			}
		}
		if list, err = m.Debts.Debts(ctx, o); err != nil {
			return nil, fmt.Errorf("list what a memory provider is to forget: %w", err)
		}
	}
	return m.passed(o, list, since), nil
}

// passed is the part of a certificate; nil if no provider was told of it.
func (m *Manager) passed(o owner.Owner, list []Debt, since time.Time) *curate.PassedOn {
	out := &curate.PassedOn{Left: []curate.Owed{}}
	m.mu.Lock()
	for _, p := range m.paid[o.ID()] {
		if !p.at.Before(since) {
			out.Confirmed += p.things
		}
	}
	m.mu.Unlock()
	for i := range list {
		out.Left = append(out.Left, m.owed(&list[i]))
	}
	if out.Confirmed == 0 && len(out.Left) == 0 {
		return nil
	}
	return out
}

// owed is a debt as people are shown it.
func (m *Manager) owed(d *Debt) curate.Owed {
	out := curate.Owed{Provider: d.Provider, Place: d.Name, Whole: d.Whole, Messages: d.Count, OwedAt: d.OwedAt, Why: d.Error}
	if !d.AskedAt.IsZero() {
		out.AskedAt = &d.AskedAt
	}
	if !d.WakeAt.IsZero() {
		out.NextAttemptAt = &d.WakeAt
	}
	if until, _ := m.tell.state(); out.NextAttemptAt != nil && until.After(*out.NextAttemptAt) {
		out.NextAttemptAt = &until
		out.Why = cmp.Or(out.Why, "The provider is left alone for a while after a failure.")
	}
	if m.Provider == nil || d.Provider != m.ID {
		out.Why, out.NextAttemptAt = "This provider is switched off, so it was not asked.", nil
	}
	return out
}
