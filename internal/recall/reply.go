package recall

import (
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/run"
)

// reply is the answer without its mark.
func reply(ctx context.Context, q *run.Question) (string, error) {
	said := newest(q.Input)
	asked := questions(said.Content, q.Learned)
	var parts []string
	if noted := acknowledge(q, said.Name); noted != "" {
		parts = append(parts, noted)
	}
	var open []string
	told := len(parts)
	for _, question := range asked {
		text, err := answer(ctx, q, question, said.Name)
		switch {
		case err != nil:
			return "", err
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
			parts = append(parts, `"`+clipped(question)+`" I have not been told.`)
		}
	}
	return strings.Join(parts, "\n"), nil
}

// justTold reports whether the message answers its own question; what it tells
// has been acknowledged already.
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

// answer answers one question; "" when nothing told fits it.
func answer(ctx context.Context, q *run.Question, question, asker string) (string, error) {
	a := read(question, q.Now)
	v := voice{q: q, a: a, asker: asker}
	if len(a.needs) == 0 {
		f := finder{q: q, a: a}
		return v.tell(f.overview()), nil
	}
	found, err := find(ctx, q, a)
	if err != nil {
		return "", err
	}
	return v.tell(a.choose(found)), nil
}
