package job

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// secretPrefix begins a webhook's secret, as Standard Webhooks specifies.
const secretPrefix = "whsec_"

// Webhook posts signed events to URLs, as Standard Webhooks specifies. It connects to
// public addresses only and follows no redirect: others decide where a URL leads, and
// this server's own network must stay out of reach.
type Webhook struct {
	private bool
	now     func() time.Time
	client  *http.Client
}

// NewWebhook returns a Webhook. private allows any address, and plain HTTP.
func NewWebhook(private bool, now func() time.Time) *Webhook {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	if !private {
		dialer.ControlContext = refusePrivate
	}
	return &Webhook{private: private, now: now, client: &http.Client{
		Timeout:       15 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{ // no proxy: it would resolve the names itself
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 15 * time.Second,
			DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
	}}
}

// Check implements Deliverer.
func (w *Webhook) Check(_ context.Context, _ owner.Owner, place string) error {
	_, err := parseWebhook(place, w.private)
	return err
}

// payload is the body that a receiver gets.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      runData   `json:"data"`
}

type runData struct {
	JobID     ID        `json:"job_id"`
	JobName   string    `json:"job_name"`
	RunID     string    `json:"run_id"`
	DueAt     time.Time `json:"due_at"`
	SessionID string    `json:"session_id"`
	Status    Status    `json:"status"`
	Output    string    `json:"output"`
	Reason    string    `json:"reason,omitempty"` // of an output that is not complete
	Error     string    `json:"error,omitempty"`
}

// Deliver implements Deliverer.
func (w *Webhook) Deliver(ctx context.Context, _ owner.Owner, place string, e *Event) error {
	u, err := parseWebhook(place, w.private)
	if err != nil {
		return err
	}
	r := &e.Run
	body, err := json.Marshal(payload{Type: e.Type, Timestamp: r.FinishedAt, Data: runData{
		JobID: r.Job, JobName: e.JobName, RunID: r.ID, DueAt: r.DueAt, SessionID: string(r.Session), Status: r.Status, Output: r.Output,
		Reason: r.Reason, Error: r.Error,
	}})
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	at := w.now()
	signature, err := sign(e.Secret, e.ID, at, body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "hermes", "Webhook-Id": e.ID,
		"Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10), "Webhook-Signature": signature,
	} {
		req.Header.Set(name, value)
	}
	res, err := w.client.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // the body is ignored, but read so that the connection can be reused
	return answered(res)
}

// sign makes the Standard Webhooks signature over id, time and body. It fails with
// Invalid without a secret, because the receiver could not verify the sender.
func sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) < 16 {
		return "", fault.Wrap(fault.Invalid, "no_webhook_secret", "The webhook has no secret to sign with. Set the job's target again to get one.", err)
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// answered turns a receiver's response into an error; nil if it accepted the event.
func answered(res *http.Response) error {
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusGone:
		return fault.New(fault.NotFound, "webhook_gone", "The webhook answered 410: it wants no more events.")
	case code >= 300 && code < 400:
		return fault.New(fault.Upstream, "webhook_redirects", fmt.Sprintf("The webhook answered %d: redirects are not followed.", code))
	default:
		f := fault.New(fault.Upstream, "webhook_failed", fmt.Sprintf("The webhook answered %d.", code))
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
			f.RetryAfter = time.Duration(min(seconds, 86400)) * time.Second
		}
		return f
	}
}

// unreachable is the error of a webhook that gave no answer, whatever the reason: a
// private address, an unknown name, a closed port, no TLS. The text does not tell them
// apart.
func unreachable(err error) error {
	return fault.Wrap(fault.Unavailable, "webhook_unreachable",
		"The webhook gave no answer, or its address is not public (the setting webhooks.allow_private lets it reach others).", err)
}
