package memory

import (
	"slices"
	"strconv"
	"strings"
)

// spot is the place that a statement names, as far as it is read.
type spot struct {
	open     bool // the words to come belong to it
	bag      uint32
	named    bool // by a name: "in Lyon"
	articled bool // by a definite noun: "in the shed"
}

// read reads the values, and what stands next to them.
func (v *valuer) read() {
	var at spot
	plain := v.copula // only words that can name a person stood there
	for i := v.first; i < len(v.toks); i++ {
		t := &v.toks[i]
		switch {
		case len(v.out.values) > 0 && recurs(t.low):
			v.out.rest += hashText(t.low)
		case v.measures(i):
			i, at.open = v.measure(i), false
		case v.l.has(listPlace, t.low):
			at.open = v.copula && !v.measured(i+1)
			plain = plain && !at.open
		case v.definite(t):
			at.articled = true
		case v.idle(i):
		case v.l.has(listNoThing, t.low):
			return // "is a nurse": what a thing is, and not which
		case at.open:
			at.bag += hashText(stem(v.l, t.low))
			at.named = at.named || t.capital && !at.articled
		case plain && v.common && t.capital:
			v.name(i)
		default:
			v.out.rest += hashText(stem(v.l, t.low))
		}
	}
	v.place(&at)
}

// place adds the place. Beside an amount it limits that: "5 mg in the morning".
func (v *valuer) place(at *spot) {
	amount := slices.ContainsFunc(v.out.values, func(s sorted) bool { return s.sort >= amountSort })
	switch {
	case at.bag == 0:
	case amount, !at.named && !at.articled:
		v.out.rest += at.bag
	case !at.named:
		v.add(sorted{placeSort, at.bag, 0})
	case v.dwells:
		v.add(sorted{homeSort, at.bag, 0})
	default:
		v.add(sorted{namedPlaceSort, at.bag, 0})
	}
}

// name adds a name, unless it is a title: "Dr. Weber".
func (v *valuer) name(i int) {
	if i+1 == len(v.toks) || v.toks[i+1].low != "." {
		v.add(sorted{nameSort, hashText(v.toks[i].low), 0})
	}
}

// definite reports whether a word makes the next one definite.
func (v *valuer) definite(t *token) bool {
	return v.l.has(listDefinite, t.low) || v.l.has(listPossessive, t.low)
}

// measures reports whether a token begins, or is part of, a day, a time or an amount.
func (v *valuer) measures(i int) bool {
	t := &v.toks[i]
	return t.isFigure() || hasDigit(t.low) || v.dated(i) || weekdayOf(t.low) != ""
}

// measure adds the day, time or amount at token i. It returns the last token that belongs to it.
func (v *valuer) measure(i int) (last int) {
	if weekdayOf(v.toks[i].low) == "" && !v.dated(i) {
		return v.figure(i)
	}
	v.addDay(i)
	return i
}

func (v *valuer) add(s sorted) { v.out.values = append(v.out.values, s) }

// measured reports whether a time or an amount follows, and no place.
func (v *valuer) measured(i int) bool {
	for i < len(v.toks) && (v.l.has(listDefinite, v.toks[i].low) || v.l.has(listLinking, v.toks[i].low)) {
		i++
	}
	return i < len(v.toks) && v.measures(i)
}

// recurs reports whether a word names all days of a name: "Sundays" behind a time limits it.
func recurs(low string) bool {
	return strings.HasSuffix(low, "s") && weekdayOf(low) != "" && weekdayOf(low[:len(low)-1]) != ""
}

// addDay adds the day that token i begins.
func (v *valuer) addDay(i int) {
	t := &v.toks[i]
	name := weekdayOf(t.low)
	for k := range v.dates {
		if d := &v.dates[k]; d.Start == t.start {
			v.add(dayOf(d))
		}
	}
	if name != "" && !(i+1 < len(v.toks) && v.dated(i+1)) {
		v.add(sorted{weekdaySort, hashText(name), 0})
	}
}

// figure adds the number at token i. It returns the last token that belongs to it.
func (v *valuer) figure(i int) int {
	digits, unit, last := v.number(i)
	before := ""
	if i > 0 {
		before = v.toks[i-1].low
	}
	if last+1 < len(v.toks) && unit == "" {
		next := &v.toks[last+1]
		follows := next.kind == wordToken && !v.idle(last+1) && !v.l.has(listPossessive, next.low) && !v.l.has(listNoThing, next.low)
		if follows || slices.ContainsFunc(unitMarks, next.mark) {
			unit, last = stem(v.l, next.low), last+1
		}
	}
	if minutes, is := timeOfDay(digits, unit, v.l.has(listHour, before)); is {
		v.add(sorted{timeSort, minutes, 0})
		return last
	}
	v.unwind(i, before)
	sort := hashText(unitName(unit))
	if unit == "" {
		sort = hashText("#" + v.namedBy(i))
	}
	v.add(sorted{amountSort | sort, hashText(digits), 0})
	return last
}

// unitMarks are the signs of units; never written.
var unitMarks = []string{"€", "$", "£", "%"}

// unwind takes the word before a figure from the rest: it says what is counted, as in "room 12".
func (v *valuer) unwind(i int, before string) {
	if i > v.first && v.namedBy(i) != "" && v.out.rest != 0 {
		v.out.rest -= hashText(stem(v.l, before))
	}
}

// namedBy is the word that names a bare figure: "room" of "room 12"; "" for none.
func (v *valuer) namedBy(i int) string {
	if i > v.first && v.toks[i-1].kind == wordToken && !v.idle(i-1) {
		return v.toks[i-1].low
	}
	return ""
}

// number reads the digits of the number at token i without marks of thousands, and the unit written with it. Numbers
// that follow each other are one.
func (v *valuer) number(i int) (digits, unit string, last int) {
	digits, unit = splitFigure(v.toks[i].low)
	digits = ungrouped(digits)
	for last = i; last+1 < len(v.toks) && unit == ""; last++ {
		next := &v.toks[last+1]
		if next.mark(",") && inFigure(v.toks, last+1) {
			digits += "."
			continue
		}
		if next.kind != numberToken || strings.Contains(next.low, ":") || v.dated(last+1) {
			break
		}
		more, rest := splitFigure(next.low)
		digits, unit = digits+more, rest
	}
	return digits, unit, last
}

// ungrouped is a number without the marks between its thousands.
func ungrouped(digits string) string {
	whole, part, found := strings.Cut(digits, ".")
	if found && len(part) == 3 && len(whole) <= 3 && whole != "0" {
		return whole + part
	}
	return digits
}

// hourUnits are the words behind an hour; never written.
var hourUnits = []string{"am", "pm", "a.m", "p.m", "uhr", "h", "o'clock", "heure", "heures", "hora", "horas"}

// timeOfDay reads a time of day, in minutes. Behind "at" a bare number is an hour.
func timeOfDay(digits, unit string, at bool) (minutes uint32, is bool) {
	hour, minute, clock := strings.Cut(digits, ":")
	if !clock {
		hour, minute, clock = strings.Cut(digits, "h")
	}
	h, err := strconv.Atoi(hour)
	if err != nil || h > 24 {
		return 0, false
	}
	m, err := strconv.Atoi(minute)
	if clock && (err != nil || m > 59) {
		return 0, false
	}
	named := slices.Contains(hourUnits, unit) && (at || unit != "h")
	bare := at && unit == ""
	if !clock && !named && !bare {
		return 0, false
	}
	if strings.HasPrefix(unit, "p") && h < 12 {
		h += 12
	}
	return uint32(60*h + m), true
}

// otherValue reports whether two valuations of one thing give it other values of a sort, and say the same next to them. On
// several weekdays, and at several times, a thing can be what else is said of it: "the bakery is open on Sunday".
func (now *valuation) otherValue(was *valuation) bool {
	a, b := was.values, now.values
	if now.rest != 0 {
		a, b = unrepeated(a), unrepeated(b)
	}
	return was.rest == now.rest && differ(a, b)
}

// unrepeated are the values that come once: no weekdays with their days, and no times of day.
func unrepeated(values []sorted) []sorted {
	weekday := has(values, weekdaySort)
	return slices.DeleteFunc(slices.Clone(values), func(v sorted) bool {
		return v.sort == weekdaySort || v.sort == timeSort || weekday && v.sort == daySort
	})
}

// otherThan reports whether two valuations with other subjects are surely of different things.
func otherThan(a, b *valuation) bool {
	return apart(a, b) || otherVerb(a, b) || a.narrowed != b.narrowed && a.verb == b.verb
}

// within reports whether only named places differ. One may lie in the other: "in Vienna", "in Austria".
func (now *valuation) within(was *valuation) bool {
	return has(now.values, namedPlaceSort) && has(was.values, namedPlaceSort) && len(now.values) == 1
}

// saysMore reports whether one of two valuations with other values says more next to them. It may limit its value: "4 euros
// for pupils".
func (now *valuation) saysMore(was *valuation) bool {
	return differ(was.values, now.values) && (was.rest == 0 || now.rest == 0)
}

// apart reports whether two valuations are of different things of one name, told with one verb: "the budget for travel",
// "the budget for meals". "The party" may be "the launch party".
func apart(a, b *valuation) bool {
	kin := slices.ContainsFunc(a.words, func(word uint32) bool { return word != a.verb && slices.Contains(b.words, word) })
	return kin && a.verb == b.verb && names(a, b) && names(b, a)
}

// otherVerb reports whether two valuations say with different verbs what one thing does, and give values of no common sort:
// "the parcel weighs 3 kg", "the parcel costs 12 euros".
func otherVerb(a, b *valuation) bool {
	sameThing := a.verb != 0 && b.verb != 0 && a.thing-a.verb == b.thing-b.verb
	return sameThing && !slices.ContainsFunc(a.values, func(v sorted) bool { return has(b.values, v.sort) })
}

// names reports whether one valuation names what the other does not.
func names(a, b *valuation) bool {
	return slices.ContainsFunc(a.words, func(word uint32) bool { return !slices.Contains(b.words, word) })
}

// differ reports whether the values of some sort are other ones. "Paul" and "Paul Weber" are not.
func differ(was, now []sorted) bool {
	weekdays := has(was, weekdaySort) && has(now, weekdaySort) // whichever week it was
	return slices.ContainsFunc(was, func(a sorted) bool {
		if a.sort == daySort && weekdays || slices.ContainsFunc(now, a.equals) {
			return false
		}
		return slices.ContainsFunc(now, func(b sorted) bool { return a.sort == b.sort && !slices.ContainsFunc(was, b.equals) })
	})
}

// has reports whether one of some values is of a sort.
func has(values []sorted, sort uint32) bool {
	return slices.ContainsFunc(values, func(v sorted) bool { return v.sort == sort })
}

// equals reports whether two values of a sort can be one.
func (s sorted) equals(o sorted) bool {
	if s.sort == daySort && o.sort == daySort {
		return s.from < o.to && o.from < s.to
	}
	return s == o
}
