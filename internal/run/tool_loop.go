package run

import (
	"context"
	"iter"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
)

// separator separates the text before tool calls from the text after them.
const separator = "\n\n"

// withTools yields a model's answer without the calls of this server's tools. Those
// calls are run and stored, and the model is asked again, until it answers or calls a
// tool of the client. Text is yielded at once. Parts of calls are held until the tool
// is known.
func (s *Stream) withTools(deltas iter.Seq2[Delta, error]) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		tools, cancel := context.WithCancel(s.ctx)
		defer cancel()
		box := s.turn.box
		box.ctx, box.time = s.ctx, newAllowance(box.limits.Total, cancel)
		defer box.time.stop()
		for {
			p := passage{s: s, t: s.turn, tools: tools, yield: yield}
			if !p.pass(deltas) || len(p.mine) == 0 || s.turn.box.mixed != nil {
				return
			}
			next, err := s.round(tools, &p)
			if err != nil {
				yield(Delta{}, err)
				return
			}
			deltas = next
		}
	}
}

// round runs and stores the calls of an answer that only calls this server's tools, and
// asks the model again.
func (s *Stream) round(tools context.Context, p *passage) (iter.Seq2[Delta, error], error) {
	t, box := s.turn, s.turn.box
	if box.count >= box.limits.Rounds {
		return nil, fault.New(fault.Upstream, "tool_rounds_exceeded",
			"The model kept calling tools and did not come to an answer.")
	}
	t.bill(&s.answer, p.calls)
	asking, results, err := t.work(tools, s.answer.own(), p.calls, s.answer.model)
	if err != nil {
		return nil, err
	}
	if err := t.keepRound(s.ctx, append(one(asking), results...)); err != nil {
		return nil, err
	}
	if s.ctx.Err() != nil {
		return nil, canceled(s.ctx)
	}
	s.answer.again()
	return t.runner.models.Upstream.Stream(s.ctx, t.nextPrompt(box.count >= box.limits.Rounds))
}

// bill adds the cost of an answer to the cost of the turn.
func (t *turn) bill(a *answer, calls []openai.Call) {
	u := a.usage
	if u == nil {
		t.box.guessed = true
		u = &Usage{Input: t.prompt.context.Sent, Output: t.count(a.own()) + t.count(string(openai.MarshalCalls(calls)))}
	}
	t.box.cost.Input += u.Input
	t.box.cost.Output += u.Output
}

// passage passes one answer of the model to the client.
type passage struct {
	s     *Stream
	t     *turn
	tools context.Context
	yield func(Delta, error) bool

	calls []openai.Call // the calls so far
	held  []Delta       // parts of calls that are, or may be, of this server's tools
	mine  []openai.Call // the calls of this server's tools, once the answer has ended
	ended bool
	spoke bool
}

// pass reads the answer to its end. It reports false if the model failed or the client
// disconnected.
func (p *passage) pass(deltas iter.Seq2[Delta, error]) bool {
	for d, err := range deltas {
		if err != nil {
			p.yield(Delta{}, err)
			return false
		}
		if !p.take(d) {
			return false
		}
	}
	return true
}

func (p *passage) take(d Delta) bool {
	switch {
	case p.ended:
		return p.rest(d)
	case p.t.box.count > 0 && d.silent():
		return true // the first piece of a later answer: the client's answer has begun already
	}
	for _, part := range d.ToolCalls {
		p.calls = openai.JoinCall(p.calls, part.Index, part.ID, part.Name, part.Arguments)
	}
	if len(d.ToolCalls) > 0 {
		if held, gone := p.hold(&d); held || gone {
			return held
		}
	}
	if d.Finishes {
		return p.end(d)
	}
	return p.emit(d)
}

// hold holds back a piece whose calls may be of this server's tools, after yielding its
// text. It releases the held pieces once a call cannot be such a call. It also reports
// whether the client has disconnected.
func (p *passage) hold(d *Delta) (held, gone bool) {
	if !p.mayBeOurs() {
		return false, !p.release()
	}
	if d.Content != "" || d.Reasoning != "" {
		if !p.emit(Delta{Content: d.Content, Reasoning: d.Reasoning, Model: d.Model}) {
			return false, true
		}
		d.Content, d.Reasoning, d.Raw = "", "", nil
	}
	if d.Finishes {
		return false, false
	}
	p.held = append(p.held, *d)
	return true, false
}

// silent reports whether a piece has no content.
func (d *Delta) silent() bool {
	ends := d.Finishes || d.NoChoices || d.Usage != nil
	return !d.speaks() && !ends
}

// speaks reports whether a piece has text or calls.
func (d *Delta) speaks() bool { return d.Content != "" || d.Reasoning != "" || len(d.ToolCalls) > 0 }

// mayBeOurs reports whether a call so far is, or may become, a call of this server's
// tools: some servers send names in pieces.
func (p *passage) mayBeOurs() bool {
	if p.t.box.closed {
		return true
	}
	for i := range p.calls {
		f := &p.calls[i].Function
		growing := i == len(p.calls)-1 && f.Arguments == ""
		for name := range p.t.box.offered {
			if name == f.Name || growing && len(name) > len(f.Name) && name[:len(f.Name)] == f.Name {
				return true
			}
		}
	}
	return false
}

// release yields the held pieces: they are all for the client.
func (p *passage) release() bool {
	for _, d := range p.held {
		if !p.emit(d) {
			return false
		}
	}
	p.held = nil
	return true
}

// emit yields a piece. Text of a later answer is separated from the earlier text.
func (p *passage) emit(d Delta) bool {
	if d.Content != "" && !p.spoke {
		p.spoke = true
		switch a := &p.s.answer; {
		case a.said == "":
		case a.whole:
			d.Content, d.Raw = separator+d.Content, nil
		case !p.yield(Delta{Content: separator}, nil):
			return false
		}
	}
	return p.yield(d, nil)
}

// end decides who handles an answer, once all its calls are known.
func (p *passage) end(d Delta) bool {
	p.ended = true
	if p.mine = p.t.box.ours(p.calls); len(p.mine) == 0 {
		return p.release() && p.emit(p.priced(d))
	}
	nameCalls(p.calls)
	p.mine = p.t.box.ours(p.calls)
	if len(p.mine) == len(p.calls) {
		p.s.answer.note(&d)
		return true
	}
	return p.share(d)
}

// share ends an answer that calls tools of both sides. This server runs its own, and
// the client gets the others. When the client sends their results, the model gets all
// results.
func (p *passage) share(d Delta) bool {
	a := &p.s.answer
	if d.Model != "" {
		a.model = d.Model
	}
	_, results, err := p.t.work(p.tools, a.own(), p.calls, a.model)
	if err != nil {
		p.yield(Delta{}, err)
		return false
	}
	p.t.box.mixed = &mixed{calls: p.calls, results: results}
	n := 0
	var theirs []ToolCall
	for _, c := range p.calls {
		if !p.t.box.owns(c.Function.Name) {
			theirs = append(theirs, ToolCall{Index: n, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
			n++
		}
	}
	if len(d.ToolCalls) > 0 || a.whole {
		d.Raw = nil
	}
	d.ToolCalls = nil
	if a.whole {
		d.ToolCalls = theirs
		return p.emit(d)
	}
	return p.emit(Delta{ToolCalls: theirs}) && p.emit(p.priced(d))
}

// rest reads the pieces after the end of an answer, which hold its usage.
func (p *passage) rest(d Delta) bool {
	again := len(p.mine) > 0 && p.t.box.mixed == nil
	if again || p.t.box.count > 0 && d.NoChoices {
		p.s.answer.note(&d) // the client gets the sum of all calls
		return true
	}
	return p.emit(d)
}

// priced is a final piece with the usage of the whole turn.
func (p *passage) priced(d Delta) Delta {
	if p.t.box.count == 0 || d.Usage == nil || d.Raw == nil || p.s.answer.whole {
		return d
	}
	sum := openai.Usage{PromptTokens: p.t.box.cost.Input + d.Usage.Input, CompletionTokens: p.t.box.cost.Output + d.Usage.Output}
	sum.TotalTokens = sum.PromptTokens + sum.CompletionTokens
	if raw, err := openai.WithUsage(d.Raw, sum); err == nil {
		d.Raw = raw
	}
	return d
}
