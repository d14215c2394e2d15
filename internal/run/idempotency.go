package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// inflight holds the idempotent requests under way in this process.
type inflight struct {
	mu   sync.Mutex
	runs map[inflightKey]*inflightRun
}

type inflightKey struct{ owner, route, key string }

type inflightRun struct {
	body  []byte
	done  chan struct{}
	leave func() // lets requests of other processes go on; nil without one
}

// claim claims the request's idempotency key, or returns the stored answer of the
// earlier request. It waits for an earlier request that is under way. If an earlier try
// was interrupted, the claim has the position of its input.
//
// A request without a key claims nothing.
func (r *Runner) claim(ctx context.Context, req *Request) (*lineage.Pending, *Result, error) {
	i := req.Idempotency
	if i == nil || req.OffRecord {
		return nil, nil, nil
	}
	key := inflightKey{req.Owner.ID(), i.Route, i.Key}
	if err := r.occupy(ctx, req.Owner, key, i.BodyHash); err != nil {
		return nil, nil, err
	}
	now := r.config.Clock()
	c := lineage.RequestKey{
		Route: i.Route, Key: i.Key, BodyHash: i.BodyHash, Process: r.process,
		At: now, Expires: now.Add(r.config.IdempotencyTTL),
	}
	got, err := r.store.ClaimRequest(ctx, req.Owner, c)
	if err == nil && got.Mine {
		if got.Pending == nil {
			got.Pending = &lineage.Pending{}
		}
		got.Pending.Key = c
		return got.Pending, nil, nil
	}
	r.inflight.leave(key)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("claim request: %w", err)
	case !got.SameBody:
		return nil, nil, otherBody()
	case got.Outcome == nil:
		return nil, nil, fault.New(fault.Conflict, "idempotency_key_in_use", "A request with this Idempotency-Key is still running. Try again in a moment.")
	}
	var res Result
	if err := json.Unmarshal(got.Outcome, &res); err != nil {
		return nil, nil, fmt.Errorf("read stored outcome: %w", err)
	}
	return nil, &res, nil
}

// occupy waits until no other request with the key is under way: in this process, and in those
// that share the store.
func (r *Runner) occupy(ctx context.Context, o owner.Owner, key inflightKey, body []byte) error {
	if err := r.inflight.enter(ctx, key, body); err != nil || r.shared == nil {
		return err
	}
	leave, err := r.shared.Hold(ctx, o, "request "+key.route+"\x00"+key.key)
	if err != nil {
		r.inflight.leave(key)
		return err
	}
	r.inflight.also(key, leave)
	return nil
}

func otherBody() error {
	return fault.New(fault.Conflict, "idempotency_key_conflict",
		"This Idempotency-Key was used with another request. Use a new key for a new request.").At("Idempotency-Key")
}

// settled marks a claimed request as no longer under way.
func (r *Runner) settled(o owner.Owner, p *lineage.Pending) {
	if p != nil {
		r.inflight.leave(inflightKey{o.ID(), p.Key.Route, p.Key.Key})
	}
}

// resume finds the input that an earlier try of the request stored. Messages of others
// may follow it; the turn answers it at its place.
func (t *laidOut) resume() (bool, error) {
	if t.pending == nil || t.pending.Count == 0 {
		return false, nil
	}
	at, n := t.pending.At, int64(t.pending.Count)
	stored, err := t.runner.sessions.Messages(t.ctx, t.req.Owner, at.Root, session.Range{From: at.Seq, To: at.Seq + n, Standing: true})
	if err != nil || len(stored) != t.pending.Count || len(stored) > len(t.req.Messages) {
		return false, nil //nolint:nilerr // the stored input was erased or undone: the request counts as a new one
	}
	sent := t.req.Messages[len(t.req.Messages)-len(stored):]
	for i := range stored {
		if !equal(&sent[i], &stored[i]) {
			return false, nil
		}
		stored[i].Files = sent[i].Files
	}
	t.input = input{asked: stored, tailTo: at.Seq}
	return true, nil
}

// giveUp releases the key of a request that got no answer. p may be nil.
func (r *Runner) giveUp(ctx context.Context, o owner.Owner, p *lineage.Pending) {
	if p == nil {
		return
	}
	if err := r.store.ReleaseRequest(context.WithoutCancel(ctx), o, p.Key); err != nil {
		r.log.WarnContext(ctx, "could not release an idempotency key", "err", err)
	}
	r.settled(o, p)
}

// enter waits until no other request with the key is under way, and registers this one.
func (f *inflight) enter(ctx context.Context, key inflightKey, body []byte) error {
	for {
		f.mu.Lock()
		running := f.runs[key]
		if running == nil {
			if f.runs == nil {
				f.runs = make(map[inflightKey]*inflightRun)
			}
			f.runs[key] = &inflightRun{body: body, done: make(chan struct{})}
			f.mu.Unlock()
			return nil
		}
		f.mu.Unlock()
		if !bytes.Equal(running.body, body) {
			return otherBody()
		}
		select {
		case <-running.done:
		case <-ctx.Done():
			return canceled(ctx)
		}
	}
}

// also notes what is to be done when the request with a key is over.
func (f *inflight) also(key inflightKey, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs[key].leave = leave
}

func (f *inflight) leave(key inflightKey) {
	f.mu.Lock()
	running := f.runs[key]
	delete(f.runs, key)
	f.mu.Unlock()
	if running == nil {
		return
	}
	if running.leave != nil { // those of other processes came first
		running.leave()
	}
	close(running.done)
}

// replay is the stream of a stored answer.
func replay(res *Result) *Stream {
	return &Stream{
		SessionID: res.SessionID, RootID: res.RootID, Compressed: res.Compressed,
		Responder: res.Responder, Model: res.Model, From: res.From, Replayed: true, stored: res,
	}
}

// delta is a stored answer as a single piece.
func (res *Result) delta() Delta {
	d := Delta{
		Raw: res.Answer.Raw, Content: res.Answer.Content, FinishReason: res.Answer.FinishReason,
		Finishes: true, Model: res.Model, Result: res,
	}
	for i, c := range openai.UnmarshalCalls(res.Answer.ToolCalls) {
		d.ToolCalls = append(d.ToolCalls, ToolCall{Index: i, ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return d
}
