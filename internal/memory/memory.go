// Package memory owns facts: their distillation from messages, the links between them,
// and the ranking that finds them again.
//
// It is deterministic. The same messages give the same facts in the same order on every
// machine, without a clock, random numbers or a model. A fact has the exact words it
// was taken from. It may be superseded, but is never rewritten.
//
// The parts, in the order of the data flow: [Distill] turns a message into facts.
// [State] holds the facts of a scope, detects reversals, and renders the bounded block
// for a model. Package ranking finds messages for a question. [View] combines them for
// one scope; turns use it.
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
	// Whole selects what all messages of Root taught, under whatever key. Such a scope is
	// only read, by people: no turn learns in it, and Key is empty.
	Whole bool
	// AsOf selects the memory as it was known at that time; zero means now.
	AsOf time.Time
}
