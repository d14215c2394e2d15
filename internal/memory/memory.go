// Package memory owns facts: their distillation from messages, the links between them,
// and the ranking that finds them again.
//
// It is deterministic. The same messages give the same facts in the same order on every
// machine; no clock, no random number and no model takes part. A fact always carries
// the exact words it was taken from; it is superseded, never rewritten.
//
// The parts, in the order of the data flow: [Distill] turns a message into facts;
// [State] holds the facts of a scope, detects reversals and renders the bounded block
// that a model is shown; package ranking finds messages for a question; [View] joins
// them for one scope, and turns use it.
package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// Scope is the range of long-term memory a turn may see.
type Scope struct {
	// Root is the lineage of the turn.
	Root session.ID
	// Key is the session key sent with the turn; "" confines memory to Root.
	Key session.Key
	// AsOf shows the scope as it was known then; zero means now.
	AsOf time.Time
}
