package slack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// say writes a message to the bot, and waits for its event.
func (r *running) say(t *testing.T, text string) gateway.Event {
	t.Helper()
	id, _ := r.Say(gatewaytest.SlackSay{Chat: r.Chat(gateway.DM, "alice"), User: r.Person("alice"), Text: text})
	return r.event(t, id)
}

// TestDisconnect: Slack asks for another socket now and then.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	for i := range 3 {
		r.say(t, fmt.Sprint(i))
		r.Disconnect("refresh_requested")
	}
	r.say(t, "the last")
	r.AwaitAcks(t)
	if list := r.ledger.Events(); len(list) != 4 || r.Counts().Opened < 2 {
		t.Errorf("got %d events over %d sockets", len(list), r.Counts().Opened)
	}
}

// TestReasonOfNoConnection: what is wrong is told in words for a person.
func TestReasonOfNoConnection(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	r.say(t, "hello")
	r.Fail(gatewaytest.SlackFault{Status: 502}, "apps.connections.open")
	r.Disconnect("link_disabled")
	r.awaitState(t, "connecting")
	if h := r.Health(); h.Reason == "" {
		t.Errorf("got %+v, want a reason", h)
	}
	r.Heal()
	r.awaitState(t, "connected")
	if h := r.Health(); h.Reason != "" || h.Since.IsZero() {
		t.Errorf("got %+v, want no reason", h)
	}
}

// TestReasonOfTooManySockets: Slack closes what is over its limit, which no new connection mends.
func TestReasonOfTooManySockets(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	r.say(t, "hello")
	r.Fail(gatewaytest.SlackFault{Delay: time.Hour}, "apps.connections.open") // so that the reason stays
	r.Disconnect("too_many_websockets")
	r.awaitState(t, "connecting")
	if h := r.Health(); !strings.Contains(h.Reason, "too many sockets") {
		t.Errorf("got %+v, want the reason", h)
	}
}

// awaitEnd waits until Run has ended by itself, and returns its error.
func awaitEnd(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("Run does not end")
		return nil
	}
}

// TestRefusedTokens: a token that Slack refuses ends Run. The reason names the token, and says
// what to do.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code, setting, remedy string
		overHTTP              bool
		methods               []string // that refuse the token; nil for all
		send                  bool     // a message is sent; else the connection breaks
	}{
		"a revoked bot token":       {code: "token_revoked", setting: "token", remedy: "SLACK_BOT_TOKEN"},
		"an invalid bot token":      {code: "invalid_auth", setting: "token", remedy: "SLACK_BOT_TOKEN"},
		"a deleted app":             {code: "account_inactive", setting: "token", remedy: "SLACK_BOT_TOKEN"},
		"a revoked app token":       {code: "invalid_auth", setting: "app_token", remedy: "connections:write", methods: []string{"apps.connections.open"}},
		"another kind of token":     {code: "not_allowed_token_type", setting: "app_token", remedy: "SLACK_APP_TOKEN", methods: []string{"apps.connections.open"}},
		"a token seen by a message": {code: "token_revoked", setting: "token", remedy: "SLACK_BOT_TOKEN", send: true},
		"the same over HTTP":        {code: "token_revoked", setting: "token", remedy: "SLACK_BOT_TOKEN", send: true, overHTTP: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := gatewaytest.NewSlack(t, gatewaytest.SlackOptions{HTTP: tt.overHTTP})
			a := adapter(t, s, tt.overHTTP)
			r := &running{Slack: s, Adapter: a, ledger: gatewaytest.NewLedger()}
			done := recovery.Async(func() error { return a.Run(t.Context(), r.ledger) })
			r.awaitState(t, map[bool]string{true: "webhook", false: "connected"}[tt.overHTTP])
			place := r.say(t, "hello").Place
			s.Fail(gatewaytest.SlackFault{Error: tt.code}, tt.methods...)
			if tt.send {
				if _, err := a.Send(t.Context(), &gateway.Out{ID: "1", Place: place, Text: "x"}); reason(err) != gateway.Temporary {
					t.Errorf("got %v, want another try: another token may help", err)
				}
			} else {
				s.Cut()
			}
			err := awaitEnd(t, done)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Invalid || f.Param != tt.setting || !strings.Contains(f.Msg, tt.code) || !strings.Contains(f.Msg, tt.remedy) {
				t.Errorf("got %+v, want the token and the code named", err)
			}
			if h := a.Health(); h.State != "stopped" || h.Reason != fault.MessageOf(err) {
				t.Errorf("got %+v", h)
			}
		})
	}
}

// TestRefusedOnce: a token that is good again, when Slack is asked, ends nothing.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	opened := r.Counts().Opened
	r.FailOnce("chat.postMessage", gatewaytest.SlackFault{Error: "invalid_auth"})
	if _, err := r.Send(t.Context(), &gateway.Out{ID: "1", Place: place, Text: "x"}); reason(err) != gateway.Temporary {
		t.Errorf("got %v", err)
	}
	r.say(t, "still here")
	r.await(t, "another socket", func() bool { return r.Counts().Opened > opened })
}

// TestStopDuringCommit: an adapter that is told to end finishes its commit, and acknowledges it.
func TestStopDuringCommit(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	inside, leave := make(chan struct{}), make(chan struct{})
	r.ledger.FailBy(func() error {
		close(inside)
		<-leave
		return nil
	})
	id, _ := r.Say(gatewaytest.SlackSay{Chat: r.Chat(gateway.DM, "alice"), User: r.Person("alice"), Text: "the last"})
	<-inside
	stopped := recovery.Async(func() error { r.stop(); return nil })
	r.awaitStopping(t)
	close(leave)
	<-stopped
	if !r.ledger.Has(id) {
		t.Error("the event was not stored")
	}
	r.AwaitAcks(t)
}

// TestSilence: a socket without a sign of life is given up; pings are a sign.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewSlack(t, gatewaytest.SlackOptions{Ping: time.Hour})
	r := begin(t, s, adapter(t, s, false).GiveUpSilence(100*time.Millisecond))
	r.await(t, "three sockets", func() bool { return s.Counts().Opened >= 3 })
	r.say(t, "hello")
	s = gatewaytest.NewSlack(t, gatewaytest.SlackOptions{Ping: 100 * time.Millisecond})
	r = begin(t, s, adapter(t, s, false).GiveUpSilence(time.Second))
	r.await(t, "pings for more than a second", func() bool { return s.Counts().Pings > 15 })
	if n := s.Counts().Opened; n != 1 {
		t.Errorf("got %d sockets, want 1", n)
	}
}

// TestWaitOfConnections: Slack's wait before another connection is kept.
func TestWaitOfConnections(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewSlack(t, gatewaytest.SlackOptions{})
	s.FailOnce("apps.connections.open", gatewaytest.SlackFault{Status: 429, RetryAfter: 1})
	began := time.Now()
	r := begin(t, s, adapter(t, s, false))
	r.awaitState(t, "connected")
	if d := time.Since(began); d < time.Second {
		t.Errorf("connected after %s, want at least a second", d)
	}
}

// TestUnacknowledged: what was not acknowledged comes again over the same socket, and over
// the next one.
func TestUnacknowledged(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{Resend: 50 * time.Millisecond})
	r.ledger.FailNext(2)
	r.say(t, "once more")
	r.ledger.FailNext(1)
	id, _ := r.Say(gatewaytest.SlackSay{Chat: r.Chat(gateway.DM, "alice"), User: r.Person("alice"), Text: "elsewhere"})
	r.ledger.Await(t, "the event was offered", func() bool { return r.ledger.Offered(id) > 0 })
	r.Cut()
	r.event(t, id)
	r.AwaitAcks(t)
}

// TestNoTextsInLogs: a log names no text, no name and no token, at any level.
func TestNoTextsInLogs(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	r := runWith(t, gatewaytest.SlackOptions{Resend: 50 * time.Millisecond}, func(c *slack.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	r.ledger.FailNext(1)
	e := r.say(t, "my secret words")
	r.Fail(gatewaytest.SlackFault{Error: "no_such_thing"}, "users.info", "chat.postMessage")
	_, _ = r.Send(t.Context(), &gateway.Out{ID: "1", Place: e.Place, Text: "my secret words"})
	r.Deliver("events_api", json.RawMessage(`"my secret words"`))
	r.FailOnce("link", gatewaytest.SlackFault{CutBefore: true}, gatewaytest.SlackFault{Status: 502})
	r.Cut()
	r.AwaitAcks(t)
	r.Heal()
	r.stop()
	for _, secret := range []string{"secret words", "alice", gatewaytest.SlackBotToken, gatewaytest.SlackAppToken, "ticket0"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "not readable") || !strings.Contains(log.String(), "not stored") {
		t.Errorf("the log does not say what went wrong:\n%s", log.String())
	}
}

// TestNamesAreNotWaitedFor: an event is stored although Slack does not tell names, and the
// names are not asked for again at once.
func TestNamesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	r.Fail(gatewaytest.SlackFault{Status: 500}, "users.info", "conversations.info")
	for i := range 3 {
		e := r.say(t, fmt.Sprint(i))
		if e.From.ID == "" || e.From.Name != "" || e.Type != gateway.DM {
			t.Errorf("got %+v", e)
		}
	}
	r.Heal()
	if e := r.say(t, "soon"); e.From.Name != "" {
		t.Error("the name was asked for again within a minute")
	}
}

func TestCheckNamesScopes(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{Scopes: []string{"chat:write", "im:history", "app_mentions:read"}})
	c, err := r.Check(t.Context())
	if err != nil || c.Account != r.Account() || c.Name != gatewaytest.SlackBotName || len(c.Missing) != 12 {
		t.Errorf("got %+v, %v, want 12 scopes", c, err)
	}
	if !slices.ContainsFunc(c.Missing, func(m string) bool { return strings.Contains(m, "reactions:write") }) {
		t.Errorf("got %q", c.Missing)
	}
	r.say(t, "The connection stands: the next one to ask for an address is the check.")
	r.FailOnce("apps.connections.open", gatewaytest.SlackFault{Error: "invalid_auth"})
	if c, err := r.Check(t.Context()); err != nil || len(c.Missing) != 13 || !strings.Contains(c.Missing[12], "connections:write") {
		t.Errorf("a bad app token: got %+v, %v", c, err)
	}
	r.Fail(gatewaytest.SlackFault{Status: 502}, "auth.test")
	if _, err := r.Check(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("out of reach: got %v", err)
	}
	r.Fail(gatewaytest.SlackFault{Error: "token_revoked"}, "auth.test")
	if _, err := r.Check(t.Context()); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestSlowNames: however many names a message has, it waits for them no longer than once.
func TestSlowNames(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewSlack(t, gatewaytest.SlackOptions{})
	r := begin(t, s, adapter(t, s, false).GiveUpNames(200*time.Millisecond))
	r.awaitState(t, "connected")
	s.Fail(gatewaytest.SlackFault{Delay: time.Hour}, "users.info", "conversations.info")
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "<@U9%d> <#C9%d> ", i, i)
	}
	began := time.Now()
	if e := r.say(t, text.String()); !strings.HasPrefix(e.Text, "@U90 #C90 @U91") {
		t.Errorf("got %q", e.Text)
	}
	r.AwaitAcks(t)
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("acknowledged after %s, want less than 3 s", d)
	}
	s.Heal()
}

// TestCatchUpMuch: after a long time the oldest messages come first, and none is left out.
func TestCatchUpMuch(t *testing.T) {
	t.Parallel()
	r, _ := ready(t, gatewaytest.SlackOptions{})
	place := gateway.Place{Platform: gateway.Slack, Account: r.Account(), Chat: r.Chat(gateway.Channel, "work")}
	bob := r.Person("Bob")
	root := r.Root(place.Chat, "one")
	var ids, inside []string
	for i := range 2100 {
		id, _ := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: bob, Text: fmt.Sprint(i), Quiet: true})
		ids = append(ids, id)
		if i%5 == 0 {
			id, _ = r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: bob, Thread: root, Text: fmt.Sprint(i), Quiet: true})
			inside = append(inside, id)
		}
	}
	var got []string
	for after := gateway.MessageID(root); ; {
		list, err := r.CatchUp(t.Context(), place, after)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 || len(list) > 100 {
			break
		}
		for _, e := range list {
			got = append(got, e.ID)
		}
		after = list[len(list)-1].Message
		if len(got) == 200 { // the rest is the same
			break
		}
	}
	if !slices.Equal(got, ids[:200]) {
		t.Errorf("got %d messages, the first %.2q, want the first 200 of %d", len(got), got, len(ids))
	}
	place.Thread = root
	list, err := r.CatchUp(t.Context(), place, "")
	if err != nil || len(list) != 100 || list[0].ID != inside[320] || list[99].ID != inside[419] {
		t.Errorf("a thread: got %d messages, %v, want the newest 100", len(list), err)
	}
}

func TestCatchUp(t *testing.T) {
	t.Parallel()
	r, _ := ready(t, gatewaytest.SlackOptions{})
	place := gateway.Place{Platform: gateway.Slack, Account: gatewaytest.SlackAccount, Chat: r.Chat(gateway.Channel, "work")}
	bob := r.Person("Bob")
	var ids []string
	var stamps []gateway.MessageID
	for i := range 250 {
		id, ts := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: bob, Text: fmt.Sprintf("&lt;%d&gt;", i), Quiet: true})
		ids, stamps = append(ids, id), append(stamps, gateway.MessageID(ts))
		if i == 100 {
			send(t, r, &gateway.Out{Place: place, Text: "an answer"})
		}
	}
	for _, tt := range []struct {
		after gateway.MessageID
		want  []string
	}{
		{"", ids[150:]}, {stamps[0], ids[1:101]}, {stamps[100], ids[101:201]}, {stamps[240], ids[241:]}, {stamps[249], nil},
	} {
		list, err := r.CatchUp(t.Context(), place, tt.after)
		var got []string
		for _, e := range list {
			got = append(got, e.ID)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("after %q: got %d events, %v, want %d, the first %.40q", tt.after, len(got), err, len(tt.want), got)
		}
	}
	list, err := r.CatchUp(t.Context(), place, stamps[248])
	if err != nil || len(list) != 1 || list[0].Text != "<249>" || list[0].From.Name != "Bob" || list[0].Place != place || list[0].Type != gateway.Channel {
		t.Errorf("got %+v, %v", list, err)
	}
	place.Thread = r.Root(place.Chat, "one")
	id, _ := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: bob, Thread: place.Thread, Text: "inside", Quiet: true})
	if list, err := r.CatchUp(t.Context(), place, ""); err != nil || len(list) != 2 || list[1].ID != id || list[1].Place != place {
		t.Errorf("a thread: got %+v, %v, want its two messages", list, err)
	}
	if list, err := r.CatchUp(t.Context(), place, gateway.MessageID(place.Thread)); err != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("a thread after its first message: got %+v, %v", list, err)
	}
	r.Fail(gatewaytest.SlackFault{Error: "not_in_channel"}, "conversations.replies")
	if _, err := r.CatchUp(t.Context(), place, ""); err == nil {
		t.Error("an error was not told")
	}
}
