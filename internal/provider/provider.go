// Package provider looks after an external memory provider: another program
// that is told what people say, and may add a few lines to prompts. It decides what such a
// program is called places by, what it is told and asked, and makes it forget what is
// forgotten here. The packages below it speak to particular programs.
//
// No turn depends on it. A provider that is slow, down or wrong adds nothing; what it is to
// be told and to forget waits in the store.
package provider

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Config are the settings of a provider.
type Config struct {
	// ID names the provider in the store: its type, and where it is.
	ID string
	// Home names the store at the provider, as [Names.ProviderHome] returns it.
	Home string
	// Type is shown to people and models, such as "honcho".
	Type string
	// Owners are the owners whose conversations it is told; "*" stands for all.
	Owners []string
	// UserOnly says that it is told what users say, and no answers.
	UserOnly bool
	// Wait is how long a turn waits for it; 0 asks nothing.
	Wait time.Duration
	// Peer is the peer of all users; "" for one per place.
	Peer string
}

// Parts are what a Manager is made of.
type Parts struct {
	Config
	// Provider is the other program; nil for none. What it once was told is listed as owed
	// all the same.
	Provider run.Provider
	Names    Names
	Tellings Tellings
	Debts    Debts
	Queue    Queue
	Sessions session.Store
	// List lists the owners whose data this server may have.
	List func(context.Context) ([]owner.Owner, error)
	Now  func() time.Time
	Log  *slog.Logger
}

// Manager looks after a provider. [Manager.Run] does its work.
type Manager struct {
	Parts
	bell   *claim.Bell
	recall breaker
	tell   breaker
	asking chan struct{} // a slot per question under way
	life   context.Context
	end    context.CancelFunc
	asks   sync.WaitGroup
	since  time.Time // the provider has been in use
	// calls is the lock on telling and forgetting: one call at a time.
	calls  sync.Mutex
	lately *lately

	mu    sync.Mutex
	late  map[placeKey]answer
	names map[placeKey]string
	heard map[heard]bool
	// hindrances are why lineages are not told, although the provider answers.
	hindrances map[heard]hindrance
	// paid are the debts that were paid lately, by owner.
	paid map[string][]payment

	stats stats
}

// stats count what was done.
type stats struct{ asked, answered, told, confirmed atomic.Int64 }

// Bounds of what is remembered.
const (
	maxAsking = 64   // questions under way
	maxPlaces = 4096 // names, and late answers
	maxHeard  = 4096
)

// New returns a Manager. Nothing is told before [Manager.Run].
func New(p Parts) *Manager {
	life, end := context.WithCancel(context.Background())
	return &Manager{
		life: life, end: end,
		Parts: p, bell: claim.NewBell(p.Now), recall: breaker{now: p.Now}, tell: breaker{now: p.Now}, asking: make(chan struct{}, maxAsking),
		lately: newLately(p.Provider, p.Now()),
		late:   make(map[placeKey]answer), names: make(map[placeKey]string), heard: make(map[heard]bool),
		hindrances: make(map[heard]hindrance), paid: make(map[string][]payment),
	}
}

// serves reports whether the provider may know of an owner.
func (m *Manager) serves(o owner.Owner) bool {
	return m.Provider != nil && (slices.Contains(m.Owners, o.ID()) || slices.Contains(m.Owners, "*"))
}

// place is the place with a name, with a peer as its user.
func (m *Manager) place(o owner.Owner, name, peer string) run.Place {
	p := run.Place{Workspace: Workspace(o, m.Home), Session: name, User: userPeer + peer, Assistant: Assistant}
	if m.Peer != "" {
		p.User = m.Peer
	}
	return p
}

// placeKey identifies a place, or a speaker in it, whatever it is called.
type placeKey struct {
	owner   string
	source  Source
	speaker string
}
