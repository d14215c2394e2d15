package job

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Status is the state of a slot.
type Status string

// The states of a slot.
const (
	Due       Status = "due"       // its time has come; not claimed yet
	Running   Status = "running"   // under a lease
	Completed Status = "completed" // answered and stored
	Failed    Status = "failed"    // refused; WakeAt says when it is tried again
	Skipped   Status = "skipped"   // not fired; Reason says why
	Lost      Status = "lost"      // interrupted more often than is allowed
)

// ReasonCut is the reason of a completed fire whose model reached its limit.
const ReasonCut = "the model reached its limit, so the output is not complete"

// Fire is a slot of a job and its execution: a row, unique by job and due time. Times
// are UTC.
type Fire struct {
	ID     string // "run_" and hex digits
	Job    ID
	DueAt  time.Time
	Status Status
	Reason string // why it was skipped, or ReasonCut
	Manual bool   // asked for by a person, not by the schedule
	// WakeAt is when the scheduler polls it next: for the next attempt, or at the end
	// of its lease. Zero when it is over.
	WakeAt time.Time
	// Fence counts the claims: a worker with an older number has lost the slot.
	Fence    int64
	Attempts int
	// StartedAt is the time of the first attempt.
	StartedAt  time.Time
	FinishedAt time.Time
	Output     string
	Error      string // safe to show
	Session    session.ID
	Responder  string
	// Tokens, as reported or estimated.
	InputTokens, OutputTokens int
	// Delivery is the delivery of the output; nil without one.
	Delivery *Delivery
}

// Late is how long after its due time the fire began.
func (r *Fire) Late() time.Duration {
	if r.StartedAt.IsZero() {
		return 0
	}
	return max(0, r.StartedAt.Sub(r.DueAt))
}

// Store keeps jobs and shows their fires. Each method is one transaction.
type Store interface {
	// CreateJob stores a new job. It fails with Conflict "job_exists" if the owner has
	// a job of that name, and with "too_many_jobs" if the owner already has most.
	CreateJob(ctx context.Context, o owner.Owner, j Job, most int) error
	// Job returns a job. NotFound if the owner has none of this id.
	Job(ctx context.Context, o owner.Owner, id ID) (Job, error)
	// Jobs returns all jobs of an owner, in the order they were made.
	Jobs(ctx context.Context, o owner.Owner) ([]Job, error)
	// UpdateJob replaces the fields that people set. The scheduler's fields (Fires,
	// LastRunAt, LastStatus, Seen) stay. read is the UpdatedAt with which the job was read:
	// if the stored job has another one, it fails with [ErrChanged]. NotFound; Conflict
	// "job_exists".
	UpdateJob(ctx context.Context, o owner.Owner, j Job, read time.Time) error
	// DeleteJob removes a job with its fires and deliveries. NotFound.
	DeleteJob(ctx context.Context, o owner.Owner, id ID) error
	// Fires returns the newest slots of a job before a time, newest first, with their
	// deliveries; a zero time sets no bound.
	Fires(ctx context.Context, o owner.Owner, id ID, before time.Time, limit int) ([]Fire, error)
	// AddFire adds a slot outside the schedule. NotFound without the job; Conflict
	// "job_busy" if one of its fires is not over.
	AddFire(ctx context.Context, o owner.Owner, r Fire) error
}

// ErrChanged says that a job was edited after it was read.
func ErrChanged() error {
	return fault.New(fault.Stale, "job_changed", "The job was changed meanwhile. Read it again, and change it then.").At("updated_at")
}

// History shows the fires of all jobs.
type History interface {
	// AllFires returns the newest slots of an owner's jobs, newest first, with their
	// deliveries.
	AllFires(ctx context.Context, o owner.Owner, f FireFilter) ([]Fire, error)
}

// FireFilter selects slots. Zero fields do not restrict.
type FireFilter struct {
	Status Status
	// Since and Before bound the due times.
	Since, Before time.Time
	// Beyond is the job of the last slot of the page before, which was due at Before: slots
	// of that time and of later jobs are part of the next page.
	Beyond ID
	Limit  int
}

// Ledger is the part of the store that a scheduler needs. A store implements both
// Ledger and Store.
type Ledger interface {
	// Agenda returns the work due at a time for all owners, and when to poll next. It
	// only reads. The first fire or delivery of every owner comes before the second of
	// any, so one owner's backlog never delays another's. It takes no owner because
	// each row names its own.
	Agenda(ctx context.Context, at time.Time, limit int) (Agenda, error)
	// OpenSlots stores due times of a job as slots and moves the job on. An existing
	// slot is left alone. It reports false if the job has changed since it was read:
	// another process has opened the slots, or a person has changed the job.
	OpenSlots(ctx context.Context, o owner.Owner, op Opening) (bool, error)
	// ClaimFire takes a slot whose WakeAt has come, with a lease and the next fence. It
	// reports false if the slot is claimed or over, or if another slot of its job runs.
	ClaimFire(ctx context.Context, o owner.Owner, c Claim) (Fire, bool, error)
	// RenewFire prolongs the lease of a claimed slot. False if it was lost.
	RenewFire(ctx context.Context, o owner.Owner, r *Fire, until time.Time) (bool, error)
	// SettleFire stores the outcome of a claimed slot, its delivery if it has one, and
	// the job's fields that show it. It reports false, and stores nothing, if the claim
	// was lost.
	SettleFire(ctx context.Context, o owner.Owner, s Settlement) (bool, error)
	// ClaimDelivery takes a delivery whose WakeAt has come. It reports false if the
	// delivery cannot be claimed.
	ClaimDelivery(ctx context.Context, o owner.Owner, id string, at, until time.Time) (Delivery, bool, error)
	// SettleDelivery stores the outcome of a claimed delivery. It reports false if the
	// claim was lost. Attempts that end Awaited are counted as one.
	SettleDelivery(ctx context.Context, o owner.Owner, d Delivery) (bool, error)
	// ReopenDelivery lets a delivery that is Delivered or Awaited be claimed at a time. It reports false if there is
	// none.
	ReopenDelivery(ctx context.Context, o owner.Owner, id string, at time.Time) (bool, error)
}

// Agenda is the work that is due.
type Agenda struct {
	Jobs       []DueJob
	Fires      []DueFire
	Deliveries []DueDelivery
	// Next is when other work falls due; zero for never.
	Next time.Time
}

// DueJob is a job whose next due time has come.
type DueJob struct {
	Owner owner.Owner
	Job   Job
	// Busy says that one of its fires is not over.
	Busy bool
}

// DueFire names a slot to be claimed.
type DueFire struct {
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
	Was   time.Time // the NextRunAt it is expected to have
	Slots []Fire
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
	Run Fire // as claimed, with its outcome
	// Seen is set when the fire completed.
	Seen *Seen
	// Delivery is the delivery to make; nil for none.
	Delivery *Delivery
}
