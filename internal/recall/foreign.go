package recall

import "slices"

// foreign returns the function words of the language a question seems to be
// written in; nil for English. "was" and "in" are English too: it takes two
// words that are not.
func foreign(l *lexicon, words []questionWord) []string {
	var best []string
	most := 1
	for _, list := range l.function {
		found := 0
		for i := range words {
			if !words[i].stop && slices.Contains(list, words[i].low) {
				found++
			}
		}
		if found > most || found == most && most > 1 && len(list) < len(best) {
			best, most = list, found
		}
	}
	return best
}
