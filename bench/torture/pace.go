package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// paceRig shows many answers while they are written, under the limits of the platforms. A
// round is a minute. -chats sets how many chats each platform has.
var paceRig = rig{
	name: "pace", fault: "answers streamed into many chats at once, and a forced wait of 30 s in one chat of each platform", rounds: 1, run: keepPace,
	want: "0 × 429, 0 requests to a chat that rests, 0 copies, first text ≤ 1.6 s after the first piece, the end ≤ 2 s after the last one (p99) in other chats",
	off:  "no rest after a 429", bareRounds: 1,
	bare: []change{{"internal/gateway/pace.go", "	p.rests[whole(r.Place)] = r.Until", "	_ = r.Until"}},
}

const (
	forcedWait  = 30 // seconds
	latestFirst = 1600 * time.Millisecond
	latestEnd   = 2 * time.Second
	// turnsApart is the time between an answer and the next question of a chat: longer than any
	// platform wants between two messages.
	turnsApart = 3500 * time.Millisecond
	// turnsAtOnce is how many turns of an owner the server runs at once. Those of more chats wait
	// for each other.
	turnsAtOnce = 16
)

// paceRun are the answers of a run.
type paceRun struct {
	m     *messengers
	model *narrator
	t     *tally

	mu      sync.Mutex
	ids     []string
	by      map[string]*dialogue
	flooded map[*dialogue]bool
	floods  time.Time
	seen    map[string]*seenAnswer
}

// keepPace is the whole rig.
func keepPace(ctx context.Context, b *bench, rounds int) (*tally, error) {
	m, err := openMessengers(ctx, b.chats)
	if err != nil {
		return nil, err
	}
	defer m.close()
	model := newNarrator(longAnswers)
	defer model.Close()
	s, err := b.subject(model.URL + "/v1")
	if err != nil {
		return nil, err
	}
	if err := m.meet(ctx, s); err != nil {
		return nil, err
	}
	defer s.kill()
	p := &paceRun{m: m, model: model, t: &tally{}, by: map[string]*dialogue{}, flooded: map[*dialogue]bool{}}
	cpu := s.cpu()
	p.talk(ctx, time.Duration(rounds)*time.Minute)
	cpu = s.cpu() - cpu
	p.seen = m.hear()
	p.count()
	p.t.done = fmt.Sprintf("%d min, %d chats, %d answers, %d messages", rounds, len(m.talks), len(p.ids), len(m.shown()))
	b.leave(p.t, "pace", s)
	p.t.figure += fmt.Sprintf("; CPU %.0f ms a turn with all its edits", float64(cpu.Milliseconds())/float64(max(1, len(p.ids))))
	return p.t, nil
}

// longAnswers are some seconds long: every second one goes on at once, and the others rest
// after their first words.
func longAnswers(id string) style {
	n := int(id[len(id)-1] - '0')
	s := style{pieces: 60 + 40*(n%5), between: 150 * time.Millisecond}
	if n%2 == 0 {
		s.rest = 3 * time.Second
	}
	return s
}

// talk has all chats talk for a time, and floods some of them.
func (p *paceRun) talk(ctx context.Context, d time.Duration) {
	end := time.Now().Add(d)
	var talking sync.WaitGroup
	for i, t := range p.m.talks {
		talking.Go(func() {
			pause(ctx, time.Duration(i)*37*time.Millisecond)
			for time.Now().Before(end) && ctx.Err() == nil {
				p.turn(ctx, t)
			}
		})
	}
	talking.Go(func() {
		pause(ctx, d/3)
		p.flood()
	})
	talking.Wait()
}

// turn asks one question, and waits for the whole answer.
func (p *paceRun) turn(ctx context.Context, t *dialogue) {
	p.mu.Lock()
	id := t.next()
	p.ids, p.by[id] = append(p.ids, id), t
	p.mu.Unlock()
	t.say(sayID(id))
	patience := 3 * time.Minute * time.Duration(1+len(p.m.talks)/turnsAtOnce)
	if open := p.m.settle(ctx, []string{id}, patience); len(open) > 0 {
		p.mu.Lock()
		p.t.miss("%s has no whole answer after %s", id, patience)
		p.mu.Unlock()
	}
	pause(ctx, turnsApart)
}

// flood forces a wait in the first chat of each platform.
func (p *paceRun) flood() {
	places := map[string]string{}
	for id, h := range p.m.hear() {
		for place := range h.places {
			_, places[id[:4]], _ = strings.Cut(place, " ")
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.floods = time.Now()
	for _, t := range p.m.talks[:4] {
		if places[t.name] == "" {
			p.t.miss("%s has no message so far, so that it cannot be made to wait", t.name)
			continue
		}
		p.flooded[t] = true
		t.flood(places[t.name], forcedWait)
	}
}

// count counts what went wrong.
func (p *paceRun) count() {
	drafts := p.drafts()
	var firsts []time.Duration
	ends := map[string][]time.Duration{}
	copies := 0
	for _, id := range p.ids {
		h, t := p.seen[id], p.by[id]
		if !h.whole() {
			copies++
			p.t.miss("%s was shown so: %+v", id, h)
			continue
		}
		if p.flooded[t] {
			continue
		}
		began, ended, _ := p.model.times(id)
		first := h.at
		if at, ok := drafts[id]; ok && at.Before(first) {
			first = at
		}
		if t.platform != gateway.WhatsApp {
			firsts = append(firsts, first.Sub(began))
		}
		ends[t.pace()] = append(ends[t.pace()], h.over.Sub(ended))
	}
	p.judge(copies, firsts, ends)
}

// slowGroups are the chats in which no message can follow another within two seconds.
const slowGroups = "telegram's groups"

// pace names the chats of a platform that have the same limits.
func (t *dialogue) pace() string {
	if t.platform == gateway.Telegram && t.kind != gateway.DM {
		return slowGroups
	}
	return string(t.platform)
}

// drafts are the times at which drafts first showed the beginning of answers.
func (p *paceRun) drafts() map[string]time.Time {
	out := map[string]time.Time{}
	for _, d := range p.m.telegram.Drafts() {
		for _, found := range marks.FindAllStringSubmatch(d.Text, -1) {
			if _, known := out[found[2]]; !known {
				out[found[2]] = d.At
			}
		}
	}
	return out
}

// judge compares the figures with those wanted.
func (p *paceRun) judge(copies int, firsts []time.Duration, ends map[string][]time.Duration) {
	limited, broken := p.m.limited(), p.m.broken()
	p.t.figure = fmt.Sprintf("%d × 429, %d requests that are forbidden, %d not shown once; first text p50 %s, p99 %s, last %s; end p99",
		limited, len(broken), copies, ms(percentile(firsts, 50)), ms(percentile(firsts, 99)), ms(percentile(firsts, 100)))
	var all []time.Duration
	for _, name := range slices.Sorted(maps.Keys(ends)) {
		p.t.figure += fmt.Sprintf(" %s in %s,", ms(percentile(ends[name], 99)), name)
		if name != slowGroups {
			all = append(all, ends[name]...)
		}
	}
	p.t.figure += fmt.Sprintf(" p50 %s, p99 %s, last %s in all but the groups of Telegram, which take a message in 3 s",
		ms(percentile(all, 50)), ms(percentile(all, 99)), ms(percentile(all, 100)))
	if limited > 0 {
		p.t.miss("%d × 429", limited)
	}
	for _, what := range broken {
		p.t.miss("%s", what)
	}
	if got := percentile(firsts, 99); got > latestFirst {
		p.t.miss("the first text came %s after the first piece", ms(got))
	}
	if got := percentile(all, 99); got > latestEnd {
		p.t.miss("the end came %s after the last piece", ms(got))
	}
}

// percentile is the time below which so many hundredths of a list are.
func percentile(list []time.Duration, hundredths int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, len(sorted)*hundredths/100)]
}

// ms is a time in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
