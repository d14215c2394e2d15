// Package live is turns that go on without their client: runs, detached chat
// completions, stored responses. Each is a row of its owner's, with a log of what
// happened in it; a turn of a session like any other, begun under a lease, and
// taken up again after a crash.
//
// An event can be read once it is stored, and never before. So a reader that was
// cut off goes on behind the last event it has seen, on this server or the next,
// and misses and repeats nothing. Readers read from the store: none of them
// holds up the turn, or another reader.
//
// What was said belongs to the session. A row says where it stands there, and
// keeps what it needs to be run again only until it is over.
package live

import (
	"encoding/json"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Kind is the door a turn came through.
type Kind string

// The kinds of records.
const (
	KindRun      Kind = "run"
	KindChat     Kind = "chat"
	KindResponse Kind = "response"
)

// State is how far a record has come.
type State string

// The states of a record.
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

// Over reports whether nothing more happens in the state.
func (s State) Over() bool {
	return s == Completed || s == Failed || s == Cancelled || s == Interrupted
}

// OnRestart is what becomes of a record that the end of its server cut off.
type OnRestart string

// The policies.
const (
	Retry     OnRestart = "retry"     // its turn is begun again
	Interrupt OnRestart = "interrupt" // it ends, interrupted
)

// Record is a turn that goes on without its client. Times are UTC.
type Record struct {
	ID   string // chosen by the door
	Kind Kind
	// Session is the one asked for; from the start of the turn on, the one it is
	// a turn of, with its Root.
	Session   session.ID
	Root      session.ID
	Key       session.Key
	Model     string // the name asked for, then the one that answered
	State     State
	OnRestart OnRestart
	// Request is what the door wants to know of it later: it is data, and shown
	// to its owner only.
	Request json.RawMessage
	// Turn is what is to be run, in the form of [Spec]; nil once it is over.
	Turn json.RawMessage
	// FirstSeq and EndSeq bound its messages in the lineage: EndSeq is the Seq
	// behind the last, 0 as long as there is no answer.
	FirstSeq, EndSeq int64
	// Result is what the turn came to, or the part of it that was kept; nil for
	// none.
	Result *run.Result
	// Failure says why there is no whole answer; nil when there is one.
	Failure *Failure
	// Approvals are the calls of tools that wait for somebody's word.
	Approvals []Approval
	// ClientKey and ClientHash are the Idempotency-Key it was asked for with, and
	// the hash of what was asked; "" for none.
	ClientKey  string
	ClientHash []byte
	CreatedAt  time.Time
	StartedAt  time.Time // when it was first begun
	FinishedAt time.Time
	Attempts   int
	// Fence counts the claims: who holds an older one has lost it.
	Fence int64
	// WakeAt is when it is to be looked at: when it was queued, or when its lease
	// ends. Zero when it is over.
	WakeAt time.Time
	// Events is the Seq of the newest event; 0 for none.
	Events int64
}

// Output is the text of the answer, as far as there is one.
func (r *Record) Output() string {
	if r.Result == nil {
		return ""
	}
	return r.Result.Answer.Content
}

// Approval is a call of a tool that waits for somebody's word.
type Approval struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// Deadline is when it is taken to be denied.
	Deadline time.Time `json:"deadline"`
}

// Failure is a fault as it is kept: what may be shown of it.
type Failure struct {
	Kind       fault.Kind    `json:"kind"`
	Code       string        `json:"code,omitempty"`
	Message    string        `json:"message"`
	Param      string        `json:"param,omitempty"`
	Status     int           `json:"status,omitempty"` // of the upstream
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// Fault is the failure as an error.
func (f *Failure) Fault() *fault.Error {
	return &fault.Error{Kind: f.Kind, Code: f.Code, Msg: f.Message, Param: f.Param, Status: f.Status, RetryAfter: f.RetryAfter}
}

// EventType names what happened.
type EventType string

// The events of a record, with what their data hold.
const (
	// RunStarted: a turn begins to answer ([Started]). A second one means that
	// what was told since the first is void: the turn was begun anew.
	RunStarted EventType = "run.started"
	// MessageDelta: a piece of the answer ([Piece]).
	MessageDelta EventType = "message.delta"
	// ToolStarted and ToolCompleted: a tool of this server ([ToolCall], [run.ToolUse]).
	ToolStarted   EventType = "tool.started"
	ToolCompleted EventType = "tool.completed"
	// ApprovalRequest and ApprovalResolved: [Approval], [Resolved].
	ApprovalRequest  EventType = "approval.request"
	ApprovalResolved EventType = "approval.resolved"
	// The last event. Its data are empty: its record has what it came to.
	RunCompleted   EventType = "run.completed"
	RunFailed      EventType = "run.failed"
	RunCancelled   EventType = "run.cancelled"
	RunInterrupted EventType = "run.interrupted"
)

// Last reports whether an event of the type is the last of its record.
func (t EventType) Last() bool {
	return t == RunCompleted || t == RunFailed || t == RunCancelled || t == RunInterrupted
}

// lastOf is the last event of a record that ends in a state.
func lastOf(s State) EventType { return EventType("run." + string(s)) }

// Event is something that happened in a record.
type Event struct {
	Seq  int64 // from 1, without gaps
	Type EventType
	At   time.Time
	Data json.RawMessage // an object
	// Record is what the record came to, for those who follow it, with the last
	// event; nil with the others, and in a store.
	Record *Record
}

// Started are the data of [RunStarted].
type Started struct {
	Attempt    int           `json:"attempt"`
	Session    session.ID    `json:"session_id"`
	Root       session.ID    `json:"lineage_root_id"`
	Created    bool          `json:"created"`
	Compressed bool          `json:"compressed"`
	Responder  run.Responder `json:"responder"`
	Model      string        `json:"model"`
}

// Piece is the data of [MessageDelta]: what has come since the last one.
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
	Approved bool   `json:"approved"`
	Reason   string `json:"reason"` // approved, denied, expired, stopped
}
