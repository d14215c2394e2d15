package ranking

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// form is what the words that carry a question say of it.
type form struct {
	asked string // the question word met
	head  string // the last word before its verb, as written
	over  bool   // the verb was met
}

// formWords is how far into a question its form shows.
const formWords = 9

// asksSeveral reports whether a question asks for more than one thing: its noun is a
// plural ("which songs"), it counts, it asks for all deeds of a person up to now, or
// for a property of all or both. Its answer is spread over many conversations, each of
// which says little of the question.
func asksSeveral(text string) bool {
	var f form
	scan := language.Scan(text)
	n := 0
	for w, ok := scan.Next(); ok && n < formWords; w, ok = scan.Next() {
		if f.several(strings.ToLower(text[w.Start:w.End])) {
			return true
		}
		n++
	}
	return false
}

// several takes the next word of a question and reports whether it settles that
// more than one thing is asked for.
func (f *form) several(word string) bool {
	switch word {
	case "both", "different", "various", "all", "besides":
		return true
	}
	if f.over {
		return false
	}
	if f.asked == "" {
		switch word {
		case "what", "which", "who", "where", "how", "whose", "whom":
			f.asked = word
		}
		return false
	}
	switch word {
	case "are", "were":
		return true
	case "has", "have":
		f.over = true
		return f.head == "" || isPlural(f.head)
	case "is", "was", "do", "does", "did", "can", "could", "will", "would", "had", "might", "may", "should":
		f.over = true
		return isPlural(f.head)
	case "of":
		return isPlural(f.head)
	case "many":
		return f.asked == "how"
	}
	f.head = word
	return false
}

// isPlural reports whether a noun looks like a plural.
func isPlural(w string) bool {
	return len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's' && w[len(w)-2] != 'u' && w[len(w)-2] != 'i'
}

// joined is the word and the one before it, if a hyphen is all that parts them:
// people write "e-mail" and "email". Empty otherwise.
func joined(text string, start, end int, w *language.Word) string {
	if end == 0 || w.Start != end+1 || text[end] != '-' || w.Number {
		return ""
	}
	return language.Stem(text[start:end] + text[w.Start:w.End])
}

// naming follows which speakers a question names in one breath.
type naming struct {
	before bool // the word before was a name
	linked bool // … and "and" or "or" came after it
	pair   bool // two names were linked
}

// word takes the next word of the question.
func (n *naming) word(w *language.Word, isName bool) {
	if isName {
		n.pair = n.pair || n.linked
		n.before, n.linked = true, false
		return
	}
	n.linked = n.before && w.Stop && (string(w.Stem) == "and" || string(w.Stem) == "or")
	n.before = false
}
