package language

// lexDateNumber reads a number, an ordinal, or a whole date in figures.
// Anything else that begins with a digit (3.5, 5pm, 2k) has no part in a date.
func lexDateNumber(text string, i int) (dateToken, int) {
	if t, end, ok := lexFigures(text, i); ok {
		return t, end
	}
	value, end := digitsAt(text, i)
	t := dateToken{start: int32(i), class: number, value: int32(value), digits: uint8(min(end-i, 255))}
	if end-i > 4 {
		t.class = otherWord
	}
	if rest := text[end:]; len(rest) >= 2 && isOrdinalSuffix(rest[0], rest[1]) && (len(rest) == 2 || !isLetter(rest[2])) {
		t.ordinal = true
		end += 2
	} else if t.digits == 4 && t.value%10 == 0 && len(rest) > 0 && rest[0] == 's' && (len(rest) == 1 || !isLetter(rest[1])) {
		// "the 1990s": a decade, kept apart from a number by its unit.
		t.class, t.digits = unitWord, 4
		end++
	} else {
		for end < len(text) && (isLetter(text[end]) || isDigit(text[end]) ||
			(text[end] == '.' && end+1 < len(text) && isDigit(text[end+1]))) {
			t.class = otherWord
			end++
		}
	}
	t.end = int32(end)
	return t, end
}

func isOrdinalSuffix(a, b byte) bool {
	switch string([]byte{lowerASCII(a), lowerASCII(b)}) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// digitsAt reads a run of digits; the value stops growing after nine of them.
func digitsAt(text string, i int) (value, end int) {
	end = i
	for end < len(text) && isDigit(text[end]) {
		if end-i < 9 {
			value = value*10 + int(text[end]-'0')
		}
		end++
	}
	return value, end
}

// lexFigures reads 2023-05-07, 2023/05/07, 2023-05, 5/7/2023, 5/7/23 and
// 7.5.2023. With slashes the month comes first, as most English text has it,
// unless only the other order is a date; with dots the day comes first.
func lexFigures(text string, i int) (dateToken, int, bool) {
	a, e1 := digitsAt(text, i)
	n1 := e1 - i
	if n1 > 4 || e1+1 >= len(text) || !isDigit(text[e1+1]) {
		return dateToken{}, 0, false
	}
	sep := text[e1]
	if sep != '-' && sep != '/' && sep != '.' {
		return dateToken{}, 0, false
	}
	b, e2 := digitsAt(text, e1+1)
	c, e3, n3 := 0, e2, 0
	if e2+1 < len(text) && text[e2] == sep && isDigit(text[e2+1]) {
		c, e3 = digitsAt(text, e2+1)
		n3 = e3 - e2 - 1
	}
	y, m, d, ok := orderFigures(sep, [3]int{a, b, c}, [3]int{n1, e2 - e1 - 1, n3})
	if !ok || (e3 < len(text) && isLetter(text[e3]) && !isTimeMark(text, e3)) {
		return dateToken{}, 0, false
	}
	e3 = skipTime(text, e3)
	t := dateToken{start: int32(i), end: int32(e3), class: fullDate, value: int32(y*10000 + m*100 + d)}
	return t, e3, true
}

// orderFigures decides which figure is the year, the month and the day.
func orderFigures(sep byte, v, width [3]int) (y, m, d int, ok bool) {
	switch {
	case width[0] == 4 && width[1] <= 2 && width[2] == 0:
		y, m = v[0], v[1]
		return y, m, 0, sep == '-' && width[1] == 2 && plausibleYear(y) && m >= 1 && m <= 12
	case width[0] == 4 && width[1] <= 2 && width[2] <= 2:
		y, m, d = v[0], v[1], v[2]
	case width[0] <= 2 && width[1] <= 2 && (width[2] == 4 || (width[2] == 2 && sep == '/')):
		y, m, d = v[2], v[0], v[1]
		if sep != '/' || m > 12 {
			m, d = d, m
		}
		if width[2] == 2 {
			y += 2000
			if v[2] >= 70 {
				y -= 100
			}
		}
	default:
		return 0, 0, 0, false
	}
	return y, m, d, plausibleYear(y) && validDay(y, m, d)
}

// isTimeMark reports whether the T of 2023-05-07T10:00 stands at i.
func isTimeMark(text string, i int) bool {
	return text[i] == 'T' && i+1 < len(text) && isDigit(text[i+1])
}

// skipTime passes over the time of day of an ISO date.
func skipTime(text string, i int) int {
	if i >= len(text) || !isTimeMark(text, i) {
		return i
	}
	i++
	for i < len(text) && (isDigit(text[i]) || text[i] == ':' || (text[i] == '.' && i+1 < len(text) && isDigit(text[i+1]))) {
		i++
	}
	if i < len(text) && text[i] == 'Z' {
		i++
	}
	return i
}

// plausibleYear says whether a number of four digits reads as a year. Before
// 1800 people who chat mean quantities.
func plausibleYear(y int) bool { return y >= 1800 && y < 2200 }

func validDay(y, m, d int) bool {
	return m >= 1 && m <= 12 && d >= 1 && d <= daysIn(y, m)
}

func daysIn(y, m int) int {
	switch m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
