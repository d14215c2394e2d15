package job_test

import (
	"context"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
)

// explosive is a place to deliver to that panics, but for the last try.
type explosive struct{ tries int }

func (*explosive) Check(context.Context, owner.Owner, string) error { return nil }

func (e *explosive) Deliver(context.Context, owner.Owner, string, *job.Event) error {
	if e.tries++; e.tries == 1 {
		panic("a delivery broke down")
	}
	return nil
}

// TestPanics: the fire of a job in which the model panics has failed and is tried
// again, a delivery that panics too, and what other jobs have to do is done.
func TestPanics(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.model.answer = func(n int, _ context.Context) (string, error) {
		if n == 1 {
			panic("a model broke down")
		}
		return "All is well.", nil
	}
	place := &explosive{}
	h.targets["pigeon"] = place
	j := h.create(job.Job{Schedule: "in 1h", Deliver: "pigeon:loft"})
	h.set(time.Hour)
	h.pass()
	if got := h.runs(j.ID)[0]; got.Status != job.Failed || got.Error == "" || got.WakeAt.IsZero() {
		t.Errorf("got %s %q, want it failed, with another attempt to come", got.Status, got.Error)
	}
	other := h.create(job.Job{Name: "other", Schedule: "in 1m"})
	h.set(time.Hour + 2*time.Minute)
	h.pass()
	for _, id := range []job.ID{j.ID, other.ID} {
		if got := h.runs(id)[0]; got.Status != job.Completed || got.Output != "All is well." {
			t.Errorf("%s: got %s %q %q at attempt %d, want it completed", id, got.Status, got.Output, got.Error, got.Attempts)
		}
	}
	h.set(2 * time.Hour)
	h.pass()
	if place.tries != 2 {
		t.Errorf("got %d tries to deliver, want a second one behind the panic", place.tries)
	}
}
