package run

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// accept learns the turn's input and starts to store it. The commit runs while the
// model is called; nothing reaches the client before [turn.durable] has confirmed it.
func (t *turn) accept(ctx context.Context) error {
	if t.req.OffRecord || t.kept != nil {
		return nil
	}
	ms := make([]session.Message, 0, len(t.input.past)+len(t.input.fresh))
	ms = append(append(ms, t.input.past...), t.input.fresh...)
	if len(ms) == 0 && !t.compressed {
		return nil
	}
	step, err := t.extend(ctx, ms)
	if err != nil {
		t.distrust() // the tip may be a child that was never stored
		return err
	}
	step.Ended = t.ended
	step.Opened = t.created || t.compressed
	if n := len(t.input.fresh); t.pending != nil && n > 0 {
		t.pending.At = memory.Place{Root: t.lineage.Tip.RootID, Seq: step.Messages[len(ms)-n].Seq}
		t.pending.Count = n
		step.Pending = t.pending
	}
	t.kept = step.Messages
	t.lineage.Remember(step.Messages)
	t.lineage.Exists = true
	t.hand(ctx, &step)
	return nil
}

// durable waits until the input is stored. After a failure the caches may know
// more than the store, so they are dropped.
func (t *turn) durable(ctx context.Context) error {
	if t.intake == nil {
		return nil
	}
	err := t.intake.wait()
	t.intake = nil
	if err != nil {
		t.distrust()
		return fmt.Errorf("store input: %w", err)
	}
	return nil
}

// distrust drops the caches of the lineage and its scope.
func (t *opened) distrust() {
	t.open.Distrust()
}

// extend puts messages at the end of the lineage and keeps what memory learnt.
func (t *turn) extend(ctx context.Context, ms []session.Message) (lineage.Step, error) {
	step, err := t.open.Step(ctx, ms)
	if t.req.Source == session.SourceCron {
		step.Untold = lineage.Never
	}
	t.view = t.open.View
	t.changes = append(t.changes, step.Changes...)
	return step, err
}

// settle stores the answer with the facts learnt from it, its receipt and the outcome
// of the request, and returns the turn's result.
func (t *turn) settle(ctx context.Context, a *answer) (*Result, error) {
	said := sync.OnceValue(func() int { return t.count(a.own()) }) // it may be long
	res := t.result(a, said)
	if t.req.OffRecord || a.empty() {
		return res, t.durable(ctx)
	}
	tip := &t.lineage.Tip
	tip.InputTokens = bound.Sum(tip.InputTokens, int64(res.InputTokens))
	tip.OutputTokens = bound.Sum(tip.OutputTokens, int64(res.OutputTokens))
	tip.Model = res.Model
	ms := t.answerMessages(a, res, said)
	if !t.mayWait() { // others of the key wait for the answer to be queued, but not for the input
		if err := t.durable(ctx); err != nil {
			return nil, err
		}
	}
	step, err := t.extend(ctx, ms)
	defer step.Done()
	if err != nil {
		t.distrust()
		return res, err
	}
	res.ReceiptID = newReceiptID(res.At)
	step.Receipt = t.receipt(res, step.Messages[0].Seq)
	res.From, res.To = t.from(), tip.NextSeq
	if step.Finished, err = t.finished(&step.Messages[0], res); err != nil {
		return res, err
	}
	if kept, err := t.keepAnswer(ctx, &step); err != nil {
		if !kept {
			return nil, err
		}
		return res, err
	}
	t.lineage.Remember(step.Messages)
	t.told()
	res.Stored = true
	return res, nil
}

// aside is the note of what the model says in a turn that this server takes for itself; "" in
// other turns.
func (t *turn) aside() string {
	if session.Any(t.input.asked, (*session.Message).Aside) {
		return session.AsideNote
	}
	return ""
}

// answerMessages are the answer as it is stored, with the results of this server's tools
// that it called for next to those of the client.
func (t *turn) answerMessages(a *answer, res *Result, said func() int) []session.Message {
	m := session.Message{
		RootID: t.lineage.Tip.RootID, Key: t.req.Key, Role: session.Assistant, Content: a.own(),
		ToolCalls: res.Answer.ToolCalls, FinishReason: res.Answer.FinishReason, Model: res.Model,
		SaidAt: res.At, RecordedAt: res.At, ReplyTo: t.replyTo,
	}
	shown := session.Message{Role: m.Role, Content: res.Answer.Content, ToolCalls: res.Answer.ToolCalls}
	m.History, m.Exchange = t.history(&shown), t.exchange(&shown)
	ms := one(m)
	if t.box != nil && t.box.mixed != nil {
		ms[0].ToolCalls = openai.MarshalCalls(t.box.mixed.calls)
		ms = append(ms, t.box.mixed.results...)
	}
	ms[0].Tokens = said() + t.count(string(ms[0].ToolCalls))
	if ms[0].Note = t.aside(); a.responder == lineage.ByRecall && ms[0].Note == "" {
		ms[0].Note = session.EchoNote // it quotes what memory holds
	}
	return ms
}

// finished is the outcome that a request key keeps; nil without a key, or for a part of an
// answer.
func (t *turn) finished(answer *session.Message, res *Result) (*lineage.Finished, error) {
	if t.pending == nil || answer.Partial() {
		return nil, nil // nothing to keep is no error
	}
	outcome, err := json.Marshal(res)
	if err != nil {
		return nil, fmt.Errorf("encode outcome: %w", err)
	}
	return &lineage.Finished{Key: t.pending.Key, Outcome: outcome}, nil
}

// keepAnswer stores the answer: with the input, if that still waits. kept reports
// whether the input is stored at least.
func (t *turn) keepAnswer(ctx context.Context, step *lineage.Step) (kept bool, err error) {
	whole := *step
	if t.intake != nil && t.mayWait() {
		if input := t.intake.take(); input != nil {
			t.intake = nil
			whole = input.With(step)
		}
	}
	if err := t.durable(ctx); err != nil {
		return false, err
	}
	if err := t.runner.store.AppendTurn(ctx, t.req.Owner, whole); err != nil {
		t.distrust()
		return len(whole.Messages) == len(step.Messages), fmt.Errorf("store answer: %w", err)
	}
	return true, nil
}

func (t *turn) receipt(res *Result, seq int64) *lineage.Receipt {
	return &lineage.Receipt{
		ID: res.ReceiptID, SessionID: res.SessionID, RootID: res.RootID, Seq: seq, At: res.At,
		Model: res.Model, Responder: res.Responder, Facts: res.Used,
		TailFrom: t.prompt.tailFrom, InputTo: seq, Recalled: t.prompt.recalled, External: t.prompt.external,
		Tools: res.Tools, Context: t.prompt.context, Frame: t.sentFrame(),
	}
}

// sentFrame is what the model was sent with the messages.
func (t *turn) sentFrame() lineage.Frame {
	f := lineage.Frame{Tools: t.toolText(), Settings: string(openai.Settings(t.req.Body))}
	if !t.req.Stateless {
		f.System = t.systemText()
		return f
	}
	texts := make([]string, len(t.req.System)) // the session's own is not sent
	for i := range t.req.System {
		texts[i] = t.req.System[i].Content
	}
	f.System = strings.Join(texts, "\n\n")
	return f
}

// result is what the turn reports, as far as it is known before storing. said is
// the answer's text, in tokens.
func (t *turn) result(a *answer, said func() int) *Result {
	tip := &t.lineage.Tip
	res := &Result{
		SessionID: tip.ID, RootID: tip.RootID, Created: t.created || t.branched, Compressed: t.compressed,
		Responder: a.responder, Model: a.model, Used: t.prompt.facts, Context: t.prompt.context,
		Answer: a.done(), At: t.runner.config.Clock(),
	}
	if len(a.used) > 0 {
		res.Used = a.used
	}
	res.Recall = a.recall
	if a.usage != nil {
		res.InputTokens, res.OutputTokens = a.usage.Input, a.usage.Output
		detail, _ := openai.ParseUsage(a.usage.Raw)
		res.CachedTokens, res.ReasoningTokens = detail.CachedTokens, detail.ReasoningTokens
	} else {
		res.UsageEstimated = true
		res.InputTokens = t.prompt.context.Sent
		res.OutputTokens = said() + t.count(string(res.Answer.ToolCalls))
	}
	if t.box != nil {
		res.Tools = t.box.used
		res.InputTokens += t.box.cost.Input
		res.OutputTokens += t.box.cost.Output
		res.UsageEstimated = res.UsageEstimated || t.box.guessed
	}
	for _, c := range t.changes {
		for i := range c.Learned {
			f := &c.Learned[i]
			if f.Kind.Asserted() {
				res.Learned = append(res.Learned, Learned{ID: f.ID, Kind: f.Kind, Statement: f.Statement})
			}
		}
		for i := range c.Reversals {
			r := &c.Reversals[i]
			rev := Reversal{Was: r.Was.Quote, Now: r.Now.Quote, Why: r.Why}
			if r.Was.Source.Root == r.Now.Source.Root { // a turn is two messages
				rev.TurnsAgo = int(r.Now.Source.Seq-r.Was.Source.Seq+1) / 2
			}
			res.Reversals = append(res.Reversals, rev)
		}
	}
	return res
}

// newReceiptID makes ids that grow with time, so that their index grows at its
// end: 48 bits of milliseconds, 64 random bits, in lower-case base32.
func newReceiptID(at time.Time) string {
	var b [14]byte
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
	_, _ = rand.Read(b[6:]) // never fails since Go 1.24
	return "r_" + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// told wakes the background work that reads the messages just stored.
func (t *opened) told() {
	if wake := t.runner.wake; wake != nil {
		wake(t.req.Owner, t.lineage.Tip.RootID)
	}
}
