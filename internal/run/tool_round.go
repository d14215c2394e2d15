package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// ours are the calls of this server's tools among the model's calls.
func (b *toolbox) ours(calls []openai.Call) []openai.Call {
	var out []openai.Call
	for _, c := range calls {
		if b.owns(c.Function.Name) {
			out = append(out, c)
		}
	}
	return out
}

// owns reports whether a call is for this server.
func (b *toolbox) owns(name string) bool {
	_, offered := b.offered[name]
	return offered || b.closed
}

// nameCalls gives an id to each call without one.
func nameCalls(calls []openai.Call) {
	for i := range calls {
		if calls[i].ID == "" {
			var b [8]byte
			_, _ = rand.Read(b[:]) // never fails since Go 1.24
			calls[i].ID = "call_" + hex.EncodeToString(b[:])
		}
	}
}

// work runs the calls of this server's tools and returns the round for the transcript:
// the message with the calls, and a result for each call.
//
// A round must fit the budget. Results are cut, and older turns leave the prompt. A
// round gets half of the remaining room, so that the next round has some.
func (t *turn) work(ctx context.Context, text string, calls []openai.Call, model string) (session.Message, []session.Message, error) {
	asking := session.Message{
		RootID: t.lineage.Tip.RootID, Key: t.req.Key, Role: session.Assistant, Content: text,
		ToolCalls: openai.MarshalCalls(calls), FinishReason: "tool_calls", Model: cmp.Or(model, t.name), ReplyTo: t.replyTo,
		Note: t.aside(),
	}
	asking.Tokens = t.count(text) + t.count(string(asking.ToolCalls))
	mine := t.box.ours(calls)
	c := &t.prompt.context
	left := t.limit - c.System - c.Input - c.Memory - t.box.tokens - asking.Tokens - (1+len(mine))*compression.MessageOverhead
	if left < minResult*len(mine) {
		return asking, nil, fault.New(fault.Invalid, "context_length_exceeded", fmt.Sprintf(
			"The model's tool calls leave no room for their results in the context budget of %d tokens. "+
				"Raise it with the header X-Hermes-Context-Budget or the setting context.budget_tokens.", c.Budget)).At("messages")
	}
	share := max(left/2, min(left, minResult*len(mine)))
	results := t.execute(ctx, mine, min(share/len(mine)*bytesPerToken, t.box.limits.Bytes))
	now := t.runner.config.Clock()
	asking.SaidAt, asking.RecordedAt = now, now
	out := make([]session.Message, len(mine))
	for i, k := range bySize(results) { // small results leave more room for the others
		m := t.resultMessage(&mine[k], &results[k], share/(len(mine)-i))
		if m.FinishReason == session.ToolFailed {
			t.box.used[len(t.box.used)-len(mine)+k].OK = false
		}
		m.SaidAt, m.RecordedAt = now, now
		share -= m.Tokens
		out[k] = m
	}
	return asking, out, nil
}

const (
	// minResult is the minimum room for a result, in tokens: enough for an error.
	minResult = 24
	// bytesPerToken converts the room for a result to bytes for tools.
	bytesPerToken = 4
)

// resultMessage is a result in the form for the transcript.
func (t *turn) resultMessage(c *openai.Call, r *ToolResult, room int) session.Message {
	text := strings.ToValidUTF8(r.Text, string(utf8.RuneError))
	m := session.Message{
		RootID: t.lineage.Tip.RootID, Key: t.req.Key, Role: session.Tool,
		ToolCallID: c.ID, ToolName: c.Function.Name, FinishReason: session.ToolDone, Note: r.Note,
	}
	if r.Failed {
		m.FinishReason = session.ToolFailed
	}
	m.Content = shorten(text, room, t.box.limits.Bytes, t.count)
	if m.Content != text && m.Note != "" && !m.Echoes() {
		// A part of a statement must not be remembered as the whole.
		m.Content = shorten("Error: there is no room for it in this turn's context", room, t.box.limits.Bytes, t.count)
		m.Note, m.FinishReason = memory.EchoNote, session.ToolFailed
	}
	m.Tokens = t.count(m.Content)
	return m
}

// bySize orders results by their length, the shortest first.
func bySize(results []ToolResult) []int {
	order := make([]int, len(results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(results[a].Text), len(results[b].Text)) })
	return order
}

// keepRound stores a round in one transaction, so that no call lacks its results. The
// round is added to the next prompt.
func (t *turn) keepRound(ctx context.Context, round []session.Message) error {
	if !t.req.OffRecord {
		step, err := t.extend(ctx, round)
		defer step.Done()
		if err == nil {
			err = t.runner.store.AppendTurn(context.WithoutCancel(ctx), t.req.Owner, step)
		}
		if err != nil {
			t.distrust()
			return fmt.Errorf("store tool calls: %w", err)
		}
		t.lineage.Remember(step.Messages)
		round = step.Messages
	}
	t.box.count++
	for i := range round {
		t.box.tokens += round[i].Tokens + compression.MessageOverhead
	}
	t.box.rounds = append(t.box.rounds, round...)
	t.makeRoom()
	return nil
}

// makeRoom removes the oldest turns of the tail until the rounds fit.
func (t *turn) makeRoom() {
	p := &t.prompt
	c := &p.context
	for c.System+c.Input+c.Memory+c.Tail+t.box.tokens > t.limit && p.tailSize > 0 {
		from, n := p.tailAt, 1
		for n < p.tailSize && p.messages[from+n].Role == session.Tool {
			n++
		}
		for _, m := range p.messages[from : from+n] {
			c.Tail -= m.Tokens + compression.MessageOverhead
		}
		p.messages = slices.Delete(slices.Clone(p.messages), from, from+n)
		p.tailSize -= n
		p.tailFrom = t.input.tailTo
		if p.tailSize > 0 {
			p.tailFrom = oldest(p.messages[from : from+p.tailSize])
		}
	}
	c.Tools = t.box.tokens
	c.Sent = c.System + c.Input + c.Memory + c.Tail + c.Tools
}

// one is a list of one message with spare capacity.
func one(m session.Message) []session.Message { return append(make([]session.Message, 0, 4), m) }

// nextPrompt is the prompt after a round. After the last round it forbids tool calls.
func (t *turn) nextPrompt(last bool) *Prompt {
	p := t.asPrompt()
	p.Messages = paired(append(slices.Clone(p.Messages), t.box.rounds...), false)
	p.NoCalls = last
	return p
}
