package run

import (
	"context"
	"errors"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

// A turn passes through phases. Each phase is a value that contains the previous one:
//
//	opened   has the lineage, its memory and the budget
//	laidOut  knows the new messages and the sizes of the prompt's parts
//	turn     has learnt its input and begun to store it; the prompt is ready
//	Stream   has asked a model

// opened is a turn with its lineage and its memory.
type opened struct {
	runner *Runner
	req    *Request
	ctx    context.Context // of the request; storing a partial answer outlives it
	now    time.Time
	name   string // the model asked for
	budget int
	count  func(string) int
	exact  bool // count uses the model's tokenizer

	open     *lineage.Open
	lineage  *lineage.Lineage // of open
	view     *memory.View     // of open
	permit   claim.Permit
	pending  *lineage.Pending // of an idempotent request
	created  bool
	branched bool // the lineage is a copy made for this turn
}

// laidOut is a turn whose new messages and prompt sizes are known.
type laidOut struct {
	*opened
	input      input
	shown      []session.Message // input.asked as the model is sent it
	replyTo    int64             // what the answers name as their input; 0 if they follow it
	box        *toolbox          // what this server's tools do in the turn; nil for none
	client     int               // tokens of the client's own part: system prompt, tools, input
	limit      int               // the largest size of the prompt, in tokens
	system     int               // tokens of system prompt and tools
	asked      int               // tokens of input.asked
	sightFrom  int64             // the first Seq that is sent verbatim
	unseen     []int64           // later Seqs that are not sent all the same
	compressed bool
	ended      *session.Session // the parent session, if this turn compressed
}

// turn is a turn whose input is learnt and whose prompt is ready.
type turn struct {
	*laidOut
	kept    []session.Message // the input in its stored form
	intake  *intake           // the input while it is being stored; nil once it is
	changes []memory.Change
	prompt  assembly
}

// end releases the lineage's turn and the permit.
func (t *opened) end() {
	if t == nil {
		return
	}
	if t.open != nil { // nil if the lineage could not be opened
		t.open.Close()
	}
	t.permit.Leave()
	t.permit = claim.Permit{}
}

// layOut finds the new messages, the tools to offer, and the sizes of the parts of the
// prompt.
func (t *opened) layOut(ctx context.Context) (*laidOut, error) {
	l := &laidOut{opened: t}
	if err := l.takeInput(); err != nil {
		return nil, err
	}
	l.shown = l.pictured(ctx)
	l.replyTo = l.input.replyTo(l.lineage.Recent)
	if err := l.takeSizes(ctx); err != nil {
		return nil, err
	}
	if err := l.offerTools(ctx); err != nil {
		return nil, err
	}
	if !t.req.Stateless {
		l.compress()
	}
	return l, nil
}

// takeInput finds the new messages and gives them their positions in the lineage.
func (t *laidOut) takeInput() error {
	lineage.Stamp(t.req.Messages, t.req.Key, t.now, t.count)
	if again, err := t.resume(); err != nil {
		return err
	} else if again {
		return t.joinCalls()
	}
	in, err := t.unforgotten()
	if err != nil {
		return err
	}
	if in.undoes && !t.req.OffRecord {
		if _, err := t.runner.curator.Withdraw(t.ctx, t.req.Owner, t.lineage, in.undoFrom, t.now); err != nil {
			return err
		}
	}
	t.input = in
	t.number()
	t.cutBranch()
	return t.joinCalls()
}

// number gives the new messages their Seq.
func (t *laidOut) number() {
	seq := t.lineage.Tip.NextSeq
	for _, part := range [][]session.Message{t.input.past, t.input.fresh} {
		for i := range part {
			m := &part[i]
			m.RootID, m.Seq = t.lineage.Tip.RootID, seq
			seq++
		}
	}
}

// compress opens a child session if the tail is too long. Every turn has distilled its
// facts already, so no turn waits for a summary.
func (t *laidOut) compress() {
	l := t.lineage
	if !l.Exists || t.req.OffRecord {
		return
	}
	limits := compression.LimitsFor(t.budget, t.system+t.asked, compression.MemoryRoom(t.budget))
	folded, ok := compression.Fold(l.Tail(), l.Tip.Summary, limits, t.count)
	if !ok {
		return
	}
	t.ended, t.compressed = l.Fold(&folded, t.now), true
}

// store starts storing the input and assembles the prompt.
func (t *turn) store(ctx context.Context) error {
	if t.req.Stateless {
		t.prompt = t.asSent()
		return t.accept(ctx)
	}
	l := t.lay()
	external := t.askExternal(ctx, &l)
	r, b, err := t.recallAndLearn(ctx, &l)
	if err != nil {
		return err
	}
	t.addExternal(external, &l, &r)
	t.prompt = t.assemble(&l, &r, &b)
	return nil
}

// recallAndLearn searches older messages and learns the input concurrently. The work
// that the turn waits for begins first: the commit of the learnt facts, or the search
// if that commit may wait for the answer.
func (t *turn) recallAndLearn(ctx context.Context, l *layout) (r recollection, b beliefs, err error) {
	learn := func() beliefs {
		if err = t.accept(ctx); err != nil {
			return beliefs{}
		}
		return t.beliefs(l.question, l.stateRoom)
	}
	switch {
	case l.recall == nil:
		b = learn()
	case t.mayWait():
		r, b = both(l.recall, learn)
	default:
		b, r = both(learn, l.recall)
	}
	if err == nil {
		err = t.view.Err()
	}
	return r, b, err
}

// ask sends the prompt to a model. When it returns, the effective session may be sent
// to the client.
func (t *turn) ask(ctx context.Context) (*Stream, error) {
	s := newStream(t)
	if err := recovery.Do(func() error { return s.call(ctx) }); err != nil {
		s.cancel()
		return nil, errors.Join(err, t.durable(ctx))
	}
	return s, nil
}

// asSent is the prompt as the client sent it.
func (t *laidOut) asSent() assembly {
	a := assembly{tailFrom: t.lineage.Tip.NextSeq}
	a.messages = append(append(a.messages, t.req.System...), t.req.Messages...)
	for i := range t.input.past {
		a.context.Tail += t.input.past[i].Tokens + compression.MessageOverhead
	}
	a.context.System, a.context.Input, a.context.Budget = t.system, t.asked, t.budget
	a.context.Client = t.system + t.asked + a.context.Tail
	a.context.Sent = t.system + t.asked + a.context.Tail
	a.context.Naive = a.context.Sent
	return a
}
