package gatewaytest

import (
	"net/http"
	"strconv"
	"time"
)

// SlackFault is how a request to the Web API fails. The zero fault is none.
type SlackFault struct {
	// Delay is the time before anything else happens.
	Delay time.Duration
	// Error is the code in an answer with status 200.
	Error string
	// Status is the status of an answer with an HTML page; with 429, RetryAfter is its wait
	// in seconds.
	Status     int
	RetryAfter int
	// CutBefore ends the connection before the request is taken, CutAfter after that.
	CutBefore, CutAfter bool
	// Late is the time before the answer to a request that was taken.
	Late time.Duration
}

// slackFaults are the faults that wait for requests.
type slackFaults struct {
	lasting map[string]SlackFault // by method; "" for all
	once    map[string][]SlackFault
}

// Fail makes all requests of methods fail until Heal; without a method, all requests. The
// request for a socket is that of the method "link".
func (s *Slack) Fail(f SlackFault, methods ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(methods) == 0 {
		methods = []string{""}
	}
	for _, m := range methods {
		s.faults.lasting[m] = f
	}
}

// FailOnce makes the next requests of a method fail, each with one of the faults.
func (s *Slack) FailOnce(method string, faults ...SlackFault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.once[method] = append(s.faults.once[method], faults...)
}

// Unreachable refuses the connections of the client that Client returned.
func (s *Slack) Unreachable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unreachable = true
}

// Heal ends all lasting faults.
func (s *Slack) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults.lasting)
	s.unreachable = false
}

// fault is the fault of the next request of a method.
func (s *Slack) fault(method string) SlackFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.faults.once[method]; len(list) > 0 {
		s.faults.once[method] = list[1:]
		return list[0]
	}
	if f, ok := s.faults.lasting[method]; ok {
		return f
	}
	return s.faults.lasting[""]
}

// fail answers as a fault demands, and reports whether it did.
func (s *Slack) fail(w http.ResponseWriter, f SlackFault) bool {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ctx.Done():
		}
	}
	switch {
	case f.CutBefore:
		cutOff(w)
	case f.Error != "":
		answerJSON(w, map[string]any{"ok": false, "error": f.Error})
	case f.Status != 0:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte("<html><body>Server Error</body></html>"))
	default:
		return false
	}
	return true
}

// cutOff ends the connection of a request without an answer.
func cutOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}
