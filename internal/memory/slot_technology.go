package memory

import (
	"slices"
	"strings"
)

// choose makes the slot for the technology or the alternative named at i.
func (r *reading) choose(i int, speaker string) slot {
	end := min(i+6, r.to)
	for k := i; k < end; k++ {
		t := &r.toks[k]
		if t.tech != 0 {
			if next := k + int(t.techLen); next < end && r.toks[next].choice != 0 {
				continue // "a single Rails monolith" is a monolith
			}
			return slot{
				subject: r.who(speaker), attribute: r.l.categories[t.tech] + r.purpose(k+int(t.techLen), t.tech),
				value: r.slice(k, r.versionEnd(k+int(t.techLen))),
			}
		}
		if t.choice != 0 {
			return slot{
				subject: r.who(speaker), attribute: r.l.choices[t.choice],
				value: r.slice(k, k+r.choiceLength(k)),
			}
		}
		if t.kind == markToken || t.is(tagWhy, tagThus) {
			break
		}
	}
	return slot{}
}

// purpose is the use of a technology (" for analytics"), as far as it adds to the name
// of the category.
func (r *reading) purpose(i int, tech uint8) string {
	i = r.versionEnd(i)
	if i >= r.to || r.toks[i].low != "for" && r.toks[i].low != "in" {
		return ""
	}
	var words []string
	for k := i + 1; k < r.phraseEnd(i+1, 5); k++ {
		if t := &r.toks[k]; content(t) && !r.speaksOf(t, tech) && !t.is(tagMotive) {
			words = append(words, stem(r.l, t.low))
		}
	}
	if len(words) == 0 {
		return ""
	}
	slices.Sort(words)
	return qualifierMark + strings.Join(slices.Compact(words), " ")
}

// speaksOf reports whether a word is only another name of the category.
func (r *reading) speaksOf(t *token, tech uint8) bool {
	if t.low == "everything" || t.low == "all" || t.low == "project" {
		return true
	}
	if t.entry == nil {
		return false
	}
	for _, topic := range t.entry.topics {
		if topic.kind == "" && topic.tech == tech {
			return true
		}
	}
	return false
}

// namesTechnology reports whether the main clause names a technology or one of
// several alternatives.
func (r *reading) namesTechnology() bool {
	for i := r.from; i < r.to; i++ {
		if r.toks[i].tech != 0 || r.toks[i].choice != 0 {
			return true
		}
	}
	return false
}

// isCategoryOrChoice reports whether an attribute is a category of technology or a
// group of alternatives.
func (r *reading) isCategoryOrChoice(attribute string) bool {
	base, _, _ := strings.Cut(attribute, qualifierMark)
	return r.isChoice(base) || r.l.category(base) != 0
}
