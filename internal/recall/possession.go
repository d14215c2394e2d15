package recall

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/session"
)

// ofOwner keeps the passages that may be of the owner asked for. What is told of others only is no sure answer. It is none at all,
// as is what is told of relations that may mean the one asked for, if it has no thing asked for, or where something is told of
// that owner. Passages of a person whose name is told elsewhere get the words with which the question speaks of that person:
// "Ida's address" is "my sister's address".
func (who *persons) ofOwner(found []passage) []passage {
	a := askedIn(who.q)
	if a.root == rootNone {
		return found
	}
	readers, known := who.readAll(found)
	of, told := make([]verdict, len(found)), 0
	for i := range found {
		p := &found[i]
		of[i], p.things = readers[i].judge(&a, known)
		if p.unrelated = of[i] == unrelated; of[i] == same {
			told = max(told, p.things)
			p.speakAsAsked(readers[i], &a)
		}
	}
	kept := found[:0]
	for i, v := range of {
		if stands := v >= unclear || v != differs && found[i].things > told; stands {
			kept = append(kept, found[i])
		}
	}
	return kept
}

// readAll reads the owners of passages, and the names that the passages give to the asker and to those related to the asker.
func (who *persons) readAll(found []passage) ([]*ownerReader, *acquaintance) {
	known := &acquaintance{sure: map[string][]string{}, may: map[string][]string{}, names: map[string]bool{}}
	for _, name := range who.ownNames() {
		known.meet("", name.stem, true)
	}
	readers := make([]*ownerReader, len(found))
	for i := range found {
		readers[i] = who.reader(&found[i])
		readers[i].read(nil)
		found[i].owners = readers[i]
		if found[i].role == session.User {
			readers[i].introduce(known)
		}
	}
	for _, r := range readers {
		if r.hasName(known.names) {
			r.read(known.names)
		}
	}
	return readers, known
}

// ownNames are the words of the names of the asker: the one of the message, and those that were told.
func (who *persons) ownNames() []word {
	names := wordsOf(who.asker)
	if who.asker != "" || who.view == nil {
		return names
	}
	for _, f := range who.view.InSlot("i", "name", mostInSlot) {
		if f.Current() && tellable(f.Kind) {
			names = append(names, wordsOf(f.Value)...)
		}
	}
	return names
}

// reader reads the owners of a passage from the side of the one who asks.
func (who *persons) reader(p *passage) *ownerReader {
	r := newOwnerReader(p.text, p.words)
	switch {
	case p.role == session.Assistant && p.speaker != "":
		r.ofProgram = true
	case p.role == session.Assistant:
		r.me, r.you = owner{root: rootOther}, owner{root: rootAsker}
	case p.role == session.Tool:
		r.me = owner{root: rootOther}
	case p.speaker != "" && p.speaker != who.asker:
		r.me = owner{root: rootNamed, name: firstStem(p.speaker)}
	}
	return r
}

// firstStem is the stem of the first word of a name.
func firstStem(name string) string {
	if words := wordsOf(name); len(words) > 0 {
		return words[0].stem
	}
	return name
}

// speakAsAsked gives a passage that has all things asked for the words of the question for their owner, if it speaks of the owner
// otherwise: by a name, or by none as the memories of other programs do.
func (p *passage) speakAsAsked(r *ownerReader, a *asked) {
	has := func(stem string) bool {
		return slices.ContainsFunc(r.parts, func(o part) bool { return o.stem == stem })
	}
	if len(a.things) == 0 || slices.ContainsFunc(a.things, func(stem string) bool { return !has(stem) }) {
		return
	}
	var lacked []word
	for _, w := range a.words {
		if !slices.ContainsFunc(p.words, func(o word) bool { return o.stem == w.stem }) {
			lacked = append(lacked, w)
			p.cues |= w.cues
		}
	}
	p.words = append(lacked, p.words...)
}
