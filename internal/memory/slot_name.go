package memory

import "strings"

// namedSlot reads "my name is Alex", "call me Alex".
func (r *reading) namedSlot(speaker string) slot {
	i := r.first(r.from, min(r.from+3, r.to), tagNamed)
	if i < 0 {
		return r.introducedSlot(speaker)
	}
	from := i + phraseLength(r.toks, i, tagNamed)
	if from < r.to && r.toks[from].low == "now" {
		from++
	}
	if from >= r.to || !r.toks[from].capital && (r.toks[from].entry != nil || r.toks[r.from].low == "call") {
		return slot{} // "call me when you are there"
	}
	to := r.phraseEnd(from, 4)
	return slot{subject: speaker, attribute: attributeName, value: r.slice(from, to)}
}

// introducedSlot reads a name after a greeting, or before more about its bearer: "Hi,
// I'm Odalys", "I'm Odalys, I run a brewery".
func (r *reading) introducedSlot(speaker string) slot {
	i := r.from
	switch {
	case r.toks[i].low == "i'm":
		i++
	case r.toks[i].low == "i" && i+1 < r.to && r.toks[i+1].low == "am":
		i += 2
	case r.toks[i].low == "this" && i+1 < r.to && r.toks[i+1].low == "is" && r.Start == 0 || r.toks[i].low == "this" && i+1 < r.to && r.toks[i+1].low == "is" && r.word(i, min(i+5, r.to), "from") > 0:
		i += 2
	default:
		return slot{}
	}
	if i >= r.to || !r.toks[i].capital || r.toks[i].entry != nil || r.toks[i].kind != wordToken || isPeople(r.toks[i].low) {
		return slot{}
	}
	end := i + 1
	if end < r.to && r.toks[end].capital && r.toks[end].entry == nil {
		end++
	}
	greets := r.Start < r.toks[r.lead].start || r.toks[r.from].low == "this"
	if end < r.to && !r.toks[end].mark(",") && !r.toks[end].mark("-") && !(greets && (r.toks[end].is(tagAnd) || r.toks[end].low == "from")) || end == r.to && !greets && end-i < 2 {
		return slot{}
	}
	return slot{subject: speaker, attribute: attributeName, value: r.slice(i, end)}
}

// isPeople reports whether a capitalized word has the ending of a nationality: "I'm
// Swedish" gives no name.
func isPeople(low string) bool {
	for _, ending := range [...]string{"ish", "ese", "ian", "ean", "can", "dutch", "french", "german", "greek", "swiss", "czech", "muslim", "hindu", "jewish", "welsh", "thai"} {
		if strings.HasSuffix(low, ending) {
			return true
		}
	}
	return false
}
