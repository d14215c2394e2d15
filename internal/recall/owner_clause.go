package recall

import "slices"

// clauses tells for each part in which clause it stands. A word such as "and" begins one, unless only owners stand before it: "my
// sister and I".
func (r *ownerReader) clauses() []int {
	out := make([]int, len(r.parts))
	n, told := 0, false
	for i := range r.parts {
		p := &r.parts[i]
		if i > 0 && (p.breaks || p.duty&dutyAnd != 0 && told) {
			n, told = n+1, false
		}
		told = told || p.duty&(dutyAnd|dutyArticle) == 0 && !r.mentioned(i)
		out[i] = n
	}
	return out
}

// mentioned reports whether part i belongs to a mention of an owner.
func (r *ownerReader) mentioned(i int) bool {
	return slices.ContainsFunc(r.mentions, func(m reference) bool { return m.from <= i && i < m.to })
}

// asked is whose things a question asks for, and the stems of the things.
type asked struct {
	owner
	things []string
	words  []word // that speak of the owner
	owned  bool   // the things are called the owner's: "my car", and not "the car that I drive"
}

// askedIn reads whom a question asks about. Its root is rootNone if it asks about no one, or about several.
func askedIn(q *question) (a asked) {
	words := wordsOf(q.whole)
	r := newOwnerReader(q.whole, words)
	r.read(nil)
	for i := range r.mentions {
		m := &r.mentions[i]
		if m.root == rootAsker && m.from > 0 && modal(r.parts[m.from-1].low) {
			return asked{} // "where can I park?"
		}
	}
	a.owner = r.only()
	for i := range r.mentions {
		if m := &r.mentions[i]; m.owner == a.owner {
			a.words = words[r.parts[m.from].at : r.parts[m.to-1].at+1]
		}
	}
	a.owned = slices.ContainsFunc(r.mentions, func(m reference) bool { return m.owns || m.of })
	for i := range r.parts {
		p := &r.parts[i]
		if p.tells() && !r.mentioned(i) && (i > 0 || theLexicon().cues[p.low]&(cueOpening|cueRequest) == 0) {
			a.things = append(a.things, p.stem)
		}
	}
	return a
}

// only is the one owner of whom a text speaks. Its root is rootNone if there is none or several. "Me" does not count: "tell me
// where Omar lives".
func (r *ownerReader) only() (one owner) {
	for i := range r.mentions {
		m := &r.mentions[i]
		switch {
		case m.object:
		case one.root == rootNone:
			one = m.owner
		case m.owner != one:
			return owner{}
		}
	}
	return one
}

// judge tells how what a passage says relates to what is asked: by its clauses with most of the things asked for. most is how many
// they have.
func (r *ownerReader) judge(a *asked, known *acquaintance) (best verdict, most int) {
	clause := r.clauses()
	if len(clause) == 0 {
		return unclear, 0
	}
	for c := range clause[len(clause)-1] + 1 {
		things := r.thingsIn(a, clause, c)
		if len(things) < most {
			continue
		}
		if len(things) > most {
			best, most = differs, len(things)
		}
		best = max(best, r.judgeClause(a, known, clause, c, things))
	}
	return best, most
}

// thingsIn are the parts of a clause that are things asked for, each thing once.
func (r *ownerReader) thingsIn(a *asked, clause []int, c int) (things []int) {
	for i := range r.parts {
		again := func(k int) bool { return r.parts[k].stem == r.parts[i].stem }
		if clause[i] == c && !r.mentioned(i) && slices.Contains(a.things, r.parts[i].stem) && !slices.ContainsFunc(things, again) {
			things = append(things, i)
		}
	}
	return things
}

// judgeClause tells how the owner of things in a clause relates to the one asked for.
func (r *ownerReader) judgeClause(a *asked, known *acquaintance, clause []int, c int, things []int) verdict {
	for _, i := range things {
		if m := r.ownerOf(i, clause); m != nil {
			v := known.compare(&a.owner, &m.owner)
			if v == differs && !a.owned { // "I inherited my grandfather's watch"
				v = min(unclear, r.judgeSubjects(a, known, clause, c, true))
			}
			return v
		}
		if r.namesAnother(i) {
			return known.compare(&a.owner, &owner{root: rootOther, path: loose})
		}
	}
	return r.judgeSubjects(a, known, clause, c, len(things) > 0)
}

// judgeSubjects is judgeClause by all of whom the clause speaks.
func (r *ownerReader) judgeSubjects(a *asked, known *acquaintance, clause []int, c int, told bool) verdict {
	best, any := differs, false
	for i := range r.mentions {
		m := &r.mentions[i]
		if clause[m.from] != c || m.naming || r.isNameOfAnother(m, known, clause) {
			continue
		}
		any = true
		v := max(unrelated, known.compare(&a.owner, &m.owner))
		if v == unrelated && !told && a.path != "" && m.path == "" {
			v = unclear // "I adopted Rex" may say how my dog is called
		}
		best = max(best, v)
	}
	switch {
	case !any && r.elided(clause, c):
		return known.compare(&a.owner, &r.me)
	case !any, r.speaksOf(a, clause, c):
		return max(best, unclear)
	}
	return best
}

// isNameOfAnother reports whether a mention is the name of a person of whom the clause speaks by a relation: "my sister's cat is
// called Luna" speaks of that cat only.
func (r *ownerReader) isNameOfAnother(m *reference, known *acquaintance, clause []int) bool {
	if m.root != rootNamed || m.path != "" {
		return false
	}
	return slices.ContainsFunc(r.mentions, func(o reference) bool {
		return o.path != "" && clause[o.from] == clause[m.from] && known.bears(o.path, m.name)
	})
}

// elided reports whether a clause leaves out the user of whom another program speaks: "Lives in Ghent", "Name is Leopold".
func (r *ownerReader) elided(clause []int, c int) bool {
	first := slices.Index(clause, c)
	return r.ofProgram && first >= 0 && r.parts[first].duty&dutyArticle == 0
}

// speaksOf reports whether a clause names the relation that is asked for, and says not whose: "I have a daughter".
func (r *ownerReader) speaksOf(a *asked, clause []int, c int) bool {
	if a.path == "" {
		return false
	}
	for i := range r.parts {
		if name, n := r.relationAt(i); clause[i] == c && n > 0 && step(name) == a.last() && !r.mentioned(i) {
			return true
		}
	}
	return false
}

// ownerOf is the owner next to a thing: "my wife's name", "the name of my wife"; nil for none.
func (r *ownerReader) ownerOf(thing int, clause []int) *reference {
	for i := range r.mentions {
		m := &r.mentions[i]
		if m.of && m.from == thing+1 || m.owns && r.reaches(m, thing, clause) {
			return m
		}
	}
	return nil
}

// reaches reports whether only words that mean something stand between an owner and a thing behind.
func (r *ownerReader) reaches(m *reference, thing int, clause []int) bool {
	if m.to > thing || thing-m.to >= mostOwned || clause[m.from] != clause[thing] {
		return false
	}
	return !slices.ContainsFunc(r.parts[m.to:thing], func(p part) bool { return !p.said() })
}

// namesAnother reports whether a word gives a name to the noun next to it: "a dachshund named Waldi", "we named our boat Sue".
func (r *ownerReader) namesAnother(i int) bool {
	if r.parts[i].duty&dutyNamed == 0 {
		return false
	}
	behind := i > 0 && !r.parts[i].breaks && r.parts[i-1].said() && !r.mentioned(i-1)
	return behind || i+1 < len(r.parts) && r.parts[i+1].duty&(determines|dutyArticle) != 0
}

// introduce notes the names that a text gives to owners.
func (r *ownerReader) introduce(known *acquaintance) {
	clause := r.clauses()
	for i := range r.mentions {
		m := &r.mentions[i]
		if m.root != rootAsker && m.root != rootUs || m.isLoose() {
			continue
		}
		if m.called != "" {
			known.meet(m.path, m.called, false)
		}
		names, sure := r.namedBy(m, clause)
		for _, name := range names {
			known.meet(m.path, name, sure)
		}
	}
}

// mostNames is how many words the name of a person has at most.
const mostNames = 3

// namedBy are the words of the name that the clause of an owner gives to the owner, if it does nothing else: "my sister is called
// Ida", "Ida is my sister". sure says that it says so.
func (r *ownerReader) namedBy(m *reference, clause []int) (names []string, sure bool) {
	for i := range r.parts {
		p := &r.parts[i]
		switch {
		case clause[i] != clause[m.from], m.from <= i && i < m.to, p.duty&(dutyBe|dutyArticle|dutyAnd|dutyTitle) != 0, p.duty&dutyObject != 0 && m.path == "":
		case p.duty&(dutyNaming|dutyNamed) != 0:
			sure = true
		case p.written && p.said() && len(names) < mostNames:
			names = append(names, p.stem)
		default:
			return nil, false
		}
	}
	return names, sure
}
