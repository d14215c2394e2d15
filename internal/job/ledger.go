package job

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Status is what became of a slot.
type Status string

// The states of a slot.
const (
	Due       Status = "due"       // its time has come; nobody has taken it yet
	Running   Status = "running"   // under a lease
	Completed Status = "completed" // answered and stored
	Failed    Status = "failed"    // refused; WakeAt says when it is tried again
	Skipped   Status = "skipped"   // not to be fired; Reason says why
	Lost      Status = "lost"      // cut off more often than it may be tried
)

// Run is a slot of a job and its fire: a row of the ledger, unique by job and
// due time. Times are UTC.
type Run struct {
	ID     string // "run_" and hex digits
	Job    ID
	DueAt  time.Time
	Status Status
	Reason string // why it was skipped
	Manual bool   // asked for by a person, not by the schedule
	// WakeAt is when the scheduler has to look at it: the next attempt, or the
	// end of its lease. Zero when it is over.
	WakeAt time.Time
	// Fence counts the claims: who holds an older one has lost it.
	Fence    int64
	Attempts int
	// StartedAt is when it was first begun.
	StartedAt  time.Time
	FinishedAt time.Time
	Output     string
	Error      string // safe to show
	Session    session.ID
	Responder  string
	// Tokens, as reported or estimated.
	InputTokens, OutputTokens int
	// Delivery is what became of the output; nil without one.
	Delivery *Delivery
}

// Late is how much later than due the run began.
func (r *Run) Late() time.Duration {
	if r.StartedAt.IsZero() {
		return 0
	}
	return max(0, r.StartedAt.Sub(r.DueAt))
}

// Store keeps jobs and shows what became of them. Each method is one
// transaction.
type Store interface {
	// CreateJob stores a new job. Conflict "job_exists" if the owner has one of
	// the name, "too_many_jobs" if the owner has most of them already.
	CreateJob(ctx context.Context, o owner.Owner, j Job, most int) error
	// Job returns a job. NotFound if the owner has none of this id.
	Job(ctx context.Context, o owner.Owner, id ID) (Job, error)
	// Jobs returns all jobs of an owner, in the order they were made.
	Jobs(ctx context.Context, o owner.Owner) ([]Job, error)
	// UpdateJob replaces what people set of a job; what the scheduler writes of it
	// (Fires, LastRunAt, LastStatus, Seen) stays. NotFound; Conflict "job_exists".
	UpdateJob(ctx context.Context, o owner.Owner, j Job) error
	// DeleteJob removes a job with its runs and deliveries. NotFound.
	DeleteJob(ctx context.Context, o owner.Owner, id ID) error
	// Runs returns the newest slots of a job before a time, newest first, with
	// their deliveries; the zero time is no bound.
	Runs(ctx context.Context, o owner.Owner, id ID, before time.Time, limit int) ([]Run, error)
	// AddRun puts a slot beside those of the schedule. NotFound without the job;
	// Conflict "job_busy" if one of its runs is not over.
	AddRun(ctx context.Context, o owner.Owner, r Run) error
}

// Ledger is what a scheduler needs. A store is Ledger and Store in one.
type Ledger interface {
	// Agenda says what is to be done at a time, for all owners, and when there is
	// more. It only reads. Of runs and deliveries every owner's first come before
	// anybody's second, so that none waits behind what another has piled up. It is
	// the one method without an owner: time passes for everybody, and each row
	// names whose it is.
	Agenda(ctx context.Context, at time.Time, limit int) (Agenda, error)
	// OpenSlots writes due times of a job into the ledger and moves the job on. A
	// slot that is there already is left alone. False if the job is not any more
	// as it was: somebody else has opened them, or changed the job.
	OpenSlots(ctx context.Context, o owner.Owner, op Opening) (bool, error)
	// ClaimRun takes a slot whose WakeAt has come, with a lease and the next fence.
	// False if it is not to be had: taken, over, or another slot of its job runs.
	ClaimRun(ctx context.Context, o owner.Owner, c Claim) (Run, bool, error)
	// RenewRun prolongs the lease of a claimed slot. False if it was lost.
	RenewRun(ctx context.Context, o owner.Owner, r *Run, until time.Time) (bool, error)
	// SettleRun stores the outcome of a claimed slot, with its delivery if there
	// is one, and what the job shows of it. False if the claim was lost, and
	// nothing is stored then.
	SettleRun(ctx context.Context, o owner.Owner, s Settlement) (bool, error)
	// ClaimDelivery takes a delivery whose WakeAt has come. False if it is not to
	// be had.
	ClaimDelivery(ctx context.Context, o owner.Owner, id string, at, until time.Time) (Delivery, bool, error)
	// SettleDelivery stores what became of a claimed delivery. False if the claim
	// was lost.
	SettleDelivery(ctx context.Context, o owner.Owner, d Delivery) (bool, error)
}

// Agenda is what there is to do.
type Agenda struct {
	Jobs       []DueJob
	Runs       []DueRun
	Deliveries []DueDelivery
	// Next is when there is something to do that is not in it; zero for never.
	Next time.Time
}

// DueJob is a job whose next due time has come.
type DueJob struct {
	Owner owner.Owner
	Job   Job
	// Busy says that one of its runs is not over.
	Busy bool
}

// DueRun names a slot to be claimed.
type DueRun struct {
	Owner owner.Owner
	Job   ID
	DueAt time.Time
}

// DueDelivery names a delivery to be claimed.
type DueDelivery struct {
	Owner owner.Owner
	ID    string
}

// Opening moves a job on to its next due time.
type Opening struct {
	Job   ID
	Was   time.Time // the NextRunAt it is thought to have
	Slots []Run
	Next  time.Time
	State State
	Fires int // added to the job's
}

// Claim takes a slot.
type Claim struct {
	Job       ID
	DueAt     time.Time
	At, Until time.Time // now, and the end of the lease
}

// Settlement is the outcome of a fire.
type Settlement struct {
	Run Run // as claimed, with its outcome
	// Seen is set when the run completed.
	Seen *Seen
	// Delivery is to be made; nil for none.
	Delivery *Delivery
}
