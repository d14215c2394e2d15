package job

import (
	"fmt"
	"time"
)

const (
	// onTime is the delay from which a slot counts as missed; punctual is that delay
	// for jobs that skip missed slots. A scheduler polls within milliseconds, so a
	// longer delay means that the machine slept.
	onTime, punctual = time.Minute, 5 * time.Second
	// maxMissed is how many missed slots of a job get a row of their own.
	maxMissed = 100
)

// opening turns the past due times of a job into slots, by its policy. Due times before
// since were missed because no server was running.
func opening(d *DueJob, now, since time.Time) (Opening, error) {
	j := &d.Job
	op := Opening{Job: j.ID, Was: j.NextRunAt, State: Scheduled}
	s, err := j.parse()
	if err != nil {
		return op, err
	}
	due, before := dueTimes(s, j.NextRunAt, now)
	op.Next = s.Next(due[len(due)-1]).UTC()
	if op.Next.IsZero() || s.OneShot() {
		op.Next, op.State = time.Time{}, Ended
	}
	left := j.Repeat - j.Fires
	for i, at := range due {
		r := Fire{ID: newID("run_"), Job: j.ID, DueAt: at.UTC(), Status: Due, WakeAt: at.UTC()}
		slot := slot{
			missed: now.Sub(at) > onTime, absent: absent(at, now, since),
			older: i < len(due)-1, due: len(due) + before, busy: d.Busy && op.State != Ended, spent: j.Repeat > 0 && left <= 0,
		}
		if r.Reason = slot.skipped(j.CatchUp); r.Reason == "" {
			left--
		} else {
			r.Status, r.WakeAt, r.FinishedAt = Skipped, time.Time{}, now
		}
		if i == 0 && before > 0 {
			r.Reason += fmt.Sprintf(" (%d due times before it were missed, too)", before)
		}
		op.Slots = append(op.Slots, r)
	}
	if j.Repeat > 0 && left <= 0 {
		op.Next, op.State = time.Time{}, Ended
	}
	return op, nil
}

// absent reports whether no server was running at a due time: it lies before this
// server's start, or the machine slept.
func absent(at, now, since time.Time) bool { return at.Before(since) || now.Sub(at) > punctual }

// slot holds the conditions that decide whether a due time is fired.
type slot struct {
	missed bool
	absent bool // no server was running
	older  bool // a newer due time was found with it
	due    int  // due times found with it
	busy   bool // the previous run is not over
	spent  bool // the job has reached its number of repeats
}

// skipped returns why a slot is not fired; "" if it is. A job that catches up with all
// due times fires the missed ones one after another.
func (s slot) skipped(c CatchUp) string {
	all := c == CatchUpAll
	why := ""
	switch {
	case s.absent && c == CatchUpSkip:
		why = "missed: no server was running"
	case s.older && !all:
		why = fmt.Sprintf("missed: the newest of %d due times was fired in its place", s.due)
	case s.missed && all: // it waits for the previous run
	case s.busy:
		why = "the previous run was not over"
	}
	if why == "" && s.spent {
		why = "the job had reached its number of repeats"
	}
	return why
}

// dueTimes returns the due times from first up to now, only the newest if there are
// many, and how many older ones were left out.
func dueTimes(s *Schedule, first, now time.Time) (due []time.Time, before int) {
	for at := first; !at.IsZero() && !at.After(now); at = s.Next(at) {
		if len(due) == maxMissed {
			due = append(due[:0], due[1:]...)
			before++
		}
		due = append(due, at)
	}
	return due, before
}
