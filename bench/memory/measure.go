package main

import "slices"

// measure is one row of the report.
type measure struct {
	id, name string
	aim      string
	of       func([]*probe) figure
}

// measures are the rows that the sets of lives fill, in the order of the aims.
func measures() []measure {
	return slices.Concat(answerMeasures(), searchMeasures(), linkMeasures(), blockMeasures(), stateMeasures(), generalMeasures())
}

// share counts the verdicts that pass among those that belong.
func share(belongs, passes func(*verdict) bool) func([]*probe) figure {
	return func(all []*probe) figure {
		var f figure
		for _, p := range all {
			for i := range p.Verdicts {
				v := &p.Verdicts[i]
				if !belongs(v) {
					continue
				}
				f.of++
				if passes(v) {
					f.sum++
				}
			}
		}
		return f
	}
}

func ofKind(k answerKind) func(*verdict) bool { return func(v *verdict) bool { return v.Kind == k } }

func answerMeasures() []measure {
	return []measure{
		{"U1", "told: right (sure and right)", "45 %", share(wasTold, isRight)},
		{"", "told: right, with the earlier side of a change told too", "", share(wasTold, isNewest)},
		{"U2", "told: shown (sure or among the closest)", "70 %", share(wasTold, isShown)},
		{"U3", "told: stale or wrong, claimed as sure", "≤ 6 %", share(wasTold, isBad)},
		{"", "told: answered as not sure", "", share(wasTold, ofKind(unsure))},
		{"", "told: denied", "", share(wasTold, ofKind(none))},
		{"U4", "never told: claimed as sure", "≤ 5 %", share(neverTold, claims)},
	}
}

// foundAmong measures whether the evidence is among the first hits that the user said.
func foundAmong(first int, belongs func(*verdict) bool) func([]*probe) figure {
	return share(func(v *verdict) bool { return v.Told && belongs(v) }, func(v *verdict) bool { return v.foundBy(first) })
}

func searchMeasures() []measure {
	other := func(v *verdict) bool { return v.Overlap == "other" }
	return []measure{
		{"U4b", "search, other words: evidence first", "", foundAmong(1, other)},
		{"U4b", "search, other words: among the first 3", "46 %", foundAmong(3, other)},
		{"U4b", "search, other words: among the first 10", "", foundAmong(10, other)},
		{"", "search, all: evidence first", "", foundAmong(1, wasTold)},
		{"", "search, all: among the first 3", "", foundAmong(3, wasTold)},
		{"", "search, all: among the first 10", "", foundAmong(10, wasTold)},
	}
}

// isGeneral reports whether a question asks for more than one statement.
func isGeneral(v *verdict) bool {
	return v.Told && slices.Contains([]string{"list", "order", "general"}, v.Sort)
}

// generalMeasures are about questions that ask for more than one statement.
func generalMeasures() []measure {
	evident := tallied(func(p *probe) (sum, count int) {
		for i := range p.Verdicts {
			if v := &p.Verdicts[i]; isGeneral(v) {
				sum, count = sum+len(v.Evident), count+len(v.Quoted)
			}
		}
		return sum, count
	})
	return []measure{
		{"", "list, order and general questions: right", "70 %", share(isGeneral, isRight)},
		{"", "list, order and general questions: shown", "", share(isGeneral, isShown)},
		{"", "list, order and general questions: stale or wrong", "", share(isGeneral, isBad)},
		{"", "list, order and general questions: messages quoted that are evidence", "", evident},
	}
}

// tallied sums a figure over lives.
func tallied(of func(*probe) (sum, count int)) func([]*probe) figure {
	return func(all []*probe) figure {
		var f figure
		for _, p := range all {
			sum, count := of(p)
			f.sum, f.of = f.sum+float64(sum), f.of+count
		}
		return f
	}
}

// countUpdates counts the updates that pass among those that belong.
func countUpdates(belongs, passes func(*updateSeen) bool) func([]*probe) figure {
	return tallied(func(p *probe) (sum, count int) {
		for i := range p.Updates {
			if u := &p.Updates[i]; belongs(u) {
				count++
				if passes(u) {
					sum++
				}
			}
		}
		return sum, count
	})
}

func countPairs(passes func(*pairSeen) bool) func([]*probe) figure {
	return tallied(func(p *probe) (sum, count int) {
		for i := range p.Pairs {
			if passes(&p.Pairs[i]) {
				sum++
			}
		}
		return sum, len(p.Pairs)
	})
}

func linkMeasures() []measure {
	each := func(*updateSeen) bool { return true }
	before := func(u *updateSeen) bool { return u.Before }
	stale := func(u *updateSeen) bool { return u.Stale }
	doubted := func(u *updateSeen) bool { return u.Doubtful && !u.Found }
	return []measure{
		{"U5", "updates: the newer is in the block", "90 %", countUpdates(each, func(u *updateSeen) bool { return u.Shown })},
		{"U5", "updates: the older, shown before, is shown as current", "≤ 25 %", countUpdates(before, stale)},
		{"U5", "updates: found", "70 %", countUpdates(each, func(u *updateSeen) bool { return u.Found })},
		{"", "updates: not found, but marked as perhaps outdated", "", countUpdates(each, doubted)},
		{"U6", "pairs that are none, taken for an update", "≤ 1 %", countPairs(func(n *pairSeen) bool { return n.Taken })},
		{"", "pairs that are none, marked as perhaps outdated", "", countPairs(func(n *pairSeen) bool { return n.Doubtful && !n.Taken })},
	}
}

// countLines counts the lines of the block with a fault; "" counts those with any.
func countLines(fault string) func([]*probe) figure {
	return tallied(func(p *probe) (sum, count int) {
		for _, l := range p.End.Lines {
			if slices.Contains(l.Faults, fault) || fault == "" && len(l.Faults) > 0 {
				sum++
			}
		}
		return sum, len(p.End.Lines)
	})
}

func blockMeasures() []measure {
	out := []measure{{"U7", "lines of the block with a fault that the set can tell", "", countLines("")}}
	for _, fault := range []string{ofHardNoise, ofChat, ofReply, ofSpan, isStaleLine, notVerbatim} {
		out = append(out, measure{"", "lines of the block: " + fault, "", countLines(fault)})
	}
	return out
}

// countEnds measures what is left at the end of a life.
func countEnds(of func(*endSeen) (sum, count int)) func([]*probe) figure {
	return tallied(func(p *probe) (sum, count int) { return of(&p.End) })
}

func stateMeasures() []measure {
	return []measure{
		{"U8", "facts that are no substring of their message", "0", countEnds(func(e *endSeen) (int, int) { return len(e.Unspoken), e.Facts })},
		{"", "messages labelled noise (hard) with a fact in the state", "≤ 3 %",
			countEnds(func(e *endSeen) (int, int) { return len(e.HardKept), e.HardNoise })},
		{"", "messages labelled chat with a fact in the state", "", countEnds(func(e *endSeen) (int, int) { return len(e.ChatKept), e.Chat })},
		{"", "standing wishes shown as such", "", countEnds(func(e *endSeen) (int, int) { return e.StandShown, e.Standing })},
		{"", "withdrawn wishes still shown as standing", "0", countEnds(func(e *endSeen) (int, int) { return len(e.StillWished), e.Withdrawn })},
	}
}

// group is a row of the second table: a part of the questions of what was told.
type group struct {
	name    string
	belongs func(*verdict) bool
}

func groups() []group {
	var out []group
	for _, overlap := range []string{"same", "other"} {
		out = append(out, group{"in the " + overlap + " words", func(v *verdict) bool { return v.Overlap == overlap }})
	}
	for _, tongue := range []string{"en", "de", "es", "fr", "zh", "ar"} {
		out = append(out, group{"language " + tongue, func(v *verdict) bool { return v.Tongue == tongue }})
	}
	for _, sort := range []string{"fact", "who", "how-many", "when", "where", "why", "yes-no", "superseded", "order", "list", "general"} {
		out = append(out, group{sort, func(v *verdict) bool { return v.Sort == sort }})
	}
	return out
}
