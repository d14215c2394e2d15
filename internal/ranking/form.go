package ranking

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// form is the structure of a question, read from its first words.
type form struct {
	asked string // the question word
	head  string // the last word before its verb, as written
	over  bool   // the verb has been read
}

// formWords is how many words of a question show its form.
const formWords = 9

// asksSeveral reports whether a question asks for more than one thing: its noun is a
// plural ("which songs"), it counts, it asks for all actions of a person up to now, or
// for a property of several things. The answer is spread over many conversations, each
// of which has few words of the question.
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

// several reads the next word of a question and reports whether the question certainly
// asks for several things.
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
		return f.head == "" || language.Plural(f.head)
	case "is", "was", "do", "does", "did", "can", "could", "will", "would", "had", "might", "may", "should":
		f.over = true
		return language.Plural(f.head)
	case "of":
		return language.Plural(f.head)
	case "many":
		return f.asked == "how"
	}
	f.head = word
	return false
}

// joined is the word joined to the previous one, if only a hyphen separates them:
// people write "e-mail" and "email". Empty otherwise.
func joined(text string, start, end int, w *language.Word) string {
	if end == 0 || w.Start != end+1 || text[end] != '-' || w.Number {
		return ""
	}
	return language.Stem(text[start:end] + text[w.Start:w.End])
}

// naming tracks which speakers a question names as a pair.
type naming struct {
	before bool // the previous word was a name
	linked bool // … and "and" or "or" came after it
	pair   bool // two names were linked
}

// word reads the next word of the question.
func (n *naming) word(w *language.Word, isName bool) {
	if isName {
		n.pair = n.pair || n.linked
		n.before, n.linked = true, false
		return
	}
	n.linked = n.before && w.Stop && (string(w.Stem) == "and" || string(w.Stem) == "or")
	n.before = false
}
