// Package job runs prompts at their times. It owns jobs, their schedules, the
// ledger of due times (slots), the scheduler that makes each a turn of its
// session, and the outbox that carries what came of it to where it is wanted.
//
// A slot is a row, unique by job and due time; it is claimed with a lease and a
// fencing number, and its turn runs under an idempotency key made of both. So
// a slot fires once, over crashes and over several processes. The package knows
// no wire but the webhooks' and no database.
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
	Name string // one of a kind for its owner
	// Schedule is the text that was given; Timezone is an IANA name.
	Schedule string
	Timezone string
	Prompt   string
	// Session is the transcript the fires are turns of, Key the scope of their
	// memory; "" for the session's own lineage.
	Session session.ID
	Key     session.Key
	Deliver Target
	// Secret signs what is delivered to a webhook.
	Secret string
	// Repeat ends the job after so many fires; 0 means never.
	Repeat  int
	CatchUp CatchUp
	Model   string        // "" for the server's
	Timeout time.Duration // of one fire
	State   State
	// Anchor is when intervals are counted from: when the schedule was set.
	Anchor    time.Time
	NextRunAt time.Time // zero while nothing is to come
	Fires     int       // slots that were fired, not those that were skipped
	CreatedAt time.Time
	UpdatedAt time.Time

	// What became of the newest run; the scheduler writes it.
	LastRunAt  time.Time
	LastStatus Status
	// Seen is how far memory had come with the last completed run: what it learnt
	// since is news to the next. Nil before the first.
	Seen *Seen
}

// Seen is the newest message that a run knew the facts of: in its own lineage,
// and in the others of its scope.
type Seen struct{ Own, Others int64 }

// State is whether a job fires.
type State string

// The states.
const (
	Scheduled State = "scheduled"
	Paused    State = "paused"
	Ended     State = "completed" // a one-shot that fired, or the last of its repeats
)

// CatchUp says what becomes of due times that were missed.
type CatchUp string

// The policies. Times that are passed over are in the ledger as skipped.
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

// parse reads the job's own schedule.
func (j *Job) parse() (*Schedule, error) {
	zone, err := Zone(j.Timezone)
	if err != nil {
		return nil, err
	}
	return Parse(j.Schedule, zone, j.Anchor)
}

// plan makes the job due from a moment on. A paused one stays so.
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

// check looks at everything but the schedule, and fills in what was left out.
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
	bad := strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
	if n := utf8.RuneCountInString(name); n == 0 || n > maxName || bad || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return invalid("name", fmt.Sprintf("A job needs a \"name\" of 1–%d characters, without control characters and blanks around it.", maxName))
	}
	return nil
}

func invalid(param, msg string) error {
	return fault.New(fault.Invalid, "invalid_"+param, msg).At(param)
}
