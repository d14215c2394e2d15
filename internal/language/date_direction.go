package language

import "time"

// directed reads "last Tuesday", "next month", "this weekend", "past two weeks".
func (p *dateParser) directed(i int) (dateMatch, bool) {
	dir := 0
	switch p.at(i).class {
	case lastWord:
		dir = -1
	case nextWord:
		dir = 1
	}
	t := p.at(i + 1)
	switch t.class {
	case weekdayWord:
		return p.directedWeekday(i+1, dir)
	case monthWord:
		return p.directedMonth(i+1, dir)
	case seasonWord:
		from, to := p.directedSeason(int(t.value), dir)
		return dateMatch{from: from, to: to, next: i + 2, relative: true}, true
	case unitWord:
		return p.directedUnit(i+1, dir)
	case number, countWord:
		return p.stretch(i+1, dir)
	}
	return dateMatch{}, false
}

func (p *dateParser) directedWeekday(i, dir int) (dateMatch, bool) {
	t := p.at(i)
	from := p.weekday(p.today(), int(t.value), dir > 0 || dir == 0 && !p.past(i), dir == 0)
	return p.day(from, p.dayPart(i+1), true), true
}

// past says whether "this Friday" lies behind: only when nothing points ahead
// and the day has gone by in this week already.
func (p *dateParser) past(i int) bool {
	day := (int(p.at(i).value) + 6) % 7
	return !p.ahead(i) && day < mondayOffset(p.anchor)
}

// directedMonth reads "last May": the newest one that is over, or under way for "this".
func (p *dateParser) directedMonth(i, dir int) (dateMatch, bool) {
	m := int(p.at(i).value)
	y, am, _ := p.anchor.Date()
	switch {
	case dir < 0 && m >= int(am):
		y--
	case dir > 0 && m <= int(am):
		y++
	}
	from, to := p.month(y, m)
	return dateMatch{from: from, to: to, next: i + 1, relative: true}, true
}

func (p *dateParser) directedSeason(s, dir int) (from, to time.Time) {
	y := p.anchor.Year()
	from, to = p.season(y, s)
	if s == 3 && p.anchor.Month() <= time.February {
		from, to = p.season(y-1, s) // in January "this winter" began last year
	}
	switch {
	case dir < 0 && to.After(p.anchor):
		return from.AddDate(-1, 0, 0), p.addMonths(from.AddDate(-1, 0, 0), 3)
	case dir > 0 && !from.After(p.anchor):
		return from.AddDate(1, 0, 0), p.addMonths(from.AddDate(1, 0, 0), 3)
	}
	return from, to
}

// directedUnit reads "last week", "next year", "this morning", "last night".
func (p *dateParser) directedUnit(i, dir int) (dateMatch, bool) {
	unit := p.at(i)
	if unit.digits != 0 {
		return dateMatch{}, false
	}
	if unit.value == unitNight {
		return p.day(p.today().AddDate(0, 0, dir), i+1, true), true
	}
	if unit.value == unitHour || (unit.value == unitDay && dir != 0) {
		return dateMatch{}, false
	}
	next := i + 1
	if dir > 0 && unit.value == unitWeek && p.isAfterNext(next) {
		dir, next = 2, next+2
	}
	var from, to time.Time
	if unit.value == unitWeekend && dir < 0 {
		// Said on a Sunday, "last weekend" is not the one under way.
		from = p.weekday(p.today(), int(time.Saturday), false, false)
		if p.anchor.Weekday() == time.Sunday {
			from = from.AddDate(0, 0, -7)
		}
		to = from.AddDate(0, 0, 2)
	} else {
		from, to = p.containing(p.addUnits(p.firstOf(unit.value), unit.value, dir), unit.value)
	}
	return dateMatch{from: from, to: to, next: next, relative: true}, true
}

// firstOf is a day of the current unit from which steps of that unit are exact.
func (p *dateParser) firstOf(unit dateUnit) time.Time {
	from, _ := p.containing(p.today(), unit)
	return from
}

// isAfterNext reports whether "after next" stands at i.
func (p *dateParser) isAfterNext(i int) bool { return p.is(i, afterWord) && p.is(i+1, nextWord) }

// stretch reads "the last two weeks": the span up to the anchor.
func (p *dateParser) stretch(i, dir int) (dateMatch, bool) {
	u, ok := p.units(i)
	if !ok || dir == 0 || (u.n == 1 && p.is(i, countWord)) {
		return dateMatch{}, false
	}
	if u.vague {
		u.n++
	}
	m := dateMatch{from: p.today(), to: p.today().AddDate(0, 0, 1), next: u.next, relative: true}
	if dir < 0 {
		m.from = p.addUnits(m.from, u.unit, -u.n)
	} else {
		m.to = p.addUnits(m.to, u.unit, u.n)
	}
	return m, true
}

// startingWeekday reads "Friday", "Tuesday of last week", "Friday, 5 May 2023"
// and "the Friday before 15 July".
func (p *dateParser) startingWeekday(i, depth int) (dateMatch, bool) {
	t := p.at(i)
	j := p.dayPart(i + 1)
	if p.isMark(j, ',') || (p.isMark(j, '.') && t.doubtful) {
		if m, ok := p.datedDay(j+1, depth); ok {
			return m, true
		}
	}
	if m, ok := p.datedDay(j, depth); ok {
		return m, true
	}
	if m, ok := p.weekdayBeside(j, t, depth); ok {
		return m, true
	}
	if m, ok := p.weekdayOfWeek(j, t); ok {
		return m, true
	}
	if !p.weekdayMayStand(i, t) || p.is(i-1, nameWord) {
		return dateMatch{}, false
	}
	ahead := p.ahead(i)
	return p.day(p.weekday(p.today(), int(t.value), ahead, true), j, true), true
}

// weekdayBeside reads "before 15 July" or "after 15 July" behind a weekday.
func (p *dateParser) weekdayBeside(j int, day dateToken, depth int) (dateMatch, bool) {
	after := p.is(j, afterWord)
	if !after && !p.is(j, beforeWord) {
		return dateMatch{}, false
	}
	m, ok := p.date(j+1, depth-1)
	if !ok {
		return dateMatch{}, false
	}
	return p.day(p.weekday(m.from, int(day.value), after, false), m.next, m.relative), true
}

// weekdayMayStand reports whether a weekday's name alone means the day. "Sun" and "Sat"
// are also words.
func (p *dateParser) weekdayMayStand(i int, day dateToken) bool {
	return !day.doubtful || day.capital && p.is(i-1, onWord)
}

// datedDay reads the day's date behind a weekday; the date decides.
func (p *dateParser) datedDay(j, depth int) (dateMatch, bool) {
	if p.is(j, theWord) {
		j++
	}
	switch p.at(j).class {
	case number, monthWord, fullDate:
	default:
		return dateMatch{}, false
	}
	if p.is(j, number) && p.is(j+1, unitWord) {
		return dateMatch{}, false
	}
	m, ok := p.date(j, depth-1)
	return m, ok && m.to.Sub(m.from) < 26*time.Hour
}

// weekdayOfWeek reads "last week" or "of this week" behind a weekday.
func (p *dateParser) weekdayOfWeek(j int, t dateToken) (dateMatch, bool) {
	if p.is(j, ofWord) {
		j++
	}
	switch p.at(j).class {
	case lastWord, nextWord, thisWord:
	default:
		return dateMatch{}, false
	}
	if unit := p.at(j + 1); unit.class != unitWord || unit.value != unitWeek {
		return dateMatch{}, false
	}
	m, ok := p.directed(j)
	if !ok {
		return dateMatch{}, false
	}
	return p.day(m.from.AddDate(0, 0, (int(t.value)+6)%7), m.next, true), true
}

// startingSeason reads "summer 2022", "summer of 2022", "in the summer".
func (p *dateParser) startingSeason(i int) (dateMatch, bool) {
	t := p.at(i)
	if y, next, ok := p.yearAt(i + 1); ok {
		from, to := p.season(y, int(t.value))
		return dateMatch{from: from, to: to, next: next}, true
	}
	if p.is(i+1, ofWord) {
		if m, ok := p.directed(i + 2); ok && m.to.Sub(m.from) > 300*24*time.Hour {
			from, to := p.season(m.from.Year(), int(t.value))
			return dateMatch{from: from, to: to, next: m.next, relative: true}, true
		}
	}
	if !p.seasonMayStand(i, t) {
		return dateMatch{}, false
	}
	from, to := p.nearestSeason(int(t.value), p.ahead(i))
	return dateMatch{from: from, to: to, next: i + 1, relative: true}, true
}

// seasonMayStand reports whether a season's name alone means the season, as in "the
// fall". If another word follows, "fall" and "spring" may mean something else.
func (p *dateParser) seasonMayStand(i int, season dateToken) bool {
	if season.doubtful && p.is(i+1, otherWord) {
		return false
	}
	return p.is(i-1, theWord) || p.is(i-1, inWord)
}

// nearestSeason is the season of this year, unless it lies in the other direction:
// then it is the next one ahead, or the last one.
func (p *dateParser) nearestSeason(s int, ahead bool) (from, to time.Time) {
	from, to = p.directedSeason(s, 0)
	switch {
	case ahead && !to.After(p.anchor):
		return p.directedSeason(s, 1)
	case !ahead && from.After(p.anchor):
		return p.directedSeason(s, -1)
	}
	return from, to
}

// startingQuarter reads "Q1 2023", "Q3", "first quarter of 2023", and a day of
// a month whose number is written as a word: "the eighth of June".
func (p *dateParser) startingQuarter(i int) (dateMatch, bool) {
	t, j := p.at(i), i+1
	if t.class == ordinalWord {
		if p.is(j, ofWord) && p.is(j+1, monthWord) {
			return p.dayMonth(i)
		}
		if unit := p.at(j); t.value > 4 || unit.class != unitWord || unit.value != unitQuarter {
			return dateMatch{}, false
		}
		j++
	}
	if y, next, ok := p.yearAt(j); ok {
		from, to := p.quarter(y, int(t.value))
		return dateMatch{from: from, to: to, next: next}, true
	}
	if p.is(j, ofWord) {
		j++
	}
	if m, ok := p.directed(j); ok && m.to.Sub(m.from) > 300*24*time.Hour {
		from, to := p.quarter(m.from.Year(), int(t.value))
		return dateMatch{from: from, to: to, next: m.next, relative: true}, true
	}
	if t.class == ordinalWord {
		return dateMatch{}, false
	}
	from, to := p.quarter(p.anchor.Year(), int(t.value))
	return dateMatch{from: from, to: to, next: i + 1, relative: true}, true
}

// endsClause reports whether a token is punctuation that ends a clause.
func (t dateToken) endsClause() bool {
	if t.class != mark {
		return false
	}
	switch t.value {
	case '.', '!', '?', ';', ':', ',', '\n':
		return true
	}
	return false
}

// direction is 1 when the words before an expression point ahead, -1 when the verb
// of its clause tells what is over, else 0.
func (p *dateParser) direction(i int) int {
	if p.ahead(i) {
		return 1
	}
	for j := i - 1; j >= 0 && j >= i-lookBack; j-- {
		switch t := p.at(j); {
		case t.endsClause():
			return 0
		case t.class == beWord: // "is booked for 3 March" lies ahead, or it is unknown
			return 0
		case t.class == pastWord && p.is(j-1, beWord):
			return 0
		case t.class == pastWord:
			return -1
		}
	}
	return p.verbAfter(i)
}

// verbAfter is the direction of the first verb behind a date that its clause begins with:
// "On 14 February my son was born".
func (p *dateParser) verbAfter(i int) int {
	for j := i; j < i+lookBack; j++ {
		switch t := p.at(j); {
		case t.endsClause() && j > i, t.class == beWord:
			return 0
		case t.class == futureWord:
			return 1
		case t.class == pastWord:
			return -1
		}
	}
	return 0
}
