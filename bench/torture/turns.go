package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// turnsRig has many clients speak in few sessions, and a model checker look for an
// order in which one after the other would have seen the same. A round is one history.
var turnsRig = rig{
	name: "turns", fault: "F18 64 clients in 4 sessions: chats, streams, repeated keys, appends, undos, forks, reads, compressions, under every id", rounds: 100, run: takeTurns,
	want: "every history linearizable: one turn per lineage at a time, in real time's order",
	off:  "turns of a lineage do not wait for each other", bareRounds: 3,
	bare: []change{{"internal/lineage/queue.go", "	if !s.held {\n", "	if !s.held || s.key == k {\n"}},
}

const (
	talkers      = 64
	opsOfTalker  = 6
	sharedBy     = 4                // sessions of a history
	checkerTakes = 10 * time.Second // at most, for one session of a history
)

// turnsCount is what the rig adds up over its histories.
type turnsCount struct {
	histories, bad, operations, compressed int
	slowest                                time.Duration // the checker, for one session
	kinds                                  [len(kindNames)]int
}

// takeTurns is the whole rig.
func takeTurns(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: behind})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	s, err := b.serve(ctx, model.URL+"/v1")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	t, sum := &tally{}, &turnsCount{}
	for n := range rounds {
		h := newHistory(s.addr, n)
		h.play(ctx)
		if err := h.place(ctx); err != nil {
			return nil, err
		}
		sum.check(h, n, t)
		if n%20 == 19 {
			b.say("turns: %d histories", n+1)
		}
	}
	s.stop()
	if err := s.settle(ctx, t); err != nil { // a stop leaves what is to be indexed
		return nil, err
	}
	if _, err := checkFile(ctx, s.file(), t); err != nil {
		return nil, err
	}
	var kinds []string
	for k, n := range sum.kinds {
		kinds = append(kinds, fmt.Sprintf("%d %s", n, kindNames[k]))
	}
	t.done = fmt.Sprintf("%d histories of %d clients, %d operations (%s), %d compressions",
		sum.histories, talkers, sum.operations, strings.Join(kinds, ", "), sum.compressed)
	t.figure = fmt.Sprintf("%d of %d linearizable; the checker took at most %.1f s", sum.histories-sum.bad, sum.histories,
		sum.slowest.Seconds())
	return t, nil
}

// check has the model checker look at a history, session by session.
func (c *turnsCount) check(h *history, n int, t *tally) {
	c.histories++
	bad := false
	for i, sh := range h.sessions {
		began := time.Now()
		if got := porcupine.CheckOperationsTimeout(transcripts, sh.operations, checkerTakes); got != porcupine.Ok {
			bad = true
			t.miss("history %d, session %d of %d operations: %s", n+1, i+1, len(sh.operations), got)
		}
		c.slowest = max(c.slowest, time.Since(began))
		c.operations += len(sh.operations)
		c.compressed += len(sh.ids) - 1
		for _, o := range sh.operations {
			if in, ok := o.Input.(said); ok {
				c.kinds[in.kind]++
			}
		}
	}
	if bad {
		c.bad++
	}
	for _, refused := range h.refused {
		t.miss("refused: %s", refused)
	}
}

// behind answers with the message that stands before the newest one: what the
// turn saw.
func behind(req *upstreamtest.Request) upstreamtest.Step {
	names, ok := namesIn(req.Body)
	if !ok {
		return upstreamtest.Refuse(400, "bad", "cannot read this")
	}
	before := "nothing"
	if len(names) > 1 {
		before = names[len(names)-2]
	}
	return upstreamtest.Step{Chunks: []string{"n" + names[len(names)-1][1:], " after ", before + " ", filler},
		Usage: &upstreamtest.Usage{Input: 10, Output: 5}}
}

// filler makes messages long enough for a session to be compressed.
const filler = "and the lamp in the hall went on humming as it had done on all the evenings before this one"

// history is what some clients did in a few sessions at the same time.
type history struct {
	addr     string
	sessions []*shared

	mu      sync.Mutex
	clock   int64
	refused []string
}

// shared is a session that many speak in.
type shared struct {
	ids        []string // that it was ever called by
	operations []porcupine.Operation
}

func newHistory(addr string, n int) *history {
	h := &history{addr: addr}
	for i := range sharedBy {
		h.sessions = append(h.sessions, &shared{ids: []string{fmt.Sprintf("turns/%d/%d", n, i)}})
	}
	return h
}

// play lets all clients speak.
func (h *history) play(ctx context.Context) {
	var talking sync.WaitGroup
	for i := range talkers {
		talking.Go(func() {
			c := &talker{h: h, id: i, in: h.sessions[i%sharedBy]}
			for n := range opsOfTalker {
				c.do(ctx, n)
			}
		})
	}
	talking.Wait()
}

// place adds to each turn where its messages stand in the end: what is taken back
// keeps its place. It leaves the checker little to guess.
func (h *history) place(ctx context.Context) error {
	for _, sh := range h.sessions {
		var all listed
		path := "/api/sessions/" + strings.ReplaceAll(sh.ids[0], "/", "%2F") + "/messages?include=undone&limit=1000"
		if err := get(ctx, h.addr, path, &all); err != nil {
			return err
		}
		at := make(map[string]int)
		for _, m := range all.Data {
			at[nameOf(m.Content)] = m.Seq + 1
		}
		for i := range sh.operations {
			o := &sh.operations[i]
			in, _ := o.Input.(said)
			out, _ := o.Output.(saw)
			switch in.kind {
			case ask:
				out.place = at[in.name] - 1
			case answer:
				out.place = at["n"+in.name[1:]] - 1
			}
			o.Output = out
		}
	}
	return nil
}

// now is a moment later than all before it.
func (h *history) now() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock++
	return h.clock
}

// note keeps an operation. One with an unknown outcome may end at any time.
func (h *history) note(sh *shared, client int, call, ended int64, in said, out saw) {
	if !out.known {
		ended = 1 << 62
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	sh.operations = append(sh.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: ended})
}

// called notes another id of a session.
func (h *history) called(sh *shared, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, known := range sh.ids {
		if known == id || id == "" {
			return
		}
	}
	sh.ids = append(sh.ids, id)
}

func (h *history) refuse(what string, status int, answer []byte, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = append(h.refused, fmt.Sprintf("%s: %d %.120s %v", what, status, answer, err))
}
