package recall

import (
	"context"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
)

// reply is the answer without its mark, and the facts that it quotes.
func reply(ctx context.Context, q *run.Question) (string, []memory.FactID, error) {
	said := newest(q.Input)
	asked := questions(said.Content, q.Learned)
	var parts []string
	if noted := acknowledge(q, said.Name); noted != "" {
		parts = append(parts, noted)
	}
	var open []string
	var used []memory.FactID
	told := len(parts)
	for _, question := range asked {
		text, facts, err := answer(ctx, q, question, said.Name)
		used = append(used, facts...)
		switch {
		case err != nil:
			return "", nil, err
		case text != "":
			parts = append(parts, text)
		case !justTold(q, question):
			open = append(open, question)
		}
	}
	switch {
	case len(open) > 0 && len(parts) == told:
		parts = append(parts, unknown)
	case len(parts) == 0:
		parts = append(parts, greeting)
	default:
		for _, question := range open {
			parts = append(parts, `"`+language.OneLine(clipped(question))+`" I have not been told.`)
		}
	}
	return strings.Join(parts, "\n"), used, nil
}

// justTold reports whether the message answers its own question. Its statements have
// been acknowledged already.
func justTold(q *run.Question, question string) bool {
	a := read(question, q.Now)
	for i := range q.Learned {
		if p := ofFact(q.Learned[i]); tellable(q.Learned[i].Kind) && !within(question, p.text) {
			if a.rate(&p, nil); p.score >= a.least() {
				return true
			}
		}
	}
	return false
}

// answer answers one question and names the facts that it quotes; "" if no earlier
// message answers it.
func answer(ctx context.Context, q *run.Question, question, asker string) (string, []memory.FactID, error) {
	a := read(question, q.Now)
	v := voice{q: q, a: a, asker: asker}
	if len(a.needs) == 0 {
		f := finder{q: q, a: a}
		chosen := f.overview()
		return v.tell(chosen), factsOf(chosen), nil
	}
	found, err := find(ctx, q, a)
	if err != nil {
		return "", nil, err
	}
	chosen := a.choose(found)
	if len(chosen) == 0 && a.asksTurns() {
		f := finder{q: q, a: a}
		a.traits |= asksChange
		chosen = f.overview()
		return v.tell(chosen), factsOf(chosen), nil
	}
	f := finder{q: q, a: a, left: maxRead}
	told, err := f.story(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(told) > 1 && !slices.ContainsFunc(chosen, func(p passage) bool { return p.explained }) && (len(chosen) == 0 || slices.ContainsFunc(chosen, func(p passage) bool {
		return slices.ContainsFunc(told, func(o passage) bool { return o.same(&p) })
	})) {
		chosen = told
	}
	return v.tell(chosen), factsOf(chosen), nil
}

// factsOf are the facts of the chosen passages.
func factsOf(chosen []passage) []memory.FactID {
	var ids []memory.FactID
	for i := range chosen {
		if f := chosen[i].fact; f != nil && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}
