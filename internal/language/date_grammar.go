package language

import "time"

// dateParser reads expressions of time from tokens by recursive descent; the
// rules that start with a unit are in date_span.go.
type dateParser struct {
	tokens     []dateToken
	anchor     time.Time
	relativeOK bool
	// said is the last day found, which "and back on the 26th" goes on from.
	said dateMatch
}

// at is the token at i, or a mark past the end.
func (p *dateParser) at(i int) dateToken {
	if i < 0 || i >= len(p.tokens) {
		return dateToken{class: mark}
	}
	return p.tokens[i]
}

// is reports whether the token at i has the class.
func (p *dateParser) is(i int, c dateClass) bool { return p.at(i).class == c }

// isMark reports whether the token at i is that piece of punctuation.
func (p *dateParser) isMark(i int, c byte) bool {
	t := p.at(i)
	return t.class == mark && t.value == int32(c)
}

// date reads the expression that starts at token i.
func (p *dateParser) date(i, depth int) (dateMatch, bool) {
	if depth <= 0 || p.is(i-1, everyWord) {
		return dateMatch{}, false
	}
	switch t := p.at(i); t.class {
	case fullDate:
		return p.figures(i)
	case number:
		return p.startingNumber(i, depth)
	case countWord:
		return p.counted(i, depth)
	case monthWord:
		return p.startingMonth(i)
	case weekdayWord:
		return p.startingWeekday(i, depth)
	case lastWord, nextWord, thisWord:
		return p.directed(i)
	case dayWord:
		m := p.day(p.today().AddDate(0, 0, int(t.value)), p.dayPart(i+1), true)
		return m, true
	case theWord:
		return p.startingThe(i, depth)
	case unitWord:
		return p.bareUnit(i, depth)
	case inWord:
		return p.inCount(i)
	case partWord:
		return p.part(i, depth)
	case seasonWord:
		return p.startingSeason(i)
	case quarterWord, ordinalWord:
		return p.startingQuarter(i)
	}
	return dateMatch{}, false
}

// day is the match of one whole day.
func (p *dateParser) day(from time.Time, next int, relative bool) dateMatch {
	return dateMatch{from: from, to: from.AddDate(0, 0, 1), next: next, relative: relative}
}

// dayPart passes over "morning" in "yesterday morning": a day stays a day.
func (p *dateParser) dayPart(i int) int {
	if t := p.at(i); t.class == unitWord && t.value == unitNight {
		return i + 1
	}
	return i
}

func (p *dateParser) figures(i int) (dateMatch, bool) {
	v := int(p.at(i).value)
	y, m, d := v/10000, v/100%100, v%100
	if d == 0 {
		from, to := p.month(y, m)
		return dateMatch{from: from, to: to, next: i + 1}, true
	}
	return p.day(p.civil(y, m, d), i+1, false), true
}

// yearAt reads a year of four digits at i, after an optional comma or "of".
func (p *dateParser) yearAt(i int) (year, next int, ok bool) {
	if p.isMark(i, ',') || p.is(i, ofWord) {
		i++
	}
	t := p.at(i)
	if t.class != number || t.digits != 4 || t.ordinal || !plausibleYear(int(t.value)) {
		return 0, 0, false
	}
	return int(t.value), i + 1, true
}

// startingNumber reads "7 May 2023", "5–7 May", "in 2022" and "2 weeks ago".
func (p *dateParser) startingNumber(i, depth int) (dateMatch, bool) {
	t := p.at(i)
	if t.digits <= 2 {
		if m, ok := p.dayMonth(i); ok {
			return m, true
		}
	}
	if y, _, ok := p.yearAt(i); ok && p.yearMayStand(i) {
		last, next := y, i+1
		if y2, n, ok := p.yearAt(i + 2); ok && p.isMark(i+1, '-') && y2 > y {
			last, next = y2, n
		}
		return dateMatch{from: p.civil(y, 1, 1), to: p.civil(last+1, 1, 1), next: next}, true
	}
	return p.counted(i, depth)
}

// yearMayStand says whether a number of four digits reads as a year: after
// "in", "since", "before", or "(", not as a mere quantity.
func (p *dateParser) yearMayStand(i int) bool {
	if p.is(i+1, unitWord) {
		return false
	}
	if p.isMark(i-1, '(') && p.isMark(i+1, ')') {
		return true
	}
	switch p.at(i - 1).class {
	case inWord, sinceWord, beforeWord, afterWord, partWord:
		return true
	case mark:
		return p.isMark(i-1, '-') && p.is(i-2, partWord)
	case unitWord:
		return p.at(i-1).value == unitYear
	}
	return false
}

// dayMonth reads a day of the month before the month's name.
func (p *dateParser) dayMonth(i int) (dateMatch, bool) {
	first := p.at(i)
	j, last := i+1, first
	if through, ok := p.throughDay(j); ok {
		last, j = through, j+2
	}
	of := p.is(j, ofWord)
	if of {
		j++
	}
	month := p.at(j)
	if month.class != monthWord {
		return dateMatch{}, false
	}
	next := j + 1
	if p.isMark(next, '.') && p.is(next+1, number) {
		next++
	}
	y, after, ok := p.yearAt(next)
	if sure := ok || last.ordinal || of; !sure && month.everyday() {
		return dateMatch{}, false
	}
	return p.days(i, month, [2]int{int(first.value), int(last.value)}, y, next, after, ok)
}

// throughDay reads the last day of a range at j: "-7", "to 7".
func (p *dateParser) throughDay(j int) (dateToken, bool) {
	day := p.at(j + 1)
	return day, (p.isMark(j, '-') || p.is(j, toWord)) && day.class == number && day.digits <= 2
}

// everyday reports whether a token is rather an everyday word than a name: "may".
func (t dateToken) everyday() bool { return t.doubtful && !t.capital }

// days is a day of a month, or a range of them, with or without a year.
func (p *dateParser) days(i int, month dateToken, d [2]int, y, next, after int, withYear bool) (dateMatch, bool) {
	m := int(month.value)
	if withYear {
		next = after
	} else {
		y = p.nearestYear(m, d[0], p.direction(i))
	}
	if !validDay(y, m, d[0]) || !validDay(y, m, d[1]) || d[1] < d[0] {
		return dateMatch{}, false
	}
	return dateMatch{from: p.civil(y, m, d[0]), to: p.civil(y, m, d[1]+1), next: next, relative: !withYear}, true
}

// startingMonth reads "May 7th, 2023", "May 5–7", "May 2023" and "in May".
func (p *dateParser) startingMonth(i int) (dateMatch, bool) {
	month := p.at(i)
	j := i + 1
	if p.isMark(j, '.') && (p.is(j+1, number) || month.doubtful) {
		j++
	}
	if p.is(j, theWord) && p.at(j+1).ordinal {
		j++
	}
	if m, ok := p.monthDay(i, j, month); ok {
		return m, true
	}
	if y, next, ok := p.yearAt(j); ok {
		from, to := p.month(y, int(month.value))
		return dateMatch{from: from, to: to, next: next}, true
	}
	if !p.monthMayStand(i, month) {
		return dateMatch{}, false
	}
	y := p.nearestYear(int(month.value), 15, p.direction(i))
	from, to := p.month(y, int(month.value))
	return dateMatch{from: from, to: to, next: i + 1, relative: true}, true
}

// monthDay reads the day after a month's name.
func (p *dateParser) monthDay(i, j int, month dateToken) (dateMatch, bool) {
	day := p.at(j)
	if day.class != number || day.digits > 2 {
		return dateMatch{}, false
	}
	last, next := day, j+1
	if through, ok := p.throughDay(next); ok && through.value > day.value {
		last, next = through, next+2
	}
	y, after, ok := p.yearAt(next)
	if sure := ok || day.ordinal; !sure && month.everyday() {
		return dateMatch{}, false
	}
	return p.days(i, month, [2]int{int(day.value), int(last.value)}, y, next, after, ok)
}

// monthMayStand says whether a month's name alone means the month. April, June
// and August are also people; may and march also verbs.
func (p *dateParser) monthMayStand(i int, month dateToken) bool {
	if month.everyday() {
		return false
	}
	switch p.at(i - 1).class {
	case inWord, sinceWord, onWord, ofWord, beforeWord, afterWord, partWord, fromWord:
		return true
	case mark:
		return p.isMark(i-1, '-') && p.is(i-2, partWord)
	}
	switch month.value {
	case 4, 6, 8:
		return false
	}
	return month.capital && !month.doubtful
}

// lookBack is how many tokens before an expression may tell its direction.
const lookBack = 16

// ahead says whether the words before token i point to the future.
func (p *dateParser) ahead(i int) bool {
	for j := i - 1; j >= 0 && j >= i-lookBack; j-- {
		switch t := p.at(j); t.class {
		case mark:
			switch t.value {
			case '.', '!', '?', ';', '\n':
				return false
			}
		case futureWord:
			return true
		case ingWord:
			if p.is(j-1, beWord) {
				return true
			}
		}
	}
	return false
}
