package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// Observer is told how turns go. It is shown no content. Its methods are called
// on the path of turns: they must not block.
type Observer interface {
	// Turn hears that a turn begins. It returns the context that the turn's calls
	// of models and tools are made with, and whom to tell of the rest.
	Turn(ctx context.Context, b TurnBegun) (context.Context, TurnObserver)
}

// TurnObserver is told of one turn.
type TurnObserver interface {
	// FirstPiece hears that the answer's first piece is there.
	FirstPiece()
	// Ended hears, once, that the turn is over.
	Ended(e TurnEnded)
}

// TurnBegun is a turn as it is asked for.
type TurnBegun struct {
	// Model is the name that the upstream will be asked for; "" is its default.
	Model     string
	Source    session.Source
	Session   session.ID // as the client named it; "" for a fresh one
	Streaming bool
}

// TurnEnded is a turn that is over.
type TurnEnded struct {
	// Result is nil if there was no answer.
	Result *Result
	// Err is why there is no whole answer; nil if there is.
	Err error
	// Replayed says that this is the stored answer of an earlier turn.
	Replayed bool
}

// watched is a turn with its observer; nil without one.
type watched struct{ told TurnObserver }

// watch tells the observer that a turn begins.
func (r *Runner) watch(ctx context.Context, req *Request) (context.Context, watched) {
	if r.observer == nil {
		return ctx, watched{}
	}
	ctx, told := r.observer.Turn(ctx, TurnBegun{
		Model: r.config.Budgets.ModelName(req.Model), Source: req.Source, Session: req.Session, Streaming: req.Streaming,
	})
	return ctx, watched{told}
}

// began tells what became of a turn's begin. A stream tells of the rest itself.
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

// firstPiece tells of the first piece that says something.
func (s *Stream) firstPiece(d *Delta) {
	if s.observer != nil && !s.spoken && !d.silent() {
		s.spoken = true
		s.observer.FirstPiece()
	}
}

// ended tells, once, what became of the turn.
func (s *Stream) ended(res *Result, err error) {
	if s.observer != nil {
		s.observer.Ended(TurnEnded{Result: res, Err: err})
		s.observer = nil
	}
}

// errUnwanted is the end of a stream whose Deltas were never read.
func errUnwanted() error { return fault.New(fault.Canceled, "cancelled", "The request was cancelled.") }

// Load is what a Runner holds and does at a moment.
type Load struct {
	// Lineages are in memory; Turns of them are under way, and Waiting are in
	// line behind those.
	Lineages, Turns, Waiting int
}

// Load counts what goes on now.
func (r *Runner) Load() Load {
	lineages, turns, waiting := r.lineages.Load()
	return Load{Lineages: lineages, Turns: turns, Waiting: waiting}
}
