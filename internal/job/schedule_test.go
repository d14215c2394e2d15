package job

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

// sunday is when these schedules are looked at: a Sunday, half past ten.
var sunday = time.Date(2026, time.March, 1, 10, 30, 20, 0, time.UTC)

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestNext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, zone, want string }{
		{"the article's", "0 9 * * 1", "UTC", "2026-03-02T09:00:00Z 2026-03-09T09:00:00Z"},
		{"in a zone", "0 9 * * 1", "Asia/Tokyo", "2026-03-02T09:00:00+09:00 2026-03-09T09:00:00+09:00"},
		{"names", "*/5 * * * MON-FRI", "UTC", "2026-03-02T00:00:00Z 2026-03-02T00:05:00Z"},
		{"six fields", "30 0 12 * * *", "UTC", "2026-03-01T12:00:30Z 2026-03-02T12:00:30Z"},
		{"day 7", "0 0 * * 7", "UTC", "2026-03-08T00:00:00Z 2026-03-15T00:00:00Z"},
		{"to day 7", "0 0 * * 6-7", "UTC", "2026-03-07T00:00:00Z 2026-03-08T00:00:00Z"},
		{"to day 7 in steps", "0 0 * * 1-7/3", "UTC", "2026-03-02T00:00:00Z 2026-03-05T00:00:00Z"},
		{"a name to day 7", "0 0 * * fri-7", "UTC", "2026-03-06T00:00:00Z 2026-03-07T00:00:00Z"},
		{"either day", "0 0 13 * 5", "UTC", "2026-03-06T00:00:00Z 2026-03-13T00:00:00Z"},
		{"daily", "@daily", "UTC", "2026-03-02T00:00:00Z 2026-03-03T00:00:00Z"},
		{"hourly", "@HOURLY", "UTC", "2026-03-01T11:00:00Z 2026-03-01T12:00:00Z"},
		{"interval", "every 30m", "UTC", "2026-03-01T11:00:20Z 2026-03-01T11:30:20Z"},
		{"interval in words", "every 2 hours", "UTC", "2026-03-01T12:30:20Z 2026-03-01T14:30:20Z"},
		{"interval of a unit", "every hour", "UTC", "2026-03-01T11:30:20Z 2026-03-01T12:30:20Z"},
		{"interval of several", "@every 1h30m", "UTC", "2026-03-01T12:00:20Z 2026-03-01T13:30:20Z"},
		{"weekday", "every monday 9am", "UTC", "2026-03-02T09:00:00Z 2026-03-09T09:00:00Z"},
		{"weekdays", "Every Monday, Wednesday and friday at 9:30 pm", "UTC", "2026-03-02T21:30:00Z 2026-03-04T21:30:00Z"},
		{"every day", "every day at noon", "UTC", "2026-03-01T12:00:00Z 2026-03-02T12:00:00Z"},
		{"every working day", "every weekday 17:45", "UTC", "2026-03-02T17:45:00Z 2026-03-03T17:45:00Z"},
		{"a day alone", "every tue", "UTC", "2026-03-03T00:00:00Z 2026-03-10T00:00:00Z"},
		{"once, later", "in 2h", "UTC", "2026-03-01T12:30:20Z"},
		{"once, soon", "in 3s", "UTC", "2026-03-01T10:30:23Z"},
		{"an instant", "2026-03-05T09:00:00+01:00", "UTC", "2026-03-05T08:00:00Z"},
		{"a leap day", "0 0 29 2 *", "UTC", "2028-02-29T00:00:00Z 2032-02-29T00:00:00Z"},
		{"skipped", "30 2 29 3 *", "Europe/Berlin", "2026-03-29T03:00:00+02:00 2027-03-29T02:30:00+02:00"},
		{"repeated", "30 2 25 10 *", "Europe/Berlin", "2026-10-25T02:30:00+02:00 2027-10-25T02:30:00+02:00"},
		{"a skipped midnight", "0 0 6 9 *", "America/Santiago", "2026-09-06T01:00:00-03:00 2027-09-06T00:00:00-03:00"},
		{"half an hour skipped", "15 2 4 10 *", "Australia/Lord_Howe", "2026-10-04T02:30:00+11:00 2027-10-04T02:15:00+11:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, err := Preview(tt.text, mustZone(t, tt.zone), sunday, 2)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, at := range next {
				got = append(got, at.Format(time.RFC3339))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("due times (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusedSchedules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"", "position 1: it is empty"},
		{"   ", "position 1: it is empty"},
		{"61 * * * *", "position 1: a minute is 0–59"},
		{"0 24 * * *", "position 3: an hour is 0–23"},
		{"0 9 * * 8", "position 9: a day of the week"},
		{"0  9 * XXX *", "position 8: a month is"},
		{"0 9 * *", "position 7: cron has 5 or 6 fields, this has 4"},
		{"* * *", "position 5: cron has 5 or 6 fields, this has 3"},
		{"1 2 3 4 5 6 7", "position 13: cron has 5 or 6 fields, this has 7"},
		{"* * * * * *", "position 1: a second is one number"},
		{"0 0 31 2 *", "position 1: no date ever matches"},
		{"every -5m", "position 7: this is no duration"},
		{"every 5s", "position 7: the shortest interval"},
		{"@every 0s", "position 8: this is no duration"},
		{"every", "position 6: say how often"},
		{"every monday at", "position 16: say when"},
		{"every monday 25:00", "position 14: not a time of day"},
		{"every monday 9am sharp", "position 18: nothing may follow"},
		{"every sunny day", "position 7: this is neither"},
		{"in", "position 3: say how long"},
		{"in a while", "position 4: this is no duration"},
		{"in 999999999999h", "position 4: this is no duration"},
		{"@never", "position 1: the nicknames are @hourly"},
		{"@daily 9am", "position 8: nothing may follow"},
		{"2020-01-01T00:00:00Z", "position 1: this instant has passed"},
		{"2026-13-01T00:00:00Z", "position 1: this is not an RFC 3339 instant"},
		{"9999-01-01T00:00:00Z", "position 1: the year is not between 1970 and 9998"},
		{"9998-12-31T23:59:59-10:00", "position 1: the year is not between 1970 and 9998"},
		{"0001-01-01T00:00:00Z", "position 1: the year is not between 1970 and 9998"},
		{"1763840000000", "position 1: this is not an RFC 3339 instant"},
		{"TZ=UTC", "position 1: a time zone goes into the separate field"},
		{"CRON_TZ=", "position 1: a time zone goes into the separate field"},
		{"tz=0 * * * * *", "position 1: a time zone goes into the separate field"},
		{"0 9 * * 1@daily", "position 9: a day of the week"},
		{strings.Repeat("x", 300), "position 1: a schedule is at most"},
		{"\xff\xfe * * * *", "position 1: a schedule is at most"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			_, err := Preview(tt.text, time.UTC, sunday, 1)
			if fault.CodeOf(err) != "invalid_schedule" || !strings.Contains(fault.MessageOf(err), tt.want) || !strings.Contains(fault.MessageOf(err), "Accepted: ") {
				t.Errorf("got %v, want it refused with %q", err, tt.want)
			}
		})
	}
}

// TestLongIntervals: intervals of centuries go on, and end before a year that cannot
// be written.
func TestLongIntervals(t *testing.T) {
	t.Parallel()
	next, err := Preview("every 36500 days", time.UTC, sunday, 200)
	if err != nil || len(next) < 75 || len(next) > 80 || next[len(next)-1].Year() > 9998 {
		t.Fatalf("got %d due times, %v, want one each century to the year 9998", len(next), err)
	}
	for i := 1; i < len(next); i++ {
		if !next[i].After(next[i-1]) {
			t.Fatalf("%s is followed by %s", next[i-1], next[i])
		}
	}
}

// FuzzParse: nothing a client writes makes the parser panic, or a schedule go
// backwards or stand still.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"0 9 * * 1", "*/5 * * * MON-FRI", "0 0 31 2 *", "@daily", "@every 0s", "every 30m", "every monday 9am", "in 2h", "TZ=UTC", "TZ=",
		"CRON_TZ=0", "2026-03-05T09:00:00Z", "1-7/3 * * * 5-7", "every 1h1h1h", "? ? ? ? ?", "0 0 * * fri-7/9",
	} {
		f.Add(text, uint8(0))
	}
	zones := []string{"UTC", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia"}
	f.Fuzz(func(t *testing.T, text string, zone uint8) {
		next, err := Preview(text, mustZone(t, zones[int(zone)%len(zones)]), sunday, 20)
		if err != nil {
			if fault.CodeOf(err) != "invalid_schedule" {
				t.Errorf("%q: got %v, want an invalid_schedule", text, err)
			}
			return
		}
		before := sunday
		for i, at := range next {
			if !at.After(before) {
				t.Errorf("%q: got %v after %v", text, at, before)
			}
			if i > 0 && at.Sub(before) < MinInterval && at.Sub(before) < time.Second {
				t.Errorf("%q: got %v and %v", text, before, at)
			}
			before = at
		}
	})
}
