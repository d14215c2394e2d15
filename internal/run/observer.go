package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// Observer is told of the progress of turns. It gets no content. Its methods are called
// during turns and must not block.
type Observer interface {
	// Turn is called when a turn begins. It returns the context for the turn's calls of
	// models and tools, and the observer of the turn.
	Turn(ctx context.Context, b TurnBegun) (context.Context, TurnObserver)
}

// TurnObserver is told of the progress of one turn.
type TurnObserver interface {
	// FirstPiece is called with the answer's first piece.
	FirstPiece()
	// Ended is called once, when the turn is over.
	Ended(e TurnEnded)
}

// TurnBegun describes the request for a turn.
type TurnBegun struct {
	// Model is the model asked for; "" is the upstream's default.
	Model     string
	Source    session.Source
	Session   session.ID // as the client named it; "" for a new one
	Streaming bool
}

// TurnEnded describes a finished turn.
type TurnEnded struct {
	// Result is nil without an answer.
	Result *Result
	// Err is why the answer is incomplete; nil if it is complete.
	Err error
	// Replayed says that the answer is the stored one of an earlier turn.
	Replayed bool
}

// watched is the observer of a turn; nil without one.
type watched struct{ told TurnObserver }

// watch reports the begin of a turn.
func (r *Runner) watch(ctx context.Context, req *Request) (context.Context, watched) {
	if r.observer == nil {
		return ctx, watched{}
	}
	ctx, told := r.observer.Turn(ctx, TurnBegun{
		Model: r.config.Budgets.ModelName(req.Model), Source: req.Source, Session: req.Session, Streaming: req.Streaming,
	})
	return ctx, watched{told}
}

// began reports that a turn failed to begin. Otherwise its stream reports the outcome.
func (w watched) began(s *Stream, err error) {
	switch {
	case w.told == nil:
	case err != nil:
		w.told.Ended(TurnEnded{Err: err})
	case s.Replayed:
		w.told.Ended(TurnEnded{Result: s.stored, Replayed: true})
	default:
		s.observer = w.told
	}
}

// firstPiece reports the first piece with content.
func (s *Stream) firstPiece(d *Delta) {
	if s.observer != nil && !s.spoken && !d.silent() {
		s.spoken = true
		s.observer.FirstPiece()
	}
}

// ended reports the outcome of the turn, once.
func (s *Stream) ended(res *Result, err error) {
	if s.observer != nil {
		s.observer.Ended(TurnEnded{Result: res, Err: err})
		s.observer = nil
	}
}

// errUnwanted is the outcome of a stream whose Deltas were not read.
func errUnwanted() error { return fault.New(fault.Canceled, "cancelled", "The request was cancelled.") }

// Load counts the work of a Runner at a moment.
type Load struct {
	// Lineages are cached, Turns are under way, and Waiting are queued behind those.
	Lineages, Turns, Waiting int
}

// Load counts the current work.
func (r *Runner) Load() Load {
	lineages, turns, waiting := r.lineages.Load()
	return Load{Lineages: lineages, Turns: turns, Waiting: waiting}
}
