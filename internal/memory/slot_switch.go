package memory

import "strings"

// swappedSlot reads "replaced Redis with Valkey" and "swapped Redis for Valkey".
func (r *reading) swappedSlot(speaker string) slot {
	verb := r.first(r.from, r.to, tagSwap)
	if verb < 0 {
		return slot{}
	}
	with := -1
	for i := verb + 1; i < r.to; i++ {
		switch r.toks[i].low {
		case "with", "by", "for", "to":
			if r.toks[i].low != "to" || phraseLength(r.toks, verb, tagSwap) > 2 {
				with = i
			}
		}
		if with >= 0 {
			break
		}
	}
	if with <= verb+1 && with >= 0 && (r.toks[with].low != "by" || verb == r.from) || with+1 >= r.to {
		return slot{}
	}
	if with < 0 {
		return slot{}
	}
	subject := r.toks[verb+1].is(tagBe) || verb+1 == with // "Redis was replaced by Valkey"
	if n := phraseLength(r.toks, verb, tagSwap); n > 2 {
		with, subject = verb+n-1, true // "Redis made way for Valkey"
	}
	old := r.slice(r.skipDet(verb+1, with), with)
	if subject {
		end := verb
		for end > r.from+1 && (r.toks[end-1].is(tagBe, tagAux) || r.toks[end-1].low == "got" || r.toks[end-1].low == "gets") {
			end--
		}
		old = r.slice(r.skipDet(r.from, end), end)
	}
	s := r.choose(with+1, speaker)
	if s.subject == "" {
		s = slot{subject: subjectWe, attribute: r.stemsOf(old), value: r.value(with + 1)}
	}
	s.former = old
	return s
}

// switchedSlot reads "moved from Postgres to MySQL", "merged all services back
// into a monolith", "switched to spaces".
func (r *reading) switchedSlot(speaker string) slot {
	verb := r.first(r.from, r.to, tagSwitch)
	for verb >= 0 && r.isNoun(verb) && r.first(r.from, verb, tagMinus) >= 0 {
		verb = r.first(verb+1, r.to, tagSwitch) // "undid the split into microservices"
	}
	if verb < 0 {
		return slot{}
	}
	target, source := -1, -1
	for i := verb; i < r.to; i++ {
		switch r.toks[i].low {
		case "to", "into", "onto", "in":
			if target < 0 && i > verb && i+1 < r.to && (r.toks[i].low != "in" || strings.HasPrefix(r.toks[verb].low, "re")) {
				target = i
			}
		case "from":
			source = i
		}
	}
	if target < 0 {
		return slot{}
	}
	s := r.choose(target+1, speaker)
	if size := r.partsOrWhole(target, speaker); size.filled() && !r.isChoice(s.attribute) {
		s = size
	}
	if s.subject == "" {
		return slot{}
	}
	if source > verb && source < target {
		s.former = r.slice(source+1, target)
	} else if source > target {
		s.former = r.slice(source+1, r.phraseEnd(source+1, 4))
	}
	return s
}

// insteadSlot reads "the public APIs are GraphQL instead of REST" as the choice of one
// technology over another of its category.
func (r *reading) insteadSlot(s slot, speaker string) slot {
	former := r.insteadOf()
	at := r.word(r.from, r.to, "instead")
	if former == "" || at < 0 {
		return s
	}
	now, was := slot{}, slot{}
	for i := r.from; i < r.to; i++ {
		if r.toks[i].tech == 0 && r.toks[i].choice == 0 {
			continue
		}
		if i < at && now.attribute == "" {
			now = r.choose(i, speaker)
		} else if i > at && was.attribute == "" {
			was = r.choose(i, speaker)
		}
	}
	if now.attribute == "" || now.attribute != was.attribute {
		return s
	}
	now.former = former
	return now
}

// insteadOf is the thing that a sentence says its value replaces: "Jira" in "we now use
// Linear instead of Jira".
func (r *reading) insteadOf() string {
	for i := r.from + 1; i+2 < r.to; i++ {
		if r.toks[i].low == "instead" && r.toks[i+1].low == "of" {
			from := r.skipDet(i+2, r.to)
			return r.slice(from, r.phraseEnd(from, 4))
		}
	}
	return ""
}
