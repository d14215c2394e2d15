package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// transcriptsRig kills a server while it does all kinds of things to sessions and chats, and
// compares the transcripts in files with the database.
var transcriptsRig = rig{
	name: "transcripts", fault: "`kill -9` under random operations on sessions and chats, ten for each kill", rounds: 100, run: mirrorAll,
	want: "all files equal the database ≤ 1 s after the start; what was forgotten 0 times in them",
	off:  "the list of changes does not outlive a crash", bareRounds: 25,
	bare: []change{{"internal/sqlite/transcripts.go", "`UPDATE transcript_changes SET rewritten = number WHERE rewritten <> number`", "`DELETE FROM transcript_changes`"}},
}

const (
	// perTranscriptKill is how many operations there are for each kill.
	perTranscriptKill = 10
	// mirrorWithin is how long after the start, or after the last change, the files may differ.
	mirrorWithin = time.Second
)

// mirroring is the rig at work.
type mirroring struct {
	b *bench
	s *subject
	f *fakes
	t *tally

	said, done, cut  atomic.Int64
	slowest          time.Duration
	sessions         int
	mu               sync.Mutex
	forgotten, found int
	codes            []string       // words that messages have, and that can be forgotten
	of               map[string]int // operations, by kind
}

// mirrorAll is the whole rig.
func mirrorAll(ctx context.Context, b *bench, rounds int) (*tally, error) {
	f := newFakes(ctx, company{people: 4, groups: 2})
	defer f.close()
	m := &mirroring{b: b, f: f, t: &tally{}, of: make(map[string]int)}
	var err error
	if m.s, err = f.subject(b, "", "", "HERMES_RESPONDER=recall"); err != nil {
		return nil, err
	}
	if err := f.start(ctx, m.s); err != nil {
		return nil, err
	}
	defer func() { m.s.kill() }()
	for n := range rounds {
		if err := m.round(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if err := m.f.start(ctx, m.s); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if err := m.compare(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if b.bare && len(m.t.misses) > 0 {
			break
		}
		if n%25 == 24 {
			b.say("transcripts: %d kills, %d operations", n+1, m.done.Load())
		}
	}
	if code := m.s.stop(); code != 0 {
		m.t.miss("the stop ended with %d: %s", code, m.s.log.String())
	}
	if _, err := m.s.read(ctx, m.t); err != nil {
		return nil, err
	}
	m.t.done = fmt.Sprintf("%d kills, %d operations (%d cut off), %d things forgotten", rounds, m.done.Load(), m.cut.Load(), m.forgotten)
	m.t.figure = fmt.Sprintf("%d sessions in files; equal after at most %d ms; %d forgotten things found", m.sessions, m.slowest.Milliseconds(), m.found)
	return m.t, nil
}

// round does operations, several at a time, and kills the server before the last one is over.
func (m *mirroring) round(ctx context.Context) error {
	round, end := context.WithCancel(ctx)
	defer end()
	var working sync.WaitGroup
	places := make(chan struct{}, 3)
	for range perTranscriptKill {
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			m.operate(round)
		})
	}
	pause(ctx, rand.N(120*time.Millisecond))
	if rand.N(3) == 0 { // the mirror is at work a little later
		pause(ctx, 150*time.Millisecond+rand.N(150*time.Millisecond))
	}
	m.s.kill()
	end()
	working.Wait()
	idle.CloseIdleConnections()
	return ctx.Err()
}

// operate does one random thing.
func (m *mirroring) operate(ctx context.Context) {
	things := []struct {
		name string
		do   func(context.Context) error
	}{
		{"turn", m.turn}, {"turn", m.turn}, {"turn", m.turn}, {"message", m.message}, {"message", m.message}, {"message", m.message},
		{"append", m.append}, {"command", m.command}, {"undo", m.post("undo", "")}, {"reset", m.post("reset", "")}, {"fork", m.post("fork", "")},
		{"compress", m.post("compress", "")}, {"title", m.title}, {"delete", m.remove}, {"forget", m.forget}, {"forget", m.forget},
	}
	thing := things[rand.N(len(things))]
	err := thing.do(ctx)
	m.done.Add(1)
	if err != nil {
		m.cut.Add(1)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[thing.name]++
}

// session is the id of a session, as it stands in a path.
func (m *mirroring) session() string {
	odd := []string{"alpha", "Alpha", "user:42", "beta", "a b", "ümlaut", "con"}
	if n := rand.N(20); n >= len(odd) {
		return fmt.Sprintf("s-%d", n)
	} else {
		return odd[n]
	}
}

// text is a text with a word that can be forgotten.
func (m *mirroring) text() string {
	n := int(m.said.Add(1))
	code := pieceCode(n)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.codes = append(m.codes, code)
	return fmt.Sprintf("The %s in hall %d has the code %s.", words[n%len(words)], n, code)
}

func (m *mirroring) turn(ctx context.Context) error {
	var header map[string]string
	if rand.N(3) == 0 {
		header = map[string]string{"X-Hermes-Session-Key": fmt.Sprintf("key-%d", rand.N(3))}
	}
	_, _, _, err := chat(ctx, m.s.addr, m.session(), m.text(), rand.N(2) == 0, header)
	return err
}

// message is one of a person on a platform.
func (m *mirroring) message(context.Context) error {
	f := m.f.all[rand.N(len(m.f.all))]
	a := gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Name: person(rand.N(4)), Text: m.text()}
	a.Chat = a.Name
	if rand.N(3) == 0 {
		a.Type, a.Chat = gateway.Group, group(rand.N(2))
	}
	f.emit(a)
	return nil
}

// command is one of a person on a platform.
func (m *mirroring) command(context.Context) error {
	f := m.f.all[rand.N(len(m.f.all))]
	f.say(person(rand.N(4)), []string{"/new", "/undo", "/title A title", "/retry"}[rand.N(4)])
	return nil
}

func (m *mirroring) append(ctx context.Context) error {
	_, _, _, err := appendTo(ctx, m.s.addr, url.PathEscape(m.session()), m.text())
	return err
}

// post asks for an operation on a session.
func (m *mirroring) post(what, body string) func(context.Context) error {
	return func(ctx context.Context) error { return m.call(ctx, http.MethodPost, "/"+what, body) }
}

func (m *mirroring) title(ctx context.Context) error {
	return m.call(ctx, http.MethodPatch, "", fmt.Sprintf(`{"title":"Title %d"}`, rand.N(1000)))
}

func (m *mirroring) remove(ctx context.Context) error { return m.call(ctx, http.MethodDelete, "", "") }

// call calls the API for a session. A refusal is no failure.
func (m *mirroring) call(ctx context.Context, method, rest, body string) error {
	_, _, err := send(ctx, m.s.addr, method, "/api/sessions/"+url.PathEscape(m.session())+rest, nil, []byte(body))
	return err
}

// forget forgets a word. Once that is acknowledged, no file has it.
func (m *mirroring) forget(ctx context.Context) error {
	m.mu.Lock()
	if len(m.codes) == 0 {
		m.mu.Unlock()
		return nil
	}
	i := rand.N(len(m.codes))
	code := m.codes[i]
	m.codes = append(m.codes[:i], m.codes[i+1:]...)
	m.mu.Unlock()
	body, _ := json.Marshal(map[string]string{"about": code}) // a string: cannot fail
	status, _, err := send(ctx, m.s.addr, http.MethodPost, "/api/memory/forget", nil, body)
	if err != nil || status != http.StatusOK {
		return err
	}
	there, err := hits(m.s.home+"/sessions", strings.ToLower(code))
	if err != nil && !os.IsNotExist(err) {
		return nil // a file was replaced meanwhile: it is looked at after the next start
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgotten++
	if there > 0 {
		m.found += there
		m.t.miss("%s was forgotten, and is %d times in the transcripts", code, there)
	}
	return nil
}

// compare waits until the files equal the database. They may differ for a second after the
// start, and after each change: what was interrupted goes on.
func (m *mirroring) compare(ctx context.Context) error {
	moved := time.Now()
	before := ""
	for ctx.Err() == nil {
		want, err := m.s.archive(ctx)
		if err != nil {
			return err
		}
		if mark := want.String(); mark != before {
			before, moved = mark, time.Now()
		}
		got, err := readMirror(m.s.home + "/sessions")
		if err != nil {
			return err
		}
		took := time.Since(moved)
		differ := want.differs(got)
		switch {
		case differ == "":
			m.slowest = max(m.slowest, took)
			m.sessions = len(want.sessions)
			if took > mirrorWithin {
				m.t.miss("equal only after %s", took.Round(time.Millisecond))
			}
			return nil
		case took > 10*mirrorWithin:
			m.t.miss("%s after the last change: %s", took.Round(time.Millisecond), differ)
			return nil
		}
		pause(ctx, 20*time.Millisecond)
	}
	return ctx.Err()
}
