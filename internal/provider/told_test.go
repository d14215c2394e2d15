package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestScopes: K10–K13, K16, M1–M3. A key is one place, whatever the ids of its sessions; a
// session without a key is a place of its own.
func TestScopes(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	const key = "agent:main:webui:dm:user-42"
	h.say("alpha", key, "I like tea.")
	h.say("BETA", key, "I like cake.")
	h.say("one", "", "I am alone.")
	h.say("two", "", "So am I.")
	h.say("other", "agent:main:webui:dm:user-43", "I like beer.")
	h.catchUp()
	want := []string{"agent-main-webui-dm-user-42", "agent-main-webui-dm-user-43", "one", "two"}
	if got := h.honcho.Sessions("hermes"); !slices.Equal(got, want) {
		t.Errorf("got the places %q, want %q", got, want)
	}
	got := h.texts("hermes", "agent-main-webui-dm-user-42")
	slices.Sort(got)
	if !slices.Equal(got, []string{"I like cake.", "I like tea.", "ok", "ok"}) {
		t.Errorf("got %q", got)
	}
	for _, m := range h.honcho.Messages("hermes", "one") {
		if m.Peer != "user-one" && m.Peer != "hermes" {
			t.Errorf("got the peer %q", m.Peer)
		}
	}
}

// TestToldOnce: each message arrives once and in order, over restarts and lost answers.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	var want []string
	for i := range 30 {
		text := fmt.Sprintf("message %d", i)
		want = append(want, text, "ok")
		h.say("s", "", text)
		switch i % 5 {
		case 0:
			h.honcho.Next(providertest.Fault{On: "/messages$", Cut: true, Stored: true})
		case 1:
			h.honcho.Next(providertest.Fault{On: "/messages$", Cut: true})
		case 2:
			h.honcho.Next(providertest.Fault{On: "/messages", Status: 500}, providertest.Fault{On: "/sessions", Body: "[]"})
		case 3:
			h.restart(nil)
		}
		for n := range 3 {
			h.manager.CatchUp(context.Background())
			h.later(15 * time.Minute)
			if i%5 == 0 && n == 0 {
				h.restart(nil) // the new process knows nothing of the lost answer
			}
		}
	}
	h.catchUp()
	h.has("s", want...)
}

// TestSpeakers: each person in a group is a peer of the group's place, and none is the peer
// of another place.
func TestSpeakers(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.ask(&run.Request{Session: "s", Key: "room", Messages: []session.Message{{Role: session.User, Name: "Bob B.", Content: "I am Bob."}}})
	h.say("t", "room-Bob-B", "I am another place.")
	h.catchUp()
	if got := h.honcho.Messages("hermes", "room"); len(got) != 2 || got[0].Peer != "user-room-Bob-B" {
		t.Errorf("got %+v", got)
	}
	for _, place := range h.honcho.Sessions("hermes") {
		for _, m := range h.honcho.Messages("hermes", place) {
			if place != "room" && m.Peer == "user-room-Bob-B" {
				t.Errorf("%s shares a peer with a speaker", place)
			}
		}
	}
}

// TestNeverTold: P5. What the provider must not learn is in none of its requests.
func TestNeverTold(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "key", "Hello.")
	h.ask(&run.Request{Session: "s", Key: "key", OffRecord: true, Messages: []session.Message{{Role: session.User, Content: "canary-offrecord"}}})
	h.ask(&run.Request{
		Session: "s", Key: "key", System: []session.Message{{Role: session.System, Content: "canary-system"}},
		Messages: []session.Message{{Role: session.User, Content: "My password is canary-Secret9! and my key is sk-proj-canary1234567890abcdefghijklmnop"}},
	})
	h.model.answer = "<think>canary-thought</think>The answer."
	h.ask(&run.Request{Session: "job", Source: session.SourceCron, Messages: []session.Message{{Role: session.User, Content: "canary-job"}}})
	h.ask(&run.Request{Session: "s", Source: session.SourceCron, Key: "key", Messages: []session.Message{{Role: session.User, Content: "canary-jobinside"}}})
	h.ask(&run.Request{Owner: ada(), Session: "s", Key: "key", Messages: []session.Message{{Role: session.User, Content: "canary-other-owner"}}})
	h.say("s", "key", "What did I say?")
	h.model.answer = ""
	h.say("s", "key", "canary-undone")
	if _, err := h.curator.Undo(t.Context(), owner.Local(), "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.curator.Remember(t.Context(), &curate.Note{Owner: owner.Local(), Key: "key", Text: "I like canary-byhand."}); err != nil {
		t.Fatal(err)
	}
	fork, err := h.curator.Fork(t.Context(), &curate.Branch{Owner: owner.Local(), Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	h.catchUp()
	sent := h.everything()
	for line := range strings.Lines(sent) {
		// the undone message was a question before it was undone
		if asked := strings.HasPrefix(line, "GET ") && strings.Contains(line, "canary-undone"); strings.Contains(line, "canary") && !asked {
			t.Errorf("sent: %s", line)
		}
	}
	if strings.Contains(sent, string(fork.ID)) {
		t.Error("a copy was told")
	}
	if !strings.Contains(sent, "The answer.") || !strings.Contains(sent, "[secret]") {
		t.Errorf("what is told is missing:\n%s", sent)
	}
}

// TestUserOnly: with send: user the answers stay here.
func TestUserOnly(t *testing.T) {
	t.Parallel()
	h := build(t, func(p *provider.Parts) { p.UserOnly = true })
	h.say("s", "", "Hello.")
	h.catchUp()
	h.has("s", "Hello.")
}

// TestFromBefore: what was said before the provider was switched on, or while it was off,
// is told only by a backfill, which tells nothing twice.
func TestFromBefore(t *testing.T) {
	t.Parallel()
	h := build(t, func(p *provider.Parts) { p.Provider = nil })
	h.say("s", "", "before")
	h.later(time.Minute)
	h.restart(nil)
	h.say("s", "", "on")
	h.catchUp()
	h.off()
	h.say("s", "", "off")
	h.later(time.Minute)
	h.restart(nil)
	h.say("s", "", "on again")
	h.catchUp()
	h.has("s", "on", "ok", "on again", "ok")
	count, err := h.manager.CountBackfill(t.Context(), owner.Local())
	if err != nil || count.Messages != 4 || count.Lineages != 1 {
		t.Errorf("counted %+v, %v, want 4 messages", count, err)
	}
	if _, err := h.manager.Backfill(t.Context(), owner.Local()); err != nil {
		t.Fatal(err)
	}
	h.catchUp()
	got := h.texts("hermes", "s")
	slices.Sort(got)
	if want := []string{"before", "off", "ok", "ok", "ok", "ok", "on", "on again"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if count, err := h.manager.CountBackfill(t.Context(), owner.Local()); err != nil || count.Messages != 0 {
		t.Errorf("counted %+v afterwards, %v", count, err)
	}
}

// TestDown: a provider that is down for an hour is told everything afterwards.
func TestDown(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.honcho.Always(&providertest.Fault{Status: 503})
	for i := range 5 {
		h.say("s", "", fmt.Sprintf("message %d", i))
		h.later(10 * time.Minute)
		h.manager.CatchUp(context.Background())
	}
	before := len(h.honcho.Requests())
	h.manager.CatchUp(context.Background()) // the pause
	if n := len(h.honcho.Requests()) - before; n > 0 {
		t.Errorf("%d requests in a pause", n)
	}
	status, err := h.manager.Status(t.Context(), owner.Local())
	if err != nil || status.Waiting != 1 || status.Problem == "" || status.RestsUntil.IsZero() {
		t.Errorf("got %+v, %v", status, err)
	}
	h.honcho.Always(nil)
	h.catchUp()
	if got := h.texts("hermes", "s"); len(got) != 10 || got[0] != "message 0" || got[8] != "message 4" {
		t.Errorf("got %q", got)
	}
}

// TestOff: without a provider nothing is asked and nothing is sent.
func TestOff(t *testing.T) {
	t.Parallel()
	h := build(t, func(p *provider.Parts) { p.Provider = nil })
	h.say("s", "key", "Hello.")
	h.say("s", "key", "Again.")
	h.catchUp()
	if got := h.honcho.Requests(); len(got) > 0 {
		t.Errorf("got %d requests", len(got))
	}
	if items, err := h.db.Work(t.Context(), owner.Local(), workFilter()); err != nil || len(items) > 0 {
		t.Errorf("got %v, %v, want no work", items, err)
	}
}

// TestRefused: what the provider refuses of one session is no reason to leave it alone: others are told at once, and
// forgetting goes on. The refusal is shown until the session is told.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 413, 422} {
		h := build(t, nil)
		h.honcho.Always(&providertest.Fault{On: "/sessions/a/messages$", Status: status, Body: `{"detail":"Not this."}`})
		h.say("a", "", "one")
		h.manager.CatchUp(context.Background())
		h.say("b", "", "two")
		h.manager.CatchUp(context.Background())
		h.has("b", "two", "ok")
		got, err := h.manager.Status(context.Background(), owner.Local())
		if err != nil || got.Waiting != 1 || !strings.Contains(got.Problem, "Not this.") || !got.RestsUntil.IsZero() {
			t.Errorf("%d: got %+v, %v", status, got, err)
		}
		if got, err = h.manager.Status(context.Background(), ada()); err != nil || got.Problem != "" {
			t.Errorf("%d: another owner got %+v, %v", status, got, err)
		}
		before := len(h.honcho.Requests())
		h.manager.CatchUp(context.Background())
		if n := len(h.honcho.Requests()); n != before {
			t.Errorf("%d: the refused session was sent again at once", status)
		}
		h.honcho.Always(nil)
		h.catchUp()
		h.has("a", "one", "ok")
		if got, err = h.manager.Status(context.Background(), owner.Local()); err != nil || got.Problem != "" || got.Waiting != 0 {
			t.Errorf("%d: afterwards got %+v, %v", status, got, err)
		}
	}
}

// TestRefusedAltogether: a wrong key, too many requests and the like concern every session, so that the
// provider is left alone.
func TestRefusedAltogether(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 429, 500, 503} {
		h := build(t, nil)
		h.honcho.Always(&providertest.Fault{On: "/sessions/a/messages$", Status: status})
		h.say("a", "", "one")
		h.manager.CatchUp(context.Background())
		h.say("b", "", "two")
		h.manager.CatchUp(context.Background())
		h.has("b")
	}
}

// TestRetryAfter: a provider that says how long it wants to be left alone is left alone for so long, by tellings,
// forgettings and questions, but for an hour at most.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"90": 90 * time.Second, "1": 5 * time.Second, "soon": 5 * time.Second, "999999": time.Hour} {
		h := build(t, nil)
		h.say("a", "", "one")
		h.manager.CatchUp(context.Background())
		h.honcho.Always(&providertest.Fault{Status: 429, RetryAfter: header})
		h.say("a", "", "two")
		h.manager.CatchUp(context.Background())
		before := len(h.honcho.Requests())
		h.later(want - time.Millisecond)
		h.manager.CatchUp(context.Background())
		if n := len(h.honcho.Requests()); n != before {
			t.Errorf("%q: %d requests before %v", header, n-before, want)
		}
		h.honcho.Always(nil)
		h.later(time.Millisecond)
		h.manager.CatchUp(context.Background())
		h.has("a", "one", "ok", "two", "ok")
	}
}

// TestStoredLate: a provider that did not answer in time may still store what it was told. It is not looked into
// before it has had a minute for that, so that nothing is told twice.
func TestStoredLate(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.honcho.Next(providertest.Fault{On: "/messages$", Status: http.StatusGatewayTimeout})
	h.say("a", "", "one")
	h.manager.CatchUp(context.Background())
	before := len(h.honcho.Requests())
	h.later(59 * time.Second)
	h.manager.CatchUp(context.Background())
	if n := len(h.honcho.Requests()); n != before {
		t.Errorf("%d requests within a minute", n-before)
	}
	h.later(time.Second)
	h.manager.CatchUp(context.Background())
	h.has("a", "one", "ok")
}

// TestWhoseFailure: what a provider says of a failure may name a place. Only the owner of the place is shown it; others
// are shown the status.
func TestWhoseFailure(t *testing.T) {
	t.Parallel()
	h := build(t, func(p *provider.Parts) { p.Owners = []string{"*"} })
	h.honcho.Always(&providertest.Fault{On: "/messages$", Status: 500, Body: `{"detail":"Session canary-divorce is broken."}`})
	h.ask(&run.Request{Owner: ada(), Session: "s", Key: "canary-divorce", Messages: []session.Message{{Role: session.User, Content: "Hello."}}})
	h.manager.CatchUp(context.Background())
	hers, err := h.manager.Status(context.Background(), ada())
	if err != nil || hers.Problem != "The memory provider answered 500: Session canary-divorce is broken." {
		t.Errorf("hers: got %+v, %v", hers, err)
	}
	ours, err := h.manager.Status(context.Background(), owner.Local())
	if err != nil || ours.Problem != "The memory provider answered 500." || ours.RestsUntil.IsZero() {
		t.Errorf("ours: got %+v, %v", ours, err)
	}
}

// TestImportedMemories: memories of another program that were imported are told by a backfill.
func TestImportedMemories(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	s := session.Session{ID: "mem0:ada", RootID: "mem0:ada", Key: "key", Source: session.SourceImport, StartedAt: h.now, LastActive: h.now}
	m := session.Message{
		SessionID: s.ID, Key: "key", Role: session.Assistant, Name: "mem0", Content: "Keeps bees.", Note: memory.ProgramNote,
		SaidAt: h.now, RecordedAt: h.now,
	}
	got, err := h.curator.Import(t.Context(), &curate.Archived{
		Owner: owner.Local(), Sessions: []session.Session{s},
		Messages: func(yield func(session.Message, error) bool) { yield(m, nil) },
	})
	if err != nil || got.Messages != 1 {
		t.Fatalf("imported %+v, %v", got, err)
	}
	h.later(time.Minute)
	if _, err := h.manager.Backfill(t.Context(), owner.Local()); err != nil {
		t.Fatal(err)
	}
	h.catchUp()
	if sent := h.everything(); !strings.Contains(sent, "Keeps bees.") {
		t.Errorf("told:\n%s", sent)
	}
}
