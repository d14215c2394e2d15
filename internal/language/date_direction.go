package language

// tense says on which side of the moment of telling an expression of time lies.
type tense int8

const (
	behind  tense = iota - 1
	unclear       // nothing tells
	present       // told in the present: a weekday lies ahead, a month is the nearest
	ahead
)

// tense is where the words of its clause put the expression at token i. The word before it
// decides, then the nearest verb before it, then the first one behind it.
func (p *dateParser) tense(i int) tense {
	if p.is(i-1, theWord) {
		i--
	}
	told := p.told(i)
	tail := p.said.next == i-1 && p.said.from.Before(p.anchor) // "worked from March to May"
	switch before := p.at(i - 1).is; {
	case before&sinceWord != 0:
		return behind
	case before&(toWord|forWord) != 0 && !tail: // "moved to 9 April"
		return ahead
	case before&(fromWord|untilWord|beforeWord) != 0 && told != behind:
		return ahead
	}
	return told
}

// told is what the verbs of the clause around token i tell.
func (p *dateParser) told(i int) tense {
	var around wordClass
	j := i - 1
	for ; !p.is(j, stopMark); j-- {
		if when := p.evidence(j, around|p.closeness(j, i)); when != unclear {
			return when
		}
		if p.is(j, forWord|toWord|untilWord|fromWord) {
			around |= toward
		}
	}
	opening := p.at(j + 1)
	for j = i; !p.is(j, stopMark); j++ {
		if p.is(j, commaMark) && j > i+2 {
			break
		}
		if when := p.evidence(j, 0); when != unclear {
			return when
		}
	}
	if opening.is&otherWord != 0 && Verb(Stem(p.word(opening))) {
		return present // a clause that begins with the plain form of a verb asks for something
	}
	return unclear
}

// timeSign is what a word and those around it tell about when its clause happens. What
// is not given may be anything.
var timeSigns = []struct {
	is, before, after wordClass
	near              wordClass // one or two words before, or how the expression stands
	says              tense
}{
	{is: planWord | planNoun, near: toward, says: ahead}, // "booked a room for"
	{is: planWord, before: beWord, says: ahead},          // "is booked"
	{is: planWord, says: behind},
	{is: futureWord, before: wasWord, says: behind}, // "was due"
	{is: futureWord, says: ahead},
	{is: ingWord, near: wasWord, says: behind},
	{is: ingWord, near: beWord | tickMark, says: ahead},                   // "we're meeting", "Mum's coming"
	{is: ingWord, before: commaMark | stopMark, near: close, says: ahead}, // "got the job, starting Monday"
	{is: wasWord, says: behind},
	{is: pastWord, before: theWord | aWord | myWord, says: unclear}, // "a detailed plan"
	{is: pastWord, before: beWord, says: present},                   // "is closed"
	{is: gotWord, before: nowVerb, says: present},                   // "have got"
	{is: pastWord, before: ingWord, says: unclear},                  // "getting married"
	{is: pastWord, says: behind},
	{is: alikeWord, near: futureWord | nowVerb | toWord | tickMark, says: unclear}, // "will put", "don't put"
	{is: alikeWord, before: stopMark, says: present},                               // "Put the bins out"
	{is: alikeWord, says: behind},
	{is: beWord, after: ingWord, says: ahead},
	{is: beWord, near: close, says: ahead}, // "is on 12 May"
	{is: beWord | nowVerb, says: present},
}

// signClasses are the classes of the tokens that are signs.
var signClasses = func() (all wordClass) {
	for _, s := range timeSigns {
		all |= s.is
	}
	return all
}()

// evidence is what the token at j tells about an expression that stands around it so.
func (p *dateParser) evidence(j int, around wordClass) tense {
	if !p.is(j, signClasses) {
		return unclear // as most tokens
	}
	before, after := p.at(j-1).is, p.at(j+1).is
	around |= before | p.at(j-2).is
	for k := range timeSigns {
		s := &timeSigns[k]
		if p.is(j, s.is) && allows(s.before, before) && allows(s.near, around) && allows(s.after, after) {
			return s.says
		}
	}
	return unclear
}

// closeness is close if the expression at i follows the token at j, up to a preposition.
func (p *dateParser) closeness(j, i int) wordClass {
	if j == i-1 || j == i-2 && p.is(i-1, onWord|inWord|theWord) {
		return close
	}
	return 0
}

// allows reports whether a token may stand where one of some classes is wanted, or any.
func allows(want, is wordClass) bool { return want == 0 || want&is != 0 }

// word is the text of a token.
func (p *dateParser) word(t dateToken) string { return p.text[t.start:t.end] }

// standsAlone reports whether a form means a time, and is no part of a name, of another
// word or of what recurs: "Friday", and not "the Friday newsletter", "Black Friday",
// "a Friday".
func standsAlone(f found) bool {
	switch {
	case f.before.is&(nameWord|aWord) != 0, f.after.is&(everyWord|unitWord) != 0:
		return false
	case f.after.is&(otherWord|ingWord) == 0:
		return true
	}
	return !f.the && f.before.is&prepositions != 0
}
