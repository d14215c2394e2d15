package memory

// placeSlot reads where a person lives, works or comes from.
func (r *reading) placeSlot(speaker string) slot {
	if !r.toks[r.from].is(tagI) && !r.toks[r.from].is(tagWe) {
		return slot{}
	}
	if s := r.movedSlot(speaker); s.filled() {
		return s
	}
	for _, p := range [...]struct {
		tag  tag
		name string
	}{{tagHome, attributeHome}, {tagEmployer, "employer"}, {tagJob, "job"}, {tagOrigin, "origin"}} {
		i := r.first(r.from, min(r.from+5, r.to), p.tag)
		if i < 0 {
			continue
		}
		from := i + phraseLength(r.toks, i, p.tag)
		from = r.skipDet(from, r.to)
		to := r.phraseEnd(from, 4)
		if from >= to || r.toks[from].tech != 0 || r.toks[from].choice != 0 || r.toks[from].is(tagStop) {
			continue
		}
		if p.tag != tagJob && !r.toks[from].capital {
			continue
		}
		if p.tag == tagJob && (r.notAJob(from) || r.toks[from].low == "member") {
			continue
		}
		return slot{subject: speaker, attribute: p.name, value: r.slice(from, to)}
	}
	return slot{}
}

// notAJob distinguishes "I'm a bit tired" and "I'm a big fan" from professions.
func (r *reading) notAJob(i int) bool {
	return r.l.has(listNoJob, r.toks[i].low) || r.toks[i].choice != 0
}

// movedSlot reads "I moved from Turin to Antwerp".
func (r *reading) movedSlot(speaker string) slot {
	verb := r.first(r.from, min(r.from+4, r.to), tagSwitch)
	if verb < 0 || !r.toks[r.from].is(tagI, tagWe) {
		return slot{}
	}
	if low := r.toks[verb].low; low != "moved" && low != "relocated" && low != "moving" {
		return slot{}
	}
	from, to := r.word(verb, min(verb+3, r.to), "from"), r.word(verb, min(verb+8, r.to), "to")
	if from < 0 || to < from || from+1 >= to || to+1 >= r.to {
		return slot{}
	}
	old, home := &r.toks[from+1], &r.toks[to+1]
	if !old.capital || !home.capital || old.tech != 0 || home.tech != 0 || home.choice != 0 {
		return slot{}
	}
	return slot{subject: speaker, attribute: attributeHome, value: r.slice(to+1, r.phraseEnd(to+1, 4)), former: r.slice(from+1, to)}
}
