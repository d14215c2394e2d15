package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// How growth is measured: each session takes its turn after the other, so that
// whatever else the machine does meets all of them alike.
const (
	growthWarm  = 10
	growthTurns = 200
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
	var sessions []*grown
	for _, messages := range []int{100, 1000, 10_000, 100_000 / b.scale} {
		g := &grown{messages: messages, id: fmt.Sprintf("growth:%d", messages), words: newWriter(5)}
		if err := b.fill(ctx, s, g.id, messages); err != nil {
			return err
		}
		sessions = append(sessions, g)
	}
	if err := indexed(ctx, s); err != nil {
		return err
	}
	for i := range growthWarm + growthTurns {
		for _, g := range sessions {
			if err := g.turn(ctx, s, i); err != nil {
				return err
			}
		}
	}
	first := spreadOf(sessions[0].took).p50
	for _, g := range sessions {
		p50, c := spreadOf(g.took).p50, g.last.Hermes.Context
		b.add(fmt.Sprintf("a turn in a session of %d messages", g.messages), "flat", "%s (%.2f x the first), %.2f ms CPU, %d tokens sent, %d without memory",
			ms(p50), float64(p50)/float64(first), float64(g.cpu.Microseconds())/1000/float64(len(g.took)), c.Sent, c.Naive)
	}
	return nil
}

// turn takes the i-th turn, and counts it unless it warms up.
func (g *grown) turn(ctx context.Context, s *served.Server, i int) error {
	before, begun := s.CPU(), time.Now()
	var err error
	if g.last, err = chat(ctx, s.Base, g.id, g.words.message(i)); err != nil {
		return err
	}
	if i >= growthWarm {
		g.took = append(g.took, time.Since(begun))
		g.cpu += s.CPU() - before
	}
	return nil
}

// indexed waits for the text index, by asking for a word that nobody said: what a session of this length has cost
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

// fill imports messages without calling the model.
func (b *bench) fill(ctx context.Context, s *served.Server, session string, messages int) error {
	w := newWriter(9)
	for done := 0; done < messages; {
		n := min(1000, messages-done)
		batch := make([]map[string]string, n)
		for i := range batch {
			role := "user"
			if i%2 == 1 {
				role = "assistant"
			}
			batch[i] = map[string]string{"role": role, "content": w.message(done + i)}
		}
		body, err := json.Marshal(map[string]any{"messages": batch})
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Base+"/api/sessions/"+session+"/messages", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer hermes")
		res, err := served.Clients.Do(req)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("import: status %d", res.StatusCode)
		}
		done += n
	}
	return nil
}
