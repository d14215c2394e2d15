package language_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/language"
)

// anchor is Thursday, 8 June 2023, 14:30 in a zone with daylight saving time.
func anchor(t testing.TB) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		zone = time.FixedZone("CEST", 2*60*60)
	}
	return time.Date(2023, time.June, 8, 14, 30, 0, 0, zone)
}

// shown writes dates as "quote = from..last day", with ~ for relative ones.
func shown(text string, dates []language.Date) []string {
	var out []string
	for _, d := range dates {
		s := text[d.Start:d.End] + " = " + d.From.Format("2006-01-02")
		if last := d.To.AddDate(0, 0, -1); last.After(d.From) {
			s += ".." + last.Format("2006-01-02")
		}
		if d.Relative {
			s += " ~"
		}
		out = append(out, s)
	}
	return out
}

// TestDatesAbsolute: what needs no anchor.
func TestDatesAbsolute(t *testing.T) {
	t.Parallel()
	checkDates(t, map[string][]string{
		"on 7 May 2023 we met":             {"7 May 2023 = 2023-05-07"},
		"May 7th, 2023 was fine":           {"May 7th, 2023 = 2023-05-07"},
		"the 7th of May, 2023":             {"the 7th of May, 2023 = 2023-05-07"},
		"8 May, 2023":                      {"8 May, 2023 = 2023-05-08"},
		"Sept. 3, 2021":                    {"Sept. 3, 2021 = 2021-09-03"},
		"May 5-7, 2023":                    {"May 5-7, 2023 = 2023-05-05..2023-05-07"},
		"5–7 May 2023":                     {"5–7 May 2023 = 2023-05-05..2023-05-07"},
		"built 2023-05-07T10:00:00Z here":  {"2023-05-07T10:00:00Z = 2023-05-07"},
		"since 2023-05":                    {"2023-05 = 2023-05-01..2023-05-31"},
		"12/25/2022 and 25/12/2022":        {"12/25/2022 = 2022-12-25", "25/12/2022 = 2022-12-25"},
		"am 7.5.2023":                      {"7.5.2023 = 2023-05-07"},
		"in 2022 we moved":                 {"2022 = 2022-01-01..2022-12-31"},
		"in 2019-2021":                     {"2019-2021 = 2019-01-01..2021-12-31"},
		"in May 2023":                      {"May 2023 = 2023-05-01..2023-05-31"},
		"Q3 2022 was good":                 {"Q3 2022 = 2022-07-01..2022-09-30"},
		"the first quarter of 2023":        {"the first quarter of 2023 = 2023-01-01..2023-03-31"},
		"summer of 2022":                   {"summer of 2022 = 2022-06-01..2022-08-31"},
		"mid-2022":                         {"mid-2022 = 2022-05-02..2022-09-01"},
		"early May 2023":                   {"early May 2023 = 2023-05-01..2023-05-10"},
		"in the 1990s":                     {"the 1990s = 1990-01-01..1999-12-31"},
		"the week before 9 June 2023":      {"the week before 9 June 2023 = 2023-06-02..2023-06-08"},
		"the week of 14 June 2023":         {"the week of 14 June 2023 = 2023-06-12..2023-06-18"},
		"the Friday before 15 July 2023":   {"the Friday before 15 July 2023 = 2023-07-14"},
		"the weekend before July 17, 2023": {"the weekend before July 17, 2023 = 2023-07-15..2023-07-16"},
		"two days before 9 June 2023":      {"two days before 9 June 2023 = 2023-06-07"},
		"Friday, 5 May 2023":               {"Friday, 5 May 2023 = 2023-05-05"},
	})
}

// TestDatesDays: days and weeks, relative to Thursday, 8 June 2023.
func TestDatesDays(t *testing.T) {
	t.Parallel()
	checkDates(t, map[string][]string{
		"I went yesterday.":                         {"yesterday = 2023-06-07 ~"},
		"yesterday morning":                         {"yesterday morning = 2023-06-07 ~"},
		"the day before yesterday":                  {"the day before yesterday = 2023-06-06 ~"},
		"the day after tomorrow":                    {"the day after tomorrow = 2023-06-10 ~"},
		"tonight, or tomorrow?":                     {"tonight = 2023-06-08 ~", "tomorrow = 2023-06-09 ~"},
		"last night":                                {"last night = 2023-06-07 ~"},
		"last Tuesday":                              {"last Tuesday = 2023-06-06 ~"},
		"last Thursday":                             {"last Thursday = 2023-06-01 ~"},
		"next Friday":                               {"next Friday = 2023-06-09 ~"},
		"It was on Friday":                          {"Friday = 2023-06-02 ~"},
		"I will go on Friday":                       {"Friday = 2023-06-09 ~"},
		"we're meeting Monday":                      {"Monday = 2023-06-12 ~"},
		"got a job, starting Monday":                {"Monday = 2023-06-12 ~"},
		"Starting Monday I eat less":                {"Monday = 2023-06-12 ~"},
		"booked flights, leaving on Tuesday":        {"Tuesday = 2023-06-13 ~"},
		"I was in Bonn, visiting friends on Monday": {"Monday = 2023-06-05 ~"},
		"we went home, having lost on Sunday":       {"Sunday = 2023-06-04 ~"},
		"Tuesday of last week":                      {"Tuesday of last week = 2023-05-30 ~"},
		"last week":                                 {"last week = 2023-05-29..2023-06-04 ~"},
		"the week before last":                      {"the week before last = 2023-05-22..2023-05-28 ~"},
		"last weekend":                              {"last weekend = 2023-06-03..2023-06-04 ~"},
		"this weekend":                              {"this weekend = 2023-06-10..2023-06-11 ~"},
		"we hiked over the weekend":                 {"the weekend = 2023-06-03..2023-06-04 ~"},
	})
}

// TestDatesMonths: longer units, relative to the same day.
func TestDatesMonths(t *testing.T) {
	t.Parallel()
	checkDates(t, map[string][]string{
		"last month":                     {"last month = 2023-05-01..2023-05-31 ~"},
		"next year":                      {"next year = 2024-01-01..2024-12-31 ~"},
		"two weeks ago":                  {"two weeks ago = 2023-05-22..2023-05-28 ~"},
		"10 days ago":                    {"10 days ago = 2023-05-29 ~"},
		"a few days ago":                 {"a few days ago = 2023-06-04..2023-06-06 ~"},
		"a couple of months ago":         {"a couple of months ago = 2023-03-01..2023-05-31 ~"},
		"three years ago":                {"three years ago = 2020-01-01..2020-12-31 ~"},
		"in two weeks":                   {"in two weeks = 2023-06-19..2023-06-25 ~"},
		"3 months from now":              {"3 months from now = 2023-09-01..2023-09-30 ~"},
		"30 days from now at noon":       {"30 days from now = 2023-07-08 ~"},
		"it is 90 days from now on":      nil,
		"the eighth of June":             {"the eighth of June = 2023-06-08 ~"},
		"On 14 October my son was born":  {"14 October = 2022-10-14 ~"},
		"On 14 October I will move":      {"14 October = 2023-10-14 ~"},
		"the first of May":               {"the first of May = 2023-05-01 ~"},
		"the past two weeks":             {"the past two weeks = 2023-05-25..2023-06-08 ~"},
		"in May":                         {"May = 2023-05-01..2023-05-31 ~"},
		"in December":                    {"December = 2022-12-01..2022-12-31 ~"},
		"we will go in December":         {"December = 2023-12-01..2023-12-31 ~"},
		"last August":                    {"last August = 2022-08-01..2022-08-31 ~"},
		"on June 5":                      {"June 5 = 2023-06-05 ~"},
		"last summer":                    {"last summer = 2022-06-01..2022-08-31 ~"},
		"in the winter":                  {"the winter = 2022-12-01..2023-02-28 ~"},
		"on the 3rd, I think":            {"the 3rd = 2023-06-03 ~"},
		"the end of last month":          {"the end of last month = 2023-05-22..2023-05-31 ~"},
		"Q1 was slow":                    {"Q1 = 2023-01-01..2023-03-31 ~"},
		"today’s the day":                {"today = 2023-06-08 ~"},
		"my summer of last year was fun": {"summer of last year = 2022-06-01..2022-08-31 ~"},
	})
}

// TestDatesNone: words and figures that only look like dates.
func TestDatesNone(t *testing.T) {
	t.Parallel()
	checkDates(t, map[string][]string{
		"I may go, you may come":         nil,
		"may 3 people come":              nil,
		"they march on":                  nil,
		"the Black Friday sale":          nil,
		"the sun sat low":                nil,
		"every Monday and each summer":   nil,
		"2022 people in 300 houses":      nil,
		"version 1.2.3 at 10.0.0.1":      nil,
		"30 February 2023":               {"February 2023 = 2023-02-01..2023-02-28"},
		"June said it was her last day":  nil,
		"on the 5th floor":               nil,
		"a week is a week":               nil,
		"second place, first prize":      nil,
		"":                               nil,
		"5000 years ago":                 nil,
		"99999999999999999999 weeks ago": nil,
	})
}

// checkDates runs a table of texts with the dates expected in them.
func checkDates(t *testing.T, tests map[string][]string) {
	t.Helper()
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got := shown(text, language.Dates(text, anchor(t)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Dates(%q) (-want +got):\n%s", text, diff)
			}
		})
	}
}

// TestDatesSaid: sentences, the day each was said, and the days each one means.
func TestDatesSaid(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/dates.txt")
	if err != nil {
		t.Fatal(err)
	}
	var at time.Time
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if day, ok := strings.CutPrefix(line, "said "); ok {
			if at, err = time.Parse("2006-01-02 Monday", day); err != nil {
				t.Fatal(err)
			}
		}
		text, want, ok := strings.Cut(line, " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		var got []string
		for _, s := range shown(text, language.Dates(text, at.Add(10*time.Hour))) {
			_, days, _ := strings.Cut(s, " = ")
			got = append(got, strings.TrimSuffix(days, " ~"))
		}
		if days := strings.Join(append(got, "-")[:max(1, len(got))], "; "); days != want {
			t.Errorf("%s: %q\ngot  %s\nwant %s", at.Format(time.DateOnly), text, days, want)
		}
	}
}

func TestDatesWithoutAnchor(t *testing.T) {
	t.Parallel()
	text := "yesterday, in May, on 7 May 2023"
	got := shown(text, language.Dates(text, time.Time{}))
	if diff := cmp.Diff([]string{"7 May 2023 = 2023-05-07"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDatesLocation(t *testing.T) {
	t.Parallel()
	at := anchor(t)
	for _, d := range language.Dates("yesterday and 2023-01-02", at) {
		if d.From.Location() != at.Location() || d.From.Hour() != 0 {
			t.Errorf("got %v, want midnight in %v", d.From, at.Location())
		}
	}
}

// TestDatesShift is a property: what is said n weeks later means n weeks later,
// for expressions that count in days and weeks.
func TestDatesShift(t *testing.T) {
	t.Parallel()
	texts := []string{
		"yesterday", "last Tuesday", "next Friday", "two weeks ago", "last week",
		"this weekend", "a few days ago", "the day after tomorrow", "the past ten days",
	}
	for _, text := range texts {
		base := language.Dates(text, anchor(t))
		if len(base) != 1 {
			t.Fatalf("%q: got %d dates, want 1", text, len(base))
		}
		for n := 1; n < 120; n++ {
			got := language.Dates(text, anchor(t).AddDate(0, 0, 7*n))
			want := base[0]
			want.From, want.To = want.From.AddDate(0, 0, 7*n), want.To.AddDate(0, 0, 7*n)
			if diff := cmp.Diff([]language.Date{want}, got); diff != "" {
				t.Fatalf("%q after %d weeks (-want +got):\n%s", text, n, diff)
			}
		}
	}
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{
		"the week before 9 June 2023", "last Tuesday, 2 weeks ago", "in the 1990s", "5–7 May", "Sept. 3 2021-13-40",
		"the the the day before the day before the day before yesterday", "’ll", "\xff 3rd of of May 0",
	} {
		f.Add(s, int64(1686227400))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		at := time.Unix(unix%(1<<34), 0).UTC()
		end := 0
		for _, d := range language.Dates(text, at) {
			if d.Start < end || d.End <= d.Start || d.End > len(text) {
				t.Fatalf("%q: span [%d,%d) after %d", text, d.Start, d.End, end)
			}
			if !d.From.Before(d.To) {
				t.Fatalf("%q: empty time %v..%v", text, d.From, d.To)
			}
			end = d.End
		}
	})
}

func BenchmarkDates(b *testing.B) {
	text := strings.Repeat("I went to see the old house by the lake with my sister last Tuesday and we both liked it. ", 5)
	at := anchor(b)
	b.ReportAllocs()
	for b.Loop() {
		language.Dates(text, at)
	}
}

// Typographic marks are what phones type; each must be passed over, and a date
// behind one be found.
func TestDatesTypographicMarks(t *testing.T) {
	t.Parallel()
	anchor := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, mark := range []string{"’", "‘", "“", "”", "–", "—", "‑", "…", "。", "！", "？", "、", "，"} {
		if got := language.Dates("我们"+mark+" yesterday "+mark+mark, anchor); len(got) != 1 {
			t.Errorf("Dates with %q: got %d dates, want 1", mark, len(got))
		}
	}
}
