package search

import (
	"bytes"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// An index of stems has no prefixes of words: "deployment" is indexed as "deploy", but
// "deployed" as "deploi". So a term with a star asks the index for a shorter prefix.
// That finds too much, and the texts decide.

// endings are those that stemming may remove from a word, alone and in their usual
// combinations; never written.
var endings = [...]string{
	"s", "es", "ies", "ed", "ied", "ing", "er", "ers", "y", "ly", "e", "able", "ible", "ability", "bility", "ment", "ments", "ement",
	"ness", "ful", "fulness", "ion", "ions", "ation", "ations", "ization", "izations", "ational", "ationally", "tional", "ive",
	"iveness", "ativeness", "ative", "ous", "ously", "ousness", "al", "ally", "ality", "alism", "alization", "ic", "ical", "ically",
	"icate", "iciti", "icity", "ity", "ance", "ence", "ency", "ancy", "ant", "ent", "ently", "ism", "ate", "ated", "ating", "ator",
	"ize", "izer", "izing", "alize", "alizing", "ivity",
}

// indexPrefix is the prefix, in the index, that all words with a folded prefix share.
func indexPrefix(folded string) string {
	if len(folded) < minPrefix || !ascii(folded) { // stemming changes no such word
		return folded
	}
	keep := len(folded)
	word := make([]byte, 0, len(folded)+16)
	shared := func(ending string) {
		word = append(append(word[:0], folded...), ending...)
		keep = common(folded[:keep], language.Porter(word))
	}
	shared("")
	for _, e := range endings {
		for k := range len(e) {
			if strings.HasSuffix(folded, e[:k]) {
				shared(e[k:])
			}
		}
	}
	for keep > 2 && !fixed(folded[:keep]) { // the index stems the prefix, too
		keep--
	}
	return folded[:max(keep, 2)]
}

// common is the length of the common prefix of two words, in bytes.
func common(a string, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// fixed reports whether stemming leaves a word unchanged.
func fixed(word string) bool {
	return bytes.Equal(language.Porter([]byte(word)), []byte(word))
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] < 'a' || text[i] > 'z' {
			return false
		}
	}
	return true
}

// Exact reports whether an index finds exactly what the node means if it is asked for
// the node's terms, as [IndexTerm] returns them. Otherwise it finds more, and
// [Ranker.Add] filters. An excluded term that is not exact must therefore not be sent
// to the index.
func Exact(n Node) bool {
	switch n := n.(type) {
	case *Term:
		return !n.Prefix || n.Pieces[len(n.Pieces)-1].Unspaced
	case *And:
		return allExact(n.Of) && allExact(n.Not)
	case *Or:
		return allExact(n.Of)
	}
	return true
}

func allExact(of []Node) bool {
	for _, n := range of {
		if !Exact(n) {
			return false
		}
	}
	return true
}

// holds reports whether a text matches a node. stands says which terms it contains.
func holds(n Node, stands func(*Term) bool) bool {
	switch n := n.(type) {
	case *Term:
		return stands(n)
	case *And:
		for _, of := range n.Of {
			if !holds(of, stands) {
				return false
			}
		}
		for _, not := range n.Not {
			if holds(not, stands) {
				return false
			}
		}
		return true
	case *Or:
		for _, of := range n.Of {
			if holds(of, stands) {
				return true
			}
		}
	}
	return false
}
