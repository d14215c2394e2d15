package curate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Scope finds the scope of memory for a session id or a session key: the scope that a
// turn with them would use. A given key takes precedence over the session's key.
// NotFound if no session has the id.
func (c *Curator) Scope(ctx context.Context, o owner.Owner, id session.ID, key session.Key) (memory.Scope, error) {
	if id == "" && key == "" {
		return memory.Scope{}, fault.New(fault.Invalid, "scope_required",
			"Say whose memory: session_id or session_key, in the query or as a header.").At("session_id")
	}
	scope := memory.Scope{Key: key}
	if id == "" {
		return scope, nil
	}
	tip, err := c.sessions.Tip(ctx, o, id)
	if err != nil {
		if key != "" && fault.KindOf(err) == fault.NotFound {
			return scope, nil
		}
		return scope, fmt.Errorf("find session: %w", err)
	}
	return ScopeOf(&tip, key), nil
}

// ScopeOf is the scope for a turn of a session that names a key or none.
func ScopeOf(tip *session.Session, key session.Key) memory.Scope {
	return memory.Scope{Root: tip.RootID, Key: cmp.Or(key, tip.Key)}
}

// isPast reports whether a scope is none that is kept ready: that of a moment in the past, or a
// whole lineage.
func isPast(scope memory.Scope) bool { return !scope.AsOf.IsZero() || scope.Whole }

// look runs do with the memory of a scope.
func (c *Curator) look(ctx context.Context, o owner.Owner, scope memory.Scope, do func(*memory.View) error) error {
	if isPast(scope) {
		view, err := c.views.Past(ctx, o, scope)
		if err != nil {
			return err
		}
		return do(view)
	}
	view, leave, err := c.views.Use(ctx, o, scope, false)
	if err != nil {
		return err
	}
	defer leave()
	return do(view)
}

// Facts returns the facts of a scope in the order they were learnt.
func (c *Curator) Facts(ctx context.Context, o owner.Owner, scope memory.Scope) ([]memory.Fact, error) {
	if isPast(scope) {
		facts, err := c.views.PastFacts(ctx, o, scope)
		if err != nil {
			return nil, fmt.Errorf("read facts: %w", err)
		}
		return facts, nil
	}
	var out []memory.Fact
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		out = v.Facts()
		return nil
	})
	return out, err
}

// Fact returns one fact of a scope. NotFound if the scope has none of this id.
func (c *Curator) Fact(ctx context.Context, o owner.Owner, scope memory.Scope, id memory.FactID) (memory.Fact, error) {
	var fact memory.Fact
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		var err error
		fact, err = FactIn(v, id)
		return err
	})
	return fact, err
}

// FactIn returns a fact of a view. NotFound if the view has none of this id.
func FactIn(v *memory.View, id memory.FactID) (memory.Fact, error) {
	fact, ok := v.Fact(id)
	if !ok {
		return fact, fault.New(fault.NotFound, "fact_not_found", "No fact with this id in this scope.")
	}
	return fact, nil
}

// Recalled is a message that answers a question.
type Recalled struct {
	Quote   ranking.Document
	Fact    memory.FactID // a fact that quotes it; "" for none
	Asks    bool          // it only asks: it tells nothing
	Score   float64
	Reasons []ranking.Reason
}

// Recall returns the messages that a turn with this question would be given, best
// first. With Query.Explain, each has the reasons for its rank.
func (c *Curator) Recall(ctx context.Context, o owner.Owner, scope memory.Scope, q ranking.Query) ([]Recalled, error) {
	if q.At.IsZero() {
		q.At = c.now()
	}
	var out []Recalled
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		q.Vector = c.questions.Meaning(ctx, v, q.Text)
		hits := v.Search(q)
		places := make([]memory.Place, len(hits))
		for i := range hits {
			places[i] = memory.Place{Root: hits[i].Root, Seq: hits[i].Seq}
		}
		docs, err := c.quotes.Quotes(ctx, o, places)
		if err != nil {
			return fmt.Errorf("read quotes: %w", err)
		}
		facts := v.FactsAt(places)
		for i := range docs {
			at := slices.Index(places, memory.Place{Root: docs[i].Root, Seq: docs[i].Seq})
			out = append(out, Recalled{
				Quote: docs[i], Fact: facts[at], Asks: onlyAsks(v.FactsOf(docs[i].MessageID)), Score: hits[at].Score, Reasons: hits[at].Reasons,
			})
		}
		return nil
	})
	return out, err
}

// onlyAsks reports whether the facts of a message are questions.
func onlyAsks(facts []memory.Fact) bool {
	return len(facts) > 0 && !slices.ContainsFunc(facts, func(f memory.Fact) bool { return f.Kind != memory.Question })
}

// Explained is a receipt with the texts that it names.
type Explained struct {
	lineage.Receipt
	Answer   session.Message
	Facts    []memory.Fact
	Recalled []ranking.Document
	Sent     []session.Message // tail and input, which were sent verbatim
}

// Why resolves a receipt to the facts and messages that the reply was given. Content
// erased since is missing.
func (c *Curator) Why(ctx context.Context, o owner.Owner, id string) (Explained, error) {
	rec, err := c.receipts.Receipt(ctx, o, id)
	if err != nil {
		return Explained{}, err
	}
	out := Explained{Receipt: rec}
	from := min(rec.TailFrom, rec.Seq)
	ms, err := c.sessions.Messages(ctx, o, rec.RootID,
		session.Range{From: from, To: rec.Seq + 1, Limit: lineage.MaxRecent + lineage.MinRecent, Newest: true})
	if err != nil {
		return Explained{}, fmt.Errorf("read messages: %w", err)
	}
	ms = lineage.Uninterrupted(ms) // turns between the input and the answer were not sent
	if n := len(ms); n > 0 && ms[n-1].Seq == rec.Seq {
		out.Answer, ms = ms[n-1], ms[:n-1]
	}
	out.Sent = slices.DeleteFunc(ms, func(m session.Message) bool { return !m.Stands() && !m.UndoneAt.After(rec.At) })
	if out.Recalled, err = c.quotes.Quotes(ctx, o, rec.Recalled); err != nil {
		return Explained{}, fmt.Errorf("read quotes: %w", err)
	}
	facts, err := c.Facts(ctx, o, memory.Scope{Root: rec.RootID, Key: out.Answer.Key})
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

// Timeline returns the steps of a topic in the order they were said: assertions and
// replacements. An empty topic returns all decisions, events, causes and changes.
func (c *Curator) Timeline(ctx context.Context, o owner.Owner, scope memory.Scope, topic string) ([]memory.Fact, error) {
	var out []memory.Fact
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		out = v.Timeline(topic)
		return nil
	})
	return out, err
}
