package job

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robfig/cron/v3"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
)

// MinInterval is the shortest time between two fires of a job. It does not bound how
// soon a one-shot is due.
const MinInterval = time.Minute

// maxText is the maximum length of a schedule, in bytes.
const maxText = 256

// Schedule is when a job fires. The zero Schedule never does.
type Schedule struct {
	zone *time.Location
	// One of these is set.
	wall  *cron.SpecSchedule // local times
	every time.Duration      // from anchor on
	once  time.Time

	anchor time.Time
}

// Parse reads a schedule: five or six fields of cron, a nickname such as @daily, "every
// 30m", "every monday 9am", "in 30m", or an RFC 3339 instant. Local times are in zone;
// intervals are counted from anchor. It fails with Invalid "invalid_schedule", naming
// the position.
func Parse(text string, zone *time.Location, anchor time.Time) (*Schedule, error) {
	s := &Schedule{zone: zone, anchor: anchor}
	p := &phrase{text: text}
	if len(text) > maxText || !utf8.ValidString(text) {
		return nil, p.wrong(0, fmt.Sprintf("a schedule is at most %d bytes of UTF-8", maxText))
	}
	words := p.words()
	if len(words) == 0 {
		return nil, p.wrong(0, "it is empty")
	}
	first := words[0]
	var err error
	switch lower := strings.ToLower(first.text); {
	case strings.HasPrefix(lower, "tz=") || strings.HasPrefix(lower, "cron_tz="):
		err = p.wrong(first.at, "a time zone goes into the separate field \"timezone\"")
	case lower == "in":
		var d time.Duration
		if d, err = p.duration(words[1:]); err == nil {
			s.once = anchor.Add(d)
		}
	case lower == "every" || lower == "@every":
		err = s.parseEvery(p, words[1:])
	case strings.HasPrefix(first.text, "@"):
		err = s.parseNickname(p, words)
	case len(words) == 1:
		s.once, err = p.instant(first)
	default:
		s.wall, err = p.cron(words)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// instant reads an RFC 3339 instant.
func (p *phrase) instant(w word) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, strings.ToUpper(w.text))
	if err != nil {
		return at, p.wrong(w.at, "this is not an RFC 3339 instant such as 2027-01-31T09:00:00Z")
	}
	if at, err = bound.Time(at); err != nil {
		return at, p.wrong(w.at, err.Error())
	}
	return at, nil
}

// parseNickname reads @daily and the other nicknames.
func (s *Schedule) parseNickname(p *phrase, words []word) error {
	fields, known := map[string]string{
		"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
		"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
	}[strings.ToLower(words[0].text)]
	if !known {
		return p.wrong(words[0].at, "the nicknames are @hourly, @daily, @midnight, @weekly, @monthly and @yearly")
	}
	if len(words) > 1 {
		return p.wrong(words[1].at, "nothing may follow "+words[0].text)
	}
	inner := &phrase{text: fields}
	var err error
	s.wall, err = inner.cron(inner.words())
	return err
}

// OneShot reports whether the schedule names a single moment.
func (s *Schedule) OneShot() bool { return !s.once.IsZero() }

// Next returns the first due time after a moment, in the schedule's zone; the zero time
// if there is none.
//
// At clock changes, a local time that is skipped is due at the first moment after the
// gap, and one that occurs twice is due the first time.
func (s *Schedule) Next(after time.Time) time.Time {
	var next time.Time
	switch {
	case s.OneShot():
		next = s.once
		if !next.After(after) {
			return time.Time{}
		}
	case s.every > 0:
		next = s.nextInterval(after)
	case s.wall != nil:
		next = s.nextWall(after)
	}
	if _, err := bound.Time(next); err != nil { // none, or out of the range that can be written
		return time.Time{}
	}
	return next.In(s.zone)
}

// nextInterval counts the intervals since the anchor in milliseconds, because a
// Duration holds no more than 292 years.
func (s *Schedule) nextInterval(after time.Time) time.Time {
	past, every := after.UnixMilli()-s.anchor.UnixMilli(), s.every.Milliseconds()
	if past < 0 {
		return s.anchor.Add(s.every)
	}
	return time.UnixMilli(s.anchor.UnixMilli() + (past/every+1)*every)
}

// nextWall steps through the local times as if in UTC, and converts each to the zone.
// Converting keeps their order, so the first moment after after is the answer.
func (s *Schedule) nextWall(after time.Time) time.Time {
	local := after.In(s.zone)
	at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
	for { // it repeats only inside an hour that occurs twice in the zone
		if at = s.wall.Next(at); at.IsZero() {
			return at
		}
		if moment := onClock(at, s.zone); moment.After(after) {
			return moment
		}
	}
}

// onClock returns the moment at which a zone's clock shows a local time, which is given
// as if it were UTC.
func onClock(wall time.Time, zone *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	start, end := at.ZoneBounds()
	for _, change := range []time.Time{start, end} {
		if change.IsZero() {
			continue
		}
		_, before := change.Add(-time.Second).Zone()
		_, since := change.Zone()
		moved := wall.Unix() - change.Unix() // the wall clock, seen from the change
		switch {
		case moved >= int64(before) && moved < int64(since): // this local time is skipped
			return change
		case moved >= int64(since) && moved < int64(before): // this local time occurs twice
			return time.Unix(wall.Unix()-int64(before), 0).In(zone)
		}
	}
	return at
}

// check refuses a schedule that is never due, or only in the past.
func (s *Schedule) check(text string, now time.Time) error {
	if !s.Next(now).IsZero() {
		return nil
	}
	p := &phrase{text: text}
	if s.OneShot() {
		return p.wrong(0, "this instant has passed")
	}
	return p.wrong(0, "no date ever matches")
}

// Preview returns the next due times of a schedule, at most n.
func Preview(text string, zone *time.Location, now time.Time, n int) ([]time.Time, error) {
	s, err := Parse(text, zone, now)
	if err != nil {
		return nil, err
	}
	if err := s.check(text, now); err != nil {
		return nil, err
	}
	var out []time.Time
	for at := s.Next(now); !at.IsZero() && len(out) < n; at = s.Next(at) {
		out = append(out, at)
	}
	return out, nil
}

// acceptedForms is the list of accepted forms in an error text.
const acceptedForms = `Accepted: cron such as "0 9 * * 1" or "*/5 * * * MON-FRI" (6 fields with a second in front), @hourly, @daily, @weekly, ` +
	`@monthly, @yearly, "every 30m", "every monday 9am", "in 2h", an RFC 3339 instant such as 2027-01-31T09:00:00Z.`

// wrong is the error for a schedule that is invalid or never due.
func (p *phrase) wrong(at int, why string) error {
	shown := p.text
	if len(shown) > 80 || !utf8.ValidString(shown) {
		shown = strings.ToValidUTF8(shown[:min(len(shown), 77)], "") + "…"
		at = min(at, len(shown))
	}
	return fault.New(fault.Invalid, "invalid_schedule", fmt.Sprintf("The schedule %q is wrong at position %d: %s. %s",
		shown, utf8.RuneCountInString(shown[:min(at, len(shown))])+1, why, acceptedForms)).At("schedule")
}
