package language

import "unicode/utf8"

// dateClass is the part a token can play in an expression of time.
type dateClass uint8

const (
	otherWord   dateClass = iota // any run of words that have no part
	mark                         // punctuation; value is the byte
	number                       // value, digits, ordinal
	fullDate                     // a date in figures; value is yyyymmdd, dd 0 for a month
	monthWord                    // value 1–12
	weekdayWord                  // value 0–6, Sunday first
	unitWord                     // value is a dateUnit
	countWord                    // value; vague for "a few"
	ordinalWord                  // "first" … "twelfth"
	seasonWord                   // value 0–3, spring first
	quarterWord                  // value 1–4
	lastWord                     // last, past, previous
	nextWord                     // next, coming
	thisWord                     // this, current
	agoWord                      // ago, back
	beforeWord                   // before, prior
	afterWord                    // after, following
	fromWord                     // from
	nowWord                      // now
	dayWord                      // value −1 yesterday, 0 today, 1 tomorrow
	theWord                      // the
	ofWord                       // of
	inWord                       // in
	sinceWord                    // since, until, during: a bare year may follow
	onWord                       // on (value 1), over, by, at: a bare weekday or month may follow
	partWord                     // value 0 early, 1 mid, 2 late
	everyWord                    // every, each: what follows repeats and is no date
	futureWord                   // will, shall, gonna, plan…
	beWord                       // is, are, am: with "…ing" it points ahead
	ingWord                      // a word in -ing
	pastWord                     // a word in -ed, was, had, went…: points back
	nameWord                     // before a weekday, part of a name: "Black Friday"
	toWord                       // to, and between two days of a month
)

// dateUnit is a unit of the calendar.
type dateUnit = int32

const (
	unitDay dateUnit = iota
	unitWeek
	unitFortnight
	unitMonth
	unitQuarter
	unitYear
	unitDecade
	unitWeekend
	unitHour
	unitNight // night, morning, afternoon, evening: a part of a day
)

// dateToken is a word, a number or a mark of the text.
type dateToken struct {
	start, end int32
	value      int32
	class      dateClass
	digits     uint8 // of a number
	capital    bool  // starts with an upper-case letter
	ordinal    bool  // a number with st, nd, rd or th
	vague      bool  // an inexact count: "a few"
	doubtful   bool  // also an everyday word or a name: may, march, sun, fall
}

// tellsTime reports whether a token can be what an expression of time is about.
// All others only say how it is meant.
func tellsTime(t dateToken) bool {
	switch t.class {
	case number, fullDate, monthWord, weekdayWord, unitWord, ordinalWord, seasonWord, quarterWord, nowWord, dayWord:
		return true
	}
	return false
}

// maxDateText is how much of a text is searched for dates; offsets are 32 bits.
const maxDateText = 1 << 30

// lexDates cuts text into tokens, appended to out. Runs of words that can have
// no part in a date become one token.
func lexDates(text string, out []dateToken) []dateToken {
	if len(text) > maxDateText {
		text = text[:maxDateText]
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case isLetter(c):
			var t dateToken
			t, i = lexDateWord(text, i)
			if t.class == otherWord && len(out) > 0 && out[len(out)-1].class == otherWord {
				out[len(out)-1].end = t.end
				continue
			}
			out = append(out, t)
		case isDigit(c):
			var t dateToken
			t, i = lexDateNumber(text, i)
			out = append(out, t)
		case c < utf8.RuneSelf:
			out = append(out, dateToken{start: int32(i), end: int32(i + 1), class: mark, value: int32(c)})
			i++
		default:
			var t dateToken
			t, i = lexDateRune(text, i)
			out = append(out, t)
		}
	}
	return out
}

// lexDateRune reads a character outside ASCII: a typographic mark, or a word.
func lexDateRune(text string, i int) (dateToken, int) {
	r, n := utf8.DecodeRuneInString(text[i:])
	t := dateToken{start: int32(i), end: int32(i + n), class: mark}
	switch r {
	case '’', '‘':
		t.value = '\''
	case '–', '—', '‑':
		t.value = '-'
	case '。', '！', '？', '…':
		t.value = '.'
	case '“', '”':
		t.value = '"'
	case '、', '，':
		t.value = ','
	default:
		return lexDateWord(text, i)
	}
	return t, i + n
}

// lexDateWord reads a run of letters and digits that begins with a letter. A word that
// is too long for the vocabulary is known by its ending only.
func lexDateWord(text string, i int) (dateToken, int) {
	var low [longestDateWord]byte
	n, end := lowerWord(text, i, &low)
	t := dateToken{start: int32(i), end: int32(end)}
	if n > longestDateWord {
		t.class = classByEnding(low[:copy(low[:], text[max(i, end-5):end])])
		return t, end
	}
	v, known := dateWords[string(low[:n])]
	switch {
	case known:
		t.class, t.value, t.vague, t.doubtful = v.class, v.value, v.vague, v.doubtful
	case n <= 4:
	case string(low[n-4:n]) == "need": // the word and its compounds are no participles
	default:
		t.class = classByEnding(low[:n])
	}
	t.capital = text[i] >= 'A' && text[i] <= 'Z'
	return t, end
}

// lowerWord reads the word at i in lower case, as far as there is room. n is its length,
// more than there is room for if it is longer or holds letters outside ASCII.
func lowerWord(text string, i int, low *[longestDateWord]byte) (n, end int) {
	for i < len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if isTypographic(r) {
				break
			}
			n, i = longestDateWord+1, i+size
			continue
		}
		if !isLetterOrDigit(c) {
			break
		}
		if n < longestDateWord {
			low[n] = lowerASCII(c)
		}
		n++
		i++
	}
	return n, i
}

// classByEnding is the class of a word of more than four bytes by its ending.
func classByEnding(w []byte) dateClass {
	n := len(w)
	switch {
	case n <= 4:
		return otherWord
	case string(w[n-3:]) == "ing":
		return ingWord
	case string(w[n-2:]) == "ed":
		return pastWord
	}
	return otherWord
}

func isTypographic(r rune) bool {
	switch r {
	case '’', '‘', '“', '”', '–', '—', '‑', '…', '。', '！', '？', '、', '，':
		return true
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetterOrDigit(c byte) bool { return isLetter(c) || isDigit(c) }

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
