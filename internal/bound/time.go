package bound

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// The years of an accepted time. RFC 3339 ends with 9999. The last year is left out, so
// that no zone and no added day leads beyond it.
const (
	firstYear = 1970
	lastYear  = 9998
)

// Allowed describes the accepted times. It completes "… must be".
const Allowed = "an RFC 3339 time such as 2026-11-21T10:00:00Z, or seconds (or, with 13 digits, milliseconds) since 1970, in the years 1970 to 9998"

// AllowedDay describes the accepted times where a day will do, too. It completes "… must be".
const AllowedDay = "a day such as 2026-11-21, " + Allowed

// ErrForm is the error of a text or a number that is not a time, ErrYear of a time in a
// year that is not accepted.
var (
	ErrForm = errors.New("not a time")
	ErrYear = errors.New("the year is not between 1970 and 9998")
)

// Time checks a time that comes from outside, and returns it in UTC, in whole
// milliseconds.
func Time(t time.Time) (time.Time, error) {
	t = t.UTC().Truncate(time.Millisecond)
	if y := t.Year(); y < firstYear || y > lastYear {
		return time.Time{}, ErrYear
	}
	return t, nil
}

// ParseTime reads a time from a header or a query: in RFC 3339, or as seconds or
// milliseconds since 1970, of 10 or 13 digits. A shorter number may be meant as a year
// or a duration, and is refused.
func ParseTime(text string) (time.Time, error) {
	if strings.Trim(text, "0123456789") == "" && (len(text) == secondsDigits || len(text) == millisDigits) {
		return number(text)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, ErrForm
	}
	return Time(at)
}

// Day says which moment stands for a day, where a day is given in place of a time. Days
// are those of UTC.
type Day int

// The moments of a day.
const (
	DayStart Day = iota // its first millisecond: from then on, or before it
	DayEnd              // its last millisecond: as it was then
	DayOver             // the first millisecond after it: until then, with all of the day
)

// ParseMoment reads a time as [ParseTime] does, or a day.
func ParseMoment(text string, of Day) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return ParseTime(text)
	}
	if day, err = Time(day); err != nil {
		return day, err
	}
	switch next := day.AddDate(0, 0, 1); of {
	case DayEnd:
		day = next.Add(-time.Millisecond)
	case DayOver:
		day = next
	}
	return day, nil
}

// JSONTime reads a time from JSON: a string in RFC 3339, or a number. null is the zero
// time.
func JSONTime(raw []byte) (time.Time, error) {
	if string(raw) == "null" {
		return time.Time{}, nil
	}
	if len(raw) == 0 || raw[0] != '"' {
		return number(string(raw))
	}
	var at time.Time
	if json.Unmarshal(raw, &at) != nil {
		return time.Time{}, ErrForm
	}
	return Time(at)
}

// Numbers of this size are milliseconds: they have 13 digits. As seconds they
// would lie beyond the year 33,000.
const (
	leastMillis   = 1e12
	overMillis    = 1e13
	secondsDigits = 10
	millisDigits  = 13
)

// number reads seconds or milliseconds since 1970.
func number(text string) (time.Time, error) {
	n, err := parseFloat(text)
	if errors.Is(err, strconv.ErrRange) {
		return time.Time{}, ErrYear
	}
	if err != nil {
		return time.Time{}, ErrForm
	}
	if n >= leastMillis && n < overMillis {
		return time.UnixMilli(int64(n)).UTC(), nil
	}
	if math.Abs(n) >= leastMillis {
		return time.Time{}, ErrYear
	}
	whole, part := math.Modf(n)
	return Time(time.Unix(int64(whole), int64(math.Round(part*1e3))*int64(time.Millisecond)))
}

// MinMillis and MaxMillis are the first and the last time that can be written, in
// milliseconds since 1970: the years 1 to 9998. RFC 3339 has no year before 0, and
// none behind 9999.
const (
	MinMillis = -62_135_596_800_000
	MaxMillis = 253_370_764_800_000 - 1
)

// FromMillis is the time of a stored row. A time that cannot be written is moved to the
// nearest that can.
func FromMillis(ms int64) time.Time {
	return time.UnixMilli(min(max(ms, MinMillis), MaxMillis)).UTC()
}

// Millis is a time as a row stores it: [FromMillis] returns it unchanged.
func Millis(t time.Time) int64 {
	switch y := t.UTC().Year(); {
	case y < 1:
		return MinMillis
	case y > lastYear:
		return MaxMillis
	}
	return t.UnixMilli()
}

// Seconds reads a time in whole seconds since 1970 from JSON, as in OpenAI's answers.
// ok is false for any other value. 0 stands for an unknown time.
func Seconds(raw []byte) (seconds int64, ok bool) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	return n, err == nil && n > 0 && n <= MaxMillis/1000
}
