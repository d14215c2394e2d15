package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// How growth is measured: each session takes its turn after the other, so that
// whatever else the machine does meets all of them alike. A short session is
// replaced when it has grown, so that its turns stay those of a short one.
const (
	growthWarm  = 10
	growthTurns = 200
	growthShort = 5 // turns of a session that is measured at one and ten messages
)

// grown is a session that is measured.
type grown struct {
	messages int // it began with
	id       string
	words    *writer
	took     []time.Duration
	cpu      time.Duration
	last     reply
}

// growth measures a turn in sessions of growing length.
func (b *bench) growth(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	young, ten := &grown{messages: 1}, &grown{messages: 10}
	var long []*grown
	for _, messages := range []int{100, 1000, 10_000, 100_000 / b.scale} {
		g := &grown{messages: messages, id: fmt.Sprintf("growth:%d", messages), words: newWriter(5)}
		if err := b.fill(ctx, s, g.id, 0, messages); err != nil {
			return err
		}
		long = append(long, g)
	}
	if err := indexed(ctx, s); err != nil {
		return err
	}
	for i := range growthWarm + growthTurns {
		for n := range growthShort {
			g := &grown{}
			switch n {
			case 0:
				g = young
			case growthShort - 1:
				g = ten
			}
			g.id, g.words = fmt.Sprintf("young:%d", i), newWriter(uint64(i*growthShort+n))
			if err := g.turn(ctx, s, n, i >= growthWarm); err != nil {
				return err
			}
		}
		for n := range long {
			g := long[(i+n)%len(long)] // what ran before has the caches, and it is another one each time
			if err := g.turn(ctx, s, i, i >= growthWarm); err != nil {
				return err
			}
		}
	}
	b.grew(append([]*grown{young, ten}, long...))
	return nil
}

// grew adds the rows, and the lines of the plots.
func (b *bench) grew(sessions []*grown) {
	const base = 2 // the session of a hundred messages: shorter ones have no budget to fill yet
	first := spreadOf(sessions[base].took).p50
	var sent, naive, took []point
	for _, g := range sessions {
		p50, c := spreadOf(g.took).p50, g.last.Hermes.Context
		b.add(fmt.Sprintf("a turn in a session of %d messages", g.messages), "flat", "%s (%.2f x that of %d), %.2f ms CPU, %d tokens sent, %d without memory",
			ms(p50), float64(p50)/float64(first), sessions[base].messages, float64(g.cpu.Microseconds())/1000/float64(len(g.took)), c.Sent, c.Naive)
		sent = append(sent, point{g.messages, float64(c.Sent)})
		naive = append(naive, point{g.messages, float64(c.Naive)})
		took = append(took, point{g.messages, float64(p50.Microseconds()) / 1000})
	}
	count := func(v float64) string { return thousands(int(v)) }
	b.plot("tokens", plot{title: "Tokens sent with a turn", log: true, lines: []line{
		{name: "without memory", faint: true, show: count, points: naive}, {name: "hermes", show: count, points: sent},
	}})
	b.plot("latency", plot{title: "A turn, median, in milliseconds (the model answers at once)", lines: []line{
		{name: "hermes", show: func(v float64) string { return fmt.Sprintf("%.1f ms", v) }, points: took},
	}})
}

// memory measures what a server holds that has just been started and has taken
// turns in the one session it has, which grows.
func (b *bench) memory(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	home, has := s.Home, 0
	var held []point
	for _, messages := range []int{1, 10, 100, 1000, 10_000, 100_000 / b.scale} {
		if err := b.fill(ctx, s, "memory", has, messages); err != nil {
			return err
		}
		if err := indexed(ctx, s); err != nil {
			return err
		}
		has = messages
		s.Stop()
		if s, err = b.startServer(ctx, home); err != nil {
			return err
		}
		w := newWriter(uint64(messages))
		for i := range 10 {
			if _, err := chat(ctx, s.Base, "memory", w.message(i)); err != nil {
				s.Stop()
				return err
			}
		}
		held = append(held, point{messages, s.Memory()})
		b.add(fmt.Sprintf("memory of a server with a session of %d messages", messages), "", "%.1f MiB", s.Memory())
	}
	s.Stop()
	b.plot("memory", plot{title: "Memory of the server (RSS) in MiB, ten turns after its start", lines: []line{
		{name: "hermes", show: func(v float64) string { return fmt.Sprintf("%.0f MiB", v) }, points: held},
	}})
	return nil
}

// turn takes a turn with the i-th message, and counts it unless it warms up.
func (g *grown) turn(ctx context.Context, s *served.Server, i int, counts bool) error {
	before, begun := s.CPU(), time.Now()
	var err error
	if g.last, err = chat(ctx, s.Base, g.id, g.words.message(i)); err != nil {
		return err
	}
	if counts {
		g.took = append(g.took, time.Since(begun))
		g.cpu += s.CPU() - before
	}
	return nil
}

// indexed waits for the text index, by asking for a word that was never said: what a session of this length has cost
// before is no part of a turn.
func indexed(ctx context.Context, s *served.Server) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Base+"/api/search?q=unheardof", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	for { // a search waits for the index, but not for ever
		res, err := served.Clients.Do(req)
		if err != nil {
			return err
		}
		var found struct{ Partial bool }
		err = json.NewDecoder(res.Body).Decode(&found)
		_ = res.Body.Close()
		switch {
		case err != nil || res.StatusCode != http.StatusOK:
			return fmt.Errorf("search: status %d: %w", res.StatusCode, err)
		case !found.Partial:
			return nil
		}
	}
}
