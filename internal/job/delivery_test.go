package job_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// set changes the database behind the program's back, as a crash would leave it.
func set(t *testing.T, h *house, query string) {
	t.Helper()
	h.close()
	db, err := sql.Open("sqlite", h.path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	h.open()
}

// mailbox is a target that takes everything.
type mailbox struct {
	mu  sync.Mutex
	got []string
}

// Check implements job.Deliverer.
func (m *mailbox) Check(context.Context, owner.Owner, string) error { return nil }

// Deliver implements job.Deliverer.
func (m *mailbox) Deliver(_ context.Context, o owner.Owner, place string, e *job.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got = append(m.got, o.ID()+" "+place+" "+e.Type+" "+e.Run.Output)
	return nil
}

// closed is a target that takes nothing before a person has written.
type closed struct {
	mu      sync.Mutex
	open    bool
	fails   error
	looks   int
	mailbox mailbox
}

// Check implements job.Deliverer.
func (c *closed) Check(context.Context, owner.Owner, string) error { return nil }

// Deliver implements job.Deliverer.
func (c *closed) Deliver(ctx context.Context, o owner.Owner, place string, e *job.Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	switch {
	case c.fails != nil:
		return c.fails
	case !c.open:
		return fault.New(fault.Unavailable, job.CodeAwaited, "The person was asked to write.")
	}
	return c.mailbox.Deliver(ctx, o, place, e)
}

// TestADeliveryThatWaitsForAPerson: while only the request to write went, the run says so, however often it is looked at. It is
// delivered once the output went, also without a hint that it did; and failed if the platform takes that back.
func TestADeliveryThatWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for _, hinted := range []bool{true, false} {
		h := setup(t)
		target := &closed{}
		h.targets["chat"] = target
		j := h.create(job.Job{Schedule: "in 1h", Deliver: "chat:1"})
		state := func(want job.DeliveryState, says string) *job.Delivery {
			t.Helper()
			d := h.runs(j.ID)[0].Delivery
			if d == nil || d.State != want || d.Error != says || d.DeliveredAt.IsZero() != (want != job.Delivered) {
				t.Fatalf("got %+v, want %s with %q", d, want, says)
			}
			return d
		}
		h.set(time.Hour)
		h.pass()
		const says = "The person was asked to write."
		id := state(job.Awaited, says).ID
		for day := range 20 {
			h.set(time.Duration(day+1) * 24 * time.Hour)
			h.pass()
		}
		if d := state(job.Awaited, says); target.looks < 10 || d.Attempts != 1 {
			t.Errorf("%d looks, %d attempts", target.looks, d.Attempts)
		}
		target.open = true
		if hinted {
			if err := h.scheduler.LookAgain(t.Context(), alice(), id); err != nil {
				t.Fatal(err)
			}
		} else {
			h.set(30 * 24 * time.Hour)
		}
		h.pass()
		state(job.Delivered, "")
		h.pass()
		if got := len(target.mailbox.got); got != 1 {
			t.Errorf("delivered %d times", got)
		}
		target.fails = fault.New(fault.Invalid, "undelivered", "Nobody has this number.")
		if err := h.scheduler.LookAgain(t.Context(), alice(), id); err != nil {
			t.Fatal(err)
		}
		h.pass()
		state(job.Undelivered, "Nobody has this number.")
		if err := h.scheduler.LookAgain(t.Context(), alice(), "run_0"); err != nil {
			t.Errorf("an id of no delivery: %v", err)
		}
	}
}

// TestPlatform: a target of another kind is a Deliverer, and nothing more.
func TestPlatform(t *testing.T) {
	t.Parallel()
	h := setup(t)
	box := &mailbox{}
	h.targets["pigeon"] = box
	h.create(job.Job{Schedule: "in 1h", Deliver: "pigeon:loft:7"})
	h.set(time.Hour)
	h.pass()
	if diff := cmp.Diff([]string{"alice loft:7 job.run.completed Report 1."}, box.got); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
	_, err := h.planner.Create(t.Context(), alice(), job.Job{Name: "x", Prompt: "x", Schedule: "@daily", Deliver: "telegram:7"})
	if fault.CodeOf(err) != "invalid_deliver" || !strings.Contains(fault.MessageOf(err), "There are: local, pigeon:….") {
		t.Errorf("unknown kind: got %v", err)
	}
	_, err = h.planner.Create(t.Context(), alice(), job.Job{Name: "x", Prompt: "x", Schedule: "@daily", Deliver: "pigeon:"})
	if fault.CodeOf(err) != "invalid_deliver" {
		t.Errorf("no place behind the colon: got %v", err)
	}
}

// TestACutOutput: a run whose model reached its limit says that its output is not complete. The next one that does not, does not.
func TestACutOutput(t *testing.T) {
	t.Parallel()
	h := setup(t)
	box := &mailbox{}
	h.targets["pigeon"] = box
	j := h.create(job.Job{Schedule: "every 1h", Deliver: "pigeon:loft"})
	for i, c := range []struct{ finish, reason string }{{"length", job.ReasonCut}, {"stop", ""}, {"length", job.ReasonCut}, {"content_filter", ""}} {
		h.model.finish = c.finish
		h.set(time.Duration(i+1) * time.Hour)
		h.pass()
		r := h.runs(j.ID)[0]
		if r.Status != job.Completed || r.Reason != c.reason || !strings.HasPrefix(r.Output, "Report") {
			t.Errorf("%s: got %s with the reason %q and the output %q, want the reason %q", c.finish, r.Status, r.Reason, r.Output, c.reason)
		}
	}
}

// received is one request of a webhook.
type received struct {
	id, timestamp, signature, body string
}

// TestWebhook: a receiver that fails twice gets exactly one success; what is sent
// again has the same event id.
func TestWebhook(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []received
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, received{r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), r.Header.Get("Webhook-Signature"), string(body)})
		if len(got) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	h := setup(t)
	h.targets["webhook"] = job.NewWebhook(true, h.clock)
	j := h.create(job.Job{Schedule: "in 1h", Deliver: job.Target("webhook:" + srv.URL)})
	for _, after := range []time.Duration{0, 11 * time.Second, 2 * time.Minute, time.Hour, 24 * time.Hour} {
		h.set(time.Hour + after)
		h.pass()
		if d := h.runs(j.ID)[0].Delivery; after == 0 && (d.State != job.Pending || d.Error != "The webhook answered 503." || d.WakeAt.IsZero()) {
			t.Errorf("after the first attempt: got %+v", d)
		}
	}
	if len(got) != 3 || got[0].id != got[2].id || got[0].body != got[2].body || got[0].timestamp == got[2].timestamp {
		t.Fatalf("got %+v, want the same event three times", got)
	}
	for _, want := range []string{`"type":"job.run.completed"`, `"output":"Report 1."`, `"job_name":"report"`, `"session_id":"job:report"`} {
		if !strings.Contains(got[0].body, want) {
			t.Errorf("body: got %s, want %s in it", got[0].body, want)
		}
	}
	if d := h.runs(j.ID)[0].Delivery; d.State != job.Delivered || d.Attempts != 3 || d.ID != got[0].id || d.DeliveredAt.IsZero() {
		t.Errorf("delivery: got %+v", d)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(j.Secret, "whsec_"))
	if err != nil || len(key) != 24 {
		t.Errorf("secret: got %q, %v", j.Secret, err)
	}
}

// TestGivenUp: a receiver that never takes it is given up on, and one that is gone
// at once.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{http.StatusInternalServerError: 9, http.StatusGone: 1, http.StatusFound: 9} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(status)
			}))
			defer srv.Close()
			h := setup(t)
			h.targets["webhook"] = job.NewWebhook(true, h.clock)
			j := h.create(job.Job{Schedule: "in 1h", Deliver: job.Target("webhook:" + srv.URL)})
			for day := range 12 {
				h.set(time.Hour + time.Duration(day)*24*time.Hour)
				h.pass()
			}
			if d := h.runs(j.ID)[0].Delivery; d.State != job.Undelivered || d.Attempts != want || !d.WakeAt.IsZero() {
				t.Errorf("got %+v, want it given up after %d", d, want)
			}
		})
	}
}

// reopened is the database outside the bubble of a test.
func reopened(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Log: nil, Synchronous: "OFF", NoGuard: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}
