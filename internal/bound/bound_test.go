package bound

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]int64{0: 0, 7: 7, -1: 0, math.MinInt64: 0, math.MaxInt64: MaxCount, MaxCount: MaxCount, MaxCount + 1: MaxCount} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d): got %d, want %d", n, got, want)
		}
	}
	if got := Sum(MaxCount, MaxCount, math.MaxInt64, -5); got != MaxCount {
		t.Errorf("Sum: got %d, want %d", got, int64(MaxCount))
	}
	for raw, want := range map[string]int64{"0": 0, "-0": 0, " 12 ": 12, "12.0": 12, "1e3": 1000, "1073741824": MaxTokens} {
		if got, ok := Tokens([]byte(raw)); got != want || !ok {
			t.Errorf("Tokens(%s): got %d, %v, want %d", raw, got, ok, want)
		}
	}
	for _, raw := range []string{"", "-1", "-0.5", "1.5", "1e400", "1073741825", "9223372036854775808", `"7"`, "null", "[]", "{}", "true", "NaN", "Infinity", "0x10", "1_000"} {
		if got, ok := Tokens([]byte(raw)); ok {
			t.Errorf("Tokens(%s): got %d, want none", raw, got)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-11-21T10:00:00.1239+01:00": "2026-11-21T09:00:00.123Z", "1763840000": "2025-11-22T19:33:20Z", "1763840000123": "2025-11-22T19:33:20.123Z",
	} {
		if got, err := ParseTime(text); err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrForm, "2026": ErrForm, "17638400000": ErrForm, "-1763840000": ErrForm, "1e9": ErrForm, "inf": ErrForm, "NaN": ErrForm, "tomorrow": ErrForm,
		"10000-01-01T00:00:00Z": ErrForm, "9999-12-31T23:59:59Z": ErrYear, "1969-12-31T23:59:59Z": ErrYear, "1970-01-01T00:30:00+01:00": ErrYear,
	} {
		if got, err := ParseTime(text); !errors.Is(err, want) {
			t.Errorf("%s: got %s, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseMoment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"2026-11-21": {"2026-11-21T00:00:00Z", "2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00Z"},
		"2024-02-29": {"2024-02-29T00:00:00Z", "2024-02-29T23:59:59.999Z", "2024-03-01T00:00:00Z"},
		"1970-01-01": {"1970-01-01T00:00:00Z", "1970-01-01T23:59:59.999Z", "1970-01-02T00:00:00Z"},
		// A time is one moment.
		"2026-11-21T00:00:00+01:00": {"2026-11-20T23:00:00Z", "2026-11-20T23:00:00Z", "2026-11-20T23:00:00Z"},
		"1763840000":                {"2025-11-22T19:33:20Z", "2025-11-22T19:33:20Z", "2025-11-22T19:33:20Z"},
	} {
		for i, of := range []Day{DayStart, DayEnd, DayOver} {
			if got, err := ParseMoment(text, of); err != nil || got.Format(time.RFC3339Nano) != want[i] {
				t.Errorf("%s: got %s, %v, want %s", text, got, err, want[i])
			}
		}
	}
	for text, want := range map[string]error{
		"": ErrForm, "2026": ErrForm, "2026-11": ErrForm, "2026-02-30": ErrForm, "26-11-21": ErrForm, "21.11.2026": ErrForm, "2026/11/21": ErrForm,
		"2026-11-21 ": ErrForm, "20261121": ErrForm, "2026-11-21Z": ErrForm, "1969-12-31": ErrYear, "9999-01-01": ErrYear,
	} {
		for _, of := range []Day{DayStart, DayEnd, DayOver} {
			if got, err := ParseMoment(text, of); !errors.Is(err, want) {
				t.Errorf("%s: got %s, %v, want %v", text, got, err, want)
			}
		}
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]bool{
		"1763840000": true, " 1 ": true, "0": false, "-1": false, "1e300": false, "1763840000000": false, "99999999999999999999": false, "1.5": false, `"x"`: false, "": false,
	} {
		if _, ok := Seconds([]byte(raw)); ok != want {
			t.Errorf("%s: got %t, want %t", raw, ok, want)
		}
	}
}

// TestMillis: a time read from a row can be written, and a time within the bounds is
// unchanged.
func TestMillis(t *testing.T) {
	t.Parallel()
	if got := FromMillis(math.MinInt64); !got.IsZero() {
		t.Errorf("the earliest: got %s", got)
	}
	if got := FromMillis(math.MaxInt64).Format(time.RFC3339Nano); got != "9998-12-31T23:59:59.999Z" {
		t.Errorf("the latest: got %s", got)
	}
	for _, at := range []time.Time{{}, time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64, 0), time.Unix(0, 0)} {
		if got := FromMillis(Millis(at)); at.Unix() == 0 && !got.Equal(at) || got.Year() < 1 || got.Year() > lastYear {
			t.Errorf("%v: got %v", at, got)
		}
	}
}

// FuzzTime: every accepted time can be stored, read back and written.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{"1763840000", "1763840000123", "-0", "1e400", "1.5", `"2026-11-21T10:00:00Z"`, "2026-11-21T10:00:00Z", `"9998-12-31T23:59:59-01:00"`, "null", "", "-62135596800"} {
		f.Add(seed, int64(0))
	}
	f.Add("", int64(math.MaxInt64))
	f.Add("", int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, text string, ms int64) {
		for name, read := range map[string]func() (time.Time, error){
			"text": func() (time.Time, error) { return ParseTime(text) }, "JSON": func() (time.Time, error) { return JSONTime([]byte(text)) },
		} {
			at, err := read()
			if err != nil {
				continue
			}
			if back := FromMillis(Millis(at)); !back.Equal(at) {
				t.Errorf("%s %q: got %s, and %s from its row", name, text, at, back)
			}
			if _, err := json.Marshal(at); err != nil {
				t.Errorf("%s %q: %v", name, text, err)
			}
		}
		stored := FromMillis(ms)
		if _, err := json.Marshal(stored); err != nil {
			t.Errorf("%d: %v", ms, err)
		}
		if again := Millis(stored); again != ms && again != MinMillis && again != MaxMillis {
			t.Errorf("%d: got %d back", ms, again)
		}
		if n, ok := Tokens([]byte(text)); ok && Count(n) != n {
			t.Errorf("%q: got %d tokens", text, n)
		}
	})
}
