package prove

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// player runs a scenario.
type player struct {
	start    Start
	scenario *Scenario
	home     string
	model    *model
	clock    atomic.Int64 // Unix milliseconds
	server   *Server
	turns    atomic.Int64
	tokens   owners
}

// firstDay is when every scenario begins: a Monday, at nine.
var firstDay = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)

func newPlayer(start Start, s *Scenario, home string) *player {
	p := &player{start: start, scenario: s, home: filepath.Join(home, "home")}
	p.clock.Store(firstDay.UnixMilli())
	return p
}

// now is the scenario's clock. Every reading advances it by a millisecond, so that
// times rise.
func (p *player) now() time.Time { return time.UnixMilli(p.clock.Add(1)).UTC() }

func (p *player) play(ctx context.Context) error {
	if p.scenario.Model == modelScripted {
		m, err := startModel("")
		if err != nil {
			return err
		}
		p.model = m
	}
	if err := p.open(ctx); err != nil {
		return err
	}
	return p.steps(ctx, p.scenario.Steps, &scope{vars: map[string]string{}})
}

func (p *player) open(ctx context.Context) error {
	setup := Setup{Home: p.home, Budget: p.scenario.Budget, Process: p.scenario.Process, Now: p.now}
	if p.model != nil {
		setup.Model = p.model.url() + "/v1"
	}
	s, err := p.start(ctx, setup)
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	p.server = s
	return nil
}

// close stops everything that is still running.
func (p *player) close() error {
	var err error
	if p.server != nil {
		err = p.server.Stop()
		p.server = nil
	}
	if p.model != nil {
		p.model.close()
	}
	return err
}

// scope is the context of steps: their round, and the saved values.
type scope struct {
	round int
	vars  map[string]string
}

// expand replaces ${name} in a text.
func (s *scope) expand(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString("${" + rest)
			return b.String()
		}
		switch value, known := s.vars[name]; {
		case name == "i":
			b.WriteString(strconv.Itoa(s.round))
		case name == "filler":
			b.WriteString(filler(s.round))
		case known:
			b.WriteString(value)
		default:
			b.WriteString("${" + name + "}")
		}
		text = after
	}
}

// inside is the scope of a round of a repetition.
func (s *scope) inside(round int, shared bool) *scope {
	if shared {
		return &scope{round: round, vars: s.vars}
	}
	return &scope{round: round, vars: maps.Clone(s.vars)}
}

func (p *player) steps(ctx context.Context, steps []Step, at *scope) error {
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.step(ctx, &steps[i], at); err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, steps[i].title(), err)
		}
	}
	return nil
}

// title is the name of a step in a report.
func (st *Step) title() string {
	name := st.actions()[0]
	text := map[string]string{"say": st.Say, "get": st.Get, "post": st.Post, "patch": st.Patch, "delete": st.Delete}[name]
	if short := []rune(text); len(short) > 40 {
		text = string(short[:39]) + "…"
	}
	return strings.TrimSpace(name + " " + text)
}

func (p *player) step(ctx context.Context, st *Step, at *scope) error {
	switch {
	case st.Repeat != nil:
		for round := range st.Repeat.Times {
			if err := p.steps(ctx, st.Repeat.Steps, at.inside(round, true)); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	case st.Together != nil:
		return p.together(ctx, st.Together, at)
	case st.Advance != 0:
		p.clock.Add(st.Advance.Milliseconds())
		if p.server.Pass == nil {
			return nil
		}
		return p.server.Pass(ctx)
	case st.Restart, st.Kill:
		return p.restart(ctx, st.Kill)
	case st.Upstream != "":
		return p.model.turn(st.Upstream == "up")
	case st.Sent != nil:
		return p.model.check(st.Sent, at)
	case st.Files != nil:
		return checkFiles(p.home, st.Files, at)
	}
	return p.call(ctx, st, at)
}

// together runs all rounds concurrently.
func (p *player) together(ctx context.Context, r *Repeat, at *scope) error {
	g, ctx := errgroup.WithContext(ctx)
	for round := range r.Times {
		g.Go(func() error {
			if err := p.steps(ctx, r.Steps, at.inside(round, false)); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// restart ends the server, normally or like a crash, and starts it again.
func (p *player) restart(ctx context.Context, kill bool) error {
	end := p.server.Stop
	if kill {
		if end = p.server.Kill; end == nil {
			return errors.New("this server is no process of its own")
		}
	}
	p.server = nil
	if err := end(); err != nil {
		return fmt.Errorf("end the server: %w", err)
	}
	return p.open(ctx)
}
