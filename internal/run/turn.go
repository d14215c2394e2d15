package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// turn is one pass: it holds the lineage's turn from open to end.
type turn struct {
	runner *Runner
	req    *Request
	ctx    context.Context // of the request; the answer outlives it when it is cut
	now    time.Time
	name   string // the model asked for
	budget int
	count  func(string) int
	exact  bool // count is by the vocabulary of the model

	lineage *lineage
	release func()
	place   claim.Place
	view    *memory.View
	leave   func()
	pending *Pending // of an idempotent request

	input      input
	sightFrom  int64 // the first Seq the model sees verbatim
	created    bool
	branched   bool // the lineage is a copy made for this turn
	compressed bool
	ended      *session.Session // the parent, when this turn compressed
	changes    []memory.Change
	kept       []session.Message // the input as it is stored
	prompt     assembly
	box        *toolbox // what this server's tools do in the turn; nil for none
	intake     *intake  // the input on its way to the store; nil if it is there
}

// fresh makes the lineage of an id that nobody used before.
func (t *turn) fresh(id session.ID) {
	t.created = !t.req.OffRecord
	t.lineage.tip = session.Session{
		ID: id, RootID: id, Key: t.req.Key, Source: t.req.Source, UserID: t.req.UserID,
		StartedAt: t.now, LastActive: t.now,
	}
	t.lineage.recent = nil
}

func (t *turn) setCounter() {
	count, exact := compression.CounterFor(t.name)
	t.count, t.exact = count, exact
}

// end hands the lineage's turn on, and gives its place back.
func (t *turn) end() {
	if t.leave != nil {
		t.leave()
		t.leave = nil
	}
	if t.release != nil {
		t.release()
		t.release = nil
	}
	t.place.Leave()
	t.place = claim.Place{}
}

// begin brings the turn to the point where the answer starts.
func (t *turn) begin(ctx context.Context) (*Stream, error) {
	if err := t.takeInput(); err != nil {
		return nil, err
	}
	if err := t.offerTools(ctx); err != nil {
		return nil, err
	}
	system, input := t.pinned()
	if err := t.prepare(ctx, system, input); err != nil {
		return nil, err
	}
	s := newStream(t)
	if err := s.call(ctx); err != nil {
		s.cancel()
		return nil, errors.Join(err, t.durable(ctx))
	}
	return s, nil
}

// takeInput finds what is new and gives it its place in the lineage.
func (t *turn) takeInput() error {
	t.receive()
	if t.resume() {
		return t.joinCalls()
	}
	in, err := newInput(t.lineage, t.req.Messages)
	if err != nil {
		return err
	}
	if in.undoes && !t.req.OffRecord {
		if _, err := t.runner.withdraw(t.ctx, t.req.Owner, t.lineage, in.undoFrom, t.now); err != nil {
			return err
		}
	}
	seq := t.lineage.tip.NextSeq
	for _, part := range [][]session.Message{in.past, in.fresh} {
		for i := range part {
			m := &part[i]
			m.RootID, m.Seq = t.lineage.tip.RootID, seq
			seq++
		}
	}
	t.input = in
	t.cutBranch()
	return t.joinCalls()
}

// receive counts the messages of the request and stamps them with its key and
// time. One that brings a time of its own keeps it.
func (t *turn) receive() {
	for i := range t.req.Messages {
		m := &t.req.Messages[i]
		m.Tokens = t.count(m.Content) + t.count(string(m.ToolCalls))
		if len(m.Wire) > 0 {
			m.Tokens = max(m.Tokens, wireTokens(m, t.count))
		}
		m.Key, m.RecordedAt = t.req.Key, t.now
		if m.SaidAt.IsZero() {
			m.SaidAt = t.now
		}
	}
}

// imageTokens is what an image costs at least: OpenAI's low-detail price.
const imageTokens = 85

// wireTokens counts a message with parts that are not text. Data URLs are not
// tokens; everything else in the message is counted as it stands.
func wireTokens(m *session.Message, count func(string) int) int {
	if len(m.Wire) > 4*len(m.Content)+4096 {
		return count(m.Content) + imageTokens
	}
	return count(string(m.Wire))
}

// joinCalls puts the answer that called for tool results in front of them, so
// that no budget parts the two. It refuses results nobody called for: a model
// would, too, but only after the message had been stored.
func (t *turn) joinCalls() error {
	if t.req.Stateless || t.input.asked[0].Role != session.Tool {
		return nil
	}
	tail := t.history()
	end := len(tail)
	for end > 0 && tail[end-1].Seq >= t.input.tailTo {
		end--
	}
	for i := end - 1; i >= 0 && tail[i].Role != session.User; i-- {
		if len(tail[i].ToolCalls) > 0 {
			if err := checkResults(t.input.asked, tail[i:end]); err != nil {
				return err
			}
			t.input.asked = append(slices.Clone(tail[i:end]), t.input.asked...)
			t.input.tailTo = tail[i].Seq
			return nil
		}
	}
	return fault.New(fault.Invalid, "tool_call_not_found",
		"This session has no open tool call that the message of role 'tool' could answer.").At("messages")
}

// checkResults refuses a result whose call is not among those made last.
func checkResults(results, made []session.Message) error {
	known := make(map[string]bool)
	for i := range made {
		for _, c := range openai.UnmarshalCalls(made[i].ToolCalls) {
			known[c.ID] = true
		}
	}
	for i := range results {
		id := results[i].ToolCallID
		if results[i].Role != session.Tool || id == "" || known[id] || known[""] { // some servers give no ids
			continue
		}
		return fault.New(fault.Invalid, "tool_call_not_found", fmt.Sprintf("No tool call with the id %q is open in this session.", id)).At("messages")
	}
	return nil
}

// compress opens a child session if the tail has grown too long. The state was
// distilled with every turn, so nobody waits for a summary here.
func (t *turn) compress(pinned int) {
	l := t.lineage
	if !l.exists || t.req.OffRecord {
		return
	}
	memoryRoom := min(t.budget/stateShare, maxState) + min(t.budget/quotesShare, maxQuotes)
	folded, ok := compression.Fold(l.tail(), l.tip.Summary, compression.LimitsFor(t.budget, pinned, memoryRoom), t.count)
	if !ok {
		return
	}
	t.ended, t.compressed = l.fold(&folded, t.now), true
}

// fold opens a child session with a shorter tail and returns the ended parent.
// Nothing is stored yet.
func (l *lineage) fold(folded *compression.Folded, now time.Time) *session.Session {
	parent := l.tip
	parent.EndedAt, parent.EndReason = now, session.EndCompression
	child := parent
	child.ID, child.ParentID, child.Generation = session.NewID(now), parent.ID, parent.Generation+1
	child.StartedAt, child.LastActive = now, now
	child.EndedAt, child.EndReason = time.Time{}, ""
	child.MessageCount, child.ToolCallCount, child.InputTokens, child.OutputTokens = 0, 0, 0, 0
	child.TailFrom, child.Summary = folded.TailFrom, folded.Summary
	l.tip = child
	return &parent
}

// prepare stores the input and puts the prompt together.
func (t *turn) prepare(ctx context.Context, system, input int) error {
	if t.req.Stateless {
		if err := t.accept(ctx); err != nil {
			return err
		}
		t.prompt = t.asSent(system, input)
		return nil
	}
	if err := t.checkBudget(system, input); err != nil {
		return err
	}
	t.compress(system + input)
	l := t.lay(system, input)
	r, b, err := t.recallAndLearn(ctx, &l)
	if err != nil {
		return err
	}
	t.prompt = t.assemble(&l, &r, &b)
	return nil
}

// recallAndLearn looks for what older messages say, and learns the input meanwhile. What
// is waited for comes first: the commit of what is learnt, or, if that may wait
// for the answer, the search, which takes longer.
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
	return r, b, err
}

// asSent takes the prompt as the client has made it.
func (t *turn) asSent(system, input int) assembly {
	a := assembly{tailFrom: t.lineage.tip.NextSeq}
	a.messages = append(append(a.messages, t.req.System...), t.req.Messages...)
	for i := range t.input.past {
		a.context.Tail += t.input.past[i].Tokens + compression.MessageOverhead
	}
	a.context.System, a.context.Input, a.context.Budget = system, input, t.budget
	a.context.Sent = system + input + a.context.Tail
	a.context.Naive = a.context.Sent
	return a
}
