package language

import "time"

// startingThe reads what "the" introduces: "the week before 9 June", "the
// weekend", "the 7th of May", "the past two months", "the end of May".
func (p *dateParser) startingThe(i, depth int) (dateMatch, bool) {
	t := p.at(i + 1)
	switch {
	case t.class == number && t.ordinal:
		if m, ok := p.dayMonth(i + 1); ok {
			return m, true
		}
		return p.dayOfThisMonth(i)
	case t.class == unitWord && t.value == unitWeekend:
		if m, ok := p.around(i+1, 1, t.value, i+2, depth); ok {
			return m, true
		}
		from, to := p.weekendNear(p.ahead(i))
		return dateMatch{from: from, to: to, next: i + 2, relative: true}, true
	case t.class == unitWord && t.digits == 4 && plausibleYear(int(t.value)):
		y := int(t.value)
		return dateMatch{from: p.civil(y, 1, 1), to: p.civil(y+10, 1, 1), next: i + 2}, true
	}
	return p.date(i+1, depth-1)
}

// dayOfThisMonth reads "on the 15th" where nothing names what is counted.
func (p *dateParser) dayOfThisMonth(i int) (dateMatch, bool) {
	t, after := p.at(i+1), p.at(i+2)
	if !p.is(i-1, onWord) || after.class == otherWord || after.class == unitWord {
		return dateMatch{}, false
	}
	y, m, _ := p.anchor.Date()
	if last := p.said; last.next > 0 && i-last.next <= maxDaysApart {
		from := last.from
		if int(t.value) < from.Day() {
			from = from.AddDate(0, 0, 1-from.Day()).AddDate(0, 1, 0)
		}
		y, m, _ = from.Date()
	}
	if !validDay(y, int(m), int(t.value)) {
		return dateMatch{}, false
	}
	return p.day(p.civil(y, int(m), int(t.value)), i+2, true), true
}

// maxDaysApart is how many tokens may stand between a date and a day that goes on
// from it: "on 12 April and back on the 26th".
const maxDaysApart = 8

// units is a number of units: "two weeks".
type units struct {
	n     int
	unit  dateUnit
	vague bool
	next  int // the token after it
}

// units reads a number of units.
func (p *dateParser) units(i int) (units, bool) {
	n, vague, j, ok := p.count(i)
	if !ok {
		return units{}, false
	}
	unit := p.at(j)
	return units{n: n, unit: unit.value, vague: vague, next: j + 1}, unit.class == unitWord && unit.digits == 0
}

// counted reads "two weeks ago", "a few days before 9 June", "3 months from now".
func (p *dateParser) counted(i, depth int) (dateMatch, bool) {
	u, ok := p.units(i)
	if !ok {
		return dateMatch{}, false
	}
	switch next := p.at(u.next); {
	case next.class == agoWord:
		return p.away(-u.n, u.unit, u.vague, u.next+1), true
	case next.class == fromWord && p.isNow(u.next+1):
		return p.away(u.n, u.unit, u.vague, u.next+2), true
	}
	return p.around(i, u.n, u.unit, u.next, depth)
}

// isNow reports whether the token at i, behind "from", means the anchor: "now", "today".
func (p *dateParser) isNow(i int) bool {
	switch t := p.at(i); t.class {
	case nowWord:
		return !p.goesOn(i + 1)
	case dayWord:
		return t.value == 0
	}
	return false
}

// goesOn reports whether "from now" goes on with "on": then what is counted holds from
// now on and names no day ("retention is 90 days from now on").
func (p *dateParser) goesOn(i int) bool {
	on := p.at(i)
	return on.class == onWord && on.value == 1 && on.start == p.at(i-1).end+1
}

// count reads a number of units: "3", "three", "a couple of", "a few".
func (p *dateParser) count(i int) (n int, vague bool, next int, ok bool) {
	t := p.at(i)
	if !t.counts() {
		return 0, false, 0, false
	}
	i++
	if t.class == countWord && t.value == 1 && p.is(i, countWord) && p.at(i).vague {
		t, i = p.at(i), i+1
	}
	if t.vague && p.is(i, ofWord) {
		i++
	}
	return int(t.value), t.vague, i, true
}

// counts reports whether a token is a number of something.
func (t dateToken) counts() bool { return (t.class == number || t.class == countWord) && !t.ordinal }

// away is n units from the anchor. The further away, the less exact people
// are: days are days, weeks seven days around it, months and years whole ones.
func (p *dateParser) away(n int, unit dateUnit, vague bool, next int) dateMatch {
	if unit == unitHour {
		// Hours do not leave the day by much; the day they reach is enough.
		at := p.anchor.Add(time.Duration(n) * time.Hour)
		from, to := p.containing(at, unitDay)
		return dateMatch{from: from, to: to, next: next, relative: true}
	}
	return p.distance(p.today(), n, unit, vague, next, true)
}

// distance is the span n units from the day t.
func (p *dateParser) distance(t time.Time, n int, unit dateUnit, vague bool, next int, relative bool) dateMatch {
	at := p.addUnits(t, unit, n)
	var from, to time.Time
	switch unit {
	case unitWeek, unitFortnight:
		from, to = at.AddDate(0, 0, -3), at.AddDate(0, 0, 4)
	default:
		from, to = p.containing(at, unit)
	}
	if vague {
		from, to = p.addUnits(from, unit, -1), p.addUnits(to, unit, 1)
	}
	return dateMatch{from: from, to: to, next: next, relative: relative}
}

// around reads "before 9 June", "after yesterday", "of 9 June" behind n units.
func (p *dateParser) around(i, n int, unit dateUnit, j, depth int) (dateMatch, bool) {
	next := p.at(j)
	if unit == unitWeek && next.class == beforeWord && p.is(j+1, lastWord) {
		from, to := p.containing(p.today().AddDate(0, 0, -14), unitWeek)
		return dateMatch{from: from, to: to, next: j + 2, relative: true}, true
	}
	if !p.relates(i, j) {
		return dateMatch{}, false
	}
	if next.class == beforeWord && p.is(j+1, toWord) {
		j++
	}
	m, ok := p.date(j+1, depth-1)
	if !ok {
		return dateMatch{}, false
	}
	return p.beside(m, next.class, n, unit)
}

// relates reports whether the word at j relates the units at i to a date: "before",
// "after", and "of" if they are not counted ("the week of 9 June").
func (p *dateParser) relates(i, j int) bool {
	switch p.at(j).class {
	case beforeWord, afterWord:
		return true
	case ofWord:
		return !p.is(i, countWord)
	}
	return false
}

// beside is what lies n units before a date, after it, or around it.
func (p *dateParser) beside(m dateMatch, relation dateClass, n int, unit dateUnit) (dateMatch, bool) {
	switch {
	case relation == ofWord:
		if m.to.Sub(m.from) > 8*24*time.Hour {
			return dateMatch{}, false
		}
		m.from, m.to = p.containing(m.from, unit)
	case unit == unitWeekend:
		day := p.weekday(m.from, int(time.Saturday), relation == afterWord, false)
		m.from, m.to = day, day.AddDate(0, 0, 2)
	case relation == beforeWord && n == 1:
		m.from, m.to = p.addUnits(m.from, unit, -1), m.from
	case relation == beforeWord:
		m = p.distance(m.from, -n, unit, false, m.next, m.relative)
	case n == 1:
		m.from, m.to = m.to, p.addUnits(m.to, unit, 1)
	default:
		m = p.distance(m.to.AddDate(0, 0, -1), n, unit, false, m.next, m.relative)
	}
	return m, true
}

// bareUnit reads a unit without a count: "week of 9 June", "day after tomorrow".
func (p *dateParser) bareUnit(i, depth int) (dateMatch, bool) {
	t := p.at(i)
	if t.digits == 4 {
		if y := int(t.value); plausibleYear(y) && (p.is(i-1, inWord) || p.is(i-1, sinceWord)) {
			return dateMatch{from: p.civil(y, 1, 1), to: p.civil(y+10, 1, 1), next: i + 1}, true
		}
		return dateMatch{}, false
	}
	if t.value == unitHour || t.value == unitNight {
		return dateMatch{}, false
	}
	return p.around(i, 1, t.value, i+1, depth)
}

// inCount reads "in two weeks" as a time ahead.
func (p *dateParser) inCount(i int) (dateMatch, bool) {
	u, ok := p.units(i + 1)
	if !ok || u.unit == unitNight || p.is(u.next, agoWord) {
		return dateMatch{}, false
	}
	if u.vague && !p.ahead(i) { // "we haven't met in a few days" is a length, not a time
		return dateMatch{}, false
	}
	return p.away(u.n, u.unit, u.vague, u.next), true
}

// part reads "early June", "mid-2022", "the end of last year".
func (p *dateParser) part(i, depth int) (dateMatch, bool) {
	j := i + 1
	if p.isMark(j, '-') || p.is(j, ofWord) {
		j++
	}
	m, ok := p.date(j, depth-1)
	if !ok || m.to.Sub(m.from) < 20*24*time.Hour {
		return dateMatch{}, false
	}
	m.from, m.to = p.third(m.from, m.to, p.at(i).value)
	return m, true
}

// weekendNear is the weekend people mean by "the weekend".
func (p *dateParser) weekendNear(ahead bool) (from, to time.Time) {
	from, to = p.containing(p.today(), unitWeekend)
	if !ahead && from.After(p.today()) {
		from, to = from.AddDate(0, 0, -7), to.AddDate(0, 0, -7)
	}
	return from, to
}
