package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// chatsRig has platforms send their events again and again, out of order, to a server that
// is killed.
var chatsRig = rig{
	name: "chats", fault: "events of four chat platforms, each sent 1 to 5 times, in any order, over `kill -9`", rounds: 20, run: repeatChats,
	want: "each message stored once, each answered once",
	off:  "an event that comes again is a new one", bareRounds: 1,
	bare: []change{{"internal/sqlite/chat_events.go", "string(e.Place.Platform), e.Place.Account, e.ID, e.Place.Chat,",
		"string(e.Place.Platform), e.Place.Account, e.ID+fmt.Sprint(time.Now().UnixNano()), e.Place.Chat,"}},
}

const (
	// perKill is how many events of each platform there are for each kill.
	perKill = 125
	// mostTimes is how often an event is sent at most.
	mostTimes = 5
	// perGroup is how many people speak in a group.
	perGroup = 25
	// mostOpen is how many events of a platform may wait for their answers.
	mostOpen = 100
	// patienceForChats is how long nothing may happen before a rig gives up.
	patienceForChats = 90 * time.Second
)

// speech is what one platform says in the rig.
type speech struct {
	*fake
	acts   []gatewaytest.Act
	order  []int    // which act comes next: the first time it is said, then it is sent again
	events []string // the ids of the events, by act
	said   atomic.Int64
	whole  atomic.Int64 // answers that are there
	sent   int          // events sent, with those that came again
}

// newSpeech makes the events of a platform: the first half in chats with one person each,
// the others in groups. WhatsApp's groups would wait for its limits.
func newSpeech(f *fake, first, n int) *speech {
	p := &speech{fake: f, events: make([]string, n)}
	for i := range n {
		a := gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Name: person(i), Chat: person(i), Text: asks(messageName(first+i), 1+i%3)}
		if i >= n/2 && f.platform != gateway.WhatsApp {
			a.Type, a.Chat = gateway.Group, group(i/perGroup)
		}
		p.acts = append(p.acts, a)
		for range 1 + rand.N(mostTimes) {
			p.order = append(p.order, i)
		}
	}
	rand.Shuffle(len(p.order), func(i, j int) { p.order[i], p.order[j] = p.order[j], p.order[i] })
	return p
}

func messageName(n int) string { return fmt.Sprintf("m%06d", n) }

// speak sends all events, as fast as they are answered.
func (p *speech) speak(ctx context.Context) {
	for _, i := range p.order {
		for p.said.Load()-p.whole.Load() >= mostOpen && ctx.Err() == nil {
			pause(ctx, 20*time.Millisecond)
		}
		if ctx.Err() != nil {
			return
		}
		p.sent++
		if p.events[i] != "" {
			p.again(p.events[i])
			continue
		}
		p.events[i], _ = p.emit(p.acts[i])
		p.said.Add(1)
	}
}

// listen counts the answers until the context ends.
func (p *speech) listen(ctx context.Context) {
	for ctx.Err() == nil {
		n := 0
		for _, h := range p.heard() {
			if h.whole() {
				n++
			}
		}
		p.whole.Store(int64(n))
		pause(ctx, 400*time.Millisecond)
	}
}

// repeating is the rig at work.
type repeating struct {
	b        *bench
	s        *subject
	f        *fakes
	t        *tally
	speeches []*speech
	excused  excuses
	ready    []time.Duration
}

// repeatChats is the whole rig.
func repeatChats(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: liner(30*time.Millisecond, 0)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	n := rounds * perKill
	f := newFakes(ctx, company{people: n, groups: n/perGroup + 1})
	defer f.close()
	r := &repeating{b: b, f: f, t: &tally{}, excused: make(excuses)}
	if r.s, err = f.subject(b, model.URL+"/v1", ""); err != nil {
		return nil, err
	}
	for i, one := range f.all {
		r.speeches = append(r.speeches, newSpeech(one, i*n, n))
	}
	if err := f.start(ctx, r.s); err != nil {
		return nil, err
	}
	defer func() { r.s.kill() }()
	all, end := context.WithCancel(ctx)
	defer end()
	var working sync.WaitGroup
	for _, p := range r.speeches {
		working.Go(func() { p.speak(all) })
		working.Go(func() { p.listen(all) })
	}
	defer working.Wait()
	defer end()
	if err := r.killAll(ctx, rounds, 4*n); err != nil {
		return nil, err
	}
	pause(ctx, 2*time.Second) // for what would come twice
	end()
	working.Wait()
	if code := r.s.stop(); code != 0 {
		r.t.miss("the stop ended with %d: %s", code, r.s.log.String())
	}
	f.broken(r.t)
	return r.t, r.count(ctx, rounds)
}

// killAll kills the server at even distances of the answers, and waits for the last one.
func (r *repeating) killAll(ctx context.Context, rounds, n int) error {
	for k := range rounds {
		if !r.reach(ctx, (k+1)*n/(rounds+1)) {
			return nil
		}
		pause(ctx, rand.N(200*time.Millisecond))
		r.s.kill()
		if err := r.excused.note(ctx, r.s); err != nil {
			return err
		}
		if err := r.f.start(ctx, r.s); err != nil {
			return fmt.Errorf("kill %d: %w", k+1, err)
		}
		r.ready = append(r.ready, r.s.took)
		r.b.say("chats: %d kills, %d of %d answered", k+1, r.answered(), n)
	}
	r.reach(ctx, n)
	return nil
}

// answered is how many messages are answered.
func (r *repeating) answered() int {
	n := 0
	for _, p := range r.speeches {
		n += int(p.whole.Load())
	}
	return n
}

// reach waits until so many messages are answered. It reports false, and notes it, if nothing
// happens any more.
func (r *repeating) reach(ctx context.Context, n int) bool {
	last, moved := r.answered(), time.Now()
	for r.answered() < n && ctx.Err() == nil {
		if now := r.answered(); now > last {
			last, moved = now, time.Now()
		}
		if time.Since(moved) > patienceForChats || r.b.bare && r.flooded() {
			r.t.miss("%d of %d are answered, and nothing more comes", last, n)
			return false
		}
		pause(ctx, 50*time.Millisecond)
	}
	return ctx.Err() == nil
}

// flooded reports whether a platform has taken far more than it was owed: a server without
// the protection need not go on.
func (r *repeating) flooded() bool {
	for _, p := range r.speeches {
		if len(p.rig.Sent()) > len(p.acts)+20 {
			return true
		}
	}
	return false
}

// count compares the file and the platforms with what was said.
func (r *repeating) count(ctx context.Context, rounds int) error {
	all, err := r.s.read(ctx, r.t)
	if err != nil {
		return err
	}
	c := newTaken(all)
	deliveries, excusedRepeats := 0, 0
	for _, p := range r.speeches {
		deliveries += p.sent
		answers := p.heard()
		for i := range p.acts {
			name, lines, _ := askedOf(p.acts[i].Text)
			excusedRepeats += c.judge(r.t, p.platform, name, lines, answers[name], r.excused[name])
		}
	}
	r.t.done = fmt.Sprintf("%d kills, %d events, sent %d times", rounds, c.asked, deliveries)
	r.t.figure = fmt.Sprintf("%d messages stored, %d answers at the platforms; %d lost, %d doubled, %d repeated, and %d repeated on Telegram that it had taken without a commit",
		c.storedOnce, c.answeredOnce, c.lost, c.doubled, c.repeated, excusedRepeats)
	return nil
}
