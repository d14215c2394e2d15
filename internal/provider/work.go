package provider

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// How the background works.
const (
	round    = 10 * time.Minute // between scans for lineages that no Wake reported
	glance   = 15 * time.Second // between looks at what is due
	perRound = 256              // lineages of an owner that one scan queues
	lease    = time.Minute
	again    = time.Minute // after a failure of the store
	stores   = time.Minute // in which a provider stores what it was told, although it did not say so in time
	atOnce   = 16          // due things that one look reads
)

// heard is a lineage in which a message was stored.
type heard struct {
	owner string
	root  session.ID
}

// Wake reports a lineage in which a message was stored. It never blocks and writes nothing.
func (m *Manager) Wake(o owner.Owner, root session.ID) {
	if !m.serves(o) {
		return
	}
	m.mu.Lock()
	if len(m.heard) < maxHeard {
		m.heard[heard{o.ID(), root}] = true
	}
	m.mu.Unlock()
	m.bell.Ring()
}

// Start says that the provider is in use, or that none is. What serves turns calls it before its first turn: a server, and
// a chat without one. What only looks at a home does not, so that a command neither begins the use nor ends it.
func (m *Manager) Start(ctx context.Context) error {
	id := ""
	if m.Provider != nil {
		id = m.ID
	}
	var err error
	m.since, err = m.Tellings.SwitchProvider(ctx, id, m.moment())
	return err
}

// Run tells the provider what was said, and makes it forget, until ctx ends. It returns
// once nothing is under way any more.
func (m *Manager) Run(ctx context.Context) {
	defer m.asks.Wait()
	defer m.end()
	if m.Provider == nil {
		return
	}
	m.Log.InfoContext(ctx, "an external memory is told what is said", "provider", m.ID, "owners", m.Owners)
	next := m.moment()
	for ctx.Err() == nil {
		if !m.Now().Before(next) {
			m.look(ctx)
			next = m.Now().Add(round)
		}
		m.listen(ctx)
		wake := m.work(ctx)
		if soon := m.Now().Add(glance); wake.IsZero() || wake.After(soon) {
			wake = soon // nothing rings for what is undone or erased
		}
		m.bell.Sleep(ctx, wake)
	}
}

// CatchUp does all work that is due now. It is for a Manager without Run.
func (m *Manager) CatchUp(ctx context.Context) {
	m.look(ctx)
	m.listen(ctx)
	m.work(ctx)
}

// moment is the time in the precision it is stored with.
func (m *Manager) moment() time.Time { return m.Now().UTC().Truncate(time.Millisecond) }

// look queues lineages that have something to tell and that no Wake reported.
func (m *Manager) look(ctx context.Context) {
	owners, err := m.List(ctx)
	if err != nil {
		m.complain(ctx, "list owners", err)
		return
	}
	for _, o := range owners {
		if !m.serves(o) {
			continue
		}
		roots, err := m.Tellings.Untold(ctx, o, m.ID, m.since, perRound)
		if err != nil {
			m.complain(ctx, "look for work", err)
			return
		}
		m.want(ctx, o, roots)
	}
}

// listen queues the reported lineages.
func (m *Manager) listen(ctx context.Context) {
	m.mu.Lock()
	list := m.heard
	m.heard = make(map[heard]bool)
	m.mu.Unlock()
	for h := range list {
		m.want(ctx, owner.Stored(h.owner), []session.ID{h.root})
	}
}

// want queues lineages. The next scan finds those that could not be queued.
func (m *Manager) want(ctx context.Context, o owner.Owner, roots []session.ID) {
	items := make([]study.Item, len(roots))
	for i, root := range roots {
		items[i] = study.Item{Root: root, Kind: Telling, WakeAt: m.moment(), UpdatedAt: m.moment()}
	}
	if len(items) == 0 {
		return
	}
	if err := m.Queue.WantWork(ctx, o, items); err != nil {
		m.complain(ctx, "queue work", err)
	}
}

// work does what is due and returns when to look next. What is to be forgotten comes first.
func (m *Manager) work(ctx context.Context) time.Time {
	for ctx.Err() == nil {
		if may, until := m.tell.open(); !may {
			return until
		}
		did, next, err := m.payDue(ctx)
		if err == nil && !did {
			var told time.Time
			did, told, err = m.tellDue(ctx)
			next = claim.Earlier(next, told)
		}
		if err != nil {
			m.complain(ctx, "look for work", err)
			return m.Now().Add(again)
		}
		if !did {
			return next
		}
	}
	return time.Time{}
}

// tellDue tells the provider of the lineages that are due.
func (m *Manager) tellDue(ctx context.Context) (did bool, next time.Time, err error) {
	now := m.moment()
	due, next, err := m.Queue.DueWork(ctx, now, []curate.Work{Telling}, atOnce)
	if err != nil {
		return false, next, err
	}
	for i := range due {
		if may, _ := m.tell.open(); !may || ctx.Err() != nil {
			return did, next, ctx.Err()
		}
		d := &due[i]
		it, ok, err := m.Queue.ClaimWork(ctx, d.Owner, study.Claim{Root: d.Root, Kind: Telling, At: now, Until: now.Add(lease)})
		if err != nil {
			return did, next, err
		}
		if ok {
			did = true
			m.carry(ctx, d.Owner, &it)
		}
	}
	return did, next, nil
}

// carry tells the provider of a claimed lineage and settles the claim.
func (m *Manager) carry(ctx context.Context, o owner.Owner, it *study.Item) {
	held, stop := claim.Hold(ctx, lease, func(ctx context.Context) (bool, error) {
		return m.Queue.RenewWork(ctx, o, it, m.moment().Add(lease))
	}, recovery.Logged(ctx, m.Log, "the lease of a telling"))
	began := m.Now()
	err := recovery.Do(func() error {
		m.calls.Lock()
		defer m.calls.Unlock()
		if !m.serves(o) { // its owner is no longer on the list
			return nil
		}
		return m.tellLineage(held, o, curate.Task{Root: it.Root, Kind: Telling, Fence: it.Fence})
	})
	recovery.Log(ctx, m.Log, "a telling", err)
	stop()
	it.UpdatedAt = m.moment()
	_, theirs := errors.AsType[*unanswered](err)
	done := err == nil || fault.KindOf(err) == fault.NotFound // it may have been erased meanwhile
	var why hindrance
	switch {
	case done:
		m.tell.succeeded()
	case ctx.Err() != nil: // shutdown: the next server continues it
		it.WakeAt, it.Attempts = it.UpdatedAt, it.Attempts-1
	case errors.Is(err, errUnsure):
		it.WakeAt, it.Attempts = it.UpdatedAt.Add(firstRest), it.Attempts-1
		why.waits = textUnsure
	default:
		it.WakeAt, it.Error = it.UpdatedAt.Add(claim.Backoff(it.Attempts, firstRest, longestRest)), fault.MessageOf(err)
		if !theirs {
			m.complain(ctx, "tell the memory provider of a lineage", err)
			break
		}
		if refusesThis(err) {
			why.refusal = it.Error
			m.Log.WarnContext(ctx, "the memory provider does not take what a session says; it will be tried again", "provider", m.ID, "err", err)
			break
		}
		if m.tell.failed(began, failure{o.ID(), err}, restOf(err)) {
			m.Log.WarnContext(ctx, "the memory provider was not told; it will be tried again", "provider", m.ID, "err", err)
		}
		if StatusOf(err) == 0 { // the outcome is unknown, and others of the place wait for it
			_, it.WakeAt = m.tell.open()
		}
	}
	m.hindered(heard{o.ID(), it.Root}, why)
	if _, err := m.Queue.SettleWork(context.WithoutCancel(ctx), o, it, done); err != nil {
		m.complain(ctx, "settle work", err)
	}
}

// restOf is how long a provider is left alone at least after a telling that failed. One that did not answer in
// time, or whose proxy did not wait for it, may still store what it was told. If the messages were looked for
// before that, they would not be there, and be told twice.
func restOf(err error) time.Duration {
	if fault.KindOf(err) == fault.Timeout || StatusOf(err) == http.StatusGatewayTimeout {
		return max(stores, waitOf(err))
	}
	return waitOf(err)
}

// refusesThis reports whether a refusal is of what one lineage says: another one may be told meanwhile. Other
// refusals, such as that of a key, are of everything.
func refusesThis(err error) bool {
	switch StatusOf(err) {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

func (m *Manager) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		m.Log.WarnContext(ctx, "the external memory could not be looked after; it will be tried again", "what", what, "err", err)
	}
}
