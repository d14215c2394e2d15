package job

import (
	"archive/zip"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var zonesFlag = flag.String("zones", "", "check the zones of this regular expression over 2024–2030 instead of a sample")

// expression is a schedule and its meaning, computed without a library.
type expression struct {
	text string
	due  func(wall time.Time) bool
}

func at(t time.Time, hour, minute int) bool { return t.Hour() == hour && t.Minute() == minute }

func expressions() []expression {
	return []expression{
		{"* * * * *", func(time.Time) bool { return true }},
		{"*/5 * * * *", func(t time.Time) bool { return t.Minute()%5 == 0 }},
		{"*/7 * * * *", func(t time.Time) bool { return t.Minute()%7 == 0 }},
		{"@hourly", func(t time.Time) bool { return t.Minute() == 0 }},
		{"30 * * * *", func(t time.Time) bool { return t.Minute() == 30 }},
		{"@daily", func(t time.Time) bool { return at(t, 0, 0) }},
		{"0 9 * * 1", func(t time.Time) bool { return at(t, 9, 0) && t.Weekday() == time.Monday }},
		{"every monday 9am", func(t time.Time) bool { return at(t, 9, 0) && t.Weekday() == time.Monday }},
		{"30 2 * * *", func(t time.Time) bool { return at(t, 2, 30) }},
		{"30 1 * * *", func(t time.Time) bool { return at(t, 1, 30) }},
		{"15 0 * * *", func(t time.Time) bool { return at(t, 0, 15) }},
		{"45 23 * * *", func(t time.Time) bool { return at(t, 23, 45) }},
		{"0 0-4 * * *", func(t time.Time) bool { return t.Minute() == 0 && t.Hour() < 5 }},
		{"*/15 1-3 * * *", func(t time.Time) bool { return t.Minute()%15 == 0 && t.Hour() >= 1 && t.Hour() <= 3 }},
		{"*/5 * * * MON-FRI", func(t time.Time) bool {
			return t.Minute()%5 == 0 && t.Weekday() != time.Saturday && t.Weekday() != time.Sunday
		}},
		{"0 12 1 * *", func(t time.Time) bool { return at(t, 12, 0) && t.Day() == 1 }},
		{"0 0 31 * *", func(t time.Time) bool { return at(t, 0, 0) && t.Day() == 31 }},
		{"0 6 29 2 *", func(t time.Time) bool { return at(t, 6, 0) && t.Month() == time.February && t.Day() == 29 }},
		{"0 2 13 * 5", func(t time.Time) bool { return at(t, 2, 0) && (t.Day() == 13 || t.Weekday() == time.Friday) }},
		{"every sunday 2:30", func(t time.Time) bool { return at(t, 2, 30) && t.Weekday() == time.Sunday }},
	}
}

// span is a stretch of time to look at.
type span struct{ from, to time.Time }

// wallMinutes goes through the minutes of a stretch and says for each which local
// minutes become due with it: its own unless the clock has shown that before,
// and those that the clock leapt over to get there.
func wallMinutes(zone *time.Location, over span, each func(moment time.Time, walls []time.Time)) {
	reached := wallOf(over.from.Add(-time.Minute), zone)
	var walls []time.Time
	for moment := over.from; moment.Before(over.to); moment = moment.Add(time.Minute) {
		walls = walls[:0]
		for wall := wallOf(moment, zone); reached.Before(wall); {
			reached = reached.Add(time.Minute)
			walls = append(walls, reached)
		}
		each(moment, walls)
	}
}

// wallOf is what the clock of a zone shows, without the zone.
func wallOf(moment time.Time, zone *time.Location) time.Time {
	_, offset := moment.In(zone).Zone()
	return moment.UTC().Add(time.Duration(offset) * time.Second)
}

// TestAgainstTheClock holds Next against a walk through every minute: nothing is
// missing, nothing comes twice (F9). The sample is the months in which clocks
// are changed.
func TestAgainstTheClock(t *testing.T) {
	t.Parallel()
	zones := []string{"Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca"}
	day := func(year, month, day int) time.Time {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	}
	spans := []span{{day(2026, 2, 13), day(2026, 2, 17)}, {day(2026, 3, 21), day(2026, 4, 8)}, {day(2026, 9, 5), day(2026, 9, 8)},
		{day(2026, 10, 3), day(2026, 10, 6)}, {day(2026, 10, 24), day(2026, 11, 2)}}
	if *zonesFlag != "" {
		spans = []span{{day(2024, 1, 1), day(2031, 1, 1)}}
		zones = clocks(t, allZones(t), span{day(2023, 1, 1), day(2032, 1, 1)})
	}
	for _, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			for _, over := range spans {
				holdSpan(t, mustZone(t, zone), over)
			}
		})
	}
}

func holdSpan(t *testing.T, zone *time.Location, over span) {
	t.Helper()
	before := over.from.Add(-time.Second)
	all := expressions()
	next := make([]time.Time, len(all))
	schedules := make([]*Schedule, len(all))
	for i, e := range all {
		s, err := Parse(e.text, zone, before)
		if err != nil {
			t.Fatal(err)
		}
		schedules[i], next[i] = s, s.Next(before)
	}
	wallMinutes(zone, over, func(moment time.Time, walls []time.Time) {
		for i := range all {
			due := slices.ContainsFunc(walls, all[i].due)
			fires := next[i].Equal(moment)
			if due != fires {
				t.Errorf("%s in %s at %v: got due %v, want %v", all[i].text, zone, moment, fires, due)
			}
			if due || fires {
				next[i] = schedules[i].Next(moment)
			}
		}
	})
}

// clocks are zones of which no two show the same throughout a stretch: what holds
// for one name of a clock holds for all of them. Offsets are compared every
// quarter of an hour, the finest step at which clocks are changed.
func clocks(t *testing.T, names []string, over span) []string {
	t.Helper()
	var first []string
	known := make(map[string]bool)
	for _, name := range names {
		zone := mustZone(t, name)
		var shown strings.Builder
		last := -1
		for moment := over.from; moment.Before(over.to); moment = moment.Add(15 * time.Minute) {
			if _, offset := moment.In(zone).Zone(); offset != last {
				last = offset
				fmt.Fprintf(&shown, "%d from %d\n", offset, moment.Unix())
			}
		}
		if !known[shown.String()] {
			known[shown.String()] = true
			first = append(first, name)
		}
	}
	t.Logf("%d names, %d clocks", len(names), len(first))
	return first
}

// allZones are the names in the library's own copy of the zone database.
func allZones(t *testing.T) []string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	wanted := regexp.MustCompile(*zonesFlag)
	var names []string
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "/") && wanted.MatchString(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}
