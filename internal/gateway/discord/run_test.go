package discord_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// running is an adapter that runs.
type running struct {
	stop func() error // ends it, and returns Run's error
	done <-chan error
}

// run runs an adapter, and waits until it has a session.
func run(t *testing.T, d *gatewaytest.Discord, a *discord.Adapter, in gateway.Intake) *running {
	t.Helper()
	begun := func() int { return d.Identifies() + d.Resumes() }
	before := begun()
	r := launch(t, a, in)
	await(t, d, "the bot has a session", func() bool { return begun() > before && d.Connected() })
	return r
}

// launch runs an adapter.
func launch(t *testing.T, a *discord.Adapter, in gateway.Intake) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	ended := recovery.Async(func() error {
		done <- a.Run(ctx, in)
		return nil
	})
	r := &running{done: done}
	r.stop = sync.OnceValue(func() error {
		cancel()
		<-ended
		select {
		case err := <-done:
			return err
		default:
			return nil // the test has it
		}
	})
	t.Cleanup(func() { _ = r.stop() })
	return r
}

// halt ends an adapter that runs well.
func (r *running) halt(t *testing.T) {
	t.Helper()
	if err := r.stop(); err != nil {
		t.Fatalf("run: %v", err)
	}
}

// failed waits until Run ends by itself, and returns its error.
func (r *running) failed(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		t.Fatal("Run does not end")
		return nil
	}
}

// await waits until a condition on the fake holds.
func await(t *testing.T, d *gatewaytest.Discord, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := d.Await(ctx, holds); err != nil {
		t.Fatalf("waited in vain: %s", what)
	}
}

// The channels of these tests.
const (
	dmChannel    = "701"
	guildChannel = "702"
	forum        = "703"
	thread       = "704"
	theGuild     = "600"
)

// newFake is a fake with a DM, a channel of a server, and a thread of a forum.
func newFake(t *testing.T, o gatewaytest.DiscordOptions) *gatewaytest.Discord {
	t.Helper()
	d := gatewaytest.NewDiscord(t, o)
	for _, c := range []gatewaytest.DiscordChannel{
		{ID: dmChannel, Type: 1},
		{ID: guildChannel, Guild: theGuild, Name: "general"},
		{ID: forum, Type: 15, Guild: theGuild, Name: "ideas"},
		{ID: thread, Type: 11, Guild: theGuild, Parent: forum, Name: "plans"},
	} {
		d.AddChannel(c)
	}
	return d
}

// talk is a fake whose bot runs.
func talk(t *testing.T, o gatewaytest.DiscordOptions) (*gatewaytest.Discord, *discord.Adapter, *gatewaytest.Ledger) {
	t.Helper()
	d, ledger := newFake(t, o), gatewaytest.NewLedger()
	a := adapter(t, d, discord.Config{})
	run(t, d, a, ledger)
	return d, a, ledger
}

// hear lets a person say something, and returns its event.
func hear(t *testing.T, d *gatewaytest.Discord, ledger *gatewaytest.Ledger, s gatewaytest.DiscordSaid) gateway.Event {
	t.Helper()
	id := d.Say(s)
	ledger.AwaitEvents(t, id)
	return ledger.Event(t, id)
}

// out is a message in a channel.
func out(n int, channel, text string) *gateway.Out {
	id := strings.Repeat("0", 30) + string(rune('a'+n)) + "0"
	// The part of the id that is the nonce must differ.
	id = string(rune('a'+n)) + id[1:]
	return &gateway.Out{ID: id, Place: placeOf(channel), Text: text}
}

// placeOf is a channel as a place.
func placeOf(channel string) gateway.Place {
	at := gateway.Place{Platform: gateway.Discord, Account: gatewaytest.DiscordBot, Chat: channel}
	if channel == thread {
		at.Chat, at.Thread = forum, thread
	}
	return at
}

// logged is a log that a test reads.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends to the log.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// count is how often a text stands in the log.
func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

// logger writes to the log.
func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
