package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// server is a node with all that carries turns.
type server struct {
	db      *DB
	runner  *run.Runner
	curator *curate.Curator
}

func servers(t *testing.T, n int) []server {
	t.Helper()
	return serversOver(openNodes(t, n))
}

// serversOver are servers over open nodes.
func serversOver(nodes []*DB) (out []server) {
	for _, db := range nodes {
		runner, curator := runtest.New(db, &runtest.Parts{Shared: db, Models: run.Models{Recall: recall.New()}, Config: run.Config{Now: time.Now}})
		out = append(out, server{db, runner, curator})
	}
	return out
}

// say takes a turn on a server and returns the answer.
func (s *server) say(id session.ID, key session.Key, text string) (string, error) {
	return s.take(&run.Request{Session: id, Key: key, Messages: []session.Message{{Role: session.User, Content: text}}})
}

func (s *server) take(r *run.Request) (string, error) {
	r.Owner, r.Source = owner.Local(), session.SourceAPI
	stream, err := s.runner.Start(context.Background(), r)
	if err != nil {
		return "", err
	}
	answer := ""
	for d, err := range stream.Deltas(context.Background()) {
		if err != nil {
			return answer, err
		}
		answer += d.Content
	}
	return answer, nil
}

func (s *server) mustSay(t *testing.T, id session.ID, key session.Key, text string) string {
	t.Helper()
	answer, err := s.say(id, key, text)
	if err != nil {
		t.Fatalf("say %q: %v", text, err)
	}
	return answer
}

// TestToldOnAnotherNode: what is told on one node is known on the next in the very next turn,
// changed there, and forgotten from there.
func TestToldOnAnotherNode(t *testing.T) {
	t.Parallel()
	for _, key := range []session.Key{"", "k"} {
		nodes := servers(t, 2)
		a, b := &nodes[0], &nodes[1]
		id := func(n int) session.ID { // with a key, each turn has a session of its own
			if key == "" {
				return "s"
			}
			return session.ID(fmt.Sprint("s", n))
		}
		a.mustSay(t, id(1), key, "My cat is called Tom.")
		if got := b.mustSay(t, id(2), key, "What is my cat called?"); !strings.Contains(got, "Tom") {
			t.Errorf("key %q: told on a, asked on b: %q", key, got)
		}
		b.mustSay(t, id(3), key, "My cat is called Felix now, because Tom sounded dull.")
		if got := a.mustSay(t, id(1), key, "What is my cat called?"); !strings.Contains(got, "Felix") {
			t.Errorf("key %q: changed on b, asked on a: %q", key, got)
		}
		if _, err := b.curator.Forget(t.Context(), owner.Local(), "Felix", false); err != nil {
			t.Fatal(err)
		}
		if got := a.mustSay(t, id(4), key, "What is my cat called?"); strings.Contains(got, "Felix") {
			t.Errorf("key %q: forgotten on b, asked on a: %q", key, got)
		}
	}
}

// TestTurnsOverNodes: turns of a few lineages on random nodes at once: none is lost or doubled,
// each lineage has one order, and a rebuild learns what the turns have learnt.
func TestTurnsOverNodes(t *testing.T) {
	t.Parallel()
	takeTurns(t, servers(t, 3))
}

// TestTurnsThroughAPooler: the same through PgBouncer in transaction mode, which gives each
// transaction another connection.
func TestTurnsThroughAPooler(t *testing.T) {
	t.Parallel()
	s := postgrestest.Shared(t)
	if err := s.Pool(t.Context()); err != nil {
		t.Fatal(err)
	}
	url := s.Database(t, prepareTemplate)
	if _, err := Open(t.Context(), Options{URL: s.Pooled(url), Log: quiet(), Unsafe: true}); fault.CodeOf(err) != "pooler_without_listen_url" {
		t.Errorf("open through a pooler, with no address to listen: %v", err)
	}
	takeTurns(t, serversOver(openNodesWith(t, 3, func(int) Options { return Options{URL: s.Pooled(url), ListenURL: url} })))
}

// takeTurns takes turns on random servers, and checks what they have stored.
func takeTurns(t *testing.T, nodes []server) {
	t.Helper()
	const clients, turns, sessions = 8, 12, 4
	var working sync.WaitGroup
	for c := range clients {
		working.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 1))
			for n := range turns {
				k := r.IntN(sessions)
				id, key := session.ID(fmt.Sprint("s", k)), session.Key("")
				if k < 2 {
					key = "shared"
				}
				text := fmt.Sprintf("Box %d of client %d has the colour %s.", n, c, []string{"red", "green", "blue"}[r.IntN(3)])
				if _, err := nodes[r.IntN(len(nodes))].say(id, key, text); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	working.Wait()
	said := make(map[string]int)
	for k := range sessions {
		tip, err := nodes[0].db.Tip(t.Context(), owner.Local(), session.ID(fmt.Sprint("s", k)))
		if err != nil {
			t.Fatal(err)
		}
		ms, err := nodes[0].db.Messages(t.Context(), owner.Local(), tip.RootID, session.Range{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range ms {
			if ms[i].Seq != int64(i) {
				t.Errorf("s%d: message %d has the place %d", k, i, ms[i].Seq)
			}
			if ms[i].Role == session.User {
				said[ms[i].Content]++
			}
		}
		if tip.MessageCount != len(ms) || tip.NextSeq != int64(len(ms)) {
			t.Errorf("s%d counts %d messages and goes on at %d, and has %d", k, tip.MessageCount, tip.NextSeq, len(ms))
		}
	}
	if len(said) != clients*turns {
		t.Errorf("%d messages are stored, of %d", len(said), clients*turns)
	}
	for text, n := range said {
		if n != 1 {
			t.Errorf("%q is stored %d times", text, n)
		}
	}
	rebuilt, err := nodes[1].curator.Rebuild(t.Context(), owner.Local(), true)
	if err != nil || len(rebuilt) != 3 {
		t.Fatalf("%d scopes rebuilt, %v", len(rebuilt), err)
	}
	for i := range rebuilt {
		if !rebuilt[i].Identical() {
			t.Errorf("a rebuild learns something else than the turns: %+v", rebuilt[i])
		}
	}
}

// TestOneRequestOnManyNodes: a request that a client sends to several nodes at once, with one
// Idempotency-Key, is one turn.
func TestOneRequestOnManyNodes(t *testing.T) {
	t.Parallel()
	nodes := servers(t, 3)
	for n := range 5 {
		var working sync.WaitGroup
		answers := make([]string, 6)
		for i := range answers {
			working.Go(func() {
				var err error
				answers[i], err = nodes[i%len(nodes)].take(&run.Request{
					Session: "s", Messages: []session.Message{{Role: session.User, Content: fmt.Sprintf("Box %d is red.", n)}},
					Idempotency: &run.Idempotency{Route: "chat", Key: fmt.Sprint("key ", n), BodyHash: []byte{byte(n)}},
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		working.Wait()
		for i := range answers {
			if answers[i] != answers[0] || answers[i] == "" {
				t.Errorf("answers: %q and %q", answers[0], answers[i])
			}
		}
	}
	ms, err := nodes[0].db.Messages(t.Context(), owner.Local(), "s", session.Range{})
	if err != nil || len(ms) != 10 {
		t.Errorf("%d messages are stored, want 10: %v", len(ms), err)
	}
}
