package recall

// complete reports whether every need is met.
func (a *asked) complete(seen *look) bool {
	for n := range a.needs {
		if seen.met[n] == 0 {
			return false
		}
	}
	return true
}

// plenty reports whether two strong needs are met.
func (a *asked) plenty(seen *look) bool {
	met := 0
	for n := range a.needs {
		if seen.met[n] > 0 && a.needs[n].weight > slotWeight {
			met++
		}
	}
	return met >= 2
}

// unnamed reports whether no passage mentions a name of the question.
func (a *asked) unnamed(seen *look) bool {
	for n := range a.needs {
		if a.needs[n].proper && seen.met[n] == 0 {
			return true
		}
	}
	return false
}

// formed reports whether a passage that fills no slot still has the shape, or names the
// sort of thing, that the question asks for.
func (a *asked) formed(p *passage, seen *look) bool {
	return a.wants != 0 && a.hasShape(p, seen) && a.literal(seen) || a.sort >= 0 && seen.met[max(0, a.sort)] == underDegree && a.literal(seen)
}

// literal reports whether every other need is met by its own word.
func (a *asked) literal(seen *look) bool {
	for n := range a.needs {
		if n != a.sort && seen.met[n] < 1 {
			return false
		}
	}
	return true
}
