package memory

import (
	_ "embed" // the rows
	"strings"
	"sync"
)

//go:embed lexicon/reasons.txt
var reasonRows string

// theReasons reads the rows, once.
var theReasons = sync.OnceValue(func() []frame {
	var out []frame
	for line := range strings.Lines(reasonRows) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); !strings.HasPrefix(line, "#") && len(cells) == 3 {
			f := frame{example: cells[1], want: cells[2]}
			f.read(cells[0])
			out = append(out, f)
		}
	}
	return out
})

// findReason divides the sentence into effect and reason, if it has a reason. The
// effect stays in [from, to); because gets the bytes of the reason.
func (r *reading) findReason() {
	rows := theReasons()
	for i := range rows {
		m := fit{r: r, parts: rows[i].parts}
		if !r.mayFit(&rows[i]) || !m.match(0, r.lead) {
			continue
		}
		from, to := r.trimmed(m.reason[0], m.reason[1])
		r.from, r.to = r.trimmed(m.effect[0], m.effect[1])
		r.skipAdverbial()
		if r.backward = m.reason[1] == 0; !r.backward {
			r.because = span{r.toks[from].start, r.toks[to-1].end}
		}
		return
	}
}

// trimmed leaves out the marks and conjunctions around tokens [from, to), unless nothing is left.
func (r *reading) trimmed(from, to int) (int, int) {
	for from+1 < to && r.toks[from].kind == markToken {
		from++
	}
	for from+1 < to && (r.toks[to-1].kind == markToken || r.toks[to-1].is(tagAnd) || r.toks[to-1].is(tagBe)) {
		to--
	}
	return from, to
}

// hasVerb reports whether a verb seems to follow token i, so that the words are a clause.
func (r *reading) hasVerb(i int) bool {
	for ; i < r.stop; i++ {
		t := &r.toks[i]
		if t.is(tagBe, tagAux, tagPast, tagUsage, tagUse, tagOpinion, tagTrouble, tagAssign, tagPlus, tagMinus) || r.isPast(i) || r.saysEffect(i) {
			return true
		}
	}
	return false
}

// saysEffect reports whether token i is a verb as in "fixes" and "saves": it says what a
// step leads to, and is not the next step ("fix", "saved").
func (r *reading) saysEffect(i int) bool {
	t := &r.toks[i]
	return t.kind == wordToken && t.entry != nil && t.entry.base != t.low && strings.HasSuffix(t.low, "s") && !strings.HasSuffix(t.low, "ss")
}
