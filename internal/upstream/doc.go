// Package upstream calls the servers that models run on: those with OpenAI's chat
// completions ([OpenAI]) and Anthropic's Messages API ([Anthropic]). Both are a
// run.Model. [Choose] picks one at start.
//
// One turn is one call. Nothing is retried here, because a model that is asked twice
// may be paid twice and act twice. Failures are told apart by kind: a server that could
// not be reached (Unavailable, Timeout), one that refused (its status, code and delay
// are kept), and one whose answer broke off or was invalid (Upstream). The text of a
// fault never holds the key, the address of the upstream or Go's error text.
//
// This package knows nothing of sessions and memory. It sends the prompt as given, and
// does not read the environment.
package upstream
