package language

import (
	"strings"
	"time"
)

// lexDateNumber reads a number, an ordinal, a decade, or a whole date in figures.
// Anything else that begins with a digit (3.5, 5pm, 2k) has no part in a date.
func lexDateNumber(text string, i int, layouts []string) dateToken {
	if t, ok := lexFigures(text, i, layouts); ok {
		return t
	}
	value, end := digitsAt(text, i)
	t := dateToken{is: numberClass(value, end-i), end: int32(end), value: int32(value)}
	switch rest := text[end:]; {
	case t.is == otherWord:
	case opensOrdinal(rest):
		t.is, t.end = nthWord|t.is&dayNumber, t.end+2
		return t
	case strings.HasPrefix(rest, "s") && !letterAt(rest, 1):
		if decade := decadeOf(value, end-i); decade > 0 {
			return dateToken{is: decadeWord, end: t.end + 1, value: int32(decade)}
		}
	}
	for isWordByteAt(text, end) {
		t.is, end = otherWord, end+1
	}
	t.end = int32(end)
	return t
}

// numberClass is what a number of some digits may be.
func numberClass(value, width int) wordClass {
	switch {
	case width <= 2 && value >= 1 && value <= 31:
		return countWord | dayNumber
	case width == 4 && plausibleYear(value):
		return countWord | yearNumber
	case width <= 4:
		return countWord
	}
	return otherWord
}

// decadeOf is the first year of a decade: "1990s", "90s"; 0 for none.
func decadeOf(value, width int) int {
	switch {
	case value%10 != 0:
		return 0
	case width == 2 && value >= 30:
		return 1900 + value
	case width == 4 && plausibleYear(value):
		return value
	}
	return 0
}

// isWordByteAt reports whether a word goes on at i, with a full stop only before a digit.
func isWordByteAt(text string, i int) bool {
	return i < len(text) && (isLetterOrDigit(text[i]) || text[i] == '.' && digitAt(text, i+1))
}

// opensOrdinal reports whether what follows a number makes it an ordinal: "7th".
func opensOrdinal(rest string) bool {
	if len(rest) < 2 || letterAt(rest, 2) {
		return false
	}
	switch string([]byte{lowerASCII(rest[0]), lowerASCII(rest[1])}) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// digitsAt reads a run of digits; the value stops growing after nine of them.
func digitsAt(text string, i int) (value, end int) {
	for end = i; digitAt(text, end); end++ {
		if end-i < 9 {
			value = value*10 + int(text[end]-'0')
		}
	}
	return value, end
}

// figureLayouts are the dates in figures. With slashes the month comes first, as most
// English text has it, unless only the other order is a date; with dots the day comes
// first.
var figureLayouts = []string{aMonth, "2006-1-2", "2006/1/2", "2006.1.2", "1/2/2006", "2/1/2006", "1/2/06", "2/1/06", "2.1.2006", "2-1-2006"}

// aMonth is the layout without a day.
const aMonth = "2006-01"

// lexFigures reads a whole date in figures, and 2023-05.
func lexFigures(text string, i int, layouts []string) (dateToken, bool) {
	end := i
	for figureAt(text, end) {
		end++
	}
	word := letterAt(text, end) && !isTimeMark(text, end)
	if word || end-i < len("2006-01") || end-i > len("2006-01-02") {
		return dateToken{}, false // as most numbers
	}
	t := dateToken{is: fullDate, end: int32(skipTime(text, end))}
	for _, layout := range layouts {
		day, err := time.Parse(layout, text[i:end])
		if err != nil {
			continue
		}
		if t.value = int32(day.Year()*10000 + int(day.Month())*100); layout != aMonth {
			t.value += int32(day.Day())
		}
		return t, plausibleYear(day.Year())
	}
	return dateToken{}, false
}

// figureAt reports whether a digit, or a mark between digits, stands at i.
func figureAt(text string, i int) bool {
	return digitAt(text, i) || digitAt(text, i+1) && strings.IndexByte("-/.", text[i]) >= 0
}

// isTimeMark reports whether the T of 2023-05-07T10:00 stands at i.
func isTimeMark(text string, i int) bool { return digitAt(text, i+1) && text[i] == 'T' }

// skipTime passes over the time of day of an ISO date.
func skipTime(text string, i int) int {
	if !isTimeMark(text, i) {
		return i
	}
	i++
	i += len(text[i:]) - len(strings.TrimLeft(text[i:], "0123456789:."))
	if text[i-1] == '.' {
		i--
	}
	if strings.HasPrefix(text[i:], "Z") {
		i++
	}
	return i
}

// plausibleYear says whether a number of four digits reads as a year. Before
// 1800 people who chat mean quantities.
func plausibleYear(y int) bool { return y >= 1800 && y < 2200 }

func validDay(y, m, d int) bool { return m >= 1 && m <= 12 && d >= 1 && d <= daysIn(y, m) }

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
