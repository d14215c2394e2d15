package discord_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// said is a message in the DM.
func said(text string) gatewaytest.DiscordSaid {
	return gatewaytest.DiscordSaid{Channel: dmChannel, Text: text}
}

// TestResume: after a stop the next adapter goes on with the stored session, and with no
// event twice. The stop keeps the session.
func TestResume(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	r := run(t, d, adapter(t, d, discord.Config{}), ledger)
	first := d.Say(said("before"))
	ledger.AwaitEvents(t, first)
	r.halt(t)
	await(t, d, "the connection is closed", func() bool { return len(d.Closings()) == 1 })
	if got := d.Closings(); got[0] != 4000 {
		t.Errorf("the connection was closed with %d, want 4000: 1000 ends the session", got[0])
	}
	var missed []string
	for i := range 50 {
		missed = append(missed, d.Say(said(fmt.Sprintf("missed %d", i))))
	}
	call := d.Call(dmChannel, "7", "status", "") // catching up could not bring it
	run(t, d, adapter(t, d, discord.Config{}), ledger)
	ledger.AwaitEvents(t, append(missed, call)...)
	if d.Identifies() != 1 || d.Resumes() != 1 {
		t.Errorf("the bot identified %d times and resumed %d times, want once each", d.Identifies(), d.Resumes())
	}
	for _, id := range append(missed, first) {
		if n := ledger.Offered(id); n != 1 {
			t.Errorf("message %s came %d times", id, n)
		}
	}
}

// TestMissed: after a session that cannot be resumed, what was said in the known channels
// is fetched, once, in order, and more than a page of it.
func TestMissed(t *testing.T) {
	t.Parallel()
	for _, missed := range []int{50, 400} {
		d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
		r := run(t, d, adapter(t, d, discord.Config{}), ledger)
		channels := []string{dmChannel, guildChannel, thread}
		for _, c := range channels {
			hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: c, Text: "before"})
		}
		r.halt(t)
		d.ForgetSessions()
		ids := map[string][]string{}
		for i := range missed {
			c := channels[i%3]
			ids[c] = append(ids[c], d.Say(gatewaytest.DiscordSaid{Channel: c, Text: fmt.Sprintf("missed %d", i)}))
		}
		r = run(t, d, adapter(t, d, discord.Config{}), ledger)
		last := map[string]string{}
		for c, list := range ids {
			ledger.AwaitEvents(t, list...)
			last[c] = d.Say(gatewaytest.DiscordSaid{Channel: c, Text: "after"})
			ledger.AwaitEvents(t, last[c])
		}
		r.halt(t)
		if d.Identifies() != 2 || d.Resumes() != 1 {
			t.Errorf("the bot identified %d times and tried to resume %d times", d.Identifies(), d.Resumes())
		}
		got := map[string][]string{}
		for _, e := range ledger.Events() {
			at := e.Place.Chat
			if e.Place.Thread != "" {
				at = e.Place.Thread
			}
			if strings.HasPrefix(e.Text, "missed") {
				got[at] = append(got[at], e.ID)
			}
			if n := ledger.Offered(e.ID); n != 1 {
				t.Errorf("%q came %d times", e.Text, n)
			}
		}
		for c, list := range ids {
			if fmt.Sprint(got[c]) != fmt.Sprint(list) {
				t.Errorf("channel %s: got %v, want %v", c, got[c], list)
			}
		}
	}
}

// TestMissedInterrupted: a stop while messages are fetched loses none of them.
func TestMissedInterrupted(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	r := run(t, d, adapter(t, d, discord.Config{}), ledger)
	hear(t, d, ledger, said("before"))
	hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: guildChannel, Text: "before"})
	r.halt(t)
	d.ForgetSessions()
	ids := []string{
		d.Say(said("missed")), d.Say(gatewaytest.DiscordSaid{Channel: guildChannel, Text: "missed, too"}),
	}
	d.Fault("GET /channels/{channel}/messages", gatewaytest.DiscordFault{}) // the first channel is fetched
	d.Always("GET /channels/{channel}/messages", gatewaytest.DiscordFault{Status: 502})
	r = run(t, d, adapter(t, d, discord.Config{}), ledger)
	await(t, d, "the bot asks for messages", func() bool { return len(d.Requests("GET /channels/"+guildChannel+"/messages")) > 1 })
	ledger.AwaitEvents(t, ids[0])
	during := d.Say(said("during"))
	r.halt(t)
	d.Always("GET /channels/{channel}/messages", gatewaytest.DiscordFault{})
	run(t, d, adapter(t, d, discord.Config{}), ledger)
	ledger.AwaitEvents(t, append(ids, during)...)
}

// TestInvalidSession: when Discord ends the session under way, nothing is lost.
func TestInvalidSession(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	hear(t, d, ledger, said("before"))
	d.Invalidate()
	missed := d.Say(said("missed"))
	ledger.AwaitEvents(t, missed)
	if d.Identifies() != 2 {
		t.Errorf("the bot identified %d times, want twice", d.Identifies())
	}
}

// TestReconnect: when Discord asks for another connection, the session is resumed on it.
func TestReconnect(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	hear(t, d, ledger, said("before"))
	d.Reconnect()
	await(t, d, "the bot resumes", func() bool { return d.Resumes() == 1 })
	hear(t, d, ledger, said("after"))
	if d.Identifies() != 1 {
		t.Errorf("the bot identified %d times, want once", d.Identifies())
	}
}

// TestHeartbeats: heartbeats go on, an asked one comes at once, and without acknowledgements
// the connection is given up.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{Heartbeat: 400 * time.Millisecond})
	await(t, d, "three heartbeats", func() bool { return d.Heartbeats() >= 3 })
	if d.Resumes() != 0 {
		t.Errorf("the bot resumed %d times while all was well", d.Resumes())
	}
	d.Acks(false)
	await(t, d, "the bot connects again", func() bool { return d.Resumes() >= 1 })
	d.Acks(true)
	hear(t, d, ledger, said("after"))
	await(t, d, "the bot is content", func() bool { return a.Health().State == "connected" })
	if d.Identifies() != 1 {
		t.Errorf("the bot identified %d times, want once", d.Identifies())
	}
}

// TestAskedHeartbeat: a heartbeat that Discord asks for comes at once.
func TestAskedHeartbeat(t *testing.T) {
	t.Parallel()
	d, _, _ := talk(t, gatewaytest.DiscordOptions{Heartbeat: time.Hour})
	d.AskHeartbeat()
	await(t, d, "a heartbeat", func() bool { return d.Heartbeats() == 1 })
}

// TestSilentGateway: a connection without a greeting is given up.
func TestSilentGateway(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	d.Hello(false)
	a := adapter(t, d, discord.Config{}).AwaitSessions(150 * time.Millisecond)
	launch(t, a, ledger)
	await(t, d, "two connections are given up", func() bool { return len(d.Closings()) >= 2 })
	if h := a.Health(); h.State != "connecting" || h.Reason == "" {
		t.Errorf("got %+v, want connecting with a reason", h)
	}
	d.Hello(true)
	await(t, d, "the bot has a session", d.Connected)
}

// illHost is an intake whose stored session is to be resumed at another host.
type illHost struct {
	*gatewaytest.Ledger
	from, to string
}

func (i *illHost) Position(ctx context.Context) (gateway.Position, error) {
	p, err := i.Ledger.Position(ctx)
	return gateway.Position(strings.ReplaceAll(string(p), i.from, i.to)), err
}

// TestIllResumeHost: a session whose own host takes connections and does not go on with it is
// resumed at another host.
func TestIllResumeHost(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	r := run(t, d, adapter(t, d, discord.Config{}), ledger)
	hear(t, d, ledger, said("before"))
	r.halt(t)
	ill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if conn, err := websocket.Accept(w, q, nil); err == nil {
			_ = conn.Close(websocket.StatusInternalError, "no session here")
		}
	}))
	t.Cleanup(ill.Close)
	missed := d.Say(said("missed"))
	in := &illHost{ledger, d.GatewayURL + "/resume", "ws" + strings.TrimPrefix(ill.URL, "http")}
	run(t, d, adapter(t, d, discord.Config{}), in)
	ledger.AwaitEvents(t, missed)
	if d.Identifies() != 1 || d.Resumes() != 1 {
		t.Errorf("the bot identified %d times and resumed %d times, want once each", d.Identifies(), d.Resumes())
	}
}

// TestSlowCommit: a commit that takes its time holds up no heartbeat.
func TestSlowCommit(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{Heartbeat: time.Hour}), gatewaytest.NewLedger()
	run(t, d, adapter(t, d, discord.Config{}), ledger)
	hear(t, d, ledger, said("quick"))
	hold, begun := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	var once sync.Once
	ledger.FailBy(func() error {
		once.Do(func() { close(begun) })
		<-hold
		return nil
	})
	ids := []string{d.Say(said("slow"))}
	<-begun
	for i := range 4 {
		ids = append(ids, d.Say(said(fmt.Sprintf("more %d", i))))
	}
	for d.LastHeartbeat() < 7 { // the session, and six messages: all have arrived
		beats := d.Heartbeats()
		d.AskHeartbeat()
		await(t, d, "a heartbeat", func() bool { return d.Heartbeats() > beats })
	}
	release()
	ledger.AwaitEvents(t, ids...)
	if d.Resumes() != 0 {
		t.Errorf("the bot resumed %d times", d.Resumes())
	}
}

// TestCloseCodes: after a closed connection the session is resumed or begun anew.
func TestCloseCodes(t *testing.T) {
	t.Parallel()
	for code, lost := range map[int]bool{
		1000: false, 1001: false, 1011: false, 4000: false, 4001: false, 4002: false, 4005: false, 4008: false, 4003: true, 4007: true, 4009: true,
	} {
		d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
		hear(t, d, ledger, said("before"))
		d.CloseWith(code)
		missed := d.Say(said("missed"))
		ledger.AwaitEvents(t, missed)
		hear(t, d, ledger, said("after"))
		if begun := d.Identifies() > 1; begun != lost {
			t.Errorf("after code %d: a new session: %t, want %t", code, begun, lost)
		}
	}
}

// TestFatal: codes after which another try is useless end the adapter with a reason.
func TestFatal(t *testing.T) {
	t.Parallel()
	for code, tt := range map[int]struct {
		kind fault.Kind
		says string
	}{
		4004: {fault.Unauthenticated, "DISCORD_BOT_TOKEN"},
		4010: {fault.Invalid, "shard"},
		4011: {fault.Invalid, "servers"},
		4012: {fault.Invalid, "version"},
		4013: {fault.Invalid, "intents"},
		4014: {fault.Forbidden, "Message Content Intent"},
	} {
		d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
		d.RefuseIdentify(code)
		a := adapter(t, d, discord.Config{})
		err := launch(t, a, ledger).failed(t)
		if fault.KindOf(err) != tt.kind || !strings.Contains(fault.MessageOf(err), tt.says) {
			t.Errorf("code %d: got %v (%s), want %q", code, err, fault.KindOf(err), tt.says)
		}
		if h := a.Health(); h.State != "stopped" || !strings.Contains(h.Reason, tt.says) {
			t.Errorf("code %d: got %+v, want it stopped with the reason", code, h)
		}
		if d.Identifies() != 1 {
			t.Errorf("code %d: the bot identified %d times", code, d.Identifies())
		}
	}
}

// TestFatalWithoutStore: what cannot be committed does not keep a useless adapter running.
func TestFatalWithoutStore(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	r := run(t, d, adapter(t, d, discord.Config{}), ledger)
	hear(t, d, ledger, said("before"))
	ledger.FailBy(func() error { return errors.New("the store refuses") })
	waits := d.Say(said("lost in no store"))
	ledger.Await(t, "a commit fails", func() bool { return ledger.Offered(waits) > 0 })
	d.CloseWith(4004)
	if err := r.failed(t); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("got %v", err)
	}
	if at, _ := ledger.Position(t.Context()); at == "" {
		t.Error("the position is gone")
	}
}

// TestOutage: while neither the API nor the gateway can be reached, the adapter waits.
func TestOutage(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	d.Fault("GET /gateway", gatewaytest.DiscordFault{Status: 502}, gatewaytest.DiscordFault{CutBefore: true},
		gatewaytest.DiscordFault{RetryAfter: 20 * time.Millisecond}, gatewaytest.DiscordFault{Status: 200})
	a := adapter(t, d, discord.Config{})
	launch(t, a, ledger)
	await(t, d, "the bot has a session", d.Connected)
	hear(t, d, ledger, said("hello"))
	if h := a.Health(); h.State != "connected" || h.Reason != "" {
		t.Errorf("got %+v, want connected", h)
	}
}

// TestReasons: while there is no connection, the reason tells what Discord answered.
func TestReasons(t *testing.T) {
	t.Parallel()
	ill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(ill.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	broken := slices.Repeat([]gatewaytest.DiscordFault{{Status: http.StatusBadGateway}}, 1000)
	for _, tt := range []struct {
		says  string
		begin func(d *gatewaytest.Discord, c *discord.Config)
	}{
		{"status 502", func(d *gatewaytest.Discord, _ *discord.Config) { d.Fault("GET /gateway", broken...) }},
		{"status 503", func(_ *gatewaytest.Discord, c *discord.Config) {
			c.GatewayURL = "ws" + strings.TrimPrefix(ill.URL, "http")
		}},
		{"connection refused", func(_ *gatewaytest.Discord, c *discord.Config) {
			c.GatewayURL = "ws" + strings.TrimPrefix(gone.URL, "http")
		}},
		{"code 4008", func(d *gatewaytest.Discord, _ *discord.Config) { d.RefuseIdentify(4008) }},
	} {
		lines := make(logLines, 1)
		d, c := newFake(t, gatewaytest.DiscordOptions{}), discord.Config{Log: slog.New(slog.NewTextHandler(lines, nil))}
		tt.begin(d, &c)
		a := adapter(t, d, c)
		launch(t, a, gatewaytest.NewLedger())
		if line := <-lines; !strings.Contains(line, tt.says) {
			t.Errorf("log: got %s, want %q", line, tt.says)
		}
		if h := a.Health(); h.State != "connecting" || !strings.Contains(h.Reason, tt.says) {
			t.Errorf("got %+v, want it connecting with %q", h, tt.says)
		}
	}
}

// logLines takes the first line that is logged.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	select {
	case l <- string(line):
	default:
	}
	return len(line), nil
}

// TestStopWhileWaiting: the adapter ends at once, whatever it waits for.
func TestStopWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(d *gatewaytest.Discord, l *gatewaytest.Ledger){
		"for the API": func(d *gatewaytest.Discord, _ *gatewaytest.Ledger) {
			d.Always("", gatewaytest.DiscordFault{Status: 502})
		},
		"for a greeting": func(d *gatewaytest.Discord, _ *gatewaytest.Ledger) { d.Hello(false) },
		"for the store": func(_ *gatewaytest.Discord, l *gatewaytest.Ledger) {
			l.FailBy(func() error { return errors.New("no") })
		},
		"between retries": func(d *gatewaytest.Discord, _ *gatewaytest.Ledger) { d.RefuseIdentify(4000) },
	} {
		d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
		begin(d, ledger)
		r := launch(t, adapter(t, d, discord.Config{Retry: time.Minute}), ledger)
		await(t, d, "a request", func() bool { return len(d.Requests("GET /gateway")) > 0 })
		d.Say(said("hello"))
		begun := time.Now()
		if err := r.stop(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s: ending took %s", name, took)
		}
	}
}

// refusing is an intake that cannot tell the position at first.
type refusing struct {
	*gatewaytest.Ledger
	left int
}

// Position fails some times.
func (r *refusing) Position(ctx context.Context) (gateway.Position, error) {
	if r.left--; r.left >= 0 {
		return "", errors.New("the store refuses")
	}
	return r.Ledger.Position(ctx)
}

// TestPositionIsAskedAgain: without the stored position nothing is received.
func TestPositionIsAskedAgain(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	r := run(t, d, adapter(t, d, discord.Config{}), ledger)
	hear(t, d, ledger, said("before"))
	r.halt(t)
	run(t, d, adapter(t, d, discord.Config{}), &refusing{Ledger: ledger, left: 3})
	if d.Identifies() != 1 || d.Resumes() != 1 {
		t.Errorf("the bot identified %d times and resumed %d times, want once each", d.Identifies(), d.Resumes())
	}
}
