package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// plan is a query over the facts of a scope. It answers a question about memory itself,
// such as "What changed since March?", for which no passage has the words.
type plan struct {
	// takes reports whether a fact belongs to the answer, apart from topic and time.
	takes func(*memory.View, *memory.Fact) bool
	// fills takes facts that belong to the answer as long as there is room; nil for none.
	fills func(*memory.View, *memory.Fact) bool
	// nothing is the answer if no fact does.
	nothing string
	// since says that only what was said from the time in the question on counts.
	since bool
	// anything says that the topic does not matter.
	anything bool
	// weighty says that the facts that tell most come first, if there are too many.
	weighty bool
}

// The answers to questions about memory that find nothing.
const (
	noChange   = "I was told of no change."
	noReversal = "I was told of no reversal."
	noDecision = "I was told of no decision."
)

// plans pairs what a question asks about memory with the query that answers it. The first
// row whose cues the question has all applies; never written.
var plans = [...]struct {
	cues cue
	// bare says that the row applies only to questions that name no topic.
	bare bool
	plan plan
}{
	{cueChange | cueDecision, false, plan{takes: reverses, nothing: noReversal, since: true}},
	{cueChange, true, plan{takes: replaces, fills: told, nothing: noChange, since: true}},
	{cueDecision, false, plan{takes: decides, nothing: noDecision, since: true}},
	{cueOrder, true, plan{takes: happens, since: true}},
	{cueAbout | cueSelf, true, plan{takes: told, weighty: true}},
	{cueAbout | cueYou, true, plan{takes: told, weighty: true}},
}

// reverses takes facts that replaced a decision or a preference, and decisions that
// replaced anything.
func reverses(v *memory.View, f *memory.Fact) bool {
	if !replaces(v, f) {
		return false
	}
	chain, _ := steps(v, *f)
	return turns(chain)
}

// replaces takes facts that replaced others.
func replaces(_ *memory.View, f *memory.Fact) bool {
	return f.Current() && slices.ContainsFunc(f.Links, func(l memory.Link) bool { return l.Kind == memory.Supersedes })
}

func decides(_ *memory.View, f *memory.Fact) bool { return f.Kind == memory.Decision }

// happens takes facts about a time.
func happens(v *memory.View, f *memory.Fact) bool {
	return told(v, f) && (f.Kind == memory.Event || !f.When.IsZero())
}

// told takes all that holds.
func told(_ *memory.View, f *memory.Fact) bool { return f.Kind.Asserted() && f.Current() }

// planned is the query that answers the question; nil if passages answer it.
func (q *question) planned() *plan {
	bare := len(q.topic()) == 0
	for i := range plans {
		if one := &plans[i]; q.cues&one.cues == one.cues && (bare || !one.bare || len(q.dates) > 0) {
			return &one.plan
		}
	}
	if bare && len(q.dates) > 0 && q.form&^formManner == 0 {
		return &plan{takes: told, since: false}
	}
	return nil
}

// slight is the weight of a word that names no topic: "made" in "which decisions were
// made".
const slight = 0.2

// topic are the words of a question that name what it is about, apart from those that say
// what is asked about memory.
func (q *question) topic() []*wanted {
	const planning = cueChange | cueDecision | cueOrder | cueAbout | cueMany | cueBack | cuePresent
	var out []*wanted
	for i := range q.words {
		if w := &q.words[i]; w.cues&planning == 0 && !w.dated && w.weight > slight {
			out = append(out, w)
		}
	}
	return out
}

// answer finds what answers the question.
func (q *question) answer(ctx context.Context, ask *run.Question) (choice, error) {
	if p := q.planned(); p != nil && ask.View != nil {
		c := q.query(ask, p)
		if c.nothing != "" && len(q.dates) > 0 && q.cues&cueChange == 0 {
			c = q.query(ask, &plan{takes: told, since: true, anything: true}) // what happened then, if nothing was decided
		}
		if c.kind != run.RecallNone {
			return c, nil
		}
	}
	found, err := find(ctx, ask, q)
	if err != nil {
		return choice{}, err
	}
	q.weigh(found)
	return q.choose(found), nil
}

// maxPlanned bounds the facts of an answer to a question about memory.
const maxPlanned = 8

// query answers a question about memory.
func (q *question) query(ask *run.Question, p *plan) choice {
	found := q.gather(ask, p, p.takes)
	if p.fills != nil && len(q.dates) > 0 && len(found) < maxPlanned {
		more := newestFirst(q.gather(ask, p, p.fills))
		for i := range more {
			if len(found) < maxPlanned && !slices.ContainsFunc(found, func(o passage) bool { return o.same(&more[i]) }) {
				found = append(found, more[i])
			}
		}
	}
	if len(found) == 0 {
		if p.nothing == "" || len(q.topic()) > 0 && len(q.dates) == 0 {
			return choice{kind: run.RecallNone}
		}
		return choice{kind: run.RecallSure, nothing: p.nothing}
	}
	if len(found) > maxPlanned {
		if p.weighty {
			slices.SortStableFunc(found, func(a, b passage) int { return cmp.Compare(worth(b.fact.Kind), worth(a.fact.Kind)) })
		} else {
			found = newestFirst(found)
		}
		found = found[:maxPlanned]
	}
	return choice{kind: run.RecallSure, passages: inOrder(found), scores: slices.Repeat([]float32{1}, len(found))}
}

// gather collects the user's facts of the question's time and topic.
func (q *question) gather(ask *run.Question, p *plan, takes func(*memory.View, *memory.Fact) bool) []passage {
	var found []passage
	for _, f := range ask.View.Facts() {
		own := ask.Own != nil && ask.Own(f.Source.Root, f.Source.Seq)
		if own || f.Source.Role != session.User || !takes(ask.View, &f) || !q.during(&f, p.since) {
			continue
		}
		one := ofFact(&f)
		one.read()
		if p.anything || q.about(&one) {
			found = append(found, one)
		}
	}
	return slices.CompactFunc(found, func(a, b passage) bool { return a.same(&b) })
}

// newestFirst sorts passages by the time they were said.
func newestFirst(passages []passage) []passage {
	slices.SortStableFunc(passages, func(a, b passage) int { return b.before(&a) })
	return passages
}

// during reports whether a fact is of the time that the question names: said in it, about
// it, or, for changes, said from its beginning on.
func (q *question) during(f *memory.Fact, since bool) bool {
	if len(q.dates) == 0 {
		return true
	}
	d := q.dates[0]
	if since {
		return !f.SaidAt.Before(d.From)
	}
	return within(d, f.SaidAt) || overlaps(d, f.When)
}

// about reports whether a passage has one of the words that name the topic.
func (q *question) about(p *passage) bool {
	topic := q.topic()
	for _, w := range topic {
		if here, kin := w.in(p.words); max(here, kin) >= 0.5 {
			return true
		}
	}
	return len(topic) == 0
}

// worth orders the kinds by how much they say about the user.
func worth(k memory.Kind) int {
	switch k {
	case memory.Identity:
		return 4
	case memory.Instruction, memory.Preference:
		return 3
	case memory.Decision:
		return 2
	case memory.Event:
		return 0
	}
	return 1
}
