package gatewaytest

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// TelegramStep is what one request meets. The zero value answers as usual.
type TelegramStep struct {
	Delay time.Duration
	// Hold delays the request until it is closed.
	Hold <-chan struct{}
	// Code refuses the request, with the Description and the parameters.
	Code        int
	Description string
	RetryAfter  int
	MigrateTo   int64
	// Page answers with an HTML page of the status Code.
	Page bool
	// Cut ends the connection before the request is carried out, CutAfter after it.
	Cut, CutAfter bool
	// Late delays the answer to a request that was carried out.
	Late time.Duration
}

// TelegramWait is a step that asks to wait for some seconds.
func TelegramWait(seconds int) TelegramStep {
	return TelegramStep{Code: 429, Description: tgTooMany(seconds), RetryAfter: seconds}
}

// TelegramPage is a step that answers with an HTML page.
func TelegramPage(status int) TelegramStep { return TelegramStep{Code: status, Page: true} }

// Script makes the next requests of a method meet steps, one each. "" is any method.
func (s *Telegram) Script(method string, steps ...TelegramStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[method] = append(s.steps[method], steps...)
}

// Always makes every request of a method meet a step, after those of Script. "" is any
// method. The zero step ends it.
func (s *Telegram) Always(method string, step TelegramStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if step == (TelegramStep{}) {
		delete(s.always, method)
		return
	}
	s.always[method] = step
}

// Requests returns all requests so far, in order. "" is any method.
func (s *Telegram) Requests(method string) []TelegramRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []TelegramRequest
	for _, r := range s.requests {
		if method == "" || r.Method == method {
			out = append(out, *r)
		}
	}
	return out
}

// Limited is how often the fake refused a request because of the limits of rate.
func (s *Telegram) Limited() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limited
}

// Broken returns what no good client does.
func (s *Telegram) Broken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

// linger waits for a time. It reports whether the client is still there.
func linger(ctx context.Context, closed <-chan struct{}, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-closed:
	}
	return false
}

// before carries out a step, as far as it comes before the request. It reports whether the
// request is to be carried out.
func (t TelegramStep) before(ctx context.Context, closed <-chan struct{}, w http.ResponseWriter) bool {
	if !t.wait(ctx, closed) || t.Cut {
		panic(http.ErrAbortHandler)
	}
	switch {
	case t.Page:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(t.Code)
		title := http.StatusText(t.Code)
		_, _ = w.Write([]byte("<html>\r\n<head><title>" + title + "</title></head>\r\n<body><h1>nginx</h1></body>\r\n</html>\r\n"))
		return false
	case t.Code != 0:
		tgAnswer{err: &tgError{Code: t.Code, Description: t.Description, RetryAfter: t.RetryAfter, MigrateTo: t.MigrateTo}}.write(w)
		return false
	}
	return true
}

// wait waits as long as a step says. It reports whether the client is still there.
func (t TelegramStep) wait(ctx context.Context, closed <-chan struct{}) bool {
	if !linger(ctx, closed, t.Delay) {
		return false
	}
	if t.Hold != nil {
		select {
		case <-t.Hold:
		case <-ctx.Done():
			return false
		case <-closed:
			return false
		}
	}
	return true
}
