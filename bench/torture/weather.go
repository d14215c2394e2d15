package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// weatherRig lets all platforms fail at random while people talk. A round is a minute.
var weatherRig = rig{
	name: "weather", fault: "random faults of all chat platforms: pages of 502, waits, cuts before and after a message is taken, broken connections, events again", rounds: 2, run: weather,
	want: "0 questions lost, 0 asked twice, 0 answers twice (Telegram: only those whose sending broke off), 0 goroutines left, 0 texts and 0 tokens in the log",
	off:  "a message in doubt is given up", bareRounds: 2,
	bare: []change{{"internal/gateway/repeat.go", "	s.State, s.WakeAt = Doubtful, now.Add(backoff(s.Attempts))\n", "	s.State, s.WakeAt = GaveUp, now.Add(backoff(s.Attempts))\n"}},
}

// storm is the rig at work.
type storm struct {
	m     *messengers
	s     *subject
	model *narrator
	t     *tally

	mu     sync.Mutex
	ids    []string
	faults map[string]int
	cuts   int                  // of messages on Telegram that were taken
	bad    map[string]time.Time // when a platform could last not read a text
}

// weather is the whole rig.
func weather(ctx context.Context, b *bench, rounds int) (*tally, error) {
	m, err := openMessengers(ctx, 3)
	if err != nil {
		return nil, err
	}
	defer m.close()
	model := newNarrator(shortAnswers)
	defer model.Close()
	s, err := b.subject(model.URL+"/v1", "HERMES_LOG_LEVEL=debug", "HERMES_CONTEXT_BUDGET=4000")
	if err != nil {
		return nil, err
	}
	if err := m.meet(ctx, s); err != nil {
		return nil, err
	}
	defer s.kill()
	w := &storm{m: m, s: s, model: model, t: &tally{}, faults: map[string]int{}, bad: map[string]time.Time{}}
	for _, t := range m.talks { // everything has been done once
		w.ask(t)
	}
	if open := m.settle(ctx, w.ids, time.Minute); len(open) > 0 {
		return nil, fmt.Errorf("in good weather %v have no answer: %s", open, tail(s.log.String()))
	}
	before, err := w.calm(ctx, 1<<20)
	if err != nil {
		return nil, err
	}
	w.blow(ctx, b, time.Duration(rounds)*time.Minute)
	w.clear()
	open := m.settle(ctx, w.ids, 5*time.Minute)
	for _, id := range open {
		w.t.miss("%s has no whole answer: %+v", id, m.hear()[id])
	}
	after, err := w.calm(ctx, before)
	if err != nil {
		return nil, err
	}
	if after > before {
		w.t.miss("%.0f goroutines before, %.0f after", before, after)
	}
	if err := s.given(ctx, w.t); err != nil {
		return nil, err
	}
	w.judge(len(open), before, after, rounds)
	b.leave(w.t, "weather", s)
	return w.t, nil
}

// shortAnswers have one part or some, and take some seconds at most.
func shortAnswers(id string) style {
	n := int(id[len(id)-1] - '0')
	return style{pieces: []int{1, 3, 10, 60, 250}[n%5], between: time.Duration(n) * time.Millisecond}
}

// calm is the number of goroutines once nothing is under way: at most as many as most, or
// what is left after two minutes.
func (w *storm) calm(ctx context.Context, most float64) (n float64, err error) {
	for end := time.Now().Add(2 * time.Minute); ; {
		idle.CloseIdleConnections()
		w.model.CloseClientConnections()
		pause(ctx, 5*time.Second)
		if n, err = w.s.metric(ctx, "go_goroutines"); err != nil || n <= most || time.Now().After(end) {
			return n, err
		}
	}
}

// ask asks the next question in a chat.
func (w *storm) ask(t *dialogue) {
	w.mu.Lock()
	id := t.next()
	w.ids = append(w.ids, id)
	w.mu.Unlock()
	t.say(sayID(id))
}

// blow lets people talk and platforms fail for a time.
func (w *storm) blow(ctx context.Context, b *bench, d time.Duration) {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	var blowing sync.WaitGroup
	for _, t := range w.m.talks {
		blowing.Go(func() {
			for ctx.Err() == nil {
				pause(ctx, time.Second+rand.N(15*time.Second))
				w.ask(t)
			}
		})
	}
	for name, list := range w.gusts() {
		blowing.Go(func() {
			for ctx.Err() == nil {
				pause(ctx, time.Second+rand.N(5*time.Second))
				w.gust(ctx, name, list)
			}
		})
	}
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			w.mu.Lock()
			b.say("weather: %d questions, %v", len(w.ids), w.faults)
			w.mu.Unlock()
		case <-ctx.Done():
		}
	}
	blowing.Wait()
}

// gust is one fault of a platform. It lasts for a while, until calm is called.
type gust struct {
	name  string
	most  time.Duration // how long it lasts at most
	blow  func()
	after func() // nil: it ends by itself
}

// A text that a platform cannot read is sent once more, as plain text. That one must be read.
const (
	badText       = "bad text"
	badTextsApart = 90 * time.Second
)

// gust lets one thing go wrong.
func (w *storm) gust(ctx context.Context, platform string, list []gust) {
	g := list[rand.IntN(len(list))]
	w.mu.Lock()
	if g.name == badText && time.Since(w.bad[platform]) < badTextsApart { // it would meet the plain text of the last one
		w.mu.Unlock()
		return
	}
	if g.name == badText {
		w.bad[platform] = time.Now()
	}
	w.faults[platform+" "+g.name]++
	w.mu.Unlock()
	g.blow()
	if g.after != nil {
		pause(ctx, 200*time.Millisecond+rand.N(g.most))
		g.after()
	}
}

// clear ends all faults.
func (w *storm) clear() {
	w.m.telegram.Fault(gatewaytest.Healthy)
	w.m.telegram.Always("getUpdates", gatewaytest.TelegramStep{})
	w.m.whatsapp.Fault(gatewaytest.Healthy)
	w.m.slack.Heal()
	w.m.discord.Always("", gatewaytest.DiscordFault{})
	for _, route := range discordSends() {
		w.m.discord.Always(route, gatewaytest.DiscordFault{})
	}
	w.m.discord.Acks(true)
	w.m.discord.Hello(true)
}

// gusts are all that can go wrong, by platform.
func (w *storm) gusts() map[string][]gust {
	return map[string][]gust{
		"telegram": w.telegramGusts(), "discord": w.discordGusts(), "slack": w.slackGusts(), "whatsapp": w.whatsappGusts(),
	}
}

func (w *storm) telegramGusts() []gust {
	f := w.m.telegram
	always := func(method string, s gatewaytest.TelegramStep) func() { return func() { f.Always(method, s) } }
	lasting := func(name string, most time.Duration, method string, s gatewaytest.TelegramStep) gust {
		return gust{name, most, always(method, s), always(method, gatewaytest.TelegramStep{})}
	}
	refusal := gatewaytest.TelegramStep{Code: 400, Description: `Bad Request: can't parse entities: Unsupported start tag "quokka" at byte offset 0`}
	return []gust{
		lasting("pages", 8*time.Second, "", gatewaytest.TelegramPage(502)),
		lasting("waits", 8*time.Second, "sendMessage", gatewaytest.TelegramWait(3)),
		lasting("cuts before", 6*time.Second, "sendMessage", gatewaytest.TelegramStep{Cut: true}),
		lasting("slow", 6*time.Second, "", gatewaytest.TelegramStep{Delay: 1500 * time.Millisecond}),
		lasting("another poller", 3*time.Second, "getUpdates",
			gatewaytest.TelegramStep{Code: 409, Description: "Conflict: terminated by other getUpdates request"}),
		lasting("drafts refused", 6*time.Second, "sendMessageDraft",
			gatewaytest.TelegramStep{Code: 400, Description: "Bad Request: drafts are off"}),
		{"cut after", 0, func() {
			w.mu.Lock()
			w.cuts++
			w.mu.Unlock()
			f.Script("sendMessage", gatewaytest.TelegramStep{CutAfter: true})
		}, nil},
		{badText, 0, func() { f.Script("sendMessage", refusal) }, nil},
		{"connections cut", 0, func() { // perhaps between a message and its answer
			w.mu.Lock()
			w.cuts++
			w.mu.Unlock()
			f.Cut()
		}, nil},
		{"events again", 0, func() { f.Repeat(w.recent(f)...) }, nil},
	}
}

// recent are the numbers of some updates.
func (w *storm) recent(f *gatewaytest.Telegram) []int64 {
	newest := f.LastUpdate()
	return []int64{max(1001, newest-3), max(1001, newest-1)}
}

func discordSends() []string {
	return []string{"POST /channels/{channel}/messages", "PATCH /channels/{channel}/messages/{message}"}
}

func (w *storm) discordGusts() []gust {
	f := w.m.discord
	sends := discordSends()
	lasting := func(name string, most time.Duration, fault gatewaytest.DiscordFault, routes ...string) gust {
		set := func(fault gatewaytest.DiscordFault) func() {
			return func() {
				for _, route := range routes {
					f.Always(route, fault)
				}
			}
		}
		return gust{name, most, set(fault), set(gatewaytest.DiscordFault{})}
	}
	return []gust{
		lasting("pages", 8*time.Second, gatewaytest.DiscordFault{Status: 502}, ""),
		lasting("waits", 8*time.Second, gatewaytest.DiscordFault{RetryAfter: 2500 * time.Millisecond}, sends...),
		lasting("cuts before", 6*time.Second, gatewaytest.DiscordFault{CutBefore: true}, sends...),
		lasting("cuts after", 6*time.Second, gatewaytest.DiscordFault{CutAfter: true}, sends...),
		lasting("slow", 6*time.Second, gatewaytest.DiscordFault{Delay: 1500 * time.Millisecond}, ""),
		{"connection dropped", 0, f.Drop, nil},
		{"reconnect", 0, f.Reconnect, nil},
		{"session invalid", 0, f.Invalidate, nil},
		{"closed", 0, func() { f.CloseWith(4000) }, nil},
		{badText, 0, func() { f.Fault(sends[0], gatewaytest.DiscordFault{Code: 50035, Field: "content"}) }, nil},
	}
}

func (w *storm) slackGusts() []gust {
	f := w.m.slack
	lasting := func(name string, most time.Duration, fault gatewaytest.SlackFault, methods ...string) gust {
		return gust{name, most, func() { f.Fail(fault, methods...) }, f.Heal}
	}
	sends := []string{"chat.postMessage", "chat.update"}
	return []gust{
		lasting("pages", 8*time.Second, gatewaytest.SlackFault{Status: 502}),
		lasting("waits", 8*time.Second, gatewaytest.SlackFault{Status: 429, RetryAfter: 3}, sends...),
		lasting("cuts before", 6*time.Second, gatewaytest.SlackFault{CutBefore: true}, sends...),
		lasting("cuts after", 6*time.Second, gatewaytest.SlackFault{CutAfter: true}, sends...),
		lasting("slow", 6*time.Second, gatewaytest.SlackFault{Delay: 1500 * time.Millisecond}),
		{"sockets cut", 0, f.Cut, nil},
		{"disconnect", 0, func() { f.Disconnect("refresh_requested") }, nil},
		{badText, 0, func() { f.FailOnce("chat.postMessage", gatewaytest.SlackFault{Error: "invalid_blocks"}) }, nil},
		{"fatal error", 0, func() { f.FailOnce("chat.postMessage", gatewaytest.SlackFault{Error: "fatal_error"}) }, nil},
	}
}

func (w *storm) whatsappGusts() []gust {
	f := w.m.whatsapp
	always := func(kind string, s gatewaytest.WhatsAppStep) func() { return func() { f.Always(kind, s) } }
	lasting := func(name string, most time.Duration, kind string, s gatewaytest.WhatsAppStep) gust {
		return gust{name, most, always(kind, s), always(kind, gatewaytest.WhatsAppStep{})}
	}
	return []gust{
		lasting("pages", 8*time.Second, "", gatewaytest.WhatsAppPage(502)),
		lasting("waits", 6*time.Second, "send", gatewaytest.WhatsAppStep{Code: 131056, Details: "Too many messages", RetryAfter: 3}),
		lasting("cuts before", 6*time.Second, "send", gatewaytest.WhatsAppStep{Cut: true}),
		lasting("cuts after", 6*time.Second, "send", gatewaytest.WhatsAppStep{CutAfter: true}),
		{"server away", 6 * time.Second, func() { w.m.away(true) }, func() { w.m.away(false) }},
		{"connections cut", 0, f.Cut, nil},
	}
}

// away lets no request of WhatsApp reach the server.
func (m *messengers) away(yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.off = yes
}

// judge counts what went wrong.
func (w *storm) judge(lost int, before, after float64, rounds int) {
	seen, twice, again := w.m.hear(), 0, 0
	for _, id := range w.ids {
		if _, _, asked := w.model.times(id); asked != 1 {
			again++
			w.t.miss("the model was asked %d times for %s", asked, id)
		}
		if h := seen[id]; h.complete() && !h.whole() {
			if twice++; !strings.HasPrefix(id, "tg") || len(h.places) > 1 {
				w.t.miss("%s is there twice: %+v", id, h)
			}
		}
	}
	// A cut can come to a message of several questions, so that this bound is a rough one.
	if bound := 4 * w.cuts; twice > bound {
		w.t.miss("%d answers are there twice on Telegram, after %d broken sends", twice, w.cuts)
	}
	for what, n := range w.m.logged(w.s.log.String(), animal, "begintg", "saytg") {
		w.t.miss("%s is %d times in the log", what, n)
	}
	gone := 0
	for _, n := range w.faults {
		gone += n
	}
	w.t.done = fmt.Sprintf("%d min, %d faults of %d kinds, %d questions in %d chats, %d messages", rounds, gone, len(w.faults), len(w.ids), len(w.m.talks), len(w.m.shown()))
	w.t.figure = fmt.Sprintf("%d lost, %d asked twice, %d answers twice on Telegram after %d broken sends, %.0f goroutines before and %.0f after, %d KiB of log looked through",
		lost, again, twice, w.cuts, before, after, len(w.s.log.String())>>10)
	for _, broken := range w.m.broken() {
		w.t.miss("%s", broken)
	}
}
