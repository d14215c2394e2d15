package gatewaytest

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// WhatsAppStep is what one request meets. The zero value answers as usual.
type WhatsAppStep struct {
	// Hold delays the request until it is closed.
	Hold <-chan struct{}
	// Code refuses the request with an error of the API.
	Code    int
	Details string
	// Status is the HTTP status; 0 is the usual one of the code.
	Status int
	// RetryAfter is a header, in seconds; 0 for none.
	RetryAfter int
	// Page answers with an HTML page of the Status.
	Page bool
	// Cut ends the connection before the request is carried out, CutAfter after it.
	Cut, CutAfter bool
	// Late delays the answer to a request that was carried out.
	Late time.Duration
}

// WhatsAppPage is a step that answers with an HTML page.
func WhatsAppPage(status int) WhatsAppStep { return WhatsAppStep{Status: status, Page: true} }

// Script makes the next requests of a kind meet steps, one each. "" is any kind, "send" any
// message.
func (s *WhatsApp) Script(kind string, steps ...WhatsAppStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[kind] = append(s.steps[kind], steps...)
}

// Always makes every request of a kind meet a step, after those of Script. The zero step
// ends it.
func (s *WhatsApp) Always(kind string, step WhatsAppStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if step == (WhatsAppStep{}) {
		delete(s.always, kind)
		return
	}
	s.always[kind] = step
}

// Requests returns all requests so far, in order. "" is any kind, "send" any message.
func (s *WhatsApp) Requests(kind string) []WhatsAppRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []WhatsAppRequest
	for _, r := range s.requests {
		if slices.Contains(r.kinds(), kind) {
			out = append(out, *r)
		}
	}
	return out
}

// Broken returns what no good client does.
func (s *WhatsApp) Broken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

// before carries out a step, as far as it comes before the request. It reports whether the
// request is to be carried out.
func (t WhatsAppStep) before(ctx context.Context, closed <-chan struct{}, w http.ResponseWriter) bool {
	if t.Hold != nil {
		select {
		case <-t.Hold:
		case <-ctx.Done():
			panic(http.ErrAbortHandler)
		case <-closed:
			panic(http.ErrAbortHandler)
		}
	}
	if t.Cut {
		panic(http.ErrAbortHandler)
	}
	switch {
	case t.Page:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(t.Status)
		_, _ = w.Write([]byte("<html><head><title>" + http.StatusText(t.Status) + "</title></head><body>nginx</body></html>"))
		return false
	case t.Code != 0:
		waAnswer{err: &waError{Code: t.Code, Details: t.Details, Status: t.Status, RetryAfter: t.RetryAfter}}.write(w)
		return false
	}
	return true
}
