package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

// fillsDeed reports whether a fact names the technology that does what "who" asks
// about: "who hosts our stuff?", "we host everything on Hetzner".
func (a *asked) fillsDeed(f *memory.Fact) bool {
	return a.deed >= 0 && f != nil && f.Value != "" && servesUs(a.needs[a.deed].stem) && theLexicon().fills(a.needs[a.deed].slots, f.Attribute)
}

// servesUs reports whether a stem is the verb of a service that a technology provides.
func servesUs(stem string) bool {
	return theLexicon().has(listServing, stem)
}

// stores reports whether the question asks where something is kept or tracked: the
// answer may be a tool.
func (a *asked) stores() bool {
	l := theLexicon()
	for _, w := range wordsOf(a.text) {
		if l.has(listKeeping, w.low) {
			return true
		}
	}
	return false
}

// namesKeeper reports whether a sentence says what a name is, as in "Vault is our secret
// store".
func namesKeeper(text string) bool {
	_, rest := firstWord(text)
	verb, _ := firstWord(rest)
	return opensWithName(text) && (isBe(verb) || verb == "holds" || verb == "keeps" || verb == "has" || verb == "stores")
}

// otherKind reports whether the question qualifies a thing by the word before it ("the
// canary deploys") and the passage by another word ("blue-green deploys").
func (a *asked) otherKind(text string, seen *look) bool {
	if a.wide || a.yesNo {
		return false
	}
	for n := 1; n < len(a.needs); n++ {
		kind, thing := &a.needs[n-1], &a.needs[n]
		if seen.met[n-1] > 0 || seen.met[n] < 1 || isVerbish(kind.word) || kind.weight < 1 || thing.weight < weakWeight || len(kind.slots) > 0 || n-1 == a.deed || !strings.Contains(strings.ToLower(a.text), kind.word+" "+thing.word) {
			continue
		}
		before := ""
		for scan := language.Scan(text); ; {
			w, ok := scan.Next()
			if !ok {
				break
			}
			stem := string(w.Stem)
			if base, irregular := theLexicon().base[stem]; irregular {
				stem = base
			}
			if stem == thing.stem && before != "" && !isVerbish(before) {
				return true
			}
			if before = strings.ToLower(text[w.Start:w.End]); w.Stop || w.Number || len(a.terms[string(w.Stem)]) > 0 {
				before = ""
			}
		}
	}
	return false
}

// isVerbish reports whether a word has the ending of a verb, so that it qualifies
// nothing.
func isVerbish(word string) bool {
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing") && len(word) > 5 || strings.HasSuffix(word, "ly") || theLexicon().base[language.Stem(word)] != "" || irregular(word) || theLexicon().idle[word]
}

// irregular reports whether a word's base form is spelled differently: "broke".
func irregular(word string) bool {
	stem := language.Stem(word)
	return len(stem) > 3 && !strings.HasPrefix(word, stem[:3])
}

// keeps reports whether a fact names the technology that "where" asks for: data lives
// in a database.
func (a *asked) keeps(f *memory.Fact) bool {
	if f == nil || f.Value == "" || !theLexicon().isTechnology(f.Attribute) {
		return false
	}
	for n := range a.needs {
		if theLexicon().fills(a.needs[n].slots, f.Attribute) {
			return true
		}
	}
	return false
}
