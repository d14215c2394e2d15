// Package upstream speaks to the servers that models run on: those with
// OpenAI's chat completions ([OpenAI]) and Anthropic's ([Anthropic]). Both are a
// run.Model. [Choose] picks one at start.
//
// One turn is one call: nothing is retried here, because a model that was asked
// twice may be paid twice and act twice. What goes wrong is told apart by kind:
// a server that could not be reached (Unavailable, Timeout), one that refused
// (its own status, code and delay are kept), and one whose answer broke off or
// made no sense (Upstream). The text of a fault never holds the key, the
// address of the upstream or Go's error text.
//
// This package knows nothing of sessions and memory. It sends what the prompt
// says, and reads no environment.
package upstream
