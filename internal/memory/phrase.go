package memory

import (
	"slices"
	"strings"
)

// nounStart skips the words at the start of a noun phrase that name nothing.
func (r *reading) nounStart(i int) int {
	for i < r.to && r.opensNoun(&r.toks[i]) {
		i++
	}
	return i
}

func (r *reading) opensNoun(t *token) bool {
	return t.tech == 0 && (t.is(tagDet, tagMy, tagOur) || t.low == "new" || t.low == "current")
}

// phraseEnd is the end of the noun phrase at i: before a punctuation mark, a
// preposition, a conjunction or a word of time, and after at most limit words.
func (r *reading) phraseEnd(i, limit int) int {
	start := i
	for i < r.to && i-start < limit {
		if t := &r.toks[i]; t.kind == markToken && !strings.Contains(nounMarks, t.low) || i > start && r.endsNoun(i) {
			break
		}
		i++
	}
	return i
}

// nounMarks are the marks that stand within noun phrases.
const nounMarks = `"'$€£%#`

// endsNoun reports whether token i cannot go on a noun phrase.
func (r *reading) endsNoun(i int) bool {
	t := &r.toks[i]
	if _, dated := r.dated(i, i+1); dated {
		return true
	}
	return t.kind == wordToken && (t.entryHas(tagPrep) || t.is(tagNow, tagNoLonger, tagWhy))
}

// stems are the content words of tokens [from, to), stemmed and sorted: the form in
// which noun phrases are compared, whatever their word order.
func (r *reading) stems(from, to int) string {
	var space [6]string
	words := space[:0]
	for i := from; i < to && len(words) < len(space); i++ {
		if r.tells(i, i+1) {
			words = append(words, stem(r.l, r.toks[i].low))
		}
	}
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// tells reports whether one of tokens [from, to) is a content word.
func (r *reading) tells(from, to int) bool {
	for i := from; i < to; i++ {
		t := &r.toks[i]
		if content(t) && !t.is(tagNow) && (t.kind == numberToken || !t.entryHas(tagPrep)) {
			return true
		}
	}
	return false
}

// valueRange are the tokens of the value at or after token i: a whole date, or a noun
// phrase. Function words before it ("now", "set to", "at about") are skipped.
func (r *reading) valueRange(i int) (from, to int) {
	for i < r.to && r.introducesValue(i) {
		i++
	}
	if i >= r.to {
		return i, i
	}
	to = r.phraseEnd(i, 6)
	if d, dated := r.dated(i, i+1); dated {
		for to < r.to && r.toks[to].start < d.End {
			to++
		}
	}
	for to > i+1 && (r.toks[to-1].is(tagNow, tagNoLonger) || r.toks[to-1].mark(`"`) || r.toks[to-1].mark("'")) {
		to--
	}
	return i, to
}

// introducesValue reports whether token i only leads to a value.
func (r *reading) introducesValue(i int) bool {
	t := &r.toks[i]
	if t.kind != wordToken || t.capital && i > r.from {
		return false
	}
	return t.entryHas(tagStop) || t.is(tagNow) || r.l.has(listLeading, t.low)
}

// versionEnd includes a number after the name of a technology: PostgreSQL 15.
func (r *reading) versionEnd(i int) int {
	if i < r.to && (r.toks[i].kind == numberToken || isVersion(r.toks[i].low)) {
		return i + 1
	}
	return i
}

// isVersion reports whether a word is a version such as v1.2.
func isVersion(low string) bool {
	return len(low) > 1 && low[0] == 'v' && low[1] >= '0' && low[1] <= '9'
}

// hasFigure reports whether a number, a date, a name or a technology is at token i or
// right after it.
func (r *reading) hasFigure(i int) bool {
	for k := i; k < min(i+3, r.to); k++ {
		if r.toks[k].isFigure() {
			return true
		}
		if _, dated := r.dated(k, k+1); dated {
			return true
		}
	}
	return false
}

// isPast reports whether the verb at token i is in the past.
func (r *reading) isPast(i int) bool {
	t := &r.toks[i]
	return t.is(tagPast) || len(t.low) > 3 && strings.HasSuffix(t.low, "ed") && !strings.HasSuffix(t.low, "eed")
}

// choiceLength is the number of tokens that name the alternative at token i.
func (r *reading) choiceLength(i int) int {
	e := r.toks[i].entry
	longest := 1
	for p := range e.phrases {
		if ph := &e.phrases[p]; ph.choice != 0 && phraseAt(r.toks, i+1, ph.rest) {
			longest = max(longest, 1+len(ph.rest))
		}
	}
	return longest
}

// speaksOf reports whether a word is only another name of a class of technologies:
// "database" of Postgres.
func (r *reading) speaksOf(t *token, class string) bool {
	return t.entry != nil && slices.ContainsFunc(t.entry.topics, func(one topic) bool {
		return one.kind == "" && one.tech != 0 && r.l.categories[one.tech] == class
	})
}
