package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Scope finds the memory a session id or a session key stands for. The key
// wins. NotFound if there is no session of the id.
func (r *Runner) Scope(ctx context.Context, o owner.Owner, id session.ID, key session.Key) (memory.Scope, error) {
	if id == "" && key == "" {
		return memory.Scope{}, fault.New(fault.Invalid, "scope_required",
			"Say whose memory: session_id or session_key, in the query or as a header.").At("session_id")
	}
	scope := memory.Scope{Key: key}
	if id == "" {
		return scope, nil
	}
	tip, err := r.sessions.Tip(ctx, o, id)
	if err != nil {
		if key != "" && fault.KindOf(err) == fault.NotFound {
			return scope, nil
		}
		return scope, fmt.Errorf("find session: %w", err)
	}
	scope.Root = tip.RootID
	return scope, nil
}

// look runs do on the memory of a scope.
func (r *Runner) look(ctx context.Context, o owner.Owner, scope memory.Scope, do func(*memory.View) error) error {
	if !scope.AsOf.IsZero() {
		view, err := r.views.Past(ctx, o, scope)
		if err != nil {
			return err
		}
		return do(view)
	}
	view, leave, err := r.views.Use(ctx, o, scope, false)
	if err != nil {
		return err
	}
	defer leave()
	return do(view)
}

// Facts returns what is known in a scope, in the order it was learnt.
func (r *Runner) Facts(ctx context.Context, o owner.Owner, scope memory.Scope) ([]memory.Fact, error) {
	var out []memory.Fact
	err := r.look(ctx, o, scope, func(v *memory.View) error {
		out = v.Facts()
		return nil
	})
	return out, err
}

// Fact returns one fact of a scope. NotFound if it holds none of this id.
func (r *Runner) Fact(ctx context.Context, o owner.Owner, scope memory.Scope, id memory.FactID) (memory.Fact, error) {
	var fact memory.Fact
	err := r.look(ctx, o, scope, func(v *memory.View) error {
		var err error
		fact, err = factIn(v, id)
		return err
	})
	return fact, err
}

func factIn(v *memory.View, id memory.FactID) (memory.Fact, error) {
	fact, ok := v.Fact(id)
	if !ok {
		return fact, fault.New(fault.NotFound, "fact_not_found", "No fact with this id in this scope.")
	}
	return fact, nil
}

// Recalled is one message that bears on a question.
type Recalled struct {
	Quote   ranking.Document
	Fact    memory.FactID // a fact that quotes it; "" for none
	Score   float64
	Reasons []ranking.Reason
}

// Recall returns the messages a turn asking the question would be given, best
// first. explain says of each why it ranked.
func (r *Runner) Recall(ctx context.Context, o owner.Owner, scope memory.Scope, q ranking.Query) ([]Recalled, error) {
	if q.At.IsZero() {
		q.At = r.config.now()
	}
	var out []Recalled
	err := r.look(ctx, o, scope, func(v *memory.View) error {
		q.Vector = r.meaning.of(ctx, v, q.Text)
		hits := v.Search(q)
		places := make([]memory.Place, len(hits))
		for i := range hits {
			places[i] = memory.Place{Root: hits[i].Root, Seq: hits[i].Seq}
		}
		docs, err := r.quotes.Quotes(ctx, o, places)
		if err != nil {
			return fmt.Errorf("read quotes: %w", err)
		}
		facts := v.FactsAt(places)
		for i := range docs {
			at := slices.Index(places, memory.Place{Root: docs[i].Root, Seq: docs[i].Seq})
			out = append(out, Recalled{Quote: docs[i], Fact: facts[at], Score: hits[at].Score, Reasons: hits[at].Reasons})
		}
		return nil
	})
	return out, err
}

// Explained is a receipt with everything it names, quoted.
type Explained struct {
	Receipt
	Answer   session.Message
	Facts    []memory.Fact
	Recalled []ranking.Document
	Sent     []session.Message // tail and input, as they were sent verbatim
}

// Why resolves a receipt: each fact and message the reply was given. What has
// been erased since is missing.
func (r *Runner) Why(ctx context.Context, o owner.Owner, id string) (Explained, error) {
	rec, err := r.ledger.Receipt(ctx, o, id)
	if err != nil {
		return Explained{}, err
	}
	out := Explained{Receipt: rec}
	from := min(rec.TailFrom, rec.Seq)
	ms, err := r.sessions.Messages(ctx, o, rec.RootID, session.Range{From: from, To: rec.Seq + 1, Limit: maxRecent + minRecent, Newest: true})
	if err != nil {
		return Explained{}, fmt.Errorf("read messages: %w", err)
	}
	if n := len(ms); n > 0 && ms[n-1].Seq == rec.Seq {
		out.Answer, ms = ms[n-1], ms[:n-1]
	}
	out.Sent = slices.DeleteFunc(ms, func(m session.Message) bool { return !m.Stands() && !m.UndoneAt.After(rec.At) })
	if out.Recalled, err = r.quotes.Quotes(ctx, o, rec.Recalled); err != nil {
		return Explained{}, fmt.Errorf("read quotes: %w", err)
	}
	facts, err := r.Facts(ctx, o, memory.Scope{Root: rec.RootID, Key: out.Answer.Key})
	if err != nil {
		return Explained{}, err
	}
	for i := range facts {
		if slices.Contains(rec.Facts, facts[i].ID) {
			out.Facts = append(out.Facts, facts[i])
		}
	}
	return out, nil
}

// Timeline returns the steps of a topic in the order they were said: what was
// asserted of it, what replaced what. An empty topic gives decisions, events,
// causes and changes of everything.
func (r *Runner) Timeline(ctx context.Context, o owner.Owner, scope memory.Scope, topic string) ([]memory.Fact, error) {
	var out []memory.Fact
	err := r.look(ctx, o, scope, func(v *memory.View) error {
		out = v.Timeline(topic)
		return nil
	})
	return out, err
}

// Now is the runner's clock.
func (r *Runner) Now() time.Time { return r.config.now() }
