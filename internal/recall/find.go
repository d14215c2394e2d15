package recall

import (
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// maxFacts and maxMessages bound what is read for a question.
	maxFacts, maxMessages = 32, 16
	// rankBonus is the bonus for the best ranked message.
	rankBonus = 0.15
	// maxRead bounds the text of messages that is read, in bytes.
	maxRead = 512 << 10
	// maxPassage is the longest sentence that is rated as one passage.
	maxPassage = 2000
	// maxNear is the longest message that is taken to have one subject, so that a
	// sentence need not name what another one names.
	maxNear = 1200
	// maxChecked is the longest message whose facts are distilled again, to learn
	// whether one of its sentences still holds.
	maxChecked = 16 << 10
)

// finder gathers the passages that may answer one question.
type finder struct {
	q     *run.Question
	a     *asked
	found []passage
	left  int // bytes that may still be read
}

// find returns every passage that may answer the question, with its score.
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

// own reports whether a message belongs to the current turn.
func (f *finder) own(root session.ID, seq int64) bool {
	return f.q.Own != nil && f.q.Own(root, seq)
}

// fact adds a fact that memory found.
func (f *finder) fact(fact memory.Fact) {
	if f.own(fact.Source.Root, fact.Source.Seq) || !tellable(fact.Kind) || ours(fact.Source.Role, fact.Quote) || requests(fact.Quote) {
		return
	}
	f.add(ofFact(fact), nil)
}

// add rates a passage and keeps it if it may answer.
func (f *finder) add(p passage, near *look) {
	if p.fact == nil {
		p.text = secret.Mask(p.text) // facts never hold secrets
	}
	if p.fact != nil && !p.fact.Current() {
		if _, taken := steps(f.q.View, *p.fact); taken {
			return // a withdrawn fact must not hide a current one
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

// replacedForAReason reports whether the replacement of a fact gives a reason. The
// answer then tells both.
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

// least is the minimum score of an answer. Pairs of characters match less exactly than
// words.
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

// ours reports whether a message is an earlier answer of this responder. Quoting quotes
// is useless.
func ours(role session.Role, text string) bool {
	return role == session.Assistant && strings.HasPrefix(text, mark)
}

// within reports whether a text holds another.
func within(text, part string) bool { return strings.Contains(text, part) }
