// Package live runs turns that go on without their client: runs, detached chat
// completions and stored responses. Each is a row of its owner with a log of events.
// Its turn is an ordinary turn of a session, started under a lease and retried after a
// crash.
//
// An event can be read only once it is stored. A reader that was cut off therefore
// continues after the last event it has seen, on this server or the next, and neither
// misses nor repeats one. Readers who are behind read from the store, so no reader delays the
// turn or another reader.
//
// The words of a turn belong to the session. A row stores their position there, and
// keeps the request only until the run is over.
package live

import (
	"encoding/json"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Kind is the door a turn came through.
type Kind string

// The kinds of runs.
const (
	KindRun      Kind = "run"
	KindChat     Kind = "chat"
	KindResponse Kind = "response"
	KindPlatform Kind = "platform" // a message on a chat platform
)

// State is how far a run has come.
type State string

// The states of a run.
const (
	Queued      State = "queued"
	Running     State = "running"
	Waiting     State = "waiting_for_approval"
	Stopping    State = "stopping"
	Completed   State = "completed"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// Over reports whether the state is final.
func (s State) Over() bool {
	return s == Completed || s == Failed || s == Cancelled || s == Interrupted
}

// OnRestart says what happens to a run that a server's end cut off.
type OnRestart string

// The policies.
const (
	Retry     OnRestart = "retry"     // the turn starts again
	Interrupt OnRestart = "interrupt" // the run ends as interrupted
)

// Run is a turn that goes on without its client. Times are UTC.
type Run struct {
	ID   string // chosen by the door
	Kind Kind
	// Session is the one asked for; once the turn starts, it is the session that the
	// turn belongs to, with its Root.
	Session   session.ID
	Root      session.ID
	Key       session.Key
	Model     string // the name asked for, then the one that answered
	State     State
	OnRestart OnRestart
	// Request is data that the door stores for itself; it is shown to its owner only.
	Request json.RawMessage
	// Turn is the turn to be run, in the form of [Spec]; nil once the run is over.
	Turn json.RawMessage
	// FirstSeq and EndSeq bound the run's messages in the lineage. EndSeq is the Seq
	// after the last message; 0 until there is an answer.
	FirstSeq, EndSeq int64
	// Result is the result of the turn, or the part that was kept; nil for none.
	Result *run.Result
	// Failure says why there is no complete answer; nil when there is one.
	Failure *Failure
	// Approvals are the tool calls that wait for approval.
	Approvals []Approval
	// ClientKey and ClientHash are the Idempotency-Key of the request and the hash of
	// its content; "" for none.
	ClientKey  string
	ClientHash []byte
	CreatedAt  time.Time
	StartedAt  time.Time // first start
	FinishedAt time.Time
	Attempts   int
	// Fence counts the claims: a worker with an older number has lost the run.
	Fence int64
	// WakeAt is when the run is next polled: when it was queued, or when its lease
	// ends. Zero when it is over.
	WakeAt time.Time
	// Events is the Seq of the newest event; 0 for none.
	Events int64
}

// Output is the text of the answer so far.
func (r *Run) Output() string {
	if r.Result == nil {
		return ""
	}
	return r.Result.Answer.Content
}

// Approval is a tool call that waits for approval.
type Approval struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// Deadline is when the call counts as denied.
	Deadline time.Time `json:"deadline"`
	// Number counts the calls of the turn that people were asked about, from 1, in the model's order. Of is how many
	// calls of the same answer of the model need an approval.
	Number int `json:"number"`
	Of     int `json:"of"`
}

// Failure is a fault as it is stored: only what is safe to show.
type Failure struct {
	Kind       fault.Kind    `json:"kind"`
	Code       string        `json:"code,omitempty"`
	Message    string        `json:"message"`
	Foreign    bool          `json:"foreign,omitempty"` // Message has words of the upstream
	Param      string        `json:"param,omitempty"`
	Status     int           `json:"status,omitempty"` // of the upstream
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// Fault returns the failure as an error.
func (f *Failure) Fault() *fault.Error {
	return &fault.Error{
		Kind: f.Kind, Code: f.Code, Msg: f.Message, Foreign: f.Foreign, Param: f.Param, Status: f.Status, RetryAfter: f.RetryAfter,
	}
}

// EventType names what happened.
type EventType string

// The events of a run, with what their data hold.
const (
	// RunStarted: a turn begins to answer ([Started]). A second one voids all events
	// since the first: the turn started again.
	RunStarted EventType = "run.started"
	// MessageDelta: a piece of the answer ([Piece]).
	MessageDelta EventType = "message.delta"
	// ToolStarted and ToolCompleted: a tool of this server ([ToolCall], [lineage.ToolUse]).
	ToolStarted   EventType = "tool.started"
	ToolCompleted EventType = "tool.completed"
	// ApprovalRequest and ApprovalResolved: [Approval], [Resolved].
	ApprovalRequest  EventType = "approval.request"
	ApprovalResolved EventType = "approval.resolved"
	// The last event. It has no data: the run holds the result.
	RunCompleted   EventType = "run.completed"
	RunFailed      EventType = "run.failed"
	RunCancelled   EventType = "run.cancelled"
	RunInterrupted EventType = "run.interrupted"
)

// Last reports whether an event of the type is the last of its run.
func (t EventType) Last() bool {
	return t == RunCompleted || t == RunFailed || t == RunCancelled || t == RunInterrupted
}

// lastOf is the last event of a run that ends in a state.
func lastOf(s State) EventType { return EventType("run." + string(s)) }

// Event is one thing that happened in a run.
type Event struct {
	Seq  int64 // from 1, without gaps
	Type EventType
	At   time.Time
	Data json.RawMessage // an object
	// Run is the finished run, for readers, with the last event only; it is not stored.
	Run *Run
}

// Started are the data of [RunStarted].
type Started struct {
	Attempt    int               `json:"attempt"`
	Session    session.ID        `json:"session_id"`
	Root       session.ID        `json:"lineage_root_id"`
	Created    bool              `json:"created"`
	Compressed bool              `json:"compressed"`
	Responder  lineage.Responder `json:"responder"`
	Model      string            `json:"model"`
}

// Piece is the data of [MessageDelta]: the text since the last one.
type Piece struct {
	Content   string     `json:"content,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	ToolCalls []CallPart `json:"tool_calls,omitempty"`
}

// CallPart is a part of a call of the client's tools.
type CallPart struct {
	Index     int    `json:"index"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// ToolCall are the data of [ToolStarted].
type ToolCall struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Resolved are the data of [ApprovalResolved].
type Resolved struct {
	CallID   string `json:"call_id"`
	Number   int    `json:"number"`
	Approved bool   `json:"approved"`
	Reason   string `json:"reason"` // approved, denied, expired, stopped
}
