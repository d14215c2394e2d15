package run

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

// Stream is a turn whose answer has begun. Its session is final.
type Stream struct {
	SessionID  session.ID
	RootID     session.ID
	Key        session.Key
	Created    bool
	Compressed bool
	// From is the Seq of the first message of the turn's input, if the turn is stored.
	From int64
	// Responder is the expected responder. If the upstream had not accepted yet, the
	// Result names the one that answered.
	Responder lineage.Responder
	// Model is the model name of the answer.
	Model string
	// Replayed says that this is the stored answer of an earlier request.
	Replayed bool

	turn     *turn
	stored   *Result
	ctx      context.Context // for calls of models and tools
	cancel   context.CancelFunc
	accepted chan acceptance
	answer   answer
	observer TurnObserver // nil without an observer, or after it was told of the end
	spoken   bool         // the first piece has been reported
}

// acceptance is the outcome of calling the model.
type acceptance struct {
	deltas    iter.Seq2[Delta, error]
	err       error
	responder lineage.Responder
}

func newStream(t *turn) *Stream {
	tip := &t.lineage.Tip
	return &Stream{
		turn: t, SessionID: tip.ID, RootID: tip.RootID, Key: t.req.Key,
		Created: t.created || t.branched, Compressed: t.compressed, From: t.from(),
	}
}

// from is the Seq of the turn's input.
func (t *laidOut) from() int64 {
	switch {
	case len(t.input.fresh) > 0:
		return t.input.fresh[0].Seq
	case t.pending != nil && t.pending.Count > 0:
		return t.pending.At.Seq // an earlier try stored it
	}
	return t.input.tailTo
}

// call sends the prompt to a model. A caller that does not stream waits until the
// prompt is accepted. A streaming caller waits at most the configured patience.
func (s *Stream) call(ctx context.Context) error {
	t := s.turn
	models := t.runner.models
	models.Fallback = models.Fallback && !t.req.NoFallback
	prompt := t.asPrompt()
	ctx, s.cancel = context.WithCancel(ctx)
	s.ctx = ctx
	s.accepted = make(chan acceptance, 1)
	s.Responder, s.Model = t.runner.Responder(), t.name
	if s.Responder == lineage.ByRecall {
		if models.Recall == nil {
			return noResponder()
		}
		s.Model = RecallModel
		a := acceptance{responder: lineage.ByRecall}
		a.deltas, a.err = models.Recall.Stream(ctx, prompt)
		s.accepted <- a
		return a.err
	}
	if !t.req.Streaming {
		return s.settleCall(models.call(ctx, prompt, t.runner.outage))
	}
	ask := func() { s.accepted <- models.call(ctx, prompt, t.runner.outage) }
	go recovery.Func(ask, func(err error) { s.accepted <- acceptance{err: err} })()
	timer := time.NewTimer(t.runner.config.Patience)
	defer timer.Stop()
	select {
	case a := <-s.accepted:
		return s.settleCall(a)
	case <-timer.C:
		return nil
	}
}

// settleCall records the responder while the headers can still name it.
func (s *Stream) settleCall(a acceptance) error {
	if a.err != nil {
		return a.err
	}
	s.Responder = a.responder
	if a.responder == lineage.ByRecall {
		s.Model = RecallModel
	}
	s.accepted <- a
	return nil
}

// call asks the upstream, or the recall responder if the upstream cannot be reached, which is told.
func (m *Models) call(ctx context.Context, p *Prompt, told *outage) acceptance {
	a := acceptance{responder: lineage.ByUpstream}
	a.deltas, a.err = m.Upstream.Stream(ctx, p)
	if !unreachable(a.err) {
		told.ended()
		return a
	}
	if !m.fallsBack(ctx) {
		return a
	}
	told.began(a.err)
	a.responder = lineage.ByRecall
	a.deltas, a.err = m.Recall.Stream(ctx, p)
	return a
}

// fallsBack reports whether the recall responder answers instead of an upstream that cannot be reached.
func (m *Models) fallsBack(ctx context.Context) bool {
	return m.Fallback && m.Recall != nil && ctx.Err() == nil
}

// unreachable reports whether an upstream gave no answer at all. A refusal with a
// status is an answer, and the caller must see it.
func unreachable(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Status == 0 && (f.Kind == fault.Unavailable || f.Kind == fault.Timeout)
}

// asPrompt is the first prompt of the turn.
func (t *turn) asPrompt() *Prompt {
	p := &Prompt{
		Model: t.name, Streaming: t.req.Streaming, Body: t.req.Body, Extras: t.req.Extras,
		Messages: t.prompt.messages, Raw: t.req.Stateless, Question: t.asQuestion(),
	}
	if t.box != nil {
		p.Tools = t.box.wire
	}
	return p
}

// asQuestion is the turn in the form for the recall responder.
func (t *turn) asQuestion() *Question {
	q := &Question{Input: t.input.asked, Now: t.now, View: t.view}
	for _, c := range t.changes {
		q.Learned = append(q.Learned, c.Learned...)
		q.Reversals = append(q.Reversals, c.Reversals...)
	}
	root, from := t.lineage.Tip.RootID, t.input.tailTo
	q.Own = func(r session.ID, seq int64) bool { return r == root && seq >= from }
	q.Quotes = func(ctx context.Context, places []memory.Place) ([]ranking.Document, error) {
		return t.runner.quotes.Quotes(ctx, t.req.Owner, places)
	}
	return q
}

// Close ends a stream whose deltas are not needed. It may be called at any time and
// several times, but not while Deltas is being ranged over.
func (s *Stream) Close() {
	if s.turn == nil {
		return
	}
	s.cancel()
	t := s.turn
	s.turn = nil
	_ = t.durable(t.ctx) // the failure is reported elsewhere
	t.runner.settled(t.req.Owner, t.pending)
	t.end()
	s.ended(nil, errUnwanted())
}

// Deltas yields the answer. The last piece is held back until the turn is durable, and
// carries the Result. If the model breaks off, the received part is stored as a partial
// answer, and the sequence ends with a Delta that holds the Result, and the fault.
// Leaving the loop cancels the call and stores the received part.
func (s *Stream) Deltas(ctx context.Context) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		if s.stored != nil {
			yield(s.stored.delta(), nil)
			return
		}
		defer s.Close()
		if !s.turn.inOnePiece() {
			if err := s.turn.durable(ctx); err != nil {
				s.ended(nil, err)
				yield(Delta{}, err)
				return
			}
		}
		held, err, left := s.receive(ctx, yield)
		s.finish(ctx, held, err, left, yield)
	}
}

// receive passes the model's pieces on until it finishes. held are the pieces
// from the finishing one on; left says that the caller has gone.
func (s *Stream) receive(ctx context.Context, yield func(Delta, error) bool) (held []Delta, err error, left bool) {
	deltas, err := s.await(ctx)
	if err != nil {
		return nil, err, false
	}
	for d, err := range deltas {
		if err != nil {
			if ctx.Err() != nil {
				err = canceled(ctx)
			}
			return nil, err, false
		}
		s.answer.add(&d)
		s.firstPiece(&d)
		if len(held) > 0 && d.NoChoices {
			held = append(held, d)
			continue
		}
		if !yieldAll(held, yield) { // another choice goes on: that was not the end
			return nil, canceled(ctx), true
		}
		held = held[:0]
		if d.Finishes {
			held = append(held, d)
		} else if !yield(d, nil) {
			return nil, canceled(ctx), true
		}
	}
	if len(held) == 0 {
		return nil, fault.New(fault.Upstream, "upstream_incomplete", "The model's answer ended without a finish."), false
	}
	return held, nil, false
}

// await waits until a model has accepted the call, notes which one answers, and returns
// its pieces, with the calls of this server's tools taken out.
func (s *Stream) await(ctx context.Context) (iter.Seq2[Delta, error], error) {
	var a acceptance
	select {
	case a = <-s.accepted:
	case <-ctx.Done():
		return nil, canceled(ctx)
	}
	s.answer.responder, s.answer.model, s.answer.whole = a.responder, s.turn.name, !s.turn.req.Streaming
	if a.responder == lineage.ByRecall {
		s.answer.model = RecallModel
	}
	if a.err != nil {
		return nil, a.err
	}
	if s.turn.box != nil && a.responder == lineage.ByUpstream {
		return s.withTools(a.deltas), nil
	}
	return a.deltas, nil
}

// yieldAll passes pieces on. It returns false when the caller has gone.
func yieldAll(pieces []Delta, yield func(Delta, error) bool) bool {
	for i := range pieces {
		if !yield(pieces[i], nil) {
			return false
		}
	}
	return true
}

func canceled(ctx context.Context) error {
	return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", ctx.Err())
}

// finish stores the answer and yields the pieces that were held back.
func (s *Stream) finish(ctx context.Context, held []Delta, cause error, left bool, yield func(Delta, error) bool) {
	if cause != nil {
		s.answer.finish = session.FinishError
		if fault.KindOf(cause) == fault.Canceled {
			s.answer.finish = session.FinishCancelled
		}
	}
	s.cancel()
	if later := s.turn.req.Later; cause != nil && later != nil && errors.Is(context.Cause(ctx), later) {
		s.answer.drop()
	}
	res, err := s.turn.settle(context.WithoutCancel(ctx), &s.answer)
	if err == nil {
		err = cause
	}
	s.ended(res, err)
	if left {
		return
	}
	if err != nil {
		yield(Delta{Result: res}, err)
		return
	}
	held[0].Result = res
	yieldAll(held, yield)
}
