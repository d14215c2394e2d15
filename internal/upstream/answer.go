package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// answer is a response being read. It belongs to one goroutine.
type answer struct {
	c       *client
	parent  context.Context // the caller's
	call    context.Context // parent, ended early by silence or by close
	cancel  context.CancelCauseFunc
	timer   *time.Timer   // runs while a read waits for the server
	between time.Duration // 0: the timer is never restarted

	status int
	header http.Header
	length int64 // as announced; -1 when not
	body   io.ReadCloser
	in     *bufio.Reader
	begun  bool
	until  time.Time // when a stream must have ended
	size   int       // of what was read, in bytes
}

// errEndless ends a call whose answer grows beyond all bounds.
var errEndless = errors.New("the answer exceeds the size limit")

// Codes of failures that no upstream reported.
const (
	codeUnreachable = "upstream_unreachable"
	codeTimeout     = "upstream_timeout"
	codeBroken      = "upstream_broke_off"
	codeGarbled     = "upstream_garbled"
	codeTooLarge    = "upstream_too_large"
	codeError       = "upstream_error"
)

// Read reads from the server. The timeout for silence runs only during a read, so that
// a slow reader in this program is not taken for a slow server. A stream also ends when
// it has lasted too long or become too large.
func (a *answer) Read(p []byte) (int, error) {
	if a.begun && a.between > 0 {
		a.timer.Reset(min(a.between, time.Until(a.until)))
	}
	n, err := a.body.Read(p)
	if n > 0 && a.between > 0 {
		a.begun = true
		a.timer.Stop()
	}
	if a.size += n; a.size > a.c.opt.MaxBody {
		return n, errEndless
	}
	return n, err
}

// all reads the whole body.
func (a *answer) all(limit int) ([]byte, error) {
	size := int64(4 << 10)
	if a.length > 0 {
		size = a.length
	}
	out := bytes.NewBuffer(make([]byte, 0, min(size, int64(limit), 1<<20)+bytes.MinRead))
	if _, err := out.ReadFrom(io.LimitReader(a.in, int64(limit)+1)); err != nil {
		return nil, a.broken(err)
	}
	if out.Len() > limit {
		return nil, fault.New(fault.Upstream, codeTooLarge, "The upstream's answer is too large.")
	}
	return out.Bytes(), nil
}

// events reports whether the body is a stream of events rather than one JSON value.
// Without a usable content type, the first byte decides.
func (a *answer) events() bool {
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "text/event-stream":
		return true
	case "application/json":
		return false
	}
	for {
		first, err := a.in.Peek(1)
		if err != nil {
			return false
		}
		switch first[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = a.in.Discard(1)
		default:
			return first[0] == 'd' || first[0] == 'e' || first[0] == 'i' || first[0] == 'r' || first[0] == ':'
		}
	}
}

// finish reads the short rest of a stream that has said all it has to, so that its
// connection can be reused. It does not wait long.
func (a *answer) finish() {
	const patience = 20 * time.Millisecond
	a.between = 0
	a.timer.Reset(patience)
	_, _ = io.CopyN(io.Discard, a.in, 4<<10)
}

// close ends the call. It may be called twice.
func (a *answer) close() {
	a.timer.Stop()
	a.cancel(nil)
	if a.body != nil {
		_ = a.body.Close()
		a.body = nil
	}
	if a.in != nil {
		a.in.Reset(nil)
		a.c.readers.Put(a.in)
		a.in = nil
	}
}

// unanswered is the fault of a call that got no response.
func (a *answer) unanswered(err error) error {
	if f := a.ended(err); f != nil {
		return f
	}
	return fault.Wrap(fault.Unavailable, codeUnreachable, "The upstream model server could not be reached.", a.c.scrub.cause(err))
}

// broken is the fault of a response that could not be read to its end.
func (a *answer) broken(err error) error {
	if f := a.ended(err); f != nil {
		return f
	}
	if errors.Is(err, errEndless) {
		return fault.Wrap(fault.Upstream, codeTooLarge, "The upstream's answer is too large.", err)
	}
	return fault.Wrap(fault.Upstream, codeBroken, "The upstream model server broke off its answer.", a.c.scrub.cause(err))
}

// ended is the fault of a call that ended by timeout or cancellation; nil if neither is
// the case.
func (a *answer) ended(err error) error {
	if cause := a.parent.Err(); cause != nil {
		if errors.Is(cause, context.DeadlineExceeded) {
			return fault.Wrap(fault.Timeout, codeTimeout, "The upstream model server did not answer in time.", cause)
		}
		return fault.Wrap(fault.Canceled, "", "The call was cancelled.", cause)
	}
	if errors.Is(context.Cause(a.call), errSlow) {
		return fault.Wrap(fault.Timeout, codeTimeout, "The upstream model server did not answer in time.",
			errors.Join(errSlow, a.c.scrub.cause(err)))
	}
	return nil
}
