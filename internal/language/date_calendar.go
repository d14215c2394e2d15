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
// calendar, not in hours, so that a change of clocks moves nothing.
func (p *dateParser) addUnits(t time.Time, unit dateUnit, n int) time.Time {
	switch unit {
	case unitDay, unitNight, unitHour:
		return t.AddDate(0, 0, n)
	case unitWeek, unitWeekend:
		return t.AddDate(0, 0, 7*n)
	case unitFortnight:
		return t.AddDate(0, 0, 14*n)
	case unitMonth:
		return p.addMonths(t, n)
	case unitQuarter:
		return p.addMonths(t, 3*n)
	case unitDecade:
		return p.addMonths(t, 120*n)
	}
	return p.addMonths(t, 12*n)
}

// addMonths moves t by n months and keeps to the last day of a shorter month:
// a month before 31 March is 28 February, not 3 March.
func (p *dateParser) addMonths(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	month := y*12 + int(m) - 1 + n
	y, mm := month/12, month%12
	if mm < 0 {
		y, mm = y-1, mm+12
	}
	return p.civil(y, mm+1, min(d, daysIn(y, mm+1)))
}

// containing is the calendar unit that t lies in: its week, its month….
func (p *dateParser) containing(t time.Time, unit dateUnit) (from, to time.Time) {
	y, m, d := t.Date()
	switch unit {
	case unitWeek, unitFortnight:
		from = p.civil(y, int(m), d-mondayOffset(t))
		return from, from.AddDate(0, 0, 7)
	case unitWeekend:
		from = p.civil(y, int(m), d-mondayOffset(t)+5)
		return from, from.AddDate(0, 0, 2)
	case unitMonth:
		return p.month(y, int(m))
	case unitQuarter:
		return p.quarter(y, (int(m)-1)/3+1)
	case unitYear:
		return p.civil(y, 1, 1), p.civil(y+1, 1, 1)
	case unitDecade:
		y -= y % 10
		return p.civil(y, 1, 1), p.civil(y+10, 1, 1)
	}
	return p.civil(y, int(m), d), p.civil(y, int(m), d+1)
}

// mondayOffset is how many days t lies after the Monday of its week.
func mondayOffset(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

func (p *dateParser) month(y, m int) (from, to time.Time) {
	return p.civil(y, m, 1), p.civil(y, m+1, 1)
}

func (p *dateParser) quarter(y, q int) (from, to time.Time) {
	return p.civil(y, 3*q-2, 1), p.civil(y, 3*q+1, 1)
}

// season is the meteorological season that begins in year y.
func (p *dateParser) season(y, s int) (from, to time.Time) {
	return p.civil(y, 3*s+3, 1), p.civil(y, 3*s+6, 1)
}

// third narrows a span to its early, middle or late part.
func (p *dateParser) third(from, to time.Time, part int32) (time.Time, time.Time) {
	days := int(to.Sub(from).Hours()+12) / 24
	a, b := from.AddDate(0, 0, days/3), from.AddDate(0, 0, days-days/3)
	switch part {
	case 0:
		return from, a
	case 1:
		return a, b
	}
	return b, to
}

// weekday is the nearest day of that name before (ahead false) or after the day
// of t; the day itself counts only with same.
func (p *dateParser) weekday(t time.Time, want int, ahead, same bool) time.Time {
	diff := (want - int(t.Weekday()) + 7) % 7
	if diff == 0 && !same {
		diff = 7
	}
	if !ahead && diff > 0 {
		diff -= 7
		if diff == 0 {
			diff = -7
		}
	}
	y, m, d := t.Date()
	return p.civil(y, int(m), d+diff)
}

// nearestYear chooses the year for a month or a day said without one: the one
// that puts it closest to the anchor, or the next to come or the last gone by when
// direction is 1 or -1.
func (p *dateParser) nearestYear(m, d, direction int) int {
	y, am, ad := p.anchor.Date()
	off := (m-int(am))*31 + d - ad
	switch {
	case direction > 0 && off < 0:
		return y + 1
	case direction > 0:
		return y
	case direction < 0 && off > 31:
		return y - 1
	case direction < 0:
		return y
	case off > 186:
		return y - 1
	case off < -186:
		return y + 1
	}
	return y
}
