package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstIsUpper reports whether a text begins with a capital.
func firstIsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

// reference is where a text speaks of an owner: the parts from one to another.
type reference struct {
	owner
	from, to int
	owns     bool // what follows is the owner's: "my", "my sister's"
	of       bool // what stands before is the owner's: "of my sister"
	naming   bool // it is a name behind "of", which may be that of a thing
	object   bool // it is no subject: "tell me"
}

// ownerReader reads the owners of a text.
type ownerReader struct {
	words   *ownerWords
	tongue  tongue
	parts   []part
	said    []word // the words of which the parts are
	me, you owner  // who speaks, and who is spoken to
	// ofProgram says that another program speaks of the asker, who is "the user", or is left out.
	ofProgram bool
	names     map[string]bool // the stems of the names of known persons
	mentions  []reference
}

// mostOwned is how many words may stand between whose a thing is and the thing: "my wife's old phone number".
const mostOwned = 3

// newOwnerReader is the reader of a text that the asker says.
func newOwnerReader(text string, words []word) *ownerReader {
	t := tongueOf(words)
	return &ownerReader{words: &theOwnerWords().in[t], tongue: t, parts: partsOf(text, words, t), said: words, me: owner{root: rootAsker}, you: owner{root: rootOther}}
}

// read looks for the owners. names are the stems of the names of known persons.
func (r *ownerReader) read(names map[string]bool) {
	r.names, r.mentions = names, r.mentions[:0]
	for i := 0; i < len(r.parts); {
		m, next := r.mention(i)
		if next <= i {
			i++
			continue
		}
		m.from, m.to = i, next
		r.mentions = append(r.mentions, m)
		i = next
	}
}

// hasName reports whether the text has one of some names.
func (r *ownerReader) hasName(names map[string]bool) bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.written && names[p.stem] })
}

// mention reads the owner whom a text speaks of from part i on. next is the part behind it; 0 for none.
func (r *ownerReader) mention(i int) (m reference, next int) {
	p := &r.parts[i]
	switch {
	case p.duty&determines != 0:
		return r.determined(i)
	case r.relation(i) > 0:
		return r.related(i)
	case p.duty&(dutyMe|dutyObject|dutyUs|dutyThey) != 0:
		return reference{owner: r.rootOf(p), object: p.duty&dutyObject != 0}, i + 1
	case p.duty&dutyOf != 0:
		return r.behindOf(i)
	case p.low == theUser && r.ofProgram:
		return r.behind(reference{owner: r.me}, i+1)
	case p.genitive, r.isGermanGenitive(i):
		return r.possessor(i)
	case r.isPerson(i):
		m.owner, m.owns = owner{root: rootNamed, name: p.stem}, r.ownsAsName(i)
		return m, i + 1
	}
	return m, 0
}

// rootOf is the owner of whom a pronoun or what stands before a thing speaks.
func (r *ownerReader) rootOf(p *part) owner {
	switch {
	case p.duty&(dutyMe|dutyObject|dutyMine) != 0:
		return r.me
	case p.duty&(dutyUs|dutyOurs) != 0 && r.me.root != rootOther:
		return owner{root: rootUs}
	case p.duty&dutyYours != 0:
		return r.you
	}
	return owner{root: rootOther}
}

// relation is how many parts from i on name a relation; 0 for none.
func (r *ownerReader) relation(i int) int {
	_, n := r.relationAt(i)
	return n
}

// relationAt is the relation that is named from part i on, by the longest phrase, and its number of parts.
func (r *ownerReader) relationAt(i int) (name string, n int) {
	if !r.words.heads[r.parts[i].low] {
		return "", 0
	}
	phrase := ""
	for k := i; k < min(i+longestRelation, len(r.parts)); k++ {
		if k > i && r.parts[k].breaks {
			break
		}
		phrase = strings.TrimSpace(phrase + " " + r.parts[k].low)
		if found := r.words.relations[phrase]; found != "" {
			name, n = found, k-i+1
		}
	}
	return name, n
}

// determined reads "my", "my older sister", "my team's".
func (r *ownerReader) determined(i int) (m reference, next int) {
	m.owner = r.rootOf(&r.parts[i])
	m.of = i > 0 && r.parts[i].duty&dutyBehind != 0 && r.parts[i-1].said()
	for k := i + 1; k < len(r.parts) && k <= i+mostOwned && !r.parts[k].breaks; k++ {
		if name, n := r.relationAt(k); n > 0 {
			m.owner = m.joined(name)
			return r.behind(m, k+n)
		}
		if !r.parts[k].said() {
			break
		}
		if r.parts[k].genitive {
			m.owner = m.joined(loose + r.parts[k].stem)
			return r.behind(m, k+1)
		}
	}
	m.owns = true
	return m, i + 1
}

// behind reads what stands behind an owner who ends before part i: a name, and what is the owner's.
func (r *ownerReader) behind(m reference, i int) (reference, int) {
	m.owns = r.parts[i-1].genitive || r.isGermanGenitive(i-1)
	if !m.owns && i < len(r.parts) && r.isName(i) {
		m.called = r.parts[i].stem
		if r.parts[i].genitive {
			m.owns, i = true, i+1
		}
	}
	if !m.owns {
		return m, i
	}
	for k := i; k < min(i+2, len(r.parts)); k++ {
		if name, n := r.relationAt(k); n > 0 {
			m.owner = m.joined(name)
			return r.behind(m, k+n)
		}
		if !r.parts[k].said() {
			break
		}
	}
	return m, i
}

// isName reports whether part i is written like a name in the midst of a sentence.
func (r *ownerReader) isName(i int) bool {
	p := &r.parts[i]
	return p.capital && p.said() && !p.breaks
}

// related reads a relation without "my": "Sister lives in Bruges", "the landlord's number", "the husband of my sister". A
// relation in the midst of a sentence is no owner: "I'm a father".
func (r *ownerReader) related(i int) (m reference, next int) {
	name, n := r.relationAt(i)
	next = i + n
	if next < len(r.parts) && r.parts[next].duty&(dutyOf|dutyBehind) != 0 {
		if of, end := r.mention(next); end > next && of.root != rootNone {
			m.owner = of.joined(name)
			return m, end
		}
	}
	if !r.parts[next-1].genitive && !r.opensClause(i) {
		return m, 0
	}
	m.owner = owner{root: rootAsker}.joined(name)
	return r.behind(m, next)
}

// opensClause reports whether part i is the first of a clause, but for an article.
func (r *ownerReader) opensClause(i int) bool {
	return r.parts[i].opens || i > 0 && r.parts[i-1].duty&dutyArticle != 0 && r.parts[i-1].opens
}

// behindOf reads "of my sister", "of the landlord" and "of Ida".
func (r *ownerReader) behindOf(i int) (m reference, next int) {
	k := i + 1
	for k < len(r.parts) && r.parts[k].duty&dutyArticle != 0 {
		k++
	}
	if k == len(r.parts) || r.parts[k].breaks {
		return m, 0
	}
	switch name, n := r.relationAt(k); {
	case n > 0:
		m.owner = owner{root: rootAsker}.joined(name)
		m, next = r.behind(m, k+n)
	case r.parts[k].duty&determines != 0:
		m, next = r.determined(k)
	case r.isName(k):
		m, next = reference{owner: owner{root: rootNamed, name: r.parts[k].stem}, naming: true}, k+1
	}
	m.of = true
	return m, next
}

// possessor reads a genitive that names no relation: "Ida's", "the neighbourhood's".
func (r *ownerReader) possessor(i int) (m reference, next int) {
	p := &r.parts[i]
	switch {
	case p.low == theUser:
		m.owner = owner{root: rootAsker}
	case p.written:
		m.owner = owner{root: rootNamed, name: p.stem}
	default:
		m.owner = owner{root: rootOther}.joined(loose + p.stem)
	}
	return r.behind(m, i+1)
}

// theUser is how other programs call the only person.
const theUser = "user"

// isGermanGenitive reports whether part i is a name with the ending of a genitive, before a relation: "Annas Sohn".
func (r *ownerReader) isGermanGenitive(i int) bool {
	p := &r.parts[i]
	ends := r.tongue == german && p.written && p.said() && strings.HasSuffix(p.low, "s")
	return ends && i+1 < len(r.parts) && !r.parts[i+1].breaks && r.relation(i+1) > 0
}

// isPerson reports whether part i is the name of a person: of a known one, or one by what the clause says of it.
func (r *ownerReader) isPerson(i int) bool {
	p := &r.parts[i]
	switch {
	case !p.written || !p.said() || p.low == theUser:
		return false
	case r.names[p.stem]:
		return true
	case !p.opens:
		return false
	}
	k := i + 1
	for k < len(r.parts) && r.isName(k) {
		k++ // surnames
	}
	if k == len(r.parts) || r.parts[k].breaks {
		return false
	}
	return r.parts[k].duty&dutyDoes != 0 || r.parts[k].duty&dutyBe != 0 && r.tellsTrait(k+1)
}

// tellsTrait reports whether the words from part i on say what only a person is.
func (r *ownerReader) tellsTrait(i int) bool {
	rest := r.parts[i:min(i+mostOwned, len(r.parts))]
	return slices.ContainsFunc(rest, func(p part) bool { return p.duty&dutyTrait != 0 || jobs()[p.stem] })
}

// ownsAsName reports whether what follows a known name is that person's: "Idas Adresse".
func (r *ownerReader) ownsAsName(i int) bool {
	genitive := r.tongue == german && strings.HasSuffix(r.parts[i].low, "s")
	return genitive && i+1 < len(r.parts) && r.parts[i+1].said()
}
