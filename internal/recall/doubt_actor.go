package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// sufferer reports whether the first person named follows the deed and did not do it:
// "the code changes on Monday and the cleaners get it".
func (a *asked) sufferer(p *passage, seen *look) bool {
	if within(a.text, " be ") || within(a.text, " gets ") || within(a.text, " got ") {
		return false // "who should be asked?"
	}
	if p.fact != nil && p.fact.Attribute == "owner" || p.speaker != "" || a.opensWith("who is ", "who's ", "who was ", "who are ", "who were ") {
		return false
	}
	if _, by, found := strings.Cut(p.text, " by "); found && by != "" && (by[0] >= 'A' && by[0] <= 'Z' || opensNoun(strings.SplitN(by, " ", 2)[0])) {
		return false
	}
	for _, word := range [...]string{" is ", " was ", " are ", " were ", ": ", " called ", "'s ", " from ", " with "} {
		if within(p.text, word) {
			return false
		}
	}
	return seen.first[a.deed] > 0 && seen.personAt > seen.first[a.deed]
}

// unnamedActor reports whether a deed is told without its actor: "because somebody
// mistyped the rule".
func (a *asked) unnamedActor(text string, spoken bool) bool {
	stem, before, words := a.needs[a.deed].stem, "", 0
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return false
		}
		low := strings.ToLower(text[w.Start:w.End])
		if a.needOf(theLexicon(), string(w.Stem)) == a.deed && !spoken && !within(text, " by ") && (words == 0 && strings.HasSuffix(low, "ed") || strings.HasSuffix(strings.TrimRight(text[:w.Start], " "), ":")) {
			return true // a note: "removed the cache"
		}
		words++
		if string(w.Stem) == stem {
			switch before {
			case "somebody", "someone", "anybody", "they", "people", "who", "something", "a", "an":
				return true
			}
		}
		if !w.Stop || low == "somebody" || low == "someone" || low == "they" || low == "a" || low == "an" {
			before = low
		}
	}
}

// turnedRound reports whether the question asks what a person does to the speaker and
// the passage tells what the speaker does to that person: "what does Al owe me?", "I
// owe Al a beer".
func (a *asked) turnedRound(p *passage, seen *look) bool {
	if !a.has(firstPerson) || !opensInFirstPerson(p.text) {
		return false
	}
	who, deed := -1, -1
	words := wordsOf(a.text)
	for i := 1; i+1 < len(words); i++ {
		if low := words[i-1].low; low == "does" || low == "did" {
			who, deed = a.needOf(theLexicon(), words[i].stem), a.needOf(theLexicon(), words[i+1].stem)
			if i+2 >= len(words) || words[i+2].low != "me" && words[i+2].low != "us" {
				return false
			}
			break
		}
	}
	if deed >= 0 && (a.needs[deed].stem == "cost" || a.needs[deed].stem == "charg") {
		return false // what it costs is what the speakers pay
	}
	return who >= 0 && deed >= 0 && seen.first[deed] > 0 && seen.first[deed] < seen.first[who]
}
