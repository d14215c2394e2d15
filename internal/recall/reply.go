package recall

import (
	"context"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
)

// answer is what is said to one message, without its mark.
type answer struct {
	text string
	// used are the facts that it quotes.
	used []memory.FactID
	// recall tells how sure the least sure of its quotes is; nil if nothing was asked.
	recall *run.Recall
}

// reply answers the messages that wait for an answer: it acknowledges what was told, and answers
// what was asked.
func reply(ctx context.Context, ask *run.Question) (answer, error) {
	said, asker := unanswered(ask.Input), askerOf(ask.Input)
	var out answer
	var parts, open []string
	if noted := acknowledge(ask, asker); noted != "" {
		parts = append(parts, noted)
	}
	v := voice{ask: ask, asker: asker}
	for _, line := range [...]string{v.takenBack(), refusedSecret(said)} {
		if line != "" {
			parts = append(parts, line)
		}
	}
	told := len(parts)
	for _, text := range allQuestions(said, ask.Learned) {
		q := readQuestion(text, ask.Now)
		c, err := q.answer(ctx, ask)
		if err != nil {
			return answer{}, err
		}
		v := voice{ask: ask, q: q, asker: asker}
		if line := v.tell(&c); line != "" {
			parts = append(parts, line)
			out.used = append(out.used, factsOf(c.passages)...)
		} else if c.kind = run.RecallNone; told == 0 || !answeredBy(text, ask.Learned, q) {
			open = append(open, text)
		} else {
			continue
		}
		out.recall = leastSure(out.recall, &c)
	}
	out.text = joined(parts, open, told)
	return out, nil
}

// joined joins the parts of an answer with the questions that stay open.
func joined(parts, open []string, told int) string {
	switch {
	case len(open) > 0 && len(parts) == told:
		parts = append(parts, unknown)
	case len(parts) == 0:
		parts = append(parts, greeting)
	default:
		for _, text := range open {
			parts = append(parts, `"`+language.OneLine(clipped(secret.Mask(text)))+`" I have not been told.`)
		}
	}
	return strings.Join(parts, "\n")
}

// sureness orders the kinds, the least sure first; never written.
var sureness = [...]run.RecallKind{run.RecallNone, run.RecallUnsure, run.RecallSure}

// leastSure is the less sure of two outcomes.
func leastSure(so *run.Recall, c *choice) *run.Recall {
	if so != nil && slices.Index(sureness[:], so.Kind) <= slices.Index(sureness[:], c.kind) {
		return so
	}
	return &run.Recall{Kind: c.kind, Scores: c.scores}
}

// answeredBy reports whether the message answers its own question. Its statements have
// been acknowledged already.
func answeredBy(text string, learned []memory.Fact, q *question) bool {
	var found []passage
	for i := range learned {
		f := &learned[i]
		if !tellable(f.Kind) || strings.Contains(text, f.Quote) {
			continue
		}
		p := ofFact(f)
		p.read()
		found = append(found, p)
	}
	if len(found) == 0 {
		return false
	}
	q.weigh(found)
	return q.judge(found) >= nearly
}

// factsOf are the facts of passages.
func factsOf(passages []passage) []memory.FactID {
	var ids []memory.FactID
	for i := range passages {
		if f := passages[i].fact; f != nil && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}
