package run

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
)

// Embedder gives texts a direction in space, near ones for near meanings.
type Embedder interface {
	// Embed returns one vector for each text, and what that cost in tokens.
	Embed(ctx context.Context, texts []string) (vectors [][]float32, tokens int, err error)
}

// meaning finds what a question means, if that takes no time to speak of.
//
// A turn waits for it no longer than patience, and not at all for a while after
// a failure: a server that hangs costs one turn its patience, then none.
type meaning struct {
	embed    Embedder
	patience time.Duration
	now      func() time.Time
	log      *slog.Logger

	mu       sync.Mutex
	until    time.Time // nobody asks before
	failures int
}

const (
	// maxMeant is how much of a question is asked for, in bytes.
	maxMeant = 2000
	// shyest is how long at most nobody asks after failures.
	shyest = 10 * time.Minute
)

// of returns the vector of a question; nil when it is to be had neither now nor
// soon, or the view has nothing to compare it with.
func (m *meaning) of(ctx context.Context, view *memory.View, question string) []float32 {
	if m.embed == nil || m.patience <= 0 || question == "" || !view.Meant() || !m.mayAsk() {
		return nil
	}
	call, cancel := context.WithTimeout(ctx, m.patience)
	defer cancel()
	vectors, _, err := m.embed.Embed(call, []string{memory.MaskSecrets(question[:min(len(question), maxMeant)])})
	if ctx.Err() != nil {
		return nil // says nothing about the server
	}
	m.settle(err)
	if err != nil || len(vectors) != 1 {
		return nil
	}
	return vectors[0]
}

// mayAsk reports whether the server has had its rest.
func (m *meaning) mayAsk() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.now().Before(m.until)
}

// settle remembers how a call ended: each failure in a row doubles the rest.
func (m *meaning) settle(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.failures = 0
		return
	}
	rest := min(shyest, 5*time.Second<<min(m.failures, 10))
	m.failures++
	m.until = m.now().Add(rest)
	m.log.Debug("the meaning of a question could not be had; words alone decide", "rest", rest, "err", err)
}
