package language

import "time"

// relativeDay reads "yesterday morning": a day stays a day. "Am Morgen" is a part of a day.
func (p *dateParser) relativeDay(f found) dateSpan {
	if day := p.at(f.start); day.is&partOfDay != 0 && (f.the || f.before.is&(nameWord|theWord|prepositions) != 0) {
		return dateSpan{}
	}
	return p.day(p.today().AddDate(0, 0, int(p.at(f.start).value)))
}

// direction is −1 for "last", 1 for "next", 0 for "this".
func (t dateToken) direction() int {
	switch {
	case t.is&lastWord != 0:
		return -1
	case t.is&nextWord != 0:
		return 1
	}
	return 0
}

// directedWeekday reads "last Tuesday". "This Friday" lies behind only when nothing
// points ahead and the day has gone by in this week already.
func (p *dateParser) directedWeekday(f found) dateSpan {
	dir, day := p.token(f, side, 0).direction(), p.token(f, weekdayWord, 0)
	gone := p.tense(f.start+1) < present && (int(day.value)+6)%7 < mondayOffset(p.anchor)
	return p.weekday(p.today(), day.value, dir > 0 || dir == 0 && !gone, dir == 0)
}

// directedMonth reads "last May": the newest one that is over, or under way for "this".
func (p *dateParser) directedMonth(f found) dateSpan {
	dir, m := p.token(f, side, 0).direction(), int(p.token(f, monthWord, 0).value)
	y, under, _ := p.anchor.Date()
	switch {
	case dir < 0 && m >= int(under):
		y--
	case dir > 0 && m <= int(under):
		y++
	}
	return named(p.from(y, m, 1, 1, 0))
}

// directedSeason reads "last summer".
func (p *dateParser) directedSeason(f found) dateSpan {
	return p.season(p.token(f, seasonWord, 0).value, p.token(f, side, 0).direction())
}

// bareSeason reads "in the summer": the one of this year, unless it lies on the other
// side. If another word follows, "fall" and "spring" may mean something else.
func (p *dateParser) bareSeason(f found) dateSpan {
	t := p.at(f.start)
	s, coming := p.season(t.value, 0), p.tense(f.start) >= present
	switch {
	case t.doubtful && f.after.is&otherWord != 0, !p.is(f.start-1, theWord|inWord):
		return dateSpan{}
	case coming && s.to.Before(p.anchor):
		return p.season(t.value, 1)
	case !coming && s.from.After(p.anchor):
		return p.season(t.value, -1)
	}
	return s
}

// seasonOfYear reads "summer of 2022", "Q3 last year", "the first quarter of 2023".
func (p *dateParser) seasonOfYear(f found) dateSpan {
	t, year := p.at(f.start), int(p.token(f, yearNumber, 0).value)
	switch {
	case t.is&nthWord != 0 && (p.at(f.start+1).value != unitQuarter || t.value > 4):
		return dateSpan{}
	case year > 0:
	case p.at(f.next-1).value != unitYear: // "the summer of last week"
		return dateSpan{}
	default:
		year = p.anchor.Year() + p.token(f, side, 0).direction()
	}
	if t.is&seasonWord != 0 {
		return p.from(year, 3*int(t.value)+3, 1, 3, 0)
	}
	return p.from(year, 3*int(t.value)-2, 1, 3, 0)
}

// bareQuarter reads "Q3".
func (p *dateParser) bareQuarter(f found) dateSpan {
	return p.from(p.anchor.Year(), 3*int(p.at(f.start).value)-2, 1, 3, 0)
}

// partOf reads "early June", "mid-2022", "the end of last year".
func (p *dateParser) partOf(f found) dateSpan {
	if f.inner.days() < 20 {
		return dateSpan{}
	}
	return third(f.inner, p.at(f.start).value)
}

// partOfUnit reads "the end of the month".
func (p *dateParser) partOfUnit(f found) dateSpan {
	s := p.containing(p.today(), p.at(f.next-1).value)
	if s.days() < 20 {
		return dateSpan{}
	}
	return third(s, p.at(f.start).value)
}

// years reads "in 2022" and "2019-2021". A number of four digits is a year after "in",
// "since", "before", or "(", not as a mere quantity.
func (p *dateParser) years(f found) dateSpan {
	const leads = inWord | sinceWord | untilWord | duringWord | beforeWord | afterWord | partWord
	first, last := int(p.at(f.start).value), int(p.token(f, yearNumber, 1).value)
	switch before := f.before.is; {
	case f.after.is&unitWord != 0:
		return dateSpan{}
	case before&leads != 0:
	case before&f.after.is&bracketMark != 0:
	case before&dashMark != 0 && p.is(f.start-2, partWord):
	case before&unitWord != 0 && f.before.value == unitYear:
	default:
		return dateSpan{}
	}
	return p.from(first, 1, 1, 12*(max(first, last)-first+1), 0)
}

// decade reads "the 1990s" and "in the 90s".
func (p *dateParser) decade(f found) dateSpan {
	if !f.the && f.before.is&(inWord|sinceWord|duringWord|partWord) == 0 {
		return dateSpan{}
	}
	return p.from(int(p.at(f.start).value), 1, 1, 120, 0)
}

// theWeekend reads "the weekend".
func (p *dateParser) theWeekend(f found) dateSpan {
	if !f.the || p.at(f.start).value != unitWeekend {
		return dateSpan{}
	}
	s := p.containing(p.today(), unitWeekend)
	if p.tense(f.start) < present && s.from.After(p.today()) {
		return p.moved(s, unitWeek, -1)
	}
	return s
}

// directedUnit reads "last week", "next year", "this morning", "last night".
func (p *dateParser) directedUnit(f found) dateSpan {
	dir, t := p.token(f, side, 0).direction(), p.token(f, unitWord|partOfDay, 0)
	switch unit := t.value; {
	case t.is&partOfDay != 0:
		return p.day(p.today().AddDate(0, 0, dir))
	case unit == unitHour || unit == unitNight || unit == unitDay && dir != 0:
		return dateSpan{}
	case unit == unitWeekend && dir < 0: // said on a Sunday, not the one under way
		sunday := p.weekday(p.today(), int32(time.Sunday), false, false)
		return p.containing(sunday.from, unitWeekend)
	default:
		return p.containing(p.addUnits(p.containing(p.today(), unit).from, unit, dir), unit)
	}
}

// unitBeyond reads "the week before last" and "the Friday after next".
func (p *dateParser) unitBeyond(f found) dateSpan {
	t, sign := p.at(f.start), -1
	if p.is(f.start+2, nextWord) {
		sign = 1
	}
	if t.is&weekdayWord != 0 {
		return p.moved(p.weekday(p.today(), t.value, sign > 0, false), unitWeek, sign)
	}
	return p.containing(p.addUnits(p.containing(p.today(), t.value).from, t.value, 2*sign), t.value)
}

// moved is a span some units earlier or later.
func (p *dateParser) moved(s dateSpan, unit dateUnit, n int) dateSpan {
	s.from, s.to = p.addUnits(s.from, unit, n), p.addUnits(s.to, unit, n)
	return s
}

// units is a number of units of the calendar: "two weeks".
type units struct {
	n     int
	unit  dateUnit
	vague bool
}

// units reads the number and the unit of a form.
func (p *dateParser) units(f found) units {
	count, vague := p.token(f, countWord, 0), p.token(f, vagueWord, 0)
	u := units{n: int(count.value), unit: p.token(f, unitWord, 0).value, vague: vague.is != 0}
	switch {
	case count.is == 0:
		u.n = 1
	case u.vague:
		u.n = int(vague.value)
	}
	return u
}

// away reads "two weeks ago", "3 months from now" and "in two weeks". What holds "90 days
// from now on" names no day, and "we haven't met in a few days" is a length.
func (p *dateParser) away(f found) dateSpan {
	u := p.units(f)
	in, ago := p.is(f.start, inWord), p.token(f, agoWord, 0).is|p.token(f, backWord, 0).is != 0
	switch {
	case in && (u.unit == unitNight || f.after.is&agoWord != 0), in && u.vague && p.tense(f.start) != ahead:
		return dateSpan{}
	case p.is(f.next-1, nowWord) && p.word(f.after) == "on":
		return dateSpan{}
	case ago:
		u.n = -u.n
	}
	if u.unit == unitHour { // hours do not leave the day by much; the day they reach is enough
		return p.day(p.anchor.Add(time.Duration(u.n) * time.Hour))
	}
	return p.distance(p.today(), u)
}

// unitsFrom reads "a week from Friday": that day, a week later.
func (p *dateParser) unitsFrom(f found) dateSpan {
	u := p.units(f)
	if f.inner.days() != 1 {
		return dateSpan{}
	}
	return p.moved(f.inner, u.unit, u.n)
}

// distance is the span some units from the day t. The further away, the less exact people
// are: days are days, weeks seven days around it, months and years whole ones.
func (p *dateParser) distance(t time.Time, u units) dateSpan {
	at := p.addUnits(t, u.unit, u.n)
	s := p.containing(at, u.unit)
	if u.unit == unitWeek || u.unit == unitFortnight {
		s.from, s.to = at.AddDate(0, 0, -3), at.AddDate(0, 0, 4)
	}
	if u.vague {
		s.from, s.to = p.addUnits(s.from, u.unit, -1), p.addUnits(s.to, u.unit, 1)
	}
	return s
}

// unitOf reads "the week of 9 June".
func (p *dateParser) unitOf(f found) dateSpan {
	if f.inner.days() > 8 || p.at(f.start).value >= unitHour {
		return dateSpan{}
	}
	s := p.containing(f.inner.from, p.at(f.start).value)
	s.relative = f.inner.relative
	return s
}

// unitsBeside reads "the week before 9 June" and "two days after Friday".
func (p *dateParser) unitsBeside(f found) dateSpan {
	u, s := p.units(f), f.inner
	before := p.token(f, beforeWord, 0).is != 0
	u.vague, s.named = false, false
	switch {
	case p.is(f.start, unitWord) && u.unit >= unitHour:
		return dateSpan{}
	case u.unit == unitWeekend:
		s = p.weekday(s.from, int32(time.Saturday), !before, false)
		s.to = s.to.AddDate(0, 0, 1)
	case before && u.n == 1:
		s.from, s.to = p.addUnits(s.from, u.unit, -1), s.from
	case before:
		u.n = -u.n
		s = p.distance(s.from, u)
	case u.n == 1:
		s.from, s.to = s.to, p.addUnits(s.to, u.unit, 1)
	default:
		s = p.distance(s.to.AddDate(0, 0, -1), u)
	}
	s.relative = f.inner.relative
	return s
}

// stretch reads "the last two weeks": the span up to the anchor.
func (p *dateParser) stretch(f found) dateSpan {
	u := p.units(f)
	if count := p.at(f.start + 1); count.value == 1 && count.is&dayNumber == 0 {
		return dateSpan{} // "last one week"
	}
	if u.vague {
		u.n++
	}
	s := p.day(p.today())
	if p.is(f.start, lastWord) {
		s.from = p.addUnits(s.from, u.unit, -u.n)
	} else {
		s.to = p.addUnits(s.to, u.unit, u.n)
	}
	return s
}
