// Package providertest is the contract that every external memory provider passes, and a
// server's faults that tests script. It is for tests alone.
package providertest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fault is what a server does instead of what it should do.
type Fault struct {
	// On restricts the fault to requests whose method and path contain the text, or end with
	// it if it ends with "$".
	On string
	// Delay is the time before anything happens.
	Delay time.Duration
	// Hang never answers.
	Hang bool
	// Status is answered if it is set, with Body.
	Status int
	// RetryAfter is the value of the header Retry-After of an answer with Status.
	RetryAfter string
	// Body is answered if it is set.
	Body string
	// Cut breaks the connection off instead of an answer. Stored lets the request take
	// effect first.
	Cut, Stored bool
}

func (f *Fault) on(r *Request) bool {
	return strings.Contains(r.Method+" "+r.Path+"$", f.On)
}

// Request is a request that a server has got.
type Request struct {
	Method, Path, Query, Body string
}

// Faults lets a server fail as a test says, and records what it is asked.
type Faults struct {
	mu     sync.Mutex
	once   []Fault
	always *Fault
	got    []Request
	ended  chan struct{}
}

// NewFaults returns Faults without any.
func NewFaults() *Faults { return &Faults{ended: make(chan struct{})} }

// Serve serves a fake until the test ends, with faults that the test scripts.
func Serve(t testing.TB, fake http.Handler) (url string, faults *Faults) {
	t.Helper()
	faults = NewFaults()
	srv := httptest.NewServer(faults.Wrap(fake))
	t.Cleanup(srv.Close)
	t.Cleanup(faults.Close)
	return srv.URL, faults
}

// Next scripts faults, each for one request.
func (f *Faults) Next(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.once = append(f.once, faults...)
}

// Clear drops the faults that have not come yet.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.once = nil
}

// Always scripts a fault for all requests; nil ends it.
func (f *Faults) Always(fault *Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.always = fault
}

// Requests are the requests so far.
func (f *Faults) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Request(nil), f.got...)
}

// Close ends the requests that hang.
func (f *Faults) Close() { close(f.ended) }

// take is the fault of a request; nil for none.
func (f *Faults) take(r *Request) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = append(f.got, *r)
	for i := range f.once {
		if fault := f.once[i]; fault.on(r) {
			f.once = append(f.once[:i:i], f.once[i+1:]...)
			return &fault
		}
	}
	if f.always != nil && f.always.on(r) {
		return f.always
	}
	return nil
}

// Wrap is a server with the faults.
func (f *Faults) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		fault := f.take(&Request{r.Method, r.URL.Path, r.URL.RawQuery, string(body)})
		if fault == nil {
			h.ServeHTTP(w, r)
			return
		}
		f.fail(w, r, h, fault)
	})
}

func (f *Faults) fail(w http.ResponseWriter, r *http.Request, h http.Handler, fault *Fault) {
	wait := fault.Delay
	if fault.Hang {
		wait = time.Hour
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-f.ended:
		case <-r.Context().Done():
		}
	}
	switch {
	case fault.Stored:
		h.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case fault.Cut, fault.Hang:
		panic(http.ErrAbortHandler)
	case fault.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		if fault.RetryAfter != "" {
			w.Header().Set("Retry-After", fault.RetryAfter)
		}
		w.WriteHeader(fault.Status)
		_, _ = io.WriteString(w, fault.Body)
	case fault.Body != "":
		_, _ = io.WriteString(w, fault.Body)
	default:
		h.ServeHTTP(w, r)
	}
}
