package memory

// Asked returns what a fact answers: the assistant's proposal or question, if the fact is a
// reply to one that is still known.
func (s *State) Asked(f Fact) (Fact, bool) {
	for _, link := range f.Links {
		if link.Kind == Answers {
			return s.Fact(link.To)
		}
	}
	return Fact{}, false
}

// Asked returns what a fact of the scope answers.
func (v *View) Asked(f Fact) (Fact, bool) {
	var asked Fact
	var found bool
	v.with(func(s *State) { asked, found = s.Asked(f) })
	return asked, found
}
