package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
)

// valuation is a statement in plain form of the value that one definite thing has: "The meeting is on Tuesday", "Our
// budget is 4,000 euros". A thing has one value of a sort at a time.
type valuation struct {
	thing  uint32   // a hash of the words before the value; 0 for a statement of another form
	words  []uint32 // hashes of the same words
	verb   uint32   // of the last of them, if it is a verb
	rest   uint32   // of the words next to the value
	values []sorted
	// several says that there may be several of the thing: "my brother", "a meeting".
	several bool
	// narrowed says that a complement stands behind what the thing is: "the rent for the garage".
	narrowed bool
}

// sorted is a value of a sort: a day, a time of day, an amount with its unit, a name, a place. From and to are what it is.
type sorted struct {
	sort     uint32
	from, to uint32
}

// Sorts of values.
const (
	daySort uint32 = iota + 1
	weekdaySort
	timeSort
	nameSort
	homeSort
	namedPlaceSort
	placeSort
	// amountSort is a bit of the sorts of amounts. Their other bits are a hash of the unit.
	amountSort uint32 = 1 << 31
)

// valuer reads a valuation.
type valuer struct {
	l     *lexicon
	toks  []token
	dates []language.Date
	out   valuation
	// common says that a noun names the thing: only of such a thing is a person the value.
	common bool
	copula bool
	dwells bool // the value is where a person lives
	first  int  // the token at which the value begins
}

// longestValuation bounds the words of a valuation: longer statements say more than one thing.
const longestValuation = 24

// valuationOf reads the valuation that a fact is.
func (s *State) valuationOf(f *Fact) valuation {
	toks := s.tokensOf(f.Statement)
	if len(toks) > longestValuation || len(toks) < 2 {
		return valuation{}
	}
	v := valuer{l: s.l, toks: mainClause(toks)}
	several := v.several()
	if len(v.toks) < 2 || !v.speaksOfOne() {
		return valuation{several: several}
	}
	v.dates = language.Dates(f.Statement, f.SaidAt.UTC())
	if v.holder(); v.out.thing == 0 {
		v.subject()
	}
	if v.out.thing != 0 && len(v.out.values) == 0 {
		v.read()
	}
	if len(v.out.values) == 0 {
		return valuation{several: several}
	}
	v.out.several = several
	return v.out
}

// mainClause are the tokens up to the first mark that ends a clause.
func mainClause(toks []token) []token {
	for i := range toks {
		ends := toks[i].kind == markToken && endsClause(toks[i].low) && toks[i].low != "-"
		if ends && !inFigure(toks, i) && !abbreviates(toks, i) {
			return toks[:i]
		}
	}
	return toks
}

// inFigure reports whether a mark stands between digits: "17,4".
func inFigure(toks []token, i int) bool {
	if i == 0 || i+1 == len(toks) {
		return false
	}
	before, behind := &toks[i-1], &toks[i+1]
	return before.kind == numberToken && behind.kind == numberToken && before.end == behind.start-1
}

// abbreviates reports whether a full stop belongs to the word before it: "Dr. Weber", "the 3. Mai".
func abbreviates(toks []token, i int) bool {
	return i > 0 && i+1 < len(toks) && toks[i].low == "." && len(toks[i-1].low) <= 3
}

// speaksOfOne reports whether the clause begins as one of a definite thing, and says plainly what is so.
func (v *valuer) speaksOfOne() bool {
	first := &v.toks[0]
	low, _, elided := strings.Cut(first.low, "'")
	definite := v.l.has(listDefinite, first.low) || v.l.has(listPossessive, first.low) || elided && low == "l"
	named := first.capital && !v.l.has(listNoThing, first.low)
	if !definite && !named && !v.l.has(listMyself, first.low) {
		return false
	}
	v.common = definite
	for i := range v.toks {
		t := &v.toks[i]
		if t.tags.any(unsettledTags) || v.l.has(listUnsettled, t.low) {
			return false
		}
	}
	return true
}

// several reports whether the first words name a person of whom there may be several, or one of several things.
func (v *valuer) several() bool {
	first := v.toks[:min(4, len(v.toks))]
	return len(first) > 0 && v.l.has(listOne, first[0].low) ||
		slices.ContainsFunc(first, func(t token) bool { return v.l.has(listSeveral, t.low) })
}

// unsettledTags are the tags of words that say that something is not plainly so.
var unsettledTags = tagsOf(tagNeg, tagNoLonger, tagIf, tagHedge, tagPast, tagAlso, tagMeanwhile, tagWh)

// holder reads a statement that begins with the value: "Rita leads the choir", "Rita is the treasurer".
func (v *valuer) holder() {
	at := 0
	for at < len(v.toks) && v.toks[at].capital && !v.toks[at].possessive {
		at++
	}
	if v.common || at == 0 || at+2 >= len(v.toks) || v.firstValue(0) >= 0 {
		return
	}
	if !v.definite(&v.toks[at+1]) {
		return
	}
	sum := uint32(0)
	switch low := v.toks[at].low; {
	case v.l.has(listIs, low):
		sum = isHash
	case v.l.has(listLeads, low):
		sum = hashText("leads")
	default:
		return
	}
	v.out.thing = sum + v.bag(at+1, len(v.toks))
	for i := range v.toks[:at] {
		v.add(sorted{nameSort, hashText(v.toks[i].low), 0})
	}
}

// bag is a hash of the words of some tokens, in any order. It notes the words.
func (v *valuer) bag(from, to int) (sum uint32) {
	for i := from; i < to; i++ {
		if !v.idle(i) {
			word := hashText(stem(v.l, strings.TrimPrefix(v.toks[i].low, "l'")))
			sum, v.out.words = sum+word, append(v.out.words, word)
		}
	}
	return sum
}

// subject reads the words before the value.
func (v *valuer) subject() {
	end := v.copulaAt()
	if v.copula = end >= 0; v.copula {
		v.first = end + 1
		if v.out.thing = isHash; v.l.has(listDwells, v.toks[end].low) {
			v.out.thing++
			v.dwells = true
		}
	} else {
		end = v.firstValue(1)
		v.first = end
	}
	v.common = v.common || slices.ContainsFunc(v.toks[:max(end, 0)], func(t token) bool { return strings.HasSuffix(t.low, "'s") })
	plain := v.copula || end > 1 && !v.l.has(listMyself, v.toks[0].low) && !slices.ContainsFunc(v.toks[:end], wentBy)
	if !plain {
		return
	}
	v.out.thing += v.bag(0, end)
	v.out.narrowed = v.narrows(end)
	if n := len(v.out.words); n > 0 && !v.copula {
		v.out.verb = v.out.words[n-1]
	}
}

// narrows reports whether a complement stands in front of token end, behind the article and the word for the thing.
func (v *valuer) narrows(end int) bool {
	const head = 2
	return end > head && slices.ContainsFunc(v.toks[head:end], func(t token) bool {
		return v.definite(&t) || v.l.has(listComplement, t.low)
	})
}

// wentBy reports whether an English verb tells of the past.
func wentBy(t token) bool { return len(t.low) > 4 && strings.HasSuffix(t.low, "ed") }

// isHash stands for all words between a thing and what it is.
const isHash = 0x9e3779b9

// copulaAt is the first word between a thing and what it is; -1 for none.
func (v *valuer) copulaAt() int {
	for i := range v.toks {
		low := v.toks[i].low
		if between := v.l.has(listIs, low) || v.l.has(listDwells, low); between && (i > 0 || v.l.has(listMyself, low)) {
			return i
		}
	}
	return -1
}

// idle reports whether a word says nothing of what is compared.
func (v *valuer) idle(i int) bool {
	t := &v.toks[i]
	for _, list := range [...]wordList{listDefinite, listLinking, listPlace} {
		if v.l.has(list, t.low) {
			return true
		}
	}
	return t.kind == markToken || t.is(tagNow, tagBegun)
}

// firstValue is the first token from i on that can begin a value; -1 for none.
func (v *valuer) firstValue(i int) int {
	for ; i < len(v.toks); i++ {
		if v.measures(i) {
			return i
		}
	}
	return -1
}

// dated reports whether a token is part of a date.
func (v *valuer) dated(i int) bool {
	for k := range v.dates {
		if d := &v.dates[k]; d.Start <= v.toks[i].start && v.toks[i].start < d.End {
			return true
		}
	}
	return false
}

// dayOf is a date as a value.
func dayOf(d *language.Date) sorted {
	return sorted{daySort, uint32(d.From.Unix() / secondsOfDay), uint32((d.To.Unix() + secondsOfDay - 1) / secondsOfDay)}
}

const secondsOfDay = int64(24 * time.Hour / time.Second)
