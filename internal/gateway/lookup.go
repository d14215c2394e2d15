package gateway

import (
	"fmt"
	"iter"
	"strings"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// mostNear is how many statements are shown that have none of the words that are looked for.
const mostNear = 3

// found is what was found for some words, a line each: what has one of the words, and then, under a heading of its own, what
// has one that may stand for it. If nothing has, it is the best of what is near in meaning.
func (o *call) found(words string, list []curate.Recalled) string {
	sought, others := soughtBy(words)
	var with, otherwise, near strings.Builder
	closest := 0
	for i := range list {
		q := &list[i].Quote
		if list[i].Asks || q.Role != session.User || mention.Erased(q.Text) { // an answer only says again what people told
			continue
		}
		line := fmt.Sprintf("- %s (%s)\n", quotedBy(q.Speaker, q.Text), o.date(q.SaidAt))
		switch {
		case says(q.Text, sought):
			with.WriteString(line)
		case says(q.Text, others):
			otherwise.WriteString(line)
		case closest < mostNear:
			closest++
			near.WriteString(line)
		}
	}
	switch {
	case with.Len() > 0 && otherwise.Len() > 0:
		return with.String() + "\n" + headOtherwise + otherwise.String()
	case with.Len() > 0:
		return with.String()
	case otherwise.Len() > 0:
		return headOtherwise + otherwise.String()
	case near.Len() > 0:
		return "Nothing with these words is remembered. The closest:\n\n" + near.String()
	}
	return "Nothing about that is remembered."
}

// headOtherwise stands above what has none of the words, but words that may stand for them.
const headOtherwise = "In other words:\n\n"

// soughtBy are the stems of the words that are looked for, and those of other words that may stand for them. A word that names
// another thing of the same class stands for none: "dog" for "cat".
func soughtBy(words string) (sought, others map[string]bool) {
	sought, others = make(map[string]bool), make(map[string]bool)
	for stem := range stems(words) {
		sought[stem] = true
		for _, list := range [][]string{language.Alike(stem), language.Kinds(stem)} {
			for _, one := range list {
				if !language.Siblings(stem, one) {
					others[one] = true
				}
			}
		}
	}
	return sought, others
}

// says reports whether a text has a word with one of some stems.
func says(text string, sought map[string]bool) bool {
	for stem := range stems(text) {
		if sought[stem] {
			return true
		}
	}
	return false
}

// stems are the stems of the words of a text that say something on their own.
func stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for scan := language.Scan(text); ; {
			w, ok := scan.Next()
			if !ok || !w.Stop && !yield(string(w.Stem)) {
				return
			}
		}
	}
}
