package memory

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/secret"
)

// Embedder computes vectors of texts; similar meanings give near vectors.
type Embedder interface {
	// Embed returns one vector for each text, and the cost in tokens.
	Embed(ctx context.Context, texts []string) (vectors [][]float32, tokens int, err error)
}

// Questions computes the vectors of questions, if an embeddings model answers in time.
//
// A question waits for the model at most Patience. After a failure there is a backoff,
// during which the model is not called: a hanging server delays one question, and not
// the next ones.
type Questions struct {
	// Embed is the embeddings model; nil lets words alone decide.
	Embed    Embedder
	Patience time.Duration
	Now      func() time.Time
	Log      *slog.Logger

	mu       sync.Mutex
	until    time.Time // end of the backoff
	failures int
}

const (
	// maxMeant bounds the part of a question that is embedded, in bytes.
	maxMeant = 2000
	// shyest is the maximum backoff.
	shyest = 10 * time.Minute
)

// Meaning returns the vector of a question; nil if the model does not answer in time,
// or if the view has no vectors.
func (q *Questions) Meaning(ctx context.Context, view *View, question string) []float32 {
	askable := q.Embed != nil && q.Patience > 0 && question != ""
	if !askable || !view.Meant() || !q.mayAsk() {
		return nil
	}
	call, cancel := context.WithTimeout(ctx, q.Patience)
	defer cancel()
	vectors, _, err := q.Embed.Embed(call, []string{secret.Mask(question[:min(len(question), maxMeant)])})
	if ctx.Err() != nil {
		return nil // the caller gave up, so this is no failure of the server
	}
	q.settle(err)
	if err != nil || len(vectors) != 1 {
		return nil
	}
	return vectors[0]
}

// mayAsk reports whether the backoff has ended.
func (q *Questions) mayAsk() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.Now().Before(q.until)
}

// settle records the outcome of a call. Each failure in a row doubles the backoff.
func (q *Questions) settle(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.failures = 0
		return
	}
	q.failures++
	rest := claim.Backoff(q.failures, 5*time.Second, shyest)
	q.until = q.Now().Add(rest)
	q.Log.Debug("the meaning of a question could not be had; words alone decide", "rest", rest, "err", err)
}
