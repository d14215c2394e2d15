package memory

import (
	"slices"
	"strings"
)

// thingWords are the words by which a fact about having a thing is found: those of the
// added or removed object, or the name of the used technology.
func (s *State) thingWords(n int32) []string {
	f, t := &s.facts[n], &s.traits[n]
	switch {
	case isStatus(f.Attribute):
		return strings.Fields(f.Subject)
	case t.value.sort == techValue:
		name, _, _ := strings.Cut(t.value.is, " ")
		return []string{name}
	case t.value.sort == choiceValue && f.Attribute == t.value.of:
		return s.wordsOf(f.Value)
	}
	return nil
}

// thingClashes finds facts that say that a thing exists if n says that it is gone, and
// the reverse, however they are worded: "we use Redis" and "removed the Redis cache".
func (s *State) thingClashes(n int32) []int32 {
	f, t := &s.facts[n], &s.traits[n]
	var words []string
	removed := isStatus(f.Attribute) && t.polarity < 0
	switch {
	case isStatus(f.Attribute):
		words = strings.Fields(f.Subject)
	case f.Former != "":
		words, removed = s.wordsOf(f.Former), true
	default:
		words = s.thingWords(n)
	}
	out := s.usedFor(n, removed)
	for _, w := range words {
		for _, o := range s.things[w] {
			if o != n && !slices.Contains(out, o) && s.has(o) == removed && s.sameThing(o, n, words) {
				out = append(out, o)
			}
		}
	}
	return out
}

// usedFor finds the use of a technology that n says has ended, if n names the purpose:
// "we store sessions in Redis", "we no longer store sessions in Redis".
func (s *State) usedFor(n int32, removed bool) []int32 {
	f := &s.facts[n]
	where := qualifier(f.Attribute)
	if !removed || !isStatus(f.Attribute) || where == "" {
		return nil
	}
	var out []int32
	for _, o := range s.things[where] {
		if old := &s.facts[o]; o != n && s.traits[o].value.sort == techValue && qualifier(old.Attribute) == f.Subject {
			out = append(out, o)
		}
	}
	return out
}

// wordsOf are the content words of a phrase in the form by which things are found.
func (s *State) wordsOf(verbatim string) []string {
	if v := s.valueOf(verbatim, false); v.sort == techValue {
		name, _, _ := strings.Cut(v.is, " ")
		return []string{name}
	}
	var space [8]token
	var out []string
	for _, t := range appendTokens(s.l, space[:0], verbatim, 0, len(verbatim)) {
		if content(&t) {
			out = append(out, stem(s.l, t.low))
		}
	}
	return out
}

// has reports whether a fact says that a thing exists.
func (s *State) has(o int32) bool {
	return !isStatus(s.facts[o].Attribute) || s.traits[o].polarity > 0
}

// sameThing reports whether an old fact is about the thing that words name.
func (s *State) sameThing(o, n int32, words []string) bool {
	old, now := &s.facts[o], &s.facts[n]
	if (isStatus(old.Attribute) || isStatus(now.Attribute)) && qualifier(old.Attribute) != qualifier(now.Attribute) {
		if now.Attribute != attributeStatus || s.traits[n].polarity > 0 {
			return false // added here, removed there
		}
	}
	if isStatus(old.Attribute) {
		theirs := strings.Fields(old.Subject)
		return covers(theirs, words) && covers(words, theirs) || s.differByCategory(theirs, words)
	}
	if !isStatus(now.Attribute) && old.Attribute != now.Attribute {
		return false
	}
	if old.Subject != subjectWe && old.Subject != subjectI && !(now.Attribute == attributeStatus && s.isEnding(now.Value)) && !(now.Former != "" && qualifier(now.Attribute) == "") {
		return false // the use by another part is unaffected, unless the thing is gone as a whole
	}
	if theirs := s.thingWords(o); s.traits[o].value.sort == choiceValue {
		return covers(theirs, words) && coversButShape(words, theirs) || covers(words, theirs) && coversButShape(theirs, words)
	}
	return s.differByCategory(s.thingWords(o), words)
}

// differByCategory reports whether two phrases name the same technology and differ only
// in the name of its category: "redis" and "redis cache layer".
func (s *State) differByCategory(a, b []string) bool {
	named := false
	for _, w := range a {
		if e := s.l.words[w]; e != nil && e.tech != 0 && slices.Contains(b, w) {
			named = true
		}
	}
	return named && s.coversButGeneric(a, b) && s.coversButGeneric(b, a)
}

// coversButGeneric reports whether a has every word of b except general words for
// technology.
func (s *State) coversButGeneric(a, b []string) bool {
	for _, w := range b {
		if slices.Contains(a, w) || w == "layer" || w == "cluster" || w == "instance" {
			continue
		}
		if e := s.l.words[w]; e == nil || len(e.topics) == 0 || e.tech != 0 {
			return false
		}
	}
	return true
}

// coversButShape reports whether a has no other words than those of b, except general
// words for ways of building: "event-driven design".
func coversButShape(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) && !theLexicon().has(listBuild, w) {
			return false
		}
	}
	return true
}

// covers reports whether a has every word of b.
func covers(a, b []string) bool {
	for _, w := range b {
		if !slices.Contains(a, w) {
			return false
		}
	}
	return true
}
