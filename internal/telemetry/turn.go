package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/fault"
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

// asked is the model that a turn asks for; it goes with the turn's context to
// the spans of its calls.
type asked struct{}

// turnSpan begins the span of a turn: the invocation of an agent.
func (t *Telemetry) turnSpan(ctx context.Context, b *run.TurnBegun) (context.Context, *span) {
	if t.tracing == nil {
		return ctx, nil
	}
	about := []attribute.KeyValue{attribute.String(genOperation, opAgent), attribute.String(genAgent, agent), attribute.String(genProvider, agent)}
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

// turn watches one turn.
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
