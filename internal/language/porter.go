package language

// porter reduces an English word to its stem in place, by the algorithm of
// M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980: the
// one that SQLite's full-text index uses, so both find the same words. Words of
// other languages pass unless they look English; they do so alike in text and
// in question, which is all that comparison needs.
func porter(w []byte) []byte {
	if len(w) < 3 {
		return w
	}
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return w
		}
	}
	w = plural(w)
	w = pastAndProgressive(w)
	if n := len(w); w[n-1] == 'y' && hasVowel(w[:n-1]) {
		w[n-1] = 'i'
	}
	w = replaceSuffix(w, &doubleSuffixes)
	w = replaceSuffix(w, &singleSuffixes)
	w = dropSuffix(w)
	return tidyEnd(w)
}

// vowel reports whether w[i] sounds as a vowel: y does after a consonant.
func vowel(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !vowel(w, i-1)
	}
	return false
}

func hasVowel(w []byte) bool {
	for i := range w {
		if vowel(w, i) {
			return true
		}
	}
	return false
}

// measure counts the changes from vowel to consonant in w, up to limit.
func measure(w []byte, limit int) int {
	n, was := 0, false
	for i, c := range w {
		var is bool
		switch c {
		case 'a', 'e', 'i', 'o', 'u':
			is = true
		case 'y':
			is = i > 0 && !was
		}
		if was && !is {
			if n++; n >= limit {
				return n
			}
		}
		was = is
	}
	return n
}

// shortEnd reports consonant, vowel, consonant at the end (not w, x, y): the
// shape that takes a final e, as in "hop(e)".
func shortEnd(w []byte) bool {
	n := len(w)
	if n < 3 || vowel(w, n-1) || !vowel(w, n-2) || vowel(w, n-3) {
		return false
	}
	switch w[n-1] {
	case 'w', 'x', 'y':
		return false
	}
	return true
}

func ends(w []byte, s string) bool {
	return len(w) >= len(s) && string(w[len(w)-len(s):]) == s
}

func plural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's':
	case ends(w, "sses"), ends(w, "ies"):
		return w[:n-2]
	case w[n-2] != 's':
		return w[:n-1]
	}
	return w
}

// doubleConsonant reports whether a word ends with the same consonant twice.
func doubleConsonant(w []byte) bool {
	n := len(w)
	return n > 1 && w[n-1] == w[n-2] && !vowel(w, n-1)
}

func pastAndProgressive(w []byte) []byte {
	n := len(w)
	switch {
	case ends(w, "eed"):
		if measure(w[:n-3], 1) > 0 {
			return w[:n-1]
		}
		return w
	case ends(w, "ed") && hasVowel(w[:n-2]):
		w = w[:n-2]
	case ends(w, "ing") && hasVowel(w[:n-3]):
		w = w[:n-3]
	default:
		return w
	}
	n = len(w)
	switch {
	case ends(w, "at"), ends(w, "bl"), ends(w, "iz"):
		return append(w, 'e')
	case doubleConsonant(w):
		switch w[n-1] {
		case 'l', 's', 'z':
			return w
		}
		return w[:n-1]
	case measure(w, 2) == 1 && shortEnd(w):
		return append(w, 'e')
	}
	return w
}

// suffix is a rule: from becomes to.
type suffix struct{ from, to string }

// suffixes are rules by the last letter of what they replace, so that most words
// are compared with none.
type suffixes [26][]suffix

func byLastLetter(rules ...suffix) (out suffixes) {
	for _, r := range rules {
		last := r.from[len(r.from)-1] - 'a'
		out[last] = append(out[last], r)
	}
	return out
}

// doubleSuffixes are the rules of the paper's step 2; never written.
var doubleSuffixes = byLastLetter([]suffix{
	{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
	{"abli", "able"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"},
	{"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"},
	{"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"},
}...)

// singleSuffixes are the rules of step 3; never written.
var singleSuffixes = byLastLetter([]suffix{
	{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
}...)

// of are the rules that may fit a word.
func (s *suffixes) of(w []byte) []suffix {
	if last := w[len(w)-1] - 'a'; int(last) < len(s) {
		return s[last]
	}
	return nil
}

// replaceSuffix applies the first rule that fits, if enough of a word is left.
func replaceSuffix(w []byte, rules *suffixes) []byte {
	for _, r := range rules.of(w) {
		if ends(w, r.from) {
			stem := w[:len(w)-len(r.from)]
			if measure(stem, 1) > 0 {
				return append(stem, r.to...)
			}
			return w
		}
	}
	return w
}

// endings are the suffixes of step 4, longer ones before those they end in; never written.
var endings = byLastLetter([]suffix{
	{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""}, {"ement", ""}, {"ment", ""},
	{"ent", ""}, {"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""},
}...)

func dropSuffix(w []byte) []byte {
	for _, e := range endings.of(w) {
		if !ends(w, e.from) {
			continue
		}
		stem := w[:len(w)-len(e.from)]
		if measure(stem, 2) < 2 {
			return w
		}
		if n := len(stem); e.from == "ion" && stem[n-1] != 's' && stem[n-1] != 't' {
			return w
		}
		return stem
	}
	return w
}

// mayLoseE reports whether a stem needs no final e.
func mayLoseE(stem []byte) bool {
	m := measure(stem, 2)
	return m > 1 || (m == 1 && !shortEnd(stem))
}

// tidyEnd removes a final e and one of two final l.
func tidyEnd(w []byte) []byte {
	if n := len(w); w[n-1] == 'e' && mayLoseE(w[:n-1]) {
		w = w[:n-1]
	}
	if n := len(w); n > 1 && w[n-1] == 'l' && w[n-2] == 'l' && measure(w[:n-1], 2) > 1 {
		w = w[:n-1]
	}
	return w
}
