package job

import (
	"fmt"
	"time"
)

const (
	// onTime is how late a slot may be and still not count as missed.
	onTime = time.Minute
	// maxMissed is how many missed slots of a job get a row each.
	maxMissed = 100
)

// opening turns the due times of a job that have come into slots of the ledger,
// by its policy.
func opening(d *DueJob, now time.Time) (Opening, error) {
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
		r := Run{ID: newID("run_"), Job: j.ID, DueAt: at.UTC(), Status: Due, WakeAt: at.UTC()}
		switch missed, newest := now.Sub(at) > onTime, i == len(due)-1; {
		case missed && j.CatchUp == CatchUpSkip:
			r.Reason = "missed: no server was running"
		case !newest && j.CatchUp != CatchUpAll:
			r.Reason = fmt.Sprintf("missed: the newest of %d due times was fired in its place", len(due)+before)
		case d.Busy && op.State != Ended && (!missed || j.CatchUp != CatchUpAll):
			r.Reason = "the run before it was not over"
		case j.Repeat > 0 && left <= 0:
			r.Reason = "it had been repeated often enough"
		default:
			left--
		}
		if r.Reason != "" {
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

// dueTimes are the due times from the first one up to now, the newest of them
// if there are many, and how many were before those.
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
