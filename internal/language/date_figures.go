package language

import "strings"

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
	switch rest := text[end:]; {
	case opensOrdinal(rest):
		t.ordinal = true
		end += 2
	case t.opensDecade(rest): // kept apart from a number by its unit
		t.class, t.digits = unitWord, 4
		end++
	default:
		after := skipGlued(text, end)
		if after > end {
			t.class = otherWord
		}
		end = after
	}
	t.end = int32(end)
	return t, end
}

// opensOrdinal reports whether what follows a number makes it an ordinal: "7th".
func opensOrdinal(rest string) bool {
	return len(rest) >= 2 && isOrdinalSuffix(rest[0], rest[1]) && !letterAt(rest, 2)
}

// opensDecade reports whether what follows a number makes it a decade: "the 1990s".
func (t dateToken) opensDecade(rest string) bool {
	round := t.digits == 4 && t.value%10 == 0
	return round && strings.HasPrefix(rest, "s") && !letterAt(rest, 1)
}

// skipGlued passes over what is glued to a number: letters, digits, and full stops
// before digits.
func skipGlued(text string, i int) int {
	for i < len(text) {
		point := text[i] == '.' && digitAt(text, i+1)
		if !point && !isLetterOrDigit(text[i]) {
			break
		}
		i++
	}
	return i
}

// letterAt reports whether an ASCII letter stands at i.
func letterAt(text string, i int) bool { return i < len(text) && isLetter(text[i]) }

// digitAt reports whether a digit stands at i.
func digitAt(text string, i int) bool { return i < len(text) && isDigit(text[i]) }

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
	if n1 > 4 || !digitAt(text, e1+1) {
		return dateToken{}, 0, false
	}
	sep := text[e1]
	if strings.IndexByte("-/.", sep) < 0 {
		return dateToken{}, 0, false
	}
	b, e2 := digitsAt(text, e1+1)
	c, e3, n3 := 0, e2, 0
	if digitAt(text, e2+1) && text[e2] == sep {
		c, e3 = digitsAt(text, e2+1)
		n3 = e3 - e2 - 1
	}
	y, m, d, ok := orderFigures(sep, [3]int{a, b, c}, [3]int{n1, e2 - e1 - 1, n3})
	if !ok || wordAt(text, e3) {
		return dateToken{}, 0, false
	}
	e3 = skipTime(text, e3)
	t := dateToken{start: int32(i), end: int32(e3), class: fullDate, value: int32(y*10000 + m*100 + d)}
	return t, e3, true
}

// wordAt reports whether a word stands at i, and not a time of day.
func wordAt(text string, i int) bool { return letterAt(text, i) && !isTimeMark(text, i) }

// orderFigures decides which figure is the year, the month and the day. The day is 0
// if there are only two figures.
func orderFigures(sep byte, v, width [3]int) (y, m, d int, ok bool) {
	switch {
	case width[1] > 2:
		return 0, 0, 0, false
	case width[0] == 4:
		return yearFirst(sep, v, width)
	case width[0] <= 2:
		return yearLast(sep, v, width)
	}
	return 0, 0, 0, false
}

// yearFirst reads 2023-05-07, 2023/5/7 and 2023-05.
func yearFirst(sep byte, v, width [3]int) (y, m, d int, ok bool) {
	y, m, d = v[0], v[1], v[2]
	if width[2] == 0 {
		spelt := sep == '-' && width[1] == 2
		return y, m, 0, spelt && validDay(y, m, 1) && plausibleYear(y)
	}
	return y, m, d, width[2] <= 2 && validDay(y, m, d) && plausibleYear(y)
}

// yearLast reads 5/7/2023, 5/7/23 and 7.5.2023.
func yearLast(sep byte, v, width [3]int) (y, m, d int, ok bool) {
	y, m, d = v[2], v[0], v[1]
	if sep != '/' || m > 12 {
		m, d = d, m
	}
	switch {
	case width[2] == 4:
	case width[2] == 2 && sep == '/':
		y = fullYear(y)
	default:
		return 0, 0, 0, false
	}
	return y, m, d, plausibleYear(y) && validDay(y, m, d)
}

// fullYear is the year of its last two figures: from 1970 to 2069.
func fullYear(y int) int {
	if y >= 70 {
		return 1900 + y
	}
	return 2000 + y
}

// isTimeMark reports whether the T of 2023-05-07T10:00 stands at i.
func isTimeMark(text string, i int) bool { return digitAt(text, i+1) && text[i] == 'T' }

// skipTime passes over the time of day of an ISO date.
func skipTime(text string, i int) int {
	if !isTimeMark(text, i) {
		return i
	}
	i++
	for i < len(text) && isOfTime(text, i) {
		i++
	}
	if strings.HasPrefix(text[i:], "Z") {
		i++
	}
	return i
}

// isOfTime reports whether the byte at i goes on with a time of day: 10:00:00.5.
func isOfTime(text string, i int) bool {
	switch text[i] {
	case ':':
		return true
	case '.':
		return digitAt(text, i+1)
	}
	return isDigit(text[i])
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
