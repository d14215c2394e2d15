package transfer

import (
	"strconv"
	"strings"
	"time"
)

// stamp is a time in any form in which a program writes one: seconds, milliseconds,
// microseconds or nanoseconds since 1970, or a text. What is no time is zero.
type stamp struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	s.Time = parseStamp(strings.Trim(string(raw), `"`))
	return nil
}

// layouts are the forms of times in texts.
func layouts() []string {
	return []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999-07:00",
		time.DateOnly, time.RFC1123, time.RFC1123Z,
	}
}

// parseStamp reads a time; zero if the text is none.
func parseStamp(text string) time.Time {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ofNumber(float64(n), n)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return ofNumber(f, int64(f))
	}
	for _, layout := range layouts() {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// ofNumber tells the unit of a time by its size.
func ofNumber(f float64, n int64) time.Time {
	switch {
	case f <= 0, f >= 9e18:
		return time.Time{}
	case f < 1e11:
		whole := int64(f)
		return time.UnixMilli(whole*1000 + int64((f-float64(whole))*1000+0.5)).UTC()
	case f < 1e14:
		return time.UnixMilli(n).UTC()
	case f < 1e17:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}
