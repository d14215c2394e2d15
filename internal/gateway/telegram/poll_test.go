package telegram_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
)

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

// dm is a message of a person to the bot.
func dm(text string) gatewaytest.Act {
	return gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: "alice", Name: "alice", Text: text}
}

// TestConflict: another program that polls is named once, and receiving goes on after it.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	log, ledger := &logged{}, gatewaytest.NewLedger()
	conflict := gatewaytest.TelegramStep{Code: 409, Description: "Conflict: terminated by other getUpdates request"}
	s.Script("getUpdates", conflict, conflict, conflict, conflict)
	id, _ := s.Emit(t, dm("hello"))
	run(t, adapter(t, s, telegram.Config{Log: log.logger()}), ledger)
	ledger.AwaitEvents(t, id)
	if got := log.count("another program receives"); got != 1 {
		t.Errorf("it was said %d times, want once", got)
	}
	if got := len(s.Requests("getUpdates")); got < 5 {
		t.Errorf("got %d polls, want at least 5", got)
	}
}

// TestDeadPoll: a poll without an answer is given up and repeated.
func TestDeadPoll(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	ledger := gatewaytest.NewLedger()
	s.Script("getUpdates", gatewaytest.TelegramStep{Hold: make(chan struct{})})
	id, _ := s.Emit(t, dm("hello"))
	run(t, adapter(t, s, telegram.Config{}).GiveUpPolls(100*time.Millisecond), ledger)
	ledger.AwaitEvents(t, id)
}

// TestPosition: a position is the next offset. A run begins at the stored one, and
// throws away nothing that waits.
func TestPosition(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	ledger := gatewaytest.NewLedger()
	id, _ := s.Emit(t, dm("one"))
	stop := run(t, adapter(t, s, telegram.Config{}), ledger)
	ledger.AwaitEvents(t, id)
	stop()
	var n int64
	position, _ := ledger.Position(t.Context())
	if _, err := fmt.Sscan(id, &n); err != nil || string(position) != fmt.Sprint(n+1) {
		t.Fatalf("got position %q after update %s", position, id)
	}
	before := len(s.Requests("getUpdates"))
	next, _ := s.Emit(t, dm("two"))
	run(t, adapter(t, s, telegram.Config{}), ledger)
	ledger.AwaitEvents(t, next)
	if first := s.Requests("getUpdates")[before]; first.Params["offset"] != string(position) || first.Params["limit"] != "100" {
		t.Errorf("the first poll of the second run: got %v, want offset %s", first.Params, position)
	}
	if _, dropped := s.Pending(); dropped != 0 {
		t.Errorf("%d updates were thrown away", dropped)
	}
	if got := ledger.Offered(id); got != 1 {
		t.Errorf("the first message came %d times, want once", got)
	}
}

// TestIDsBeginAnew: smaller ids than before are received, and acknowledged.
func TestIDsBeginAnew(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	ledger := gatewaytest.NewLedger()
	acked := make(chan string, 10)
	s.OnAck(func(id string) { acked <- id })
	s.Restart(500_000)
	id, _ := s.Emit(t, dm("before"))
	run(t, adapter(t, s, telegram.Config{}), ledger)
	if got := <-acked; got != id {
		t.Fatalf("update %s was acknowledged, want %s", got, id)
	}
	s.Restart(20_000)
	for _, text := range []string{"after", "later", "last"} {
		id, _ := s.Emit(t, dm(text))
		ledger.AwaitEvents(t, id)
	}
	if list := ledger.Events(); len(list) != 4 {
		t.Errorf("got %d events, want 4", len(list))
	}
	// The poll that brought the last update has acknowledged those before it.
	if pending, _ := s.Pending(); pending > 1 {
		t.Errorf("%d updates are not acknowledged: the offset does not follow the ids", pending)
	}
}

// TestUnreadable: an update that cannot be read does not stop those behind it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	log, ledger := &logged{}, gatewaytest.NewLedger()
	s.Push(map[string]any{"message": map[string]any{"message_id": "a word", "text": "private words"}})
	id, _ := s.Emit(t, dm("hello"))
	run(t, adapter(t, s, telegram.Config{Log: log.logger()}), ledger)
	ledger.AwaitEvents(t, id)
	if log.count("cannot be read") != 1 || log.count("private words") != 0 {
		t.Errorf("got %d lines, %d with the text", log.count("cannot be read"), log.count("private words"))
	}
}

// TestOutage: after pages, waits and broken connections nothing is lost.
func TestOutage(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	ledger := gatewaytest.NewLedger()
	s.Script("getMe", gatewaytest.TelegramPage(502), gatewaytest.TelegramStep{Cut: true})
	s.Script("deleteWebhook", gatewaytest.TelegramPage(504))
	s.Script("getUpdates", gatewaytest.TelegramPage(502), gatewaytest.TelegramStep{Code: 500, Description: "Internal Server Error"},
		gatewaytest.TelegramStep{Cut: true}, gatewaytest.TelegramStep{CutAfter: true}, gatewaytest.TelegramPage(200))
	id, _ := s.Emit(t, dm("hello"))
	a := adapter(t, s, telegram.Config{})
	run(t, a, ledger)
	ledger.AwaitEvents(t, id)
	next, _ := s.Emit(t, dm("again"))
	ledger.AwaitEvents(t, next)
	if h := a.Health(); h.State != "connected" || h.Reason != "" {
		t.Errorf("got %+v, want connected", h)
	}
}
