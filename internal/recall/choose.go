package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

const (
	maxQuotes    = 3 // in an answer to one question
	maxListed    = 5 // in one that asks for a list
	closeToBest  = 0.93
	closeInAList = 0.7
)

// choose picks the passages that answer, in the order they were said. None
// means that the question cannot be answered.
func (a *asked) choose(found []passage) []passage {
	for i := range found {
		found[i].order += a.emphasis(&found[i])
	}
	slices.SortStableFunc(found, func(p, q passage) int {
		if c := cmp.Compare(q.order, p.order); c != 0 {
			return c
		}
		return q.before(&p)
	})
	found = slices.DeleteFunc(found, func(p passage) bool { return p.score < a.least() })
	if len(found) == 0 {
		return nil
	}
	limit, share := maxQuotes, closeToBest
	if a.many() {
		limit, share = maxListed, closeInAList
	}
	least := found[0].order * share
	var out []passage
	said := map[string]bool{}
	for i := range found {
		p := &found[i]
		if len(out) == limit || p.order < least {
			break
		}
		if key := normal(p.text); !said[key] {
			said[key] = true
			out = append(out, *p)
		}
	}
	slices.SortStableFunc(out, func(p, q passage) int { return p.before(&q) })
	return out
}

// emphasis prefers a definition over a mention if the question asks what something is
// made with.
func (a *asked) emphasis(p *passage) float64 {
	if !a.has(asksList) || p.fact == nil || !theLexicon().isTechnology(p.fact.Attribute) {
		return 0
	}
	if theLexicon().tells(partStack, strings.ToLower(p.text)) {
		return definesBonus
	}
	return 0
}

// normal is a text in the form in which two passages are compared.
func normal(text string) string {
	var b strings.Builder
	for scan := language.Scan(text); b.Len() < maxPassage; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		b.Write(w.Stem)
		b.WriteByte(' ')
	}
	return b.String()
}
