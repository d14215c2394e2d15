package job

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robfig/cron/v3"

	"github.com/hermes-memory/hermes/internal/fault"
)

// MinInterval is the shortest time between two fires of a job. A one-shot may
// be nearer than that.
const MinInterval = time.Minute

// maxText is the longest schedule there is, in bytes.
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

// Parse reads a schedule: five or six fields of cron, @daily and its like,
// "every 30m", "every monday 9am", "in 30m", or an RFC 3339 instant. Local times
// are those of zone; intervals are counted from anchor. It fails with Invalid,
// "invalid_schedule", naming the position.
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
		err = p.wrong(first.at, "the zone has a field of its own, \"timezone\"")
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
		if s.once, err = time.Parse(time.RFC3339, strings.ToUpper(first.text)); err != nil {
			err = p.wrong(first.at, "this is no RFC 3339 instant such as 2027-01-31T09:00:00Z")
		}
	default:
		s.wall, err = p.cron(words)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// parseNickname reads @daily and its like.
func (s *Schedule) parseNickname(p *phrase, words []word) error {
	fields, known := map[string]string{
		"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
		"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
	}[strings.ToLower(words[0].text)]
	if !known {
		return p.wrong(words[0].at, "there are @hourly, @daily, @midnight, @weekly, @monthly and @yearly")
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

// Next returns the first due time after a moment, in the schedule's zone; the
// zero time if there is none any more.
//
// Local times follow one rule where clocks are changed: a time that is skipped
// is due at the first moment after the gap, one that is repeated the first time.
func (s *Schedule) Next(after time.Time) time.Time {
	var next time.Time
	switch {
	case s.OneShot():
		next = s.once
		if !next.After(after) {
			return time.Time{}
		}
	case s.every > 0:
		next = s.anchor.Add(s.every)
		if past := after.Sub(s.anchor); past >= 0 {
			next = s.anchor.Add((past/s.every + 1) * s.every)
		}
	case s.wall != nil:
		next = s.nextWall(after)
	}
	if next.IsZero() {
		return next
	}
	return next.In(s.zone)
}

// nextWall walks the local times on a clock that knows no zone (that is, UTC),
// and sets each on the clock of the zone. Local times in order are moments in
// order, so the first moment past after is the answer.
func (s *Schedule) nextWall(after time.Time) time.Time {
	local := after.In(s.zone)
	at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
	for { // it repeats only inside an hour that the zone has twice
		if at = s.wall.Next(at); at.IsZero() {
			return at
		}
		if moment := onClock(at, s.zone); moment.After(after) {
			return moment
		}
	}
}

// onClock is the moment at which the clock of a zone shows a local time, which
// is given as if it were UTC.
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
		case moved >= int64(before) && moved < int64(since): // skipped
			return change
		case moved >= int64(since) && moved < int64(before): // shown twice
			return time.Unix(wall.Unix()-int64(before), 0).In(zone)
		}
	}
	return at
}

// check refuses what can never be due, or was due already.
func (s *Schedule) check(text string, now time.Time) error {
	if !s.Next(now).IsZero() {
		return nil
	}
	p := &phrase{text: text}
	if s.OneShot() {
		return p.wrong(0, "this instant has passed")
	}
	return p.wrong(0, "no such day ever comes")
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

// acceptedForms is what a fault tells about schedules.
const acceptedForms = `Accepted: cron such as "0 9 * * 1" or "*/5 * * * MON-FRI" (6 fields with a second in front), @hourly, @daily, @weekly, ` +
	`@monthly, @yearly, "every 30m", "every monday 9am", "in 2h", an RFC 3339 instant such as 2027-01-31T09:00:00Z.`

// wrong is the fault of a schedule that cannot be read, or never comes.
func (p *phrase) wrong(at int, why string) error {
	shown := p.text
	if len(shown) > 80 || !utf8.ValidString(shown) {
		shown = strings.ToValidUTF8(shown[:min(len(shown), 77)], "") + "…"
		at = min(at, len(shown))
	}
	return fault.New(fault.Invalid, "invalid_schedule", fmt.Sprintf("The schedule %q is wrong at position %d: %s. %s",
		shown, utf8.RuneCountInString(shown[:min(at, len(shown))])+1, why, acceptedForms)).At("schedule")
}
