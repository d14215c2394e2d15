package httpapi

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// A body may take long as long as it makes progress. Only the time that the server
// waits for it counts, so an import may be processed between two pieces.
const (
	// bodyGrace is how long the server waits for a body without any progress.
	bodyGrace = 10 * time.Second
	// slowestBody is the number of bytes that extend the wait by a second.
	slowestBody = 4 << 10
	// politeness is how long the rest of an oversized body is read, so that a client
	// that sends its whole body first receives the refusal.
	politeness = 5 * time.Second
	// lingering is how long the rest of any other body may delay closing its connection
	// after the answer.
	lingering = time.Second
)

// tooSlow is the error code for a body that arrives too slowly.
const tooSlow = "body_too_slow"

// paced is a request body with a minimum rate.
type paced struct {
	io.ReadCloser
	rc     *http.ResponseController
	visit  *visit    // the connection it comes over; nil where it is not known
	until  time.Time // the latest deadline; zero for none
	set    time.Time // the current deadline
	read   int64
	waited time.Duration
	whole  bool // it was read to its end, or cannot be read any more
}

// pace gives a request's body its deadline. A request without a body gets none: a read
// on its connection only detects a disconnected client.
func pace(x *exchange, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return
	}
	x.body = &paced{ReadCloser: r.Body, rc: http.NewResponseController(x.ResponseWriter), visit: visitOf(r.Context())}
	r.Body = x.body
}

// Read implements io.Reader. It fails with Invalid "body_too_slow" if the body arrives
// too slowly.
func (p *paced) Read(b []byte) (int, error) {
	began := time.Now()
	p.expect(began)
	p.visit.reads(p.waited, p.read)
	n, err := p.ReadCloser.Read(b)
	p.visit.works()
	p.waited += time.Since(began)
	p.read += int64(n)
	if err != nil {
		p.whole = true
		_ = p.rc.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.whole = false
		f := fault.Wrap(fault.Invalid, tooSlow, "The request body came too slowly: less than 4 KiB a second for more than ten seconds.", err)
		f.Status = http.StatusRequestTimeout
		return n, f
	}
	return n, err
}

// expect sets the deadline of the next read, unless the current one is about the same.
func (p *paced) expect(now time.Time) {
	until := now.Add(bodyGrace + time.Duration(p.read)*time.Second/slowestBody - p.waited)
	if !p.until.IsZero() && until.After(p.until) {
		until = p.until
	}
	if p.set.IsZero() || until.Sub(p.set).Abs() > early {
		p.set = until
		_ = p.rc.SetReadDeadline(until) // an error means that a test's writer has no deadlines
	}
}

// abandon says that the rest of the body is not read. Its connection closes after the
// answer, and net/http, which reads a part of the rest, does not wait for it.
func (p *paced) abandon() {
	if p != nil && !p.whole {
		_ = p.rc.SetReadDeadline(time.Now().Add(lingering))
	}
}

// drain reads the rest of an oversized body, for a short time.
func (p *paced) drain(most int64) {
	p.until = time.Now().Add(politeness)
	_, _ = io.CopyN(io.Discard, p, most)
}
