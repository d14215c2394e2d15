package memory

import (
	"slices"
	"strings"
)

// verbForms returns the regular forms of an English verb: moves, moved and moving for
// "move". If doubling depends on stress, it returns both spellings.
func verbForms(base string) []string {
	n := len(base)
	last := base[n-1]
	switch {
	case last == 'e':
		return []string{base + "s", base + "d", base[:n-1] + "ing"}
	case last == 'y' && n > 1 && !isVowel(base[n-2]):
		return []string{base[:n-1] + "ies", base[:n-1] + "ied", base + "ing"}
	}
	third := base + "s"
	if endsIn(base, "s", "sh", "ch", "x", "z", "o") {
		third = base + "es"
	}
	forms := []string{third, base + "ed", base + "ing"}
	if n >= 3 && doubles(base[n-3:]) {
		double := base + string(last)
		forms = append(forms, double+"ed", double+"ing")
	}
	return forms
}

// isVowel reports whether c is an English vowel.
// doubles reports whether three letters end a verb that may double the last one: "plan".
func doubles(end string) bool {
	return !isVowel(end[0]) && isVowel(end[1]) && !isVowel(end[2]) && !endsIn(end, "w", "x")
}

func endsIn(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(word, e) })
}

func isVowel(c byte) bool {
	return strings.IndexByte("aeiou", c) >= 0
}

// stem returns the form in which words are compared: the lexicon's base form, or the
// word without plural and possessive endings. It is deliberately weak: if two different
// words had one stem, one fact could wrongly replace another.
func stem(l *lexicon, low string) string {
	if e := l.words[low]; e != nil {
		if e.base != e.text || e.tech != 0 {
			return e.base
		}
	}
	low = strings.TrimSuffix(low, "'s")
	n := len(low)
	switch {
	case n > 4 && strings.HasSuffix(low, "ies"):
		low = low[:n-3] + "y"
	case n > 4 && endsIn(low, "sses", "xes", "ches", "shes"):
		low = low[:n-2]
	case n > 3 && low[n-1] == 's' && !endsIn(low, "ss", "us", "is"):
		low = low[:n-1]
	}
	if e := l.words[low]; e != nil {
		return e.base
	}
	return l.canonical(low)
}
