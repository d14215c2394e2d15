package recall

import "strings"

// direct decides whether the question asks for a cause or for an effect: "what caused
// the outage?", "what did the outage cause?".
func (a *asked) direct(words []questionWord) {
	l := theLexicon()
	for i := range words {
		switch low := words[i].low; {
		case l.has(listCausing, low):
		case low == "do" || low == "did" || low == "does":
			if n := i + 1; i > 0 && n < len(words) && words[n].low == "to" && i+2 < len(words) {
				a.traits |= asksEffect // "what did the frost do to the vines?"
			}
			continue
		default:
			continue
		}
		a.traits &^= asksReason
		if i > 0 && (words[i-1].low == "what" || words[i-1].low == "which" || words[i-1].low == "who") || strings.Contains(a.text, words[i].low+" by") || a.opensWith("why", "what was", "what is", "what's") {
			a.traits |= asksReason
		} else {
			a.traits |= asksEffect
		}
	}
}

// opensWith reports whether the question begins with one of the words.
func (a *asked) opensWith(openings ...string) bool {
	low := strings.ToLower(a.text)
	for _, o := range openings {
		if strings.HasPrefix(low, o) {
			return true
		}
	}
	return false
}
