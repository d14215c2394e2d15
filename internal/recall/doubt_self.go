package recall

import "strings"

// ofSelf reports whether the question is about the asker alone.
func (a *asked) ofSelf() bool {
	if !a.has(firstPerson) || a.has(namesRelation|thirdPerson) {
		return false
	}
	for n := range a.needs {
		if a.needs[n].weight == nameWeight {
			return false
		}
	}
	return true
}

// singular reports whether the question asks for one thing about the speaker:
// "what is my name?", not "what tools do we use?".
func (a *asked) singular() bool { return !a.has(asksList) && len(a.needs) == 1 }

// othersOwn reports whether a passage tells the name or another attribute of
// something that is not its speaker.
func othersOwn(p *passage, seen *look) bool {
	if f := p.fact; f != nil && f.Value != "" {
		return f.Subject != "i" && f.Subject != "we" && !strings.EqualFold(f.Subject, p.speaker)
	}
	return !seen.self
}

// namesOther reports whether the question names people but not the speaker of
// the passage.
func (a *asked) namesOther(p *passage) bool {
	by := a.look(p.speaker)
	named := false
	for n := range a.needs {
		if a.needs[n].weight == nameWeight {
			if by.met[n] == 1 {
				return false
			}
			named = true
		}
	}
	return named
}
