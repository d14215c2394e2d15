package language

// figures reads 2023-05-07 and 2023-05.
func (p *dateParser) figures(f found) dateSpan {
	v := int(p.at(f.start).value)
	y, m, d := v/10000, v/100%100, v%100
	if d == 0 {
		return named(p.from(y, m, 1, 1, 0))
	}
	return named(p.from(y, m, d, 0, 1))
}

// named is a span whose month later days may mean.
func named(s dateSpan) dateSpan {
	s.named = true
	return s
}

// daysBetween reads "between 5 and 7 May"; without "between" they are a list.
func (p *dateParser) daysBetween(f found) dateSpan {
	if f.before.is&betweenWord == 0 {
		return dateSpan{}
	}
	return p.monthDays(f)
}

// monthDays reads "7 May 2023", "May 7th", "5–7 May" and "28 May to 2 June".
func (p *dateParser) monthDays(f found) dateSpan {
	first, last, month := p.token(f, dayNumber, 0), p.token(f, dayNumber, 1), p.token(f, monthWord, 0)
	if last.is == 0 {
		last = first
	}
	of := p.is(f.start+1, ofWord) || p.is(f.next-2, ofWord)
	year := p.token(f, yearNumber, 0)
	switch sure := year.is | last.is&nthWord; {
	case of:
	case isLetter(p.text[first.start]): // "second May"
		return dateSpan{}
	case sure == 0 && month.everyday(): // "may 3"
		return dateSpan{}
	}
	return p.spanned(f, first, last, month, p.token(f, monthWord, 1), year)
}

// spanned is the span from one day of a month to another of it, or of a second month.
// Without a year, the words of the clause tell which.
func (p *dateParser) spanned(f found, first, last, month, until, year dateToken) dateSpan {
	if until.is == 0 {
		until = month
	}
	a, b, m, n := int(first.value), int(last.value), int(month.value), int(until.value)
	y, over := int(year.value), 0
	if n < m {
		over = 1
		y--
	}
	if year.is == 0 {
		y = p.nearestYear(m, a, p.tense(f.start))
	}
	if !validDay(y, m, a) || !validDay(y+over, n, b) {
		return dateSpan{}
	}
	return dateSpan{from: p.civil(y, m, a), to: p.civil(y+over, n, b+1), relative: year.is == 0, named: true}
}

// listedDay reads the 14th in "the 14th, the 21st and the 28th of March": the list names
// the month in its end.
func (p *dateParser) listedDay(f found) dateSpan {
	i := f.start + 1
	for p.is(i, commaMark|andWord) {
		for p.is(i, commaMark|andWord|theWord) {
			i++
		}
		if !p.is(i, dayNumber) {
			return dateSpan{}
		}
		i++
	}
	if p.is(i, ofWord) {
		i++
	}
	month, year := p.at(i), i+1
	if p.is(year, marks) {
		year++
	}
	if month.is&monthWord == 0 || month.everyday() {
		return dateSpan{}
	}
	day, number := p.at(f.start), dateToken{}
	if p.is(year, yearNumber) {
		number = p.at(year)
	}
	s := p.spanned(f, day, day, month, month, number)
	s.next = f.start + 1
	return s
}

// maxDaysApart is how many tokens may stand between a date and a day that goes on
// from it: "on 12 April and back on the 26th".
const maxDaysApart = 12

// countsDays are the classes of what a day's number counts instead: "the 5th floor".
const countsDays = otherWord | unitWord | monthWord | partOfDay

// bareDay reads "on the 15th" where nothing names what is counted. Its month is the one
// said just before, or the one that the clause puts it in.
func (p *dateParser) bareDay(f found) dateSpan {
	t, leads := p.at(f.start), prepositions
	goesOn := p.said.next > 0 && f.start-p.said.next <= maxDaysApart
	if goesOn {
		leads |= andWord | commaMark
	}
	recurs := f.after.is&ofWord != 0 && p.is(f.next+1, everyWord)
	switch {
	case t.is&nthWord == 0, f.before.is&leads == 0, f.after.is&(countsDays&^partOfDay) != 0, recurs:
		return dateSpan{}
	case goesOn:
		return p.dayAfterSaid(int(t.value))
	}
	return p.nearestDay(f, int(t.value), anyWeekday)
}

// nextDay reads the 5 in "May 4 and 5".
func (p *dateParser) nextDay(f found) dateSpan {
	if f.start-1 != p.said.next || f.before.is&(andWord|commaMark) == 0 || f.after.is&countsDays != 0 {
		return dateSpan{}
	}
	return p.dayAfterSaid(int(p.at(f.start).value))
}

// dayAfterSaid is a day of the month said before, or of the next one if that day was later.
func (p *dateParser) dayAfterSaid(day int) dateSpan {
	y, m, d := p.said.from.Date()
	if p.said.days() < 28 && day < d {
		m++
	}
	s := named(p.day(p.civil(y, int(m), day)))
	if s.relative = true; s.from.Day() != day {
		return dateSpan{}
	}
	return s
}

// anyWeekday stands for no weekday in particular.
const anyWeekday = -1

// nthWeekday reads "Thursday the 26th".
func (p *dateParser) nthWeekday(f found) dateSpan {
	return p.nearestDay(f, int(p.token(f, nthWord, 0).value), p.at(f.start).value)
}

// nearestDay is a day of the anchor's month, or of the nearest one on the side of the
// clause that has the day, and has it on that weekday.
func (p *dateParser) nearestDay(f found, day int, weekday int32) dateSpan {
	when := p.tense(f.start)
	for _, step := range [...]int{0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6} {
		from := p.civil(p.anchor.Year(), int(p.anchor.Month())+step, day)
		gone, coming := from.Before(p.today()), from.After(p.today())
		if from.Day() != day || gone && when == ahead || coming && when == behind {
			continue
		}
		if weekday == anyWeekday || weekday == int32(from.Weekday()) {
			return p.day(from)
		}
	}
	return dateSpan{}
}

// monthOfYear reads "May 2023".
func (p *dateParser) monthOfYear(f found) dateSpan {
	return named(p.from(int(p.token(f, yearNumber, 0).value), int(p.at(f.start).value), 1, 1, 0))
}

// bareMonth reads "in May". April, June and August are also people; may and march also
// verbs.
func (p *dateParser) bareMonth(f found) dateSpan {
	month := p.at(f.start)
	placed := f.before.is&(prepositions|ofWord|partWord) != 0 || p.is(f.start-2, partWord)
	if month.everyday() || !placed && month.ofPerson() {
		return dateSpan{}
	}
	when, middle := p.tense(f.start), 15
	if when == behind || when == ahead { // the month under way is on neither side
		middle = p.anchor.Day()
	}
	return named(p.from(p.nearestYear(int(month.value), middle, when), int(month.value), 1, 1, 0))
}

// ofPerson reports whether a month's name may rather be that of a person, or another word.
func (t dateToken) ofPerson() bool {
	switch t.value {
	case 4, 6, 8:
		return true
	}
	return t.doubtful || !t.capital
}

// holiday reads "Christmas", "Christmas Eve 2022", "Valentine's Day" and "New Year's Eve".
func (p *dateParser) holiday(f found) dateSpan {
	t, year := p.at(f.start), p.token(f, yearNumber, 0)
	unit := p.token(f, unitWord, 0)
	if t.is&newWord != 0 {
		if unit.value != unitYear || !t.capital {
			return dateSpan{}
		}
		t.value, unit = 101, p.token(f, unitWord, 1)
	}
	if unit.value != unitDay || !standsAlone(f) {
		return dateSpan{}
	}
	m, d := int(t.value)/100, int(t.value)%100
	if p.token(f, eveWord, 0).is != 0 {
		d--
	}
	if year.is == 0 {
		year.value = int32(p.nearestYear(m, d, p.tense(f.start)))
	}
	s := p.from(int(year.value), m, d, 0, 1)
	s.relative = year.is == 0
	return s
}

// datedWeekday reads "Friday, 5 May 2023"; the date decides.
func (p *dateParser) datedWeekday(f found) dateSpan {
	if p.is(f.innerAt, dayNumber|monthWord|fullDate) && f.inner.named && f.inner.days() == 1 {
		return f.inner
	}
	return dateSpan{}
}

// bareWeekday reads "on Friday". "Sun" and "Sat" are also words.
func (p *dateParser) bareWeekday(f found) dateSpan {
	t := p.at(f.start)
	if t.doubtful && !namedOn(t, f) || !standsAlone(f) || p.recurs(f) {
		return dateSpan{}
	}
	when := p.tense(f.start)
	return p.weekday(p.today(), t.value, when != behind, mayBeToday(when, f))
}

// namedOn reports whether a word that may be another is a weekday: "on Sun".
func namedOn(t dateToken, f found) bool { return t.capital && f.before.is&onWord != 0 }

// mayBeToday reports whether a weekday may be the day on which it is said: "Friday: dinner", and
// not "on Friday", "we're meeting Friday".
func mayBeToday(when tense, f found) bool {
	return (when == unclear || when == present) && f.before.is&prepositions == 0
}

// weekdayBeside reads "the Friday before 15 July".
func (p *dateParser) weekdayBeside(f found) dateSpan {
	after, day := p.token(f, afterWord, 0).is != 0, f.inner.from
	if after {
		day = f.inner.to.AddDate(0, 0, -1)
	}
	s := p.weekday(day, p.at(f.start).value, after, false)
	s.relative = f.inner.relative
	return s
}

// weekdayOfWeek reads "Tuesday of last week".
func (p *dateParser) weekdayOfWeek(f found) dateSpan {
	if p.token(f, unitWord, 0).value != unitWeek {
		return dateSpan{}
	}
	monday := p.containing(p.today(), unitWeek).from
	return p.day(monday.AddDate(0, 0, 7*p.token(f, side, 0).direction()+(int(p.at(f.start).value)+6)%7))
}
