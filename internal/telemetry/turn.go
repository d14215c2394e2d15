package telemetry

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// Turn implements run.Observer.
func (t *Telemetry) Turn(ctx context.Context, b run.TurnBegun) (context.Context, run.TurnObserver) {
	w := &turn{m: t.metrics, began: time.Now(), streaming: b.Streaming}
	if w.streaming {
		w.m.streams.Inc()
	}
	return ctx, w
}

// turn watches one turn.
type turn struct {
	m         *metrics
	began     time.Time
	streaming bool
}

// FirstPiece implements run.TurnObserver.
func (w *turn) FirstPiece() { w.m.firstPiece.Observe(time.Since(w.began).Seconds()) }

// Ended implements run.TurnObserver.
func (w *turn) Ended(e run.TurnEnded) {
	m := w.m
	if w.streaming {
		m.streams.Dec()
	}
	responder := "none"
	if e.Result != nil && e.Result.Responder != "" {
		responder = string(e.Result.Responder)
	}
	m.turns.WithLabelValues(responder, outcome(&e)).Inc()
	if e.Replayed {
		m.replays.Inc()
		return // it cost nothing
	}
	m.turnSeconds.WithLabelValues(responder).Observe(time.Since(w.began).Seconds())
	if e.Result != nil {
		m.count(e.Result)
	}
}

// count adds up what a turn brought and cost.
func (m *metrics) count(r *run.Result) {
	m.context.WithLabelValues("sent").Add(float64(r.Context.Sent))
	m.context.WithLabelValues("budget").Add(float64(r.Context.Budget))
	m.context.WithLabelValues("naive").Add(float64(r.Context.Naive))
	m.tokens.WithLabelValues("input").Add(float64(r.InputTokens))
	m.tokens.WithLabelValues("output").Add(float64(r.OutputTokens))
	m.learned.Add(float64(len(r.Learned)))
	m.reversals.Add(float64(len(r.Reversals)))
	if r.Compressed {
		m.compressions.Inc()
	}
}

// outcome is what became of a turn.
func outcome(e *run.TurnEnded) string {
	switch {
	case e.Replayed:
		return "replayed"
	case e.Err == nil:
		return "ok"
	}
	switch fault.KindOf(e.Err) {
	case fault.Canceled:
		return "cancelled"
	case fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Conflict, fault.TooLarge, fault.RateLimited:
		return "refused"
	}
	return "failed"
}
