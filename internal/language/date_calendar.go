package language

import "time"

// civil is the start of a day in the anchor's location. Months and days may lie
// outside their range; they carry over as in [time.Date].
func (p *dateParser) civil(y, m, d int) time.Time {
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, p.anchor.Location())
}

// today is the start of the anchor's day.
func (p *dateParser) today() time.Time {
	y, m, d := p.anchor.Date()
	return p.civil(y, int(m), d)
}

// addUnits moves t by n units of the calendar. Days are counted on the
// calendar, not in hours, so that a change of clocks moves nothing. A month before
// 31 March is 28 February, not 3 March.
func (p *dateParser) addUnits(t time.Time, unit dateUnit, n int) time.Time {
	switch unit {
	case unitDay, unitNight, unitHour:
		return t.AddDate(0, 0, n)
	case unitWeek, unitWeekend:
		return t.AddDate(0, 0, 7*n)
	case unitFortnight:
		return t.AddDate(0, 0, 14*n)
	case unitQuarter:
		n *= 3
	case unitYear:
		n *= 12
	case unitDecade:
		n *= 120
	}
	y, m, d := t.Date()
	first := p.civil(y, int(m)+n, 1)
	return first.AddDate(0, 0, min(d, daysIn(first.Year(), int(first.Month())))-1)
}

// containing is the calendar unit that t lies in: its week, its month….
func (p *dateParser) containing(t time.Time, unit dateUnit) dateSpan {
	year, mon, d := t.Date()
	y, m := year, int(mon)
	switch unit {
	case unitWeek, unitFortnight:
		return p.from(y, m, d-mondayOffset(t), 0, 7)
	case unitWeekend:
		return p.from(y, m, d-mondayOffset(t)+5, 0, 2)
	case unitMonth:
		return p.from(y, m, 1, 1, 0)
	case unitQuarter:
		return p.from(y, (m-1)/3*3+1, 1, 3, 0)
	case unitYear:
		return p.from(y, 1, 1, 12, 0)
	case unitDecade:
		return p.from(y-y%10, 1, 1, 120, 0)
	}
	return p.from(y, m, d, 0, 1)
}

// from is the span of some months or days that begins with a day.
func (p *dateParser) from(y, m, d, months, days int) dateSpan {
	return dateSpan{from: p.civil(y, m, d), to: p.civil(y, m+months, d+days)}
}

// day is one whole day.
func (p *dateParser) day(t time.Time) dateSpan { return p.containing(t, unitDay) }

// mondayOffset is how many days t lies after the Monday of its week.
func mondayOffset(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

// season is the meteorological season under way or to come this year, the last one that
// is over (dir −1), or the next one to begin. In January "this winter" began last year.
func (p *dateParser) season(season int32, dir int) dateSpan {
	y := p.anchor.Year()
	if season == 3 && p.anchor.Month() <= time.February {
		y--
	}
	first := 3*int(season) + 3
	s := p.from(y, first, 1, 3, 0)
	switch {
	case dir < 0 && s.to.After(p.anchor):
		return p.from(y-1, first, 1, 3, 0)
	case dir > 0 && !s.from.After(p.anchor):
		return p.from(y+1, first, 1, 3, 0)
	}
	return s
}

// third narrows a span to its early, middle or late part.
func third(s dateSpan, part int32) dateSpan {
	days := s.days()
	a, b := s.from.AddDate(0, 0, days/3), s.from.AddDate(0, 0, days-days/3)
	switch part {
	case 0:
		s.to = a
	case 1:
		s.from, s.to = a, b
	default:
		s.from = b
	}
	return s
}

// weekday is the nearest day of that name before (ahead false) or after the day
// of t; the day itself counts only with same.
func (p *dateParser) weekday(t time.Time, want int32, ahead, same bool) dateSpan {
	diff := (int(want) - int(t.Weekday()) + 7) % 7
	switch {
	case diff == 0 && same:
	case !ahead:
		diff -= 7
	case diff == 0:
		diff = 7
	}
	return p.day(t.AddDate(0, 0, diff))
}

// nearestYear chooses the year for a month or a day said without one: the one
// that puts it closest to the anchor, or the next to come or the last gone by, as
// its tense has it.
func (p *dateParser) nearestYear(m, d int, when tense) int {
	y, am, ad := p.anchor.Date()
	off := (m-int(am))*31 + d - ad
	switch {
	case when == ahead && off < 0:
		return y + 1
	case when == behind && off > 0:
		return y - 1
	case when == ahead || when == behind:
		return y
	case off > 186:
		return y - 1
	case off < -186:
		return y + 1
	}
	return y
}
