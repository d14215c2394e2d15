// Package fault gives errors a kind, so that the edges of the program can
// translate them without reading their text.
//
// A package that understands the cause of a failure makes a fault; the packages between
// it and the edge only wrap it. httpapi turns kinds into statuses, and cli turns them
// into exit codes. An error without a fault is [Internal]: it is logged whole and never
// shown.
package fault

import (
	"errors"
	"strconv"
	"time"
)

// Kind is the sort of a failure, from the caller's point of view.
type Kind string

// The kinds. Each is one HTTP status and one way of reacting.
const (
	Internal        Kind = "internal"        // a defect here; never shown in detail
	Invalid         Kind = "invalid"         // the caller's input is wrong
	Unauthenticated Kind = "unauthenticated" // no key, or not one of ours
	Forbidden       Kind = "forbidden"       // known caller, not allowed
	NotFound        Kind = "not_found"       // absent, or not the caller's: never told apart
	NotAllowed      Kind = "not_allowed"     // the thing exists, the verb does not
	Conflict        Kind = "conflict"        // the state of things contradicts the request
	Stale           Kind = "stale"           // the thing is not any more what the caller took it for
	TooLarge        Kind = "too_large"       // over a stated limit of size
	Misdirected     Kind = "misdirected"     // addressed to a host name that is not ours
	RateLimited     Kind = "rate_limited"    // over a stated limit of rate
	Upstream        Kind = "upstream"        // the model's server answered badly
	Unavailable     Kind = "unavailable"     // cannot be served now, later perhaps
	Timeout         Kind = "timeout"         // a server that this one called took too long
	Canceled        Kind = "canceled"        // the caller went away
)

// Error is a failure whose cause is understood.
type Error struct {
	Kind Kind
	// Code is the stable machine-readable name of the failure, such as
	// "invalid_session_id". Empty means the kind says enough.
	Code string
	// Param names the offending part of the input, such as "messages[2].content".
	Param string
	// Msg is for the caller. It never holds a secret, a path or Go error text.
	Msg string
	// Foreign says that Msg has words of another server, which may repeat what that server was sent.
	// They are shown to the caller, and never logged.
	Foreign bool
	// Err is the cause, for the log only.
	Err error
	// Status is the HTTP status an upstream answered with, kept so that it can
	// be passed on; 0 when no upstream was involved.
	Status int
	// RetryAfter is how long the caller should wait; 0 means not known.
	RetryAfter time.Duration
}

// Error returns the text for logs: the message and its cause.
func (e *Error) Error() string {
	text := e.Msg
	if e.Foreign {
		text = "another server refused the request"
		if e.Status != 0 {
			text += " with status " + strconv.Itoa(e.Status)
		}
	}
	if e.Err == nil {
		return text
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes a fault of the given kind with a message that is safe to show.
func New(kind Kind, code, msg string) *Error {
	return &Error{Kind: kind, Code: code, Msg: msg}
}

// Wrap makes a fault around its cause; msg is safe to show, err is not.
func Wrap(kind Kind, code, msg string, err error) *Error {
	return &Error{Kind: kind, Code: code, Msg: msg, Err: err}
}

// At names the offending part of the input and returns e.
func (e *Error) At(param string) *Error {
	e.Param = param
	return e
}

// KindOf returns the kind of the first fault in err's chain, [Internal] when
// there is none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// CodeOf returns the code of the first fault in err's chain, or "".
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// MessageOf returns the text of an error that may be shown: the message of a fault. For
// any other error it says only that there was one.
func MessageOf(err error) string {
	if f, ok := errors.AsType[*Error](err); ok {
		return f.Msg
	}
	return "Something went wrong inside; the log has the details."
}

// Innermost is the innermost error that an error wraps, without the steps that led there.
func Innermost(err error) error {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err
}
