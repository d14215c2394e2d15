package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	absent := New(NotFound, "session_not_found", "No session.")
	for _, c := range []struct {
		name string
		err  error
		kind Kind
		code string
	}{
		{"nil", nil, "", ""},
		{"no fault", io.EOF, Internal, ""},
		{"a fault", absent, NotFound, "session_not_found"},
		{"wrapped", fmt.Errorf("open: %w", absent), NotFound, "session_not_found"},
		{"joined", errors.Join(io.EOF, absent), NotFound, "session_not_found"},
		{"cut off at a boundary", fmt.Errorf("open: %v", absent), Internal, ""}, //nolint:errorlint // on purpose
		{"the outermost counts", Wrap(Unavailable, "busy", "Busy.", absent), Unavailable, "busy"},
		{"a typed nil", func() error { var e *Error; return fmt.Errorf("%w", errOrNil(e)) }(), Internal, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := KindOf(c.err); got != c.kind {
				t.Errorf("kind: got %q, want %q", got, c.kind)
			}
			if got := CodeOf(c.err); got != c.code {
				t.Errorf("code: got %q, want %q", got, c.code)
			}
		})
	}
}

// errOrNil is how a nil fault becomes an error safely.
func errOrNil(e *Error) error {
	if e == nil {
		return io.EOF
	}
	return e
}

func TestError(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp 10.0.0.1: refused")
	e := Wrap(Upstream, "upstream_down", "The model cannot be reached.", cause).At("model")
	if got, want := e.Error(), "The model cannot be reached.: dial tcp 10.0.0.1: refused"; got != want {
		t.Errorf("text for the log: got %q, want %q", got, want)
	}
	if !errors.Is(e, cause) {
		t.Error("the cause is not in the chain")
	}
	if e.Param != "model" || e.Msg != "The model cannot be reached." {
		t.Errorf("got %+v, want the parameter set and the message without its cause", e)
	}
	if got := New(Invalid, "", "Wrong.").Error(); got != "Wrong." {
		t.Errorf("without a cause: got %q, want the message alone", got)
	}
}

// TestForeignWords: the words of another server are shown, and not logged.
func TestForeignWords(t *testing.T) {
	t.Parallel()
	const words = "Your input \"canary\" was refused."
	err := fmt.Errorf("ask: %w", &Error{Kind: Upstream, Msg: words, Foreign: true, Status: 502, Err: io.EOF})
	if got, want := err.Error(), "ask: another server refused the request with status 502: EOF"; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
	if got := MessageOf(err); got != words {
		t.Errorf("shown %q, want %q", got, words)
	}
}
