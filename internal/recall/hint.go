package recall

import "slices"

// addHints lets the form of an answer pass where the question asks for a form:
// a name right behind the one asked about, any figure for an age, "is a nurse"
// for a job. It needs something else that fits; a form alone fits everything.
func (a *asked) addHints(seen *look, text string) {
	if !a.strong(seen) {
		return
	}
	for n := range a.needs {
		fits := false
		switch d := &a.needs[n]; d.stem {
		case "name", "call":
			fits = seen.called
		case "old", "ag", "version":
			fits = seen.traits&givesNumber != 0
		case "address":
			fits = within(text, " at ")
		default:
			fits = slices.Contains(d.slots, "job") && (within(text, " is a") || within(text, "'m a") || within(text, " am a"))
		}
		if fits {
			seen.met[n] = max(seen.met[n], hintDegree)
		}
	}
}
