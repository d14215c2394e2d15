package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// chatCommandRig kills a server while it obeys commands of chats. The server that is killed
// obeys slowly, so that a kill meets the moment.
var chatCommandRig = rig{
	name: "chatcommand", fault: "`kill -9` between the plan of a command and its effect, and between its effect and its reply; the same text after a failed turn",
	rounds: 25, run: killCommands,
	want: "each command done once, with one reply; both texts stored",
	off:  "what a command will do is not stored before it is done", bareRounds: 8,
	bare: []change{{"internal/gateway/command.go",
		"if o.plan, err = o.store.PlanCommand(ctx, o.owner, o.event.name(), planned); err != nil {", "if o.plan = planned; false {"}},
	fitted: []change{
		{"internal/gateway/command.go", "	\"strings\"\n\n", "	\"strings\"\n	\"time\"\n\n"},
		{"internal/gateway/command.go", "	return c.do(o, ctx)\n", "	time.Sleep(700 * time.Millisecond)\n	r, err := c.do(o, ctx)\n	time.Sleep(700 * time.Millisecond)\n	return r, err\n"},
	},
}

// obeyed is one chat in which a command is killed.
type obeyed struct {
	f       *fake
	who     string
	command string
	names   []string // of the exchanges before
	during  string   // of the message whose answer is being written meanwhile; "" for none
	after   string   // of the message that is sent behind the command
	event   string
	chat    string // the platform's id

	session string // the chat's session before the command
}

// commanding is the rig at work.
type commanding struct {
	b *bench
	s *subject
	f *fakes
	t *tally

	names, people                int
	done, planned, effected, two int

	mu   sync.Mutex // of the tally, and of once
	once int
}

// The replies of commands, by their beginnings.
func replies() map[string]string {
	return map[string]string{"/undo": "Taken back", "/new": "A new session has begun", "/retry": ""}
}

// killCommands is the whole rig.
func killCommands(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: slowLiner()})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	f := newFakes(ctx, company{people: rounds + 2})
	defer f.close()
	c := &commanding{b: b, f: f, t: &tally{}}
	if c.s, err = f.subject(b, model.URL+"/v1", "", "HERMES_FALLBACK=off"); err != nil {
		return nil, err
	}
	if err := f.start(ctx, c.s); err != nil {
		return nil, err
	}
	defer func() { c.s.kill() }()
	for n := range rounds {
		if err := c.round(ctx, n); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if b.bare && len(c.t.misses) > 0 {
			break
		}
		if n%5 == 4 {
			b.say("chatcommand: %d kills, %d commands done once", n+1, c.once)
		}
	}
	for _, killed := range []bool{false, true} {
		if err := c.sameTwice(ctx, killed); err != nil {
			return nil, err
		}
	}
	if code := c.s.stop(); code != 0 {
		c.t.miss("the stop ended with %d: %s", code, c.s.log.String())
	}
	f.broken(c.t)
	if _, err := c.s.read(ctx, c.t); err != nil {
		return nil, err
	}
	c.t.done = fmt.Sprintf("%d commands in %d kills: %d with a plan and no effect, %d with an effect and no reply; 8 texts said twice", c.done, rounds, c.planned, c.effected)
	c.t.figure = fmt.Sprintf("%d commands done once, with one reply; %d of 8 texts stored twice", c.once, c.two)
	return c.t, nil
}

// slowLiner answers in lines; long answers slowly, and a text that says so with a failure.
func slowLiner() func(*upstreamtest.Request) upstreamtest.Step {
	var mu sync.Mutex
	failed := make(map[string]bool)
	quick, slow := liner(0, 0), liner(0, 250*time.Millisecond)
	return func(req *upstreamtest.Request) upstreamtest.Step {
		text, _ := newest(req.Body)
		name, lines, _ := askedOf(text)
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "at the second try") && !failed[name] {
			failed[name] = true
			return upstreamtest.Refuse(http.StatusBadRequest, "not_now", "Not at the first try.")
		}
		if lines >= 40 {
			return slow(req)
		}
		return quick(req)
	}
}

// name is the name of another message.
func (c *commanding) name() string {
	c.names++
	return messageName(c.names)
}

// nextPerson is the name of another person.
func (c *commanding) nextPerson() string {
	c.people++
	return person(c.people - 1)
}

// round has each platform obey one command, and kills the server meanwhile.
func (c *commanding) round(ctx context.Context, n int) error {
	who := c.nextPerson()
	list := make([]*obeyed, len(c.f.all))
	for i, f := range c.f.all {
		o := &obeyed{f: f, who: who, command: []string{"/undo", "/new", "/retry"}[(n+i)%3]}
		for range 3 {
			o.names = append(o.names, c.name())
		}
		if n%3 == 2 && o.command != "/retry" {
			o.during = c.name()
		}
		o.after = c.name()
		list[i] = o
	}
	if err := together(list, func(o *obeyed) error { return c.prepare(ctx, o) }); err != nil {
		return err
	}
	for _, o := range list {
		o.event = o.f.say(o.who, o.command)
	}
	if err := c.killWithin(ctx, list, n%2 == 0); err != nil {
		return err
	}
	if err := c.f.start(ctx, c.s); err != nil {
		return err
	}
	return together(list, func(o *obeyed) error { return c.check(ctx, o) })
}

// together does something for all chats at once.
func together[T any](list []T, do func(T) error) error {
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, one := range list {
		all.Go(func() { errs[i] = do(one) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// prepare takes three exchanges in a chat, and begins a fourth if there is to be one.
func (c *commanding) prepare(ctx context.Context, o *obeyed) error {
	for _, name := range o.names {
		event := o.f.say(o.who, asks(name, 2))
		if err := o.await(ctx, name); err != nil {
			return err
		}
		if o.event == "" {
			o.event = event
		}
	}
	var err error
	if o.chat, err = c.one(ctx, `SELECT chat_id FROM chat_events WHERE platform = ? AND event_id = ?`, o.f.platform, o.event); err != nil {
		return err
	}
	if o.session, err = c.one(ctx, `SELECT session_id FROM chats WHERE platform = ? AND chat_id = ?`, o.f.platform, o.chat); err != nil {
		return err
	}
	if o.during == "" {
		return nil
	}
	o.f.say(o.who, asks(o.during, 60))
	return until(ctx, "a stream", func() (bool, error) {
		n, err := c.one(ctx, `SELECT count(*) FROM runs r JOIN chat_events e ON e.owner_id = r.owner_id AND e.run_id = r.id
			WHERE e.platform = ? AND e.chat_id = ? AND r.state = 'running' AND r.events > 2`, o.f.platform, o.chat)
		return n == "1", err
	})
}

// await waits until an answer is at the platform.
func (o *obeyed) await(ctx context.Context, name string) error {
	what := fmt.Sprintf("the answer to %s on %s", name, o.f.platform)
	return until(ctx, what, func() (bool, error) { return o.f.heard()[name].whole(), nil })
}

// until waits until something holds, for a minute.
func until(ctx context.Context, what string, holds func() (bool, error)) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); pause(ctx, 20*time.Millisecond) {
		if ok, err := holds(); err != nil || ok {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("waited in vain for %s", what)
}

// one asks the file for one value, as a text.
func (c *commanding) one(ctx context.Context, query string, args ...any) (string, error) {
	for i := range args {
		args[i] = fmt.Sprint(args[i])
	}
	return oneOf(ctx, c.s.file(), query, args...)
}

// oneOf asks a file for one value, as a text; "" if there is none.
func oneOf(ctx context.Context, path, query string, args ...any) (string, error) {
	db, err := openFile(path, true)
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }()
	var out sql.NullString
	if err = db.QueryRowContext(ctx, query, args...).Scan(&out); errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("look into the file: %w", err)
	}
	return out.String, nil
}

// killWithin kills the server while it obeys: before the effect of the commands, or after it.
func (c *commanding) killWithin(ctx context.Context, list []*obeyed, before bool) error {
	const arrived = `SELECT count(*) FROM chat_events WHERE platform = ? AND event_id = ? AND state = 'waiting'`
	err := until(ctx, "the commands", func() (bool, error) {
		for _, o := range list {
			if before {
				if n, err := c.one(ctx, arrived, o.f.platform, o.event); err != nil || n == "0" {
					return false, err
				}
				continue
			}
			if ok, err := c.effect(ctx, o); err != nil || ok {
				return ok, err
			}
		}
		return before, nil
	})
	if err != nil {
		return err
	}
	if before {
		pause(ctx, 150*time.Millisecond+rand.N(300*time.Millisecond))
	} else {
		pause(ctx, rand.N(300*time.Millisecond))
	}
	c.s.kill()
	return c.met(ctx, list)
}

func (c *commanding) sameTwice(ctx context.Context, killed bool) error {
	who := c.nextPerson()
	var all sync.WaitGroup
	names := make([]string, len(c.f.all))
	errs := make([]error, len(c.f.all))
	text := func(i int) string { return asks(names[i], 1) + " It works at the second try." }
	for i, f := range c.f.all {
		names[i] = c.name()
		all.Go(func() {
			event := f.say(who, text(i))
			errs[i] = until(ctx, "a failure", func() (bool, error) {
				state, err := c.one(ctx, `SELECT state FROM chat_events WHERE platform = ? AND event_id = ?`, f.platform, event)
				return state == "failed", err
			})
		})
	}
	all.Wait()
	if killed {
		c.s.kill()
		if err := c.f.start(ctx, c.s); err != nil {
			return err
		}
	}
	for i, f := range c.f.all {
		if errs[i] != nil {
			return errs[i]
		}
		all.Go(func() {
			f.say(who, text(i))
			errs[i] = until(ctx, "an answer", func() (bool, error) { return f.heard()[names[i]].whole(), nil })
		})
	}
	all.Wait()
	for i, f := range c.f.all {
		n, err := c.one(ctx, `SELECT count(*) FROM messages WHERE role = 'user' AND content = ?`, text(i))
		if err != nil {
			return err
		}
		if n == "2" && errs[i] == nil {
			c.two++
			continue
		}
		c.t.miss("the same text twice on %s: stored %s times, %v", f.platform, n, errs[i])
	}
	return nil
}
