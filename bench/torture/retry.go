package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// retryRig repeats requests under one key, over crashes.
var retryRig = rig{
	name: "retry", fault: "F17 the same Idempotency-Key ten times at once, changed bodies, kill -9 at random and right behind a commit", rounds: 200, run: retry,
	want: "1 turn and 9 replays, changed bodies 409, 0 stored twice over the kills",
	off:  "keys ignored", bareRounds: 6,
	bare: []change{{"internal/httpapi/turn_request.go", "key, err := parseIdempotencyKey(t.r)", "key, err := \"\", error(nil)"}},
	fitted: []change{
		{file: "internal/sqlite/torture.go", text: dieSource},
		{"internal/sqlite/writer.go", "	if t.erases {\n		w.erased = true", "	dieAfterCommit()\n	if t.erases {\n		w.erased = true"},
	},
}

// dieSource kills the server behind a commit, before anybody is told of it.
const dieSource = `package sqlite

import (
	"os"
	"strconv"
	"syscall"
)

var tortureCommits int // the writer's goroutine alone counts

func dieAfterCommit() {
	tortureCommits++
	if n, _ := strconv.Atoi(os.Getenv("TORTURE_DIE")); n == tortureCommits {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
`

const (
	askers = 8  // that ask at the same time, each in a session of its own
	copies = 10 // of each request at once
)

// asker asks one thing after the other, each several times at once.
type asker struct {
	id, asked int
	pending   string // cut off by a kill
	over      bool   // it was: the answer may have been stored before
	told      []string
	t         *tally

	answers, replays, again, changed int
}

// retry is the whole rig.
func retry(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: echo(time.Millisecond)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	s, err := b.subject(model.URL + "/v1")
	if err != nil {
		return nil, err
	}
	all := make([]*asker, askers)
	for i := range all {
		all[i] = &asker{id: i, t: &tally{}}
	}
	for n := range rounds {
		s.env = nil
		if n%2 == 0 {
			s.env = []string{fmt.Sprintf("TORTURE_DIE=%d", 4+rand.IntN(40))}
		}
		if err := s.start(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		round, stop := context.WithCancel(ctx)
		var working sync.WaitGroup
		for _, a := range all {
			working.Go(func() { a.ask(round, s.addr) })
		}
		if n%2 == 0 {
			s.wait(10 * time.Second)
		} else {
			pause(ctx, 100*time.Millisecond+rand.N(600*time.Millisecond))
			s.kill()
		}
		stop()
		working.Wait()
		idle.CloseIdleConnections()
		if n%20 == 19 {
			b.say("retry: %d rounds", n+1)
		}
	}
	s.env = nil
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.over = true; a.pending != "" {
			a.all(ctx, s.addr, a.pending)
		}
	}
	s.stop()
	return countRetried(ctx, s, all, rounds)
}

// countRetried compares the file with what was told.
func countRetried(ctx context.Context, s *subject, all []*asker, rounds int) (*tally, error) {
	t := &tally{}
	if err := s.settle(ctx, t); err != nil {
		return nil, err
	}
	rows, err := checkFile(ctx, s.file(), t)
	if err != nil {
		return nil, err
	}
	there := make(map[string]int)
	for _, m := range rows {
		if m.role == "user" || m.finish == "stop" {
			there[m.text]++
		}
	}
	var sum asker
	asked, lost, doubled := 0, 0, 0
	for _, a := range all {
		asked += len(a.told)
		sum.answers, sum.replays, sum.again, sum.changed = sum.answers+a.answers, sum.replays+a.replays, sum.again+a.again, sum.changed+a.changed
		t.misses = append(t.misses, a.t.misses...)
		for _, text := range a.told {
			if there[text] == 0 || there[answerTo(text)] == 0 {
				lost++
			}
		}
	}
	for _, n := range there {
		if n > 1 {
			doubled++
		}
	}
	t.done = fmt.Sprintf("%d kills, %d keys × %d, %d of them over a kill, %d changed bodies", rounds, asked, copies, sum.again, sum.changed)
	t.figure = fmt.Sprintf("%d answers, %d replays, %d lost, %d stored twice", sum.answers, sum.replays, lost, doubled)
	if lost+doubled > 0 {
		t.miss("%d lost, %d stored twice", lost, doubled)
	}
	return t, nil
}

// ask asks until the server is gone.
func (a *asker) ask(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		text := a.pending
		if a.over = text != ""; !a.over {
			a.asked++
			text = fmt.Sprintf("Asker %d wants number %d.", a.id, a.asked)
		} else {
			a.again++
		}
		a.pending = text
		if !a.all(ctx, addr, text) {
			return
		}
	}
}

// all asks for one thing several times at once. False: the server is gone.
func (a *asker) all(ctx context.Context, addr, text string) bool {
	results := make([]copied, copies)
	var asking sync.WaitGroup
	for i := range results {
		asking.Go(func() {
			g := &results[i]
			g.status, g.answer, g.whole, g.replay, g.ok = a.one(ctx, addr, text)
		})
	}
	asking.Wait()
	answers, replays := 0, 0
	for _, g := range results {
		switch {
		case !g.ok:
			return false
		case !g.answers(text):
			a.t.miss("%q: status %d, %q", text, g.status, g.answer)
			return false
		case g.replay:
			replays++
		default:
			answers++
		}
	}
	a.answers, a.replays = a.answers+answers, a.replays+replays
	if answers > 1 || answers == 0 && !a.over {
		a.t.miss("%q: %d answers, %d replays", text, answers, replays)
	}
	a.pending = ""
	a.told = append(a.told, text)
	if len(a.told)%5 == 0 {
		status, _, err := send(ctx, addr, "POST", "/v1/chat/completions", a.header(text), chatBody(text+" And more.", a.id%2 == 0))
		if err != nil {
			return false
		}
		if a.changed++; status != http.StatusConflict {
			a.t.miss("a changed body: status %d", status)
		}
	}
	return true
}

// copied is what one of several copies of a request brought.
type copied struct {
	status            int
	answer            string
	whole, replay, ok bool
}

func (c *copied) answers(text string) bool {
	return c.status == http.StatusOK && c.whole && c.answer == answerTo(text)
}

func (a *asker) header(text string) map[string]string {
	return map[string]string{"X-Hermes-Session-Id": fmt.Sprintf("asker/%d", a.id), "Idempotency-Key": strings.ReplaceAll(text, " ", "-")}
}

// one asks once. ok: an answer came.
func (a *asker) one(ctx context.Context, addr, text string) (status int, answer string, whole, replay, ok bool) {
	stream := a.id%2 == 0
	res, err := begin(ctx, addr, "POST", "/v1/chat/completions", a.header(text), chatBody(text, stream))
	if err != nil {
		return 0, "", false, false, false
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", false, false, false
	}
	if res.StatusCode != http.StatusOK {
		return res.StatusCode, string(body), false, false, true
	}
	answer, whole = readAnswer(body, stream)
	return res.StatusCode, answer, whole, res.Header.Get("Idempotency-Replayed") == "true", true
}
