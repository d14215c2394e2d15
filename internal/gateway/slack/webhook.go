package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// commitTime bounds a commit. It is more than the 3 s after which Slack gives up waiting: a
// commit that is late is done, and Slack's next attempt finds it.
const commitTime = 30 * time.Second

// gate lets requests in while the adapter runs, and waits for those inside at its end.
type gate struct {
	mu   sync.Mutex
	in   gateway.Intake
	busy sync.WaitGroup
}

// open lets requests in.
func (g *gate) open(in gateway.Intake) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in = in
}

// close lets no more requests in, and waits for those inside.
func (g *gate) close() {
	g.mu.Lock()
	g.in = nil
	g.mu.Unlock()
	g.busy.Wait()
}

// enter returns the intake, unless the gate is closed. The caller calls busy.Done.
func (g *gate) enter() (gateway.Intake, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.in == nil {
		return nil, false
	}
	g.busy.Add(1)
	return g.in, true
}

// serve lets requests in until ctx ends.
func (a *Adapter) serve(ctx context.Context, in gateway.Intake) error {
	a.gate.open(in)
	defer a.gate.close()
	a.state("webhook", "")
	<-ctx.Done()
	return context.Cause(ctx)
}

// Webhooks are the handlers of Slack's requests, by path; none with Socket Mode.
func (a *Adapter) Webhooks() map[string]http.Handler {
	if a.config.AppToken != "" {
		return nil
	}
	return map[string]http.Handler{
		"/platforms/slack/events":       a.webhook(readEvent),
		"/platforms/slack/commands":     a.webhook(readCommand),
		"/platforms/slack/interactions": a.webhook(readInteraction),
	}
}

// readBody turns the body of a request into events, or into an answer.
type readBody func(ctx context.Context, r *reader, body []byte) (events []gateway.Event, challenge string, err error)

// webhook is a handler of signed requests. It answers 200 after the commit.
func (a *Adapter) webhook(read readBody) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		in, ok := a.gate.enter()
		if !ok {
			http.Error(w, "not running", http.StatusServiceUnavailable)
			return
		}
		defer a.gate.busy.Done()
		status, challenge := a.receive(w, req, in, read)
		if status != http.StatusOK {
			http.Error(w, http.StatusText(status), status)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, challenge)
	})
}

// receive checks a request, and commits its events.
func (a *Adapter) receive(w http.ResponseWriter, req *http.Request, in gateway.Intake, read readBody) (status int, challenge string) {
	if req.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, ""
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxPayload))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge, ""
	}
	if err != nil {
		return http.StatusBadRequest, ""
	}
	if !signed(a.config.SigningSecret, req.Header, body, a.now()) {
		return http.StatusUnauthorized, ""
	}
	ctx := context.WithoutCancel(req.Context())
	reading, cancel := context.WithTimeout(ctx, a.pace.lookup)
	defer cancel()
	events, challenge, err := read(reading, a.reader(), body)
	if err != nil { // it would come again and again
		a.log.WarnContext(ctx, "slack: a request is not readable", "path", req.URL.Path)
		return http.StatusOK, ""
	}
	if !a.commit(ctx, in, events) {
		return http.StatusServiceUnavailable, ""
	}
	return http.StatusOK, challenge
}

func readEvent(ctx context.Context, r *reader, body []byte) ([]gateway.Event, string, error) {
	var c callback
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, "", err
	}
	if c.Type == "url_verification" {
		return nil, c.Challenge, nil
	}
	if c.Type != "event_callback" {
		return nil, "", nil
	}
	events, err := r.event(ctx, body)
	return events, "", err
}

func readCommand(ctx context.Context, r *reader, body []byte) ([]gateway.Event, string, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, "", err
	}
	payload, err := formed(form)
	if err != nil {
		return nil, "", err
	}
	events, err := r.command(ctx, payload)
	return events, "", err
}

func readInteraction(ctx context.Context, r *reader, body []byte) ([]gateway.Event, string, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, "", err
	}
	events, err := r.interaction(ctx, []byte(form.Get("payload")))
	return events, "", err
}
