package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
)

// Times of a question.
const (
	askTime   = 10 * time.Second // after which a question has failed
	keepsLate = 10 * time.Minute // an answer for the next turn of its place
)

// answer is an answer that came after its turn had gone on.
type answer struct {
	text string
	at   time.Time // zero while the question is under way
}

// Name implements run.External.
func (m *Manager) Name() string { return m.Type }

// Ask implements run.External.
func (m *Manager) Ask(ctx context.Context, q *run.Asking) func() run.Told {
	if m.Wait == 0 || !m.serves(q.Owner) {
		return nil
	}
	key := placeKey{q.Owner.ID(), SourceOf(q.Key, q.Root), q.Speaker}
	late := run.Told{Text: m.takeLate(key), Late: true}
	if may, _ := m.recall.open(); !may || !m.begin(key) {
		return func() run.Told { return late }
	}
	came := make(chan string, 1)
	ended := time.NewTimer(m.Wait)
	asked := *q
	m.asks.Go(recovery.Func(func() {
		text := ""
		defer func() {
			<-m.asking
			m.came(key, text)
			if text != "" {
				m.stats.answered.Add(1)
			}
			came <- text
		}()
		text = m.ask(context.WithoutCancel(ctx), key, &asked)
	}, recovery.Logged(ctx, m.Log, "a question to the memory provider")))
	return func() run.Told {
		defer ended.Stop()
		select {
		case text := <-came:
			if text != "" {
				m.forgetLate(key)
				return run.Told{Text: text}
			}
		case <-ended.C:
		case <-ctx.Done():
		}
		return late
	}
}

// begin takes a slot for a question of a place. It reports false if the place has a question
// under way, or too many have.
func (m *Manager) begin(key placeKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, under := m.late[key]; under {
		return false
	}
	if len(m.late) >= maxPlaces {
		m.dropLate()
	}
	select {
	case m.asking <- struct{}{}:
		m.late[key] = answer{}
		return true
	default:
		return false
	}
}

// dropLate drops the late answers that no turn has fetched in time, and all if that are
// not enough.
func (m *Manager) dropLate() {
	now := m.Now()
	for key, a := range m.late {
		if !a.at.IsZero() && (now.Sub(a.at) > keepsLate || len(m.late) >= maxPlaces) {
			delete(m.late, key)
		}
	}
}

// came keeps an answer, in case its turn has gone on.
func (m *Manager) came(key placeKey, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, under := m.late[key]; text == "" || !under {
		delete(m.late, key)
		return
	}
	m.late[key] = answer{text, m.Now()}
}

// takeLate returns the late answer of a place, once; "" for none.
func (m *Manager) takeLate(key placeKey) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.late[key]
	if !ok || a.at.IsZero() {
		return ""
	}
	delete(m.late, key)
	if m.Now().Sub(a.at) > keepsLate {
		return ""
	}
	return a.text
}

// forgetLate drops the answer of a place that came in time.
func (m *Manager) forgetLate(key placeKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.late, key)
}

// ask asks the provider, and returns "" if that fails.
func (m *Manager) ask(ctx context.Context, key placeKey, q *run.Asking) string {
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	defer context.AfterFunc(m.life, recovery.Func(stop, recovery.Logged(ctx, m.Log, "the end of a question")))()
	name, peer, err := m.knownAs(ctx, key, q)
	if err != nil {
		m.Log.WarnContext(ctx, "the name of a memory provider's place could not be read", "err", err)
		return ""
	}
	if name == "" && m.Peer == "" {
		return "" // nothing was told there
	}
	began := m.Now()
	m.stats.asked.Add(1)
	var text string
	err = recovery.Do(func() error {
		text, err = m.Provider.Recall(ctx, m.place(q.Owner, name, peer), secret.Mask(q.Question), q.Tokens)
		return err
	})
	if err != nil {
		if m.recall.failed(began, failure{key.owner, err}, waitOf(err)) {
			m.Log.WarnContext(ctx, "the memory provider was asked in vain; turns go on without it", "provider", m.ID, "err", err)
		}
		return ""
	}
	m.recall.succeeded()
	return text
}

// knownAs returns the names of the place and of the speaker; "" for a place that has none.
func (m *Manager) knownAs(ctx context.Context, key placeKey, q *run.Asking) (name, peer string, err error) {
	if name, err = m.nameOf(ctx, q.Owner, placeKey{owner: key.owner, source: key.source}); err != nil || name == "" {
		return "", "", err
	}
	if key.speaker == "" || m.Peer != "" {
		return name, name, nil
	}
	peer, err = m.nameOf(ctx, q.Owner, placeKey{owner: key.owner, source: speakerIn(name, key.speaker)})
	if peer == "" {
		peer = name // the speaker has not said anything there yet
	}
	return name, peer, err
}

// nameOf returns the name of a source; "" if it has none.
func (m *Manager) nameOf(ctx context.Context, o owner.Owner, key placeKey) (string, error) {
	m.mu.Lock()
	name := m.names[key]
	m.mu.Unlock()
	if name != "" {
		return name, nil
	}
	name, err := m.Names.ProviderName(ctx, o, m.ID, key.source)
	if err != nil {
		return "", fmt.Errorf("find a name: %w", err)
	}
	m.keepName(key, name)
	return name, nil
}

func (m *Manager) keepName(key placeKey, name string) {
	if name == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.names) >= maxPlaces {
		clear(m.names)
	}
	m.names[key] = name
}

// forgetNames drops the names and the late answers of an owner, some of which have changed.
func (m *Manager) forgetNames(o owner.Owner) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.names {
		if key.owner == o.ID() {
			delete(m.names, key)
		}
	}
	for key := range m.late {
		if key.owner == o.ID() {
			delete(m.late, key)
		}
	}
}
