package recall

import "strings"

// isCrowd reports whether a unit of counted things is usually left out: "the table
// seats nine".
func isCrowd(word string) bool {
	return theLexicon().has(listCrowd, word)
}

// otherClause reports whether the answer stands in a clause that names another person:
// "Al teaches; Bo is nine" for how old Al is.
func (a *asked) otherClause(text string) bool {
	proper := false
	for n := range a.needs {
		proper = proper || a.needs[n].proper
	}
	if !proper || a.wants&^shapeName == 0 {
		return false
	}
	other := false
	for clause := range strings.SplitSeq(strings.NewReplacer("; ", "|", ", ", "|", " and ", "|", " while ", "|", " but ", "|").Replace(text), "|") {
		if shapesIn(clause)&a.wants == 0 {
			continue
		}
		if seen := a.look(" " + clause); seen.named || !seen.called && !seen.foreign {
			return false
		}
		other = true
	}
	return other
}

// otherAmount reports whether the clause about the measured thing has no figure but
// another clause has one: "20 mg of omeprazole and vitamin D on Sundays".
func (a *asked) otherAmount(text string) bool {
	measured, other := false, false
	for clause := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(text, " and ", "; "), ", ", "; "), "; ") {
		seen := a.look(clause)
		switch {
		case seen.met[a.amount] == 0:
			other = other || seen.traits&givesNumber != 0
		case seen.traits&givesNumber != 0:
			return false
		default:
			measured = true
		}
	}
	return measured && other
}
