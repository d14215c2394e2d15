package memory

import "strings"

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
	if strings.HasSuffix(base, "s") || strings.HasSuffix(base, "sh") || strings.HasSuffix(base, "ch") ||
		strings.HasSuffix(base, "x") || strings.HasSuffix(base, "z") || strings.HasSuffix(base, "o") {
		third = base + "es"
	}
	forms := []string{third, base + "ed", base + "ing"}
	if n >= 3 && !isVowel(last) && last != 'w' && last != 'x' && isVowel(base[n-2]) && !isVowel(base[n-3]) {
		double := base + string(last)
		forms = append(forms, double+"ed", double+"ing")
	}
	return forms
}

// isVowel reports whether c is an English vowel.
func isVowel(c byte) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'
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
	case n > 4 && (strings.HasSuffix(low, "sses") || strings.HasSuffix(low, "xes") || strings.HasSuffix(low, "ches") || strings.HasSuffix(low, "shes")):
		low = low[:n-2]
	case n > 3 && low[n-1] == 's' && low[n-2] != 's' && low[n-2] != 'u' && low[n-2] != 'i':
		low = low[:n-1]
	}
	if e := l.words[low]; e != nil {
		return e.base
	}
	return l.canonical(low)
}
