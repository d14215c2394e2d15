package whatsapp_test

import (
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// parrot is a model that repeats what was said.
type parrot struct{}

// Stream implements run.Model.
func (parrot) Stream(_ context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	return func(yield func(run.Delta, error) bool) {
		if yield(run.Delta{Content: "You said: " + p.Messages[len(p.Messages)-1].Content}, nil) {
			yield(run.Delta{FinishReason: "stop", Finishes: true}, nil)
		}
	}, nil
}

// hasty is an adapter without spaces between messages.
type hasty struct{ *whatsapp.Adapter }

// Limits are WhatsApp's, without spaces.
func (h hasty) Limits() gateway.Limits {
	l := h.Adapter.Limits()
	l.Space, l.GroupSpace, l.Burst = time.Millisecond, time.Millisecond, 0
	return l
}

// house is a gateway over a real database, with the adapter at a fake.
type house struct {
	fake    *gatewaytest.WhatsApp
	db      *sqlite.DB
	gateway *gateway.Gateway
	alice   owner.Owner
}

// open starts a server.
func open(t *testing.T, o gatewaytest.WhatsAppOptions) *house {
	t.Helper()
	h := &house{fake: gatewaytest.NewWhatsApp(t, o), db: runtest.Open(t, filepath.Join(t.TempDir(), "state.db")), alice: owner.Stored("alice")}
	runner, curator := runtest.New(h.db, &runtest.Parts{
		Models: run.Models{Upstream: parrot{}}, Config: run.Config{Budgets: compression.Budgets{Model: "parrot"}, Now: time.Now},
	})
	log := slog.New(slog.DiscardHandler)
	registry := live.New(live.Parts{Store: h.db, Queue: h.db, Runner: runner, Approval: time.Minute, Grace: time.Second, Now: time.Now, Log: log})
	a := adapter(t, h.fake, whatsapp.Config{Template: whatsapp.Template{Name: gatewaytest.WhatsAppTemplate}})
	name := h.fake.Identity("alice")
	h.gateway = gateway.New(gateway.Parts{
		Store: h.db, Sessions: h.db, Runs: registry, Curator: curator, Now: time.Now, Log: log,
		Settings: gateway.Settings{Busy: gateway.Queue, Resets: gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetNone}}},
		Bots:     []*gateway.Bot{{Adapter: spaced(a, o), Account: a.Account(), Owner: h.alice, Users: []string{name, name + "9"}, Stream: true}},
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := recovery.Async(func() error { return registry.Serve(ctx) })
	<-registry.Begun()
	ran := recovery.Async(func() error { return h.gateway.Run(ctx) })
	h.fake.DeliverTo(a.Webhook())
	t.Cleanup(func() {
		stop()
		for _, done := range []<-chan error{served, ran} {
			if err := <-done; err != nil {
				t.Errorf("end: %v", err)
			}
		}
		if err := h.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// spaced is an adapter that keeps the spaces only if the fake wants them.
func spaced(a *whatsapp.Adapter, o gatewaytest.WhatsAppOptions) gateway.Adapter {
	if o.Unlimited {
		return hasty{a}
	}
	return a
}

// await waits until the fake has been sent some texts, in this order, and nothing else.
func (h *house) await(t *testing.T, texts ...string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var got []string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		got = nil
		for _, s := range h.fake.Sent() {
			got = append(got, s.Text)
		}
		if slices.Equal(got, texts) {
			return
		}
	}
	t.Fatalf("got %q, want %q", got, texts)
}

// deliver delivers the output of a job to alice. It may have to wait for her.
func (h *house) deliver(t *testing.T, text string) (waits bool) {
	t.Helper()
	target := gateway.NewTarget(gateway.WhatsApp, func() *gateway.Gateway { return h.gateway })
	e := &job.Event{ID: text, JobName: "news", Run: job.Fire{Status: job.Completed, Output: text}}
	err := target.Deliver(t.Context(), h.alice, h.fake.Identity("alice"), e)
	if waits = fault.CodeOf(err) == job.CodeAwaited; err != nil && !waits {
		t.Fatalf("deliver %s: %v", text, err)
	}
	return waits
}

// TestClosedWindow: what comes too late waits for the person, who is asked once to write. It
// is the same whether WhatsApp says so at once or later.
func TestClosedWindow(t *testing.T) {
	t.Parallel()
	const asked = "[template " + gatewaytest.WhatsAppTemplate + "]"
	for name, o := range map[string]gatewaytest.WhatsAppOptions{"at once": {Unlimited: true}, "later": {Unlimited: true, LateRefusals: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, o)
			h.fake.Emit(t, dm("Hello."))
			h.await(t, "You said: Hello.")
			h.fake.CloseWindow("alice")
			one := h.deliver(t, "One.")
			h.await(t, "You said: Hello.", asked)
			two := h.deliver(t, "Two.")
			if !o.LateRefusals && !(one && two) { // later, WhatsApp may take its word back behind the delivery
				t.Error("delivered, although only the template went")
			}
			h.fake.Emit(t, dm("Yes?"))
			h.await(t, "You said: Hello.", asked, "One.", "Two.", "You said: Yes?")
			if got := h.fake.Templates(); got != 1 {
				t.Errorf("got %d templates, want 1", got)
			}
			if h.deliver(t, "One.") || h.deliver(t, "Two.") {
				t.Error("not delivered, although both went")
			}
		})
	}
}

// TestBrokenAnswers: an answer whose sending broke off is found by its status, and not sent
// twice. One that was not taken is sent.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	h := open(t, gatewaytest.WhatsAppOptions{Unlimited: true})
	h.fake.Script("text", gatewaytest.WhatsAppStep{CutAfter: true})
	h.fake.Emit(t, dm("One."))
	h.await(t, "You said: One.")
	h.fake.Script("text", gatewaytest.WhatsAppStep{Cut: true})
	h.fake.Emit(t, dm("Two."))
	h.await(t, "You said: One.", "You said: Two.")
	h.fake.Emit(t, dm("Three."))
	h.await(t, "You said: One.", "You said: Two.", "You said: Three.")
	if got := h.fake.Broken(); len(got) > 0 {
		t.Errorf("WhatsApp was sent what it does not allow: %q", got)
	}
}

// TestRenumbered: a person with another number stays in the chat, with its session and key.
func TestRenumbered(t *testing.T) {
	t.Parallel()
	h := open(t, gatewaytest.WhatsAppOptions{Unlimited: true})
	place := gateway.Place{Platform: gateway.WhatsApp, Account: gatewaytest.WhatsAppPhoneID, Chat: h.fake.Identity("alice")}
	h.fake.Emit(t, dm("One."))
	h.await(t, "You said: One.")
	before, err := h.db.Chat(t.Context(), h.alice, place)
	if err != nil {
		t.Fatal(err)
	}
	h.fake.Renumber("alice")
	h.fake.Emit(t, dm("Two."))
	h.await(t, "You said: One.", "You said: Two.")
	place.Chat = h.fake.Identity("alice")
	after, err := h.db.Chat(t.Context(), h.alice, place)
	if err != nil || after.Session != before.Session || after.Key != before.Key {
		t.Errorf("got session %s and key %s, %v, want %s and %s", after.Session, after.Key, err, before.Session, before.Key)
	}
}

// TestBurst: many messages at once meet no limit of WhatsApp.
func TestBurst(t *testing.T) {
	t.Parallel()
	h := open(t, gatewaytest.WhatsAppOptions{})
	h.fake.Emit(t, dm("0"))
	want := []string{"You said: 0"}
	h.await(t, want...)
	for _, text := range []string{"1", "2", "3", "4", "5"} {
		if h.deliver(t, text) {
			t.Errorf("%s waits for the person", text)
		}
		want = append(want, text)
	}
	h.await(t, want...)
	if h.fake.Limited() > 0 || len(h.fake.Broken()) > 0 {
		t.Errorf("got %d limits, %q", h.fake.Limited(), h.fake.Broken())
	}
}
