// Package job runs prompts on a schedule. It owns jobs, their schedules, the ledger of
// due times (slots), the scheduler that makes each slot a turn of its session, and the
// outbox that delivers the output.
//
// A slot is a row, unique by job and due time. It is claimed with a lease and a fencing
// number, and its turn runs under an idempotency key made of job and due time. So a
// slot fires once, even with crashes and several processes. The package knows no wire
// format except that of webhooks, and no database.
package job

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// ID names a job: "job_" and sixteen hex digits.
type ID string

// Job is a prompt with a schedule. Times are UTC.
type Job struct {
	ID   ID
	Name string // unique for its owner
	// Schedule is the text as given; Timezone is an IANA name.
	Schedule string
	Timezone string
	Prompt   string
	// Session is the transcript that the fires extend, and Key the scope of their
	// memory; "" means the session's own lineage.
	Session session.ID
	Key     session.Key
	Deliver Target
	// Secret signs webhook deliveries.
	Secret string
	// Repeat ends the job after that many fires; 0 means never.
	Repeat  int
	CatchUp CatchUp
	Model   string        // "" for the server's
	Timeout time.Duration // of one fire
	State   State
	// Anchor is the start of intervals: when the schedule was set.
	Anchor    time.Time
	NextRunAt time.Time // zero while nothing is to come
	Fires     int       // slots that were fired, not those that were skipped
	CreatedAt time.Time
	UpdatedAt time.Time

	// The outcome of the newest fire; the scheduler writes it.
	LastRunAt  time.Time
	LastStatus Status
	// Seen is how far memory had come at the last completed fire. What memory learnt
	// since then is news to the next fire. Nil before the first.
	Seen *Seen
}

// Seen is the newest message whose facts a fire knew: in its own lineage, and in the
// others of its scope.
type Seen struct{ Own, Others int64 }

// State is whether a job fires.
type State string

// The states.
const (
	Scheduled State = "scheduled"
	Paused    State = "paused"
	Ended     State = "completed" // a one-shot that fired, or the last of its repeats
)

// CatchUp says what happens to missed due times.
type CatchUp string

// The policies. Due times that are not fired are recorded as skipped.
const (
	CatchUpOnce CatchUp = "once" // the newest is fired, late
	CatchUpSkip CatchUp = "skip" // none is fired
	CatchUpAll  CatchUp = "all"  // all are fired, one after another
)

// Limits of a job.
const (
	MaxJobs        = 100 // of one owner
	maxName        = 100 // characters
	maxPrompt      = 100_000
	maxRepeat      = 1_000_000
	defaultTimeout = 15 * time.Minute
	maxTimeout     = time.Hour
)

// newID makes a random id with the prefix.
func newID(prefix string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return prefix + hex.EncodeToString(b[:])
}

// parse parses the job's schedule.
func (j *Job) parse() (*Schedule, error) {
	zone, err := Zone(j.Timezone)
	if err != nil {
		return nil, err
	}
	return Parse(j.Schedule, zone, j.Anchor)
}

// plan sets the next due time, counted from now. A paused job stays paused.
func (j *Job) plan(now time.Time) error {
	s, err := j.parse()
	if err != nil {
		return err
	}
	if err := s.check(j.Schedule, now); err != nil {
		return err
	}
	j.NextRunAt = time.Time{}
	if j.State == Scheduled {
		j.NextRunAt = s.Next(now).UTC()
	}
	return nil
}

// check validates everything but the schedule, and fills in defaults.
func (j *Job) check() error {
	if err := checkName(j.Name); err != nil {
		return err
	}
	if strings.TrimSpace(j.Prompt) == "" || len(j.Prompt) > maxPrompt {
		return invalid("prompt", fmt.Sprintf("A job needs a \"prompt\": what is asked at each run, of at most %d bytes.", maxPrompt))
	}
	if j.Session == "" {
		id, err := session.ParseID("job:" + j.Name)
		if err != nil {
			return err
		}
		j.Session = id
	}
	if j.CatchUp == "" {
		j.CatchUp = CatchUpOnce
	}
	if !slices.Contains([]CatchUp{CatchUpOnce, CatchUpSkip, CatchUpAll}, j.CatchUp) {
		return invalid("catch_up", "\"catch_up\" says what becomes of missed due times: once, skip or all.")
	}
	if j.Repeat < 0 || j.Repeat > maxRepeat {
		return invalid("repeat", fmt.Sprintf("\"repeat\" is how often the job fires: 1 to %d; leave it out for ever.", maxRepeat))
	}
	if j.Timeout == 0 {
		j.Timeout = defaultTimeout
	}
	if j.Timeout < time.Second || j.Timeout > maxTimeout {
		return invalid("timeout_seconds", "\"timeout_seconds\" is how long a run may take: 1 to 3600.")
	}
	if j.Deliver == "" {
		j.Deliver = Local
	}
	return nil
}

func checkName(name string) error {
	n := utf8.RuneCountInString(name)
	unclean := !utf8.ValidString(name) || strings.ContainsFunc(name, control) || strings.TrimSpace(name) != name
	if unclean || n == 0 || n > maxName {
		return invalid("name", fmt.Sprintf("A job needs a \"name\" of 1–%d characters, without control characters and blanks around it.", maxName))
	}
	return nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

func invalid(param, msg string) error {
	return fault.New(fault.Invalid, "invalid_"+param, msg).At(param)
}
