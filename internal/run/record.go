package run

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// accept learns the turn's input and starts to store it. The commit runs
// beside the model's own latency; nothing reaches the client before
// [turn.durable] has seen it through.
func (t *turn) accept(ctx context.Context) error {
	if t.req.OffRecord || t.kept != nil {
		return nil
	}
	ms := make([]session.Message, 0, len(t.input.past)+len(t.input.fresh))
	ms = append(append(ms, t.input.past...), t.input.fresh...)
	if len(ms) == 0 && !t.compressed {
		return nil
	}
	step, err := t.step(ctx, ms)
	if err != nil {
		t.distrust() // the tip may be a child that was never stored
		return err
	}
	step.Ended = t.ended
	step.Opened = t.created || t.compressed
	if n := len(t.input.fresh); t.pending != nil && n > 0 {
		t.pending.At = memory.Place{Root: t.lineage.tip.RootID, Seq: step.Messages[len(ms)-n].Seq}
		t.pending.Count = n
		step.Pending = t.pending
	}
	t.kept = step.Messages
	t.lineage.remember(step.Messages)
	t.lineage.exists = true
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

// distrust forgets what is cached of the lineage and its scope.
func (t *turn) distrust() {
	t.lineage.loaded = false
	t.runner.views.Drop(t.req.Owner, memory.Scope{Root: t.lineage.tip.RootID, Key: t.req.Key})
}

// step gives messages their ids, hashes and session, lets memory learn them and
// brings the session's counters up to date.
func (t *turn) step(ctx context.Context, ms []session.Message) (Step, error) {
	tip := &t.lineage.tip
	first, err := t.runner.store.ReserveMessageIDs(ctx, len(ms))
	if err != nil {
		return Step{}, fmt.Errorf("reserve message ids: %w", err)
	}
	last := t.lineage.last
	step := Step{Messages: ms}
	for i := range ms {
		m := &ms[i]
		m.ID, m.SessionID, m.RootID, m.Seq = first+int64(i), tip.ID, tip.RootID, tip.NextSeq
		m.Hash = chain(last, m)
		last = m.Hash
		counted(tip, m)
		if c := t.runner.learn(t.view, ranking.DocumentOf(m)); len(c.Learned)+len(c.Superseded) > 0 {
			step.Changes = append(step.Changes, c)
		}
	}
	tip.LastActive = t.now
	tip.EndedAt, tip.EndReason = time.Time{}, "" // speaking reopens a session
	if t.req.Key != "" {
		tip.Key = t.req.Key
		// The key's memory has learnt; the lineage's own is now out of date.
		t.runner.views.Drop(t.req.Owner, memory.Scope{Root: tip.RootID})
	}
	if tip.Title == "" {
		if step.Title = titleOf(t.lineage.recent, ms); step.Title != "" {
			tip.Title, tip.TitleSource = step.Title, session.TitleDerived
		}
	}
	step.Session = *tip
	if step.Title != "" {
		step.Session.Title = "" // the store gives it, in its free form
	}
	t.changes = append(t.changes, step.Changes...)
	return step, nil
}

// counted adds a message to its session's counters.
func counted(tip *session.Session, m *session.Message) {
	tip.NextSeq++
	tip.MessageCount++
	tip.LineageTokens += int64(m.Tokens + compression.MessageOverhead)
	if len(m.ToolCalls) > 0 {
		tip.ToolCallCount++
	}
}

// learn lets memory take in a message.
//
// Memory is derived: a message that it cannot digest is stored all the same.
func (r *Runner) learn(view *memory.View, d ranking.Document) (change memory.Change) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("a message could not be distilled", "seq", d.Seq, "panic", p, "stack", string(debug.Stack()))
			change = memory.Change{}
		}
	}()
	return view.Learn(d)
}

// chain is the running hash over a lineage: a lost or altered message changes
// every hash after it.
func chain(before []byte, m *session.Message) []byte {
	h := sha256.New()
	h.Write(before)
	hashPart(h, string(m.Role))
	hashPart(h, m.Content)
	hashPart(h, m.ToolCalls)
	hashPart(h, m.ToolCallID)
	hashPart(h, m.Wire)
	return h.Sum(nil)
}

// hashPart adds a text behind its length, without a copy of all of it.
func hashPart[T string | []byte](h hash.Hash, part T) {
	const piece = 4 << 10
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	h.Write(n[:])
	if len(part) <= piece {
		h.Write([]byte(part))
		return
	}
	for b := make([]byte, piece); len(part) > 0; {
		k := copy(b, part)
		h.Write(b[:k])
		part = part[k:]
	}
}

// settle stores the answer with what was learnt from it, its receipt and the
// outcome of the request, and returns the turn's result.
func (t *turn) settle(ctx context.Context, a *answer) (*Result, error) {
	said := sync.OnceValue(func() int { return t.count(a.own()) }) // it may be long
	res := t.result(a, said)
	if t.req.OffRecord || a.empty() {
		return res, t.durable(ctx)
	}
	tip := &t.lineage.tip
	tip.InputTokens += int64(res.InputTokens)
	tip.OutputTokens += int64(res.OutputTokens)
	tip.Model = res.Model
	m := session.Message{
		RootID: tip.RootID, Key: t.req.Key, Role: session.Assistant, Content: a.own(),
		ToolCalls: res.Answer.ToolCalls, FinishReason: res.Answer.FinishReason, Model: res.Model,
		SaidAt: res.At, RecordedAt: res.At,
	}
	ms := one(m)
	if t.box != nil && t.box.mixed != nil {
		ms[0].ToolCalls = openai.MarshalCalls(t.box.mixed.calls)
		ms = append(ms, t.box.mixed.results...)
	}
	ms[0].Tokens = said() + t.count(string(ms[0].ToolCalls))
	if a.responder == ByRecall {
		ms[0].Note = session.EchoNote // it quotes what memory holds
	}
	step, err := t.step(ctx, ms)
	if err != nil {
		t.distrust()
		return res, err
	}
	res.ReceiptID = newReceiptID(res.At)
	step.Receipt = t.receipt(res, step.Messages[0].Seq)
	res.From, res.To = t.from(), tip.NextSeq
	if t.pending != nil && !step.Messages[0].Partial() {
		outcome, err := json.Marshal(res)
		if err != nil {
			return res, fmt.Errorf("encode outcome: %w", err)
		}
		step.Finished = &Finished{Claim: t.pending.Claim, Outcome: outcome}
	}
	if kept, err := t.keepAnswer(ctx, &step); err != nil {
		if !kept {
			return nil, err
		}
		return res, err
	}
	t.lineage.remember(step.Messages)
	t.told()
	res.Stored = true
	return res, nil
}

// keepAnswer stores the answer: with the input, if that still waits. kept reports
// whether the input is stored at least.
func (t *turn) keepAnswer(ctx context.Context, step *Step) (kept bool, err error) {
	whole := *step
	if t.intake != nil && t.mayWait() {
		if input := t.intake.take(); input != nil {
			t.intake = nil
			whole = input.with(step)
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

func (t *turn) receipt(res *Result, seq int64) *Receipt {
	return &Receipt{
		ID: res.ReceiptID, SessionID: res.SessionID, RootID: res.RootID, Seq: seq, At: res.At,
		Model: res.Model, Responder: res.Responder, Facts: t.prompt.facts,
		TailFrom: t.prompt.tailFrom, InputTo: seq, Recalled: t.prompt.recalled, Tools: res.Tools, Context: t.prompt.context,
	}
}

// result is what the turn reports, as far as it is known before storing. said is
// the answer's text, in tokens.
func (t *turn) result(a *answer, said func() int) *Result {
	tip := &t.lineage.tip
	res := &Result{
		SessionID: tip.ID, RootID: tip.RootID, Created: t.created || t.branched, Compressed: t.compressed,
		Responder: a.responder, Model: a.model, Used: t.prompt.facts, Context: t.prompt.context,
		Answer: a.done(), At: t.runner.config.now(),
	}
	if len(a.used) > 0 {
		t.prompt.facts = a.used
		res.Used = a.used
	}
	if a.usage != nil {
		res.InputTokens, res.OutputTokens = a.usage.Input, a.usage.Output
		detail := openai.ParseUsage(a.usage.Raw)
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
