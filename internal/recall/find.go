package recall

import (
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// maxFacts and maxMessages are how many are looked at for a question.
	maxFacts, maxMessages = 32, 16
	// rankBonus is what the best ranked message is preferred by.
	rankBonus = 0.15
	// maxRead is how much of the messages found is read, in bytes.
	maxRead = 512 << 10
	// maxPassage is the longest sentence that is looked at as one.
	maxPassage = 2000
	// maxNear is the longest message that is about one thing: each sentence of
	// it may go without naming what the others name.
	maxNear = 1200
	// maxChecked is the longest message whose facts are worked out again to
	// learn whether a sentence of it still holds.
	maxChecked = 16 << 10
)

// finder gathers the passages that may answer one question.
type finder struct {
	q     *run.Question
	a     *asked
	found []passage
	left  int // bytes that may still be read
}

// find returns every passage that bears on the question, rated.
func find(ctx context.Context, q *run.Question, a *asked) ([]passage, error) {
	if q.View == nil {
		return nil, nil
	}
	f := finder{q: q, a: a, left: maxRead}
	for _, words := range [...]string{a.text, a.inOtherWords()} {
		if words == "" {
			break
		}
		for _, fact := range q.View.Match(words, a.at, maxFacts) {
			f.fact(fact)
		}
		if err := f.messages(ctx, words); err != nil {
			return nil, err
		}
		if f.best() >= a.least() {
			break
		}
	}
	return f.found, nil
}

// best is the score of the best passage found so far.
func (f *finder) best() float64 {
	best := 0.0
	for i := range f.found {
		best = max(best, f.found[i].score)
	}
	return best
}

// own reports whether a message belongs to the turn that asks.
func (f *finder) own(root session.ID, seq int64) bool {
	return f.q.Own != nil && f.q.Own(root, seq)
}

// fact takes in a fact that memory found.
func (f *finder) fact(fact memory.Fact) {
	if f.own(fact.Source.Root, fact.Source.Seq) || !tellable(fact.Kind) || ours(fact.Source.Role, fact.Quote) || requests(fact.Quote) {
		return
	}
	f.add(ofFact(fact), nil)
}

// add rates a passage and keeps it if it may answer.
func (f *finder) add(p passage, near *look) {
	if p.fact == nil {
		p.text = memory.MaskSecrets(p.text) // facts never hold any
	}
	if p.fact != nil && !p.fact.Current() {
		if _, taken := steps(f.q.View, *p.fact); taken {
			return // what was taken back must not stand in the way of what holds
		}
	}
	p.explained = p.explained || f.replacedForAReason(p.fact)
	if f.a.rate(&p, near); p.score < f.a.least()*0.7 {
		return
	}
	for i := range f.found {
		if o := &f.found[i]; o.same(&p) {
			if p.order > o.order && (p.fact != nil || o.fact == nil) {
				*o = p
			}
			return
		}
	}
	f.found = append(f.found, p)
}

// replacedForAReason reports whether what replaced a fact says why: both are told
// together.
func (f *finder) replacedForAReason(fact *memory.Fact) bool {
	if fact == nil || fact.Current() || !f.a.has(asksReason|asksEffect) {
		return false
	}
	chain, taken := steps(f.q.View, *fact)
	for i := range chain {
		if !taken && chain[i].Because != "" {
			return true
		}
	}
	return false
}

// least is the score from which a passage answers. Pairs of characters match
// less exactly than words.
func (a *asked) least() float64 {
	if a.wide {
		return confidence * 0.8
	}
	return confidence
}

// tellable reports whether facts of a kind may be quoted as answers.
func tellable(k memory.Kind) bool {
	return k.Asserted() || k == memory.ThirdParty || k == memory.Negated
}

// ours reports whether a message is an earlier answer of this responder: quoting quotes
// is useless.
func ours(role session.Role, text string) bool {
	return role == session.Assistant && strings.HasPrefix(text, mark)
}

// within reports whether a text holds another.
func within(text, part string) bool { return strings.Contains(text, part) }
