package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/run"
)

// Turn implements run.Observer.
func (t *Telemetry) Turn(ctx context.Context, b run.TurnBegun) (context.Context, run.TurnObserver) {
	w := &turn{m: t.metrics, began: time.Now(), streaming: b.Streaming}
	if w.streaming {
		w.m.streams.Inc()
	}
	ctx, w.span = t.turnSpan(ctx, &b)
	return ctx, w
}

// asked is the context key of the requested model, for the spans of the turn's calls.
type asked struct{}

// turnSpan begins the span of a turn: the invocation of an agent.
func (t *Telemetry) turnSpan(ctx context.Context, b *run.TurnBegun) (context.Context, *span) {
	if t.tracing == nil {
		return ctx, nil
	}
	about := []attribute.KeyValue{attribute.String(genOperation, opAgent), attribute.String(genAgent, agent),
		attribute.String(genProvider, agent)}
	if b.Model != "" {
		about = append(about, attribute.String(genRequestModel, b.Model))
	}
	if t.tracing.conversations && b.Session != "" {
		about = append(about, attribute.String(genConversation, string(b.Session)))
	}
	ctx, s := t.start(ctx, opAgent+" "+agent, trace.SpanKindInternal, about...)
	return context.WithValue(ctx, asked{}, b.Model), s
}

// turned ends the span of a turn.
func (s *span) turned(e *run.TurnEnded) {
	if s == nil {
		return
	}
	if r := e.Result; r != nil {
		s.SetAttributes(
			attribute.String(genModel, r.Model), attribute.StringSlice(genFinish, []string{r.Answer.FinishReason}),
			attribute.Int(genInput, r.InputTokens), attribute.Int(genOutput, r.OutputTokens),
			attribute.String("hermes.responder", string(r.Responder)), attribute.Bool("hermes.compressed", r.Compressed),
			attribute.Int("hermes.context.sent_tokens", r.Context.Sent), attribute.Int("hermes.context.naive_tokens", r.Context.Naive),
			attribute.Int("hermes.facts_learned", len(r.Learned)), attribute.Int("hermes.reversals", len(r.Reversals)))
	}
	if e.Replayed {
		s.SetAttributes(attribute.Bool("hermes.replayed", true))
	}
	if e.Err != nil {
		s.fail(outcome(e))
	}
	s.End()
}

// turn observes one turn.
type turn struct {
	m         *metrics
	began     time.Time
	streaming bool
	span      *span
}

// FirstPiece implements run.TurnObserver.
func (w *turn) FirstPiece() {
	took := time.Since(w.began).Seconds()
	w.m.firstPiece.Observe(took)
	if w.span != nil {
		w.span.SetAttributes(attribute.Float64("hermes.first_piece_seconds", took))
	}
}

// Ended implements run.TurnObserver.
func (w *turn) Ended(e run.TurnEnded) {
	w.span.turned(&e)
	m := w.m
	if w.streaming {
		m.streams.Dec()
	}
	responder := responderOf(e.Result)
	m.turns.WithLabelValues(responder, outcome(&e)).Inc()
	if e.Replayed {
		m.replays.Inc()
		return // a replay cost nothing
	}
	m.turnSeconds.WithLabelValues(responder).Observe(time.Since(w.began).Seconds())
	if e.Result != nil {
		m.count(e.Result)
	}
}

// responderOf is the responder as a label. A stored result may name one that this build
// does not know.
func responderOf(r *run.Result) string {
	if r != nil && (r.Responder == lineage.ByUpstream || r.Responder == lineage.ByRecall) {
		return string(r.Responder)
	}
	return "none"
}

// count adds the results and costs of a turn.
func (m *metrics) count(r *run.Result) {
	c := &r.Context
	for kind, n := range map[string]int{"sent": c.Sent, "budget": c.Budget, "naive": c.Naive, "client": c.Client} {
		add(m.context.WithLabelValues(kind), n)
	}
	add(m.tokens.WithLabelValues("input"), r.InputTokens)
	add(m.tokens.WithLabelValues("output"), r.OutputTokens)
	add(m.learned, len(r.Learned))
	add(m.reversals, len(r.Reversals))
	if r.Compressed {
		m.compressions.Inc()
	}
}

// add adds to a counter. A negative number would make the counter panic, so the number
// is moved into its bounds: a metric must not fail a turn.
func add(c prometheus.Counter, n int) { c.Add(float64(bound.Count(int64(n)))) }

// outcome is the outcome of a turn as a label.
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
