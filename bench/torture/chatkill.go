package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// chatKillRig kills a server again and again while it answers on four chat platforms.
var chatKillRig = rig{
	name: "chatkill", fault: "`kill -9` under chats of four platforms: in turns, in streams, in sends", rounds: 40, run: killTalks,
	want: "0 lost, each answer whole; 0 repeats, on Telegram only of what it had taken without a commit",
	off:  "a platform is not asked what became of a message", bareRounds: 10,
	bare: []change{{"internal/gateway/attempt.go", "		if found, err := g.findOut(ctx, bot, l, s); err != nil || found {\n			return err\n		}\n", "		s.Attempts += 0\n"}},
}

const (
	// peopleEach is how many people talk on each platform, and groupEach how many of them in
	// a group of their own.
	peopleEach, groupEach = 6, 2
	// longEach is how many messages there are for each whose answer has several parts, of
	// longLines lines.
	longEach, longLines = 8, 160
	// calm is how often a server lives as long as WhatsApp is waited for.
	calm = 25
)

// talk is one person who writes, waits for the answer, and writes again.
type talk struct {
	f    *fake
	act  gatewaytest.Act
	next func() string // the name of another message

	asked map[string]int // lines, by name
}

// talking is the rig at work.
type talking struct {
	b       *bench
	s       *subject
	f       *fakes
	t       *tally
	talks   []*talk
	excused excuses
	names   atomic.Int64
	ready   []time.Duration
	// at counts the kills that have met a phase on a platform.
	at map[string]int

	mu    sync.Mutex
	heard map[gateway.Platform]map[string]*heard
}

// killTalks is the whole rig.
func killTalks(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: liner(300*time.Millisecond, 20*time.Millisecond)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	f := newFakes(ctx, company{people: peopleEach, groups: peopleEach})
	defer f.close()
	k := &talking{
		b: b, f: f, t: &tally{}, excused: make(excuses), at: make(map[string]int), heard: make(map[gateway.Platform]map[string]*heard),
	}
	for _, one := range f.all {
		one.late(50*time.Millisecond, 80*time.Millisecond)
		for i := range peopleEach {
			k.talks = append(k.talks, k.newTalk(one, i))
		}
	}
	if k.s, err = f.subject(b, model.URL+"/v1", ""); err != nil {
		return nil, err
	}
	all, end := context.WithCancel(ctx)
	defer end()
	var listening, speaking sync.WaitGroup
	defer listening.Wait()
	defer end()
	listening.Go(func() { k.listen(all) })
	if err := f.start(ctx, k.s); err != nil {
		return nil, err
	}
	defer func() { k.s.kill() }()
	round, enough := context.WithCancel(all)
	defer enough()
	for _, t := range k.talks {
		speaking.Go(func() { k.speak(round, t) })
	}
	if err := k.killAll(ctx, rounds); err != nil {
		return nil, err
	}
	enough()
	speaking.Wait()
	k.finish(ctx)
	if code := k.s.stop(); code != 0 {
		k.t.miss("the stop ended with %d: %s", code, k.s.log.String())
	}
	f.broken(k.t)
	err = k.count(ctx, rounds)
	b.leave(k.t, "chatkill", k.s)
	return k.t, err
}

// newTalk is one person of a platform.
func (k *talking) newTalk(f *fake, i int) *talk {
	a := gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Name: person(i), Chat: person(i)}
	if i < groupEach {
		a.Type, a.Chat = gateway.Group, group(i)
	}
	return &talk{f: f, act: a, next: func() string { return messageName(int(k.names.Add(1))) }, asked: make(map[string]int)}
}

// speak writes, and waits for the answer, until the context ends.
func (k *talking) speak(ctx context.Context, t *talk) {
	for n := 1; ctx.Err() == nil; n++ {
		name, lines := t.next(), 2+rand.N(20)
		if n%longEach == 0 {
			lines = longLines
		}
		t.asked[name] = lines
		t.act.Text = asks(name, lines)
		t.f.emit(t.act)
		for ctx.Err() == nil && !k.isHeard(t.f.platform, name) {
			pause(ctx, 50*time.Millisecond)
		}
	}
}

// listen hears the platforms until the context ends.
func (k *talking) listen(ctx context.Context) {
	for ctx.Err() == nil {
		for _, f := range k.f.all {
			h := f.heard()
			k.mu.Lock()
			k.heard[f.platform] = h
			k.mu.Unlock()
		}
		pause(ctx, 200*time.Millisecond)
	}
}

// isHeard reports whether an answer is there.
func (k *talking) isHeard(p gateway.Platform, name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.heard[p][name].whole()
}

// killAll kills the server at random moments.
func (k *talking) killAll(ctx context.Context, rounds int) error {
	for n := range rounds {
		life := 300*time.Millisecond + rand.N(4000*time.Millisecond)
		if n%calm == calm-1 {
			life = 22 * time.Second // so that nothing waits for a status of WhatsApp from one kill to the next
		}
		pause(ctx, life)
		k.s.kill()
		if err := k.phases(ctx); err != nil {
			return err
		}
		if err := k.excused.note(ctx, k.s); err != nil {
			return err
		}
		if err := k.f.start(ctx, k.s); err != nil {
			return fmt.Errorf("kill %d: %w", n+1, err)
		}
		k.ready = append(k.ready, k.s.took)
		if n%10 == 9 {
			k.b.say("chatkill: %d kills, %d messages", n+1, k.names.Load())
		}
	}
	return nil
}

// phases counts what the platforms' chats were at when the server died.
func (k *talking) phases(ctx context.Context) error {
	db, err := openFile(k.s.file(), true)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for phase, query := range map[string]string{
		"turn":   `SELECT DISTINCT platform FROM chat_events WHERE state = 'taken'`,
		"stream": `SELECT DISTINCT e.platform FROM runs r JOIN chat_events e ON e.owner_id = r.owner_id AND e.run_id = r.id WHERE r.state = 'running' AND r.events > 1`,
		"send":   `SELECT DISTINCT platform FROM chat_sends WHERE state = 'sending' OR platform = 'telegram' AND state = 'waiting'`,
	} {
		list, err := texts(ctx, db, query)
		if err != nil {
			return err
		}
		for _, p := range list {
			k.at[p+" "+phase]++
		}
	}
	return nil
}

// gaveUp notes messages that were given up: no platform was out of order.
func (s *subject) gaveUp(ctx context.Context, t *tally) error {
	db, err := openFile(s.file(), true)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	list, err := texts(ctx, db, `SELECT platform || ', part ' || part || ': ' || coalesce(error, '') FROM chat_sends WHERE state = 'failed'`)
	for _, what := range list {
		t.miss("given up: %s", what)
	}
	return err
}

// texts are the values of a query with one column.
func texts(ctx context.Context, db *sql.DB, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// finish waits until all is answered, and a while for what would come twice.
func (k *talking) finish(ctx context.Context) {
	end := time.Now().Add(patienceForChats)
	for time.Now().Before(end) && ctx.Err() == nil && !k.allHeard() {
		pause(ctx, 100*time.Millisecond)
	}
	pause(ctx, 3*time.Second)
}

// allHeard reports whether all messages are answered.
func (k *talking) allHeard() bool {
	for _, t := range k.talks {
		for name := range t.asked {
			if !k.isHeard(t.f.platform, name) {
				return false
			}
		}
	}
	return true
}

// count compares the file and the platforms with what was asked.
func (k *talking) count(ctx context.Context, rounds int) error {
	all, err := k.s.read(ctx, k.t)
	if err != nil {
		return err
	}
	if err := k.s.gaveUp(ctx, k.t); err != nil {
		return err
	}
	c, excusedRepeats, parts := newTaken(all), 0, 0
	for _, t := range k.talks {
		answers := t.f.heard()
		for name, lines := range t.asked {
			excusedRepeats += c.judge(k.t, t.f.platform, name, lines, answers[name], k.excused[name])
			if h := answers[name]; h != nil {
				parts += h.messages
			}
		}
	}
	var met []string
	for _, f := range k.f.all {
		p := string(f.platform)
		met = append(met, fmt.Sprintf("%s %d/%d/%d", p, k.at[p+" turn"], k.at[p+" stream"], k.at[p+" send"]))
	}
	k.t.done = fmt.Sprintf("%d kills, of them in a turn/stream/send: %s; %d messages, %d messages of answers", rounds, strings.Join(met, ", "), c.asked, parts)
	k.t.figure = fmt.Sprintf("%d lost, %d doubled, %d repeated, and %d repeated on Telegram that it had taken without a commit; ready after at most %d ms",
		c.lost, c.doubled, c.repeated, excusedRepeats, slices.Max(append(k.ready, 0)).Milliseconds())
	return nil
}
