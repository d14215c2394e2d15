package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// value is the value of a slot with its sort. Only values of one sort can replace each
// other: "slow" does not replace "512 MB".
type value struct {
	sort valueSort
	// of is the unit of a measure, the category of a technology or the group of an
	// alternative.
	of string
	// is is the form of the value for comparisons.
	is string
}

// valueSort is a sort of value.
type valueSort uint8

const (
	otherValue valueSort = iota
	numberValue
	dateValue
	techValue
	choiceValue
	nameValue
)

// valueOf classifies a verbatim value.
func (s *State) valueOf(verbatim string, dated bool) value {
	var space [16]token
	toks := appendTokens(s.l, space[:0], verbatim, 0, len(verbatim))
	v := value{is: s.normal(toks)}
	for i := range toks {
		t := &toks[i]
		if t.tech == 0 && t.entry != nil && t.entry.tech != 0 && (t.capital || len(toks) == 1) {
			t.tech, t.techLen = t.entry.tech, 1 // everyday, but standing where a name does
		}
		switch {
		case t.tech != 0 && v.sort == otherValue:
			v.sort, v.of, v.is = techValue, s.l.categories[t.tech], s.l.canonical(t.low)
			if t.techLen > 1 {
				v.is = s.l.canonical(strings.ToLower(verbatim[t.start:toks[i+int(t.techLen)-1].end]))
			}
			if next := i + int(t.techLen); next < len(toks) && (toks[next].kind == numberToken || isVersion(toks[next].low)) {
				v.is += " " + toks[next].low
			}
			return v
		case t.choice != 0 && v.sort == otherValue:
			return value{sort: choiceValue, of: s.l.choices[t.choice], is: s.l.choices[t.choice] + string(rune('0'+t.side))}
		case (t.kind == numberToken || t.is(tagNumberWord)) && v.sort == otherValue && !dated:
			v.sort = numberValue
			if i+1 < len(toks) && (toks[i+1].is(tagUnit) || toks[i+1].mark("%")) {
				v.of = toks[i+1].low
			}
		}
	}
	if v.sort != otherValue {
		return v
	}
	if dated {
		v.sort = dateValue
		return v
	}
	if len(toks) > 0 && toks[0].capital {
		v.sort = nameValue
	}
	return v
}

// normal joins the content words of a value, stemmed, in order.
func (s *State) normal(toks []token) string {
	var b strings.Builder
	for i := range toks {
		t := &toks[i]
		if t.kind == markToken && !t.mark("%") && !t.mark("$") && !t.mark("€") || t.kind == wordToken && t.entryHas(tagStop) {
			continue
		}
		b.WriteString(stem(s.l, t.low))
		b.WriteByte(' ')
	}
	return b.String()
}

// sameValue reports whether two facts of a slot have the same value.
func sameValue(a, b *trait) bool {
	return a.value.is == b.value.is && a.polarity == b.polarity
}

// slotValue reads the value and the polarity of a fact's slot.
func (s *State) slotValue(f *Fact) (t trait) {
	if f.Value == "" && f.Attribute == "" {
		return t
	}
	t.value = s.valueOf(f.Value, !f.When.IsZero() && !isStatus(f.Attribute) && len(language.Dates(f.Value, f.SaidAt)) > 0)
	if t.value.sort == choiceValue && f.Attribute == attributeIs {
		t.value.sort, t.value.of = otherValue, "" // "the talk was formal" is no choice
	}
	if isStatus(f.Attribute) || strings.HasPrefix(f.Attribute, attributeLiking) {
		t.polarity = s.polarityOf(f.Value)
	}
	return t
}

// isStatus reports whether an attribute says that something was added or removed.
func isStatus(attribute string) bool {
	return attribute == attributeStatus || strings.HasPrefix(attribute, attributeStatus+qualifierMark)
}

// polarityOf reads the words for adding or removing, liking or disliking.
func (s *State) polarityOf(verbatim string) int8 {
	var space [8]token
	toks := appendTokens(s.l, space[:0], verbatim, 0, len(verbatim))
	sign := int8(1)
	for i := range toks {
		t := &toks[i]
		if t.is(tagMinus, tagHates, tagNoLonger, tagGone) {
			return -1
		}
		if t.is(tagNeg) {
			sign = -1
		}
	}
	return sign
}
