package recall

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// persons tells whose words may answer a question, where several people speak.
type persons struct {
	asker string // "" if unknown
	// self says that the question is about its asker: "where do I live?".
	self bool
	// named are the speakers that the question names.
	named []string
	q     *question
	view  *memory.View
}

// personsOf reads whom a question is about.
func personsOf(ask *run.Question, q *question) persons {
	return persons{asker: askerOf(ask.Input), self: speaksOfSelf(q.whole, wordsOf(q.whole)), q: q, view: ask.View}
}

// speaksOfSelf reports whether a text speaks of its speaker alone. "Tell me" and "where can I
// park?" do not.
func speaksOfSelf(text string, words []word) bool {
	if isWide(text) {
		return cuesOf(text, words)&(cueSelf|cueWe) == cueSelf
	}
	for i := range words {
		if words[i].cues&(cueSelf|cueWe) != cueSelf {
			continue
		}
		if i == 0 || !(words[i-1].cues&cueRequest != 0 || modal(words[i-1].low)) {
			return true
		}
	}
	return false
}

// modal reports whether a word asks what may or can be done.
func modal(low string) bool {
	return slices.Contains([]string{"can", "could", "should", "must", "may", "shall", "would"}, low)
}

// among keeps the passages that may answer. Whoever asks in the first person is answered from
// their own words, and from those that name them. A question that names a speaker is not
// answered from what others say of themselves. The words of a speaker about themself have the
// name that the question uses.
func (who *persons) among(found []passage) []passage {
	who.nameSpeakers(found)
	found = slices.DeleteFunc(found, func(p passage) bool { return !who.mayAnswer(&p) })
	found = who.ofOwner(found)
	for i := range found {
		p := &found[i]
		if p.speaker == "" || !slices.Contains(who.named, p.speaker) || p.cues&cueSelf == 0 {
			continue
		}
		p.words = append(who.asNamed(p.speaker), p.words...)
		p.cues &^= cueSelf
	}
	return found
}

// nameSpeakers notes which speakers of some passages the question names.
func (who *persons) nameSpeakers(found []passage) {
	for i := range found {
		name := found[i].speaker
		if name == "" || name == who.asker || slices.Contains(who.named, name) {
			continue
		}
		if len(who.asNamed(name)) > 0 {
			who.named = append(who.named, name)
		}
	}
}

// asNamed are the words of a name that the question has.
func (who *persons) asNamed(name string) []word {
	return slices.DeleteFunc(wordsOf(name), func(w word) bool { return w.number || w.stop || who.q.index(w.stem) < 0 })
}

// mayAnswer reports whether a passage may answer the question by whose words it is.
func (who *persons) mayAnswer(p *passage) bool {
	switch {
	case len(who.named) > 0:
		return who.mayAnswerOfNamed(p)
	case !who.self:
		return true
	case p.role == session.Tool: // "I" in a file or a page is its author
		return !speaksOfSelf(p.text, p.words)
	case p.role == session.Assistant:
		return who.asker == "" || mentions(p, who.asker)
	case p.speaker == "", p.speaker == who.asker:
		return true
	case who.asker == "":
		return !speaksOfSelf(p.text, p.words)
	}
	return mentions(p, who.asker)
}

// mayAnswerOfNamed reports whether a passage may answer a question that names a speaker.
func (who *persons) mayAnswerOfNamed(p *passage) bool {
	if p.speaker == "" || slices.Contains(who.named, p.speaker) || !speaksOfSelf(p.text, p.words) {
		return true
	}
	if who.self && p.speaker == who.asker {
		return true
	}
	return slices.ContainsFunc(who.named, func(name string) bool { return mentions(p, name) })
}

// mentions reports whether a passage has a word of a name.
func mentions(p *passage, name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(n word) bool {
		named := func(w word) bool { return w.stem == n.stem }
		return !n.stop && !n.number && slices.ContainsFunc(p.words, named)
	})
}

// silentOn reports whether an answer without a topic leaves a fact out: it was taken back or
// erased, or it is another person's and the asker's own are asked for.
func (who *persons) silentOn(view *memory.View, f *memory.Fact) bool {
	switch {
	case f.Kind == memory.Retraction, unsayable(f), withdrawn(view, f):
		return true
	case f.Source.Speaker == "", f.Source.Speaker == who.asker:
		return false
	case who.asker == "" && f.Source.OfProgram(): // another program's memories are about the only user
		return false
	}
	return who.self
}

// ofSpeaker answers a question for all that a speaker said: "what did Anna say?".
func (q *question) ofSpeaker(ask *run.Question) (choice, bool) {
	c := choice{kind: run.RecallSure, aim: aimAbout}
	if ask.View == nil || !q.onlyNames() {
		return c, false
	}
	who := personsOf(ask, q)
	facts := ask.View.Pick(func(f *memory.Fact, _ func() memory.News) bool {
		return f.Current() && tellable(f.Kind) && len(who.asNamed(f.Source.Speaker)) > 0
	})
	facts = slices.DeleteFunc(facts, func(f memory.Fact) bool {
		return unsayable(&f) || ofTurn(ask, &f)
	})
	facts = facts[max(0, len(facts)-maxPlanned):]
	for i := range facts {
		c.passages, c.scores = append(c.passages, ofFact(&facts[i])), append(c.scores, 1)
	}
	return c, len(c.passages) > 0
}

// onlyNames reports whether a question asks what somebody said, and about nothing.
func (q *question) onlyNames() bool {
	said, names := false, 0
	for _, w := range wordsOf(q.whole) {
		said = said || theLexicon().cues[w.low]&cueSay != 0
	}
	for i := range q.words {
		if q.words[i].cues&cueSay == 0 {
			names++
		}
	}
	return said && names == 1
}
