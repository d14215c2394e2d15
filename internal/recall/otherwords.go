package recall

import "strings"

// inOtherWords is the question with words that may replace its own: the second search,
// if the question's own words find nothing.
func (a *asked) inOtherWords() string {
	l := theLexicon()
	var words []string
	add := func(list []twin) {
		for _, other := range list {
			words = append(words, other.word)
			for _, form := range l.forms[other.stem] {
				words = append(words, form.word)
			}
		}
	}
	for i := range a.needs {
		stem := a.needs[i].stem
		for _, ending := range [...]string{"er", "or", "itor", "ion", "ition", "ation", "ment"} {
			words = append(words, stem+ending)
		}
		add(l.forms[stem])
		add(l.alike[stem][:min(len(l.alike[stem]), maxOthers)])
		add(l.under[stem])
	}
	return strings.Join(words, " ")
}
