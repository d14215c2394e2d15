package httpapi

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// eventWriter writes the lines of an event stream, flushes each at once, and writes a
// comment after a silence. The comment is a single line without a blank line after it,
// because openai-go takes a blank line for the end of an event.
type eventWriter struct {
	mu     sync.Mutex
	w      http.ResponseWriter
	rc     *http.ResponseController
	timer  *time.Timer // nil if the caller keeps the stream alive
	pause  time.Duration
	idle   string // what is written after a pause
	closed bool
	failed bool
	last   time.Time // the last write
	until  time.Time // the deadline of the next write
}

// comment keeps an idle stream alive.
const comment = ": keepalive\n"

// writeTimeout ends the stream of a client that has stopped reading. Such a client must
// be gone after ten seconds, and the buffers in between take some of that time to fill.
const writeTimeout = 8 * time.Second

// early is the smallest change of a deadline that is applied: a stream has about twenty
// pieces a second, and need not set a deadline for each.
const early = time.Second

// slowestRead is the rate, in bytes a second, at which a client must read a long event.
const slowestRead = 64 << 10

// newEventWriter begins a stream that gets a comment after each pause; with 0, the
// caller sends the comments.
func newEventWriter(w http.ResponseWriter, pause time.Duration) *eventWriter {
	return newIdleWriter(w, pause, comment)
}

// newIdleWriter is newEventWriter with another text for idle streams than a comment.
func newIdleWriter(w http.ResponseWriter, pause time.Duration, idle string) *eventWriter {
	describeStream(w.Header())
	out := &eventWriter{w: w, rc: http.NewResponseController(w), pause: pause, idle: idle}
	if pause > 0 {
		out.mu.Lock() // the timer may fire before the field is set
		defer out.mu.Unlock()
		out.timer = time.AfterFunc(pause, recovery.Func(out.silence, func(error) { out.fail() }))
	}
	return out
}

// describeStream sets the headers of an event stream.
func describeStream(h http.Header) {
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
}

// onlyHead answers a HEAD request for an event stream, and reports whether the request is one. A
// stream that went on without a body would hold the connection, on which the client sends its
// next request.
func onlyHead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodHead {
		return false
	}
	describeStream(w.Header())
	w.WriteHeader(http.StatusOK)
	return true
}

// begin sends the head of the response before the first event.
func (e *eventWriter) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = e.rc.Flush() != nil
}

// data writes one event and reports whether the client is still connected.
func (e *eventWriter) data(event []byte) bool { return e.tell("data: ", event) }

// named is data for an event with a name.
func (e *eventWriter) named(name string, event []byte) bool {
	return e.tell("event: "+name+"\ndata: ", event)
}

// numbered is data for an event with an id and a name.
func (e *eventWriter) numbered(id int64, name string, event []byte) bool {
	return e.tell("id: "+strconv.FormatInt(id, 10)+"\nevent: "+name+"\ndata: ", event)
}

func (e *eventWriter) tell(before string, event []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(before, event, "\n\n")
	return !e.failed
}

// keepAlive writes the comment and reports whether the client is still connected.
func (e *eventWriter) keepAlive() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.write(e.idle, nil, "")
	}
	return !e.failed
}

// fail marks the stream as broken.
func (e *eventWriter) fail() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = true
}

// silence keeps a stream alive on which nothing has been written for a pause.
func (e *eventWriter) silence() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	left := e.pause - time.Since(e.last)
	if left <= 0 {
		e.write(e.idle, nil, "")
		left = e.pause
	}
	e.timer.Reset(left)
}

// write sends the parts and flushes. The caller holds the lock.
func (e *eventWriter) write(before string, event []byte, after string) {
	if e.failed {
		return
	}
	e.last = time.Now()
	until := e.last.Add(writeTimeout + time.Duration(len(event))*time.Second/slowestRead)
	if until.Sub(e.until) > early {
		e.until = until
		_ = e.rc.SetWriteDeadline(until) // not every writer supports deadlines
	}
	_, err := e.w.Write([]byte(before))
	if err == nil && event != nil {
		_, err = e.w.Write(event)
	}
	if err == nil && after != "" {
		_, err = e.w.Write([]byte(after))
	}
	if err == nil {
		err = e.rc.Flush()
	}
	e.failed = err != nil
}

// close stops the keep-alives. Nothing may be written after it.
func (e *eventWriter) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.timer != nil {
		e.timer.Stop()
	}
	_ = e.rc.SetWriteDeadline(time.Time{})
}
