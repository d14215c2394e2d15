package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// outagesRig takes Telegram and Discord away for a minute, in the ways in which they go. A round
// is one of each.
var outagesRig = rig{
	name: "outages", fault: "Telegram answers with pages for 60 s, has another poller, lets a poll hang; Discord forgets the session while the server is away", rounds: 1, run: goAway,
	want: "received again ≤ 95 s after, 0 lost, 0 answered twice",
	off:  "a poll without an answer is waited for", bareRounds: 1,
	bare: []change{{"internal/gateway/telegram/pace.go", "dead: 90 * time.Second", "dead: 900 * time.Second"}},
}

const (
	outage      = time.Minute
	latestBack  = 95 * time.Second
	whileAway   = 50 // messages
	outageChats = 3
)

// awayCase is one way to be away: what begins it, and what ends it.
type awayCase struct {
	name  string
	begin func(ctx context.Context, m *messengers, s *subject) (end func() error)
	on    gateway.Platform
	// since says that the time counts from the beginning.
	since bool
}

// goAway is the whole rig.
func goAway(ctx context.Context, b *bench, rounds int) (*tally, error) {
	t, figures := &tally{}, make([]string, 0, 4)
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	for _, c := range awayCases() {
		all.Go(func() {
			for range rounds {
				figure, misses, err := c.run(ctx, b)
				mu.Lock()
				figures, t.misses = append(figures, figure), append(t.misses, misses...)
				if err != nil {
					failed = fmt.Errorf("%s: %w", c.name, err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.done = fmt.Sprintf("%d outages with %d messages in each", len(figures), whileAway)
	t.figure = strings.Join(figures, "; ")
	return t, failed
}

// awayCases are the ways to be away.
func awayCases() []awayCase {
	lasting := func(method string, step gatewaytest.TelegramStep) func(context.Context, *messengers, *subject) func() error {
		return func(_ context.Context, m *messengers, _ *subject) func() error {
			m.telegram.Always(method, step)
			return func() error {
				m.telegram.Always(method, gatewaytest.TelegramStep{})
				return nil
			}
		}
	}
	return []awayCase{
		{"pages of 502", lasting("", gatewaytest.TelegramPage(502)), gateway.Telegram, false},
		{"another poller", lasting("getUpdates",
			gatewaytest.TelegramStep{Code: 409, Description: "Conflict: terminated by other getUpdates request"}), gateway.Telegram, false},
		{"a poll that hangs", lasting("getUpdates", gatewaytest.TelegramStep{Hold: make(chan struct{})}), gateway.Telegram, true},
		{"a forgotten session", func(ctx context.Context, m *messengers, s *subject) func() error {
			s.kill()
			return func() error {
				m.discord.ForgetSessions()
				return s.start(ctx)
			}
		}, gateway.Discord, false},
	}
}

// run lets a platform be away once.
func (c *awayCase) run(ctx context.Context, b *bench) (figure string, misses []string, err error) {
	m, err := openMessengers(ctx, outageChats)
	if err != nil {
		return "", nil, err
	}
	defer m.close()
	model := newNarrator(func(string) style { return style{pieces: 2} })
	defer model.Close()
	s, err := b.subject(model.URL + "/v1")
	if err != nil {
		return "", nil, err
	}
	if err := m.meet(ctx, s); err != nil {
		return "", nil, err
	}
	defer func() { s.kill() }()
	ids := m.askAll(c.on, outageChats)
	if open := m.settle(ctx, ids, time.Minute); len(open) > 0 {
		return "", nil, fmt.Errorf("%v have no answer before the outage", open)
	}
	began := time.Now()
	end := c.begin(ctx, m, s)
	for range whileAway {
		ids = append(ids, m.askAll(c.on, 1)...)
		pause(ctx, outage/whileAway)
	}
	if !c.since {
		began = time.Now()
	}
	if err := end(); err != nil {
		return "", nil, err
	}
	t := &tally{}
	m.received(ctx, c, began, t)
	open := m.settle(ctx, ids, 5*time.Minute)
	for _, id := range open {
		t.miss("%s: %s has no answer", c.name, id)
	}
	twice := m.twice(c, model, ids, t)
	return fmt.Sprintf("%s: %s, %d lost, %d twice", c.name, t.figure, len(open), twice), t.misses, nil
}

// askAll asks a question in some chats of a platform, by turns.
func (m *messengers) askAll(on gateway.Platform, chats int) (ids []string) {
	var there []*dialogue
	for _, t := range m.talks {
		if t.platform == on {
			there = append(there, t)
		}
	}
	for n := range chats {
		t := there[n%len(there)]
		if chats == 1 { // the one in which least was asked
			for _, other := range there {
				if other.said < t.said {
					t = other
				}
			}
		}
		id := t.next()
		ids = append(ids, id)
		t.say(sayID(id))
	}
	return ids
}

// received waits until the server has received what was said, and notes how long that took.
func (m *messengers) received(ctx context.Context, c *awayCase, began time.Time, t *tally) {
	for time.Since(began) < 3*time.Minute {
		pending, _ := m.telegram.Pending()
		if pending == 0 && m.discord.Connected() {
			break
		}
		pause(ctx, 50*time.Millisecond)
	}
	took := time.Since(began)
	t.figure = fmt.Sprintf("received again after %.1f s", took.Seconds())
	if took > latestBack {
		t.miss("%s: received again after %s", c.name, took)
	}
}

// twice counts the questions that were asked or answered more than once.
func (m *messengers) twice(c *awayCase, model *narrator, ids []string, t *tally) (n int) {
	seen := m.hear()
	for _, id := range ids {
		_, _, asked := model.times(id)
		if h := seen[id]; asked > 1 || h.complete() && !h.whole() {
			n++
			t.miss("%s: %s was asked %d times: %+v", c.name, id, asked, h)
		}
	}
	return n
}
