package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// compressRig grows sessions over a small budget, with a model that is to sum up
// and cannot be trusted, and kills the server meanwhile. A round is about a
// hundred turns and one kill.
var compressRig = rig{
	name: "compress", fault: "F19 compression at any point: sessions of random growth, a summariser that fails, lies, inflates, hangs, kill -9", rounds: 100, run: growSessions,
	want: "every id takes a turn for ever, one compression at most where a tail outgrew its mark, each by a fifth or more, the log whole and verbatim",
	off:  "a fold that saves nothing counts", bareRounds: 6,
	bare: []change{{"internal/compression/fold.go", "const minShrink = 0.2", "const minShrink = -1.0"}},
}

const (
	growers      = 16
	growBudget   = 1500 // tokens of a context
	turnsOfRound = 100  // on average
)

// grower speaks in one session, under any id that it was ever called by.
type grower struct {
	id, n   int
	ids     []string // the first one, and what compressions made of it
	tip     string
	told    []string // texts whose turn was acknowledged, in order
	pending *growth  // the turn that a kill cut off
	again   int      // turns that were asked for again after a kill
	t       *tally
}

// growth is one turn.
type growth struct {
	session, text string
	stream        bool
}

// growSessions is the whole rig.
func growSessions(ctx context.Context, b *bench, rounds int) (*tally, error) {
	scribe := &scribe{}
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: scribe.answer})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	s, err := b.subject(model.URL+"/v1", fmt.Sprintf("HERMES_CONTEXT_BUDGET=%d", growBudget), "HERMES_MEMORY_MODEL=scribe",
		"HERMES_MEMORY_TOKENS=1000000000")
	if err != nil {
		return nil, err
	}
	all := make([]*grower, growers)
	for i := range all {
		all[i] = &grower{id: i, ids: []string{fmt.Sprintf("grow/%d", i)}, t: &tally{}}
	}
	for n := range rounds {
		scribe.mode.Store(int64(n / 3 % len(moods)))
		if err := growOn(ctx, s, all, n%3 == 2); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		if n%20 == 19 {
			b.say("compress: %d rounds", n+1)
		}
	}
	t := &tally{}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	taken, asked := askEveryID(ctx, s, all)
	found := findAgain(ctx, s, all, t)
	s.stop()
	if err := s.settle(ctx, t); err != nil {
		return nil, err
	}
	rows, err := checkFile(ctx, s.file(), t)
	if err != nil {
		return nil, err
	}
	lost, turns, again := compareGrown(all, rows, t)
	folds, err := checkFolds(ctx, s.file(), t)
	if err != nil {
		return nil, err
	}
	t.done = fmt.Sprintf("%d turns in %d sessions, %d kills (%d turns asked again), %d compressions, %s; %d sentences of its own kept",
		turns, growers, rounds, again, folds.count, scribe.counts(), folds.drawn)
	t.figure = fmt.Sprintf("%d of %d ids took one more turn; %d lost; %d of %d found again; %d compressions where none was due, %d that saved less than a fifth (the least: %.0f %%), %d lies kept",
		taken, asked, lost, found, searched, folds.undue, folds.idle, 100*folds.least, folds.lies)
	return t, nil
}

// growOn has all sessions grow for a round, whose end is a kill in the middle. In
// a calm round it comes when no client sends any more, so that the summariser does.
func growOn(ctx context.Context, s *subject, all []*grower, calm bool) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	var left atomic.Int64
	left.Store(turnsOfRound/2 + rand.Int64N(turnsOfRound))
	enough := make(chan struct{})
	round, stop := context.WithCancel(ctx)
	defer stop()
	var growing sync.WaitGroup
	for _, g := range all {
		growing.Go(func() {
			for (left.Load() > 0 || !calm) && g.grow(round, s.addr) {
				if left.Add(-1) == 0 {
					close(enough)
				}
			}
		})
	}
	select {
	case <-enough:
		if calm {
			growing.Wait()
			pause(ctx, 500*time.Millisecond)
		}
		pause(ctx, rand.N(5*time.Millisecond))
	case <-time.After(20 * time.Second):
	}
	s.kill()
	stop()
	growing.Wait()
	idle.CloseIdleConnections()
	return nil
}

// grow takes one turn, or the one again that a kill has cut off. False: the server
// is gone, or something is wrong.
func (g *grower) grow(ctx context.Context, addr string) bool {
	turn := g.pending
	if turn == nil {
		g.n++
		turn = &growth{session: g.ids[0], text: g.say(), stream: g.n%2 == 0}
		if g.n%3 == 0 {
			turn.session = g.ids[rand.IntN(len(g.ids))]
		}
		g.pending = turn
	} else {
		g.again++
	}
	return g.take(ctx, addr, turn)
}

// say makes a text with a mark of its own: a few words most often, sometimes half
// a context.
func (g *grower) say() string {
	const words = " and then we carried the blue lamp over to the other room, because it was dark there"
	n := 1 + rand.IntN(4)
	if rand.IntN(6) == 0 {
		n = 15 + rand.IntN(15)
	}
	return fmt.Sprintf("In %s I noted something%s.", g.mark(g.n), strings.Repeat(words, n))
}

func (g *grower) mark(n int) string { return fmt.Sprintf("mark%dx%d", g.id, n) }

// take sends a turn, and holds what comes back against what is known.
func (g *grower) take(ctx context.Context, addr string, turn *growth) bool {
	key, _, _ := strings.Cut(strings.TrimPrefix(turn.text, "In "), " ")
	status, body, header, err := g.send(ctx, addr, turn, key)
	if err != nil {
		return false
	}
	text, whole := readAnswer(body, turn.stream)
	if status != http.StatusOK {
		g.t.miss("%s under %s: status %d: %.200s", key, turn.session, status, body)
		return false
	}
	if !whole {
		return false // cut off
	}
	id, root := header.Get("X-Hermes-Session-Id"), header.Get("X-Hermes-Lineage-Root-Id")
	known := slices.Contains(g.ids, id)
	switch {
	case root != g.ids[0] || text != "Noted "+key+".":
		g.t.miss("%s under %s: an answer in %s: %.100q", key, turn.session, root, text)
	case !known:
		g.ids = append(g.ids, id)
	case g.fellBehind(id, header):
		g.t.miss("%s under %s: an answer in %s, the newest was %s", key, turn.session, id, g.tip)
	}
	if g.tip == "" || !known {
		g.tip = id
	}
	g.told, g.pending = append(g.told, turn.text), nil
	return true
}

// fellBehind reports whether a turn that was not replayed went to an older session
// than the newest.
func (g *grower) fellBehind(id string, header http.Header) bool {
	return id != g.tip && g.tip != "" && header.Get("Idempotency-Replayed") == ""
}
