package postgres

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// talker says a word, and another one when it is told to.
type talker struct{ more chan struct{} }

// Stream implements run.Model.
func (m *talker) Stream(ctx context.Context, _ *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	return func(yield func(run.Delta, error) bool) {
		if !yield(run.Delta{Content: "first "}, nil) {
			return
		}
		select {
		case <-m.more:
			if yield(run.Delta{Content: "second"}, nil) {
				yield(run.Delta{FinishReason: "stop", Finishes: true}, nil)
			}
		case <-ctx.Done():
			yield(run.Delta{}, ctx.Err())
		}
	}, nil
}

// registries are those of nodes that share a database, with the model of all.
func registries(t *testing.T, n int) ([]*live.Registry, *talker) {
	t.Helper()
	m := &talker{make(chan struct{}, 1)}
	var out []*live.Registry
	for _, db := range openNodes(t, n) {
		r, serve := registryOn(db, m)
		serve(t)
		out = append(out, r)
	}
	return out, m
}

// registryOn is the registry of a node, which executes runs once serve is called.
func registryOn(db *DB, m run.Model) (r *live.Registry, serve func(*testing.T)) {
	runner, _ := runtest.New(db, &runtest.Parts{Shared: db, Models: run.Models{Upstream: m}, Config: run.Config{Now: time.Now}})
	r = live.New(live.Parts{Store: db, Queue: db, Runner: runner, Shared: db, Approval: time.Minute, Grace: time.Second, Now: time.Now, Log: quiet()})
	return r, func(t *testing.T) {
		t.Helper()
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- r.Serve(ctx) }()
		t.Cleanup(func() { stop(); <-ended })
		<-r.Begun()
	}
}

// begin starts a run, and returns the events of it that another node sees.
func begin(t *testing.T, on, other *live.Registry) (id string, next func() live.Event) {
	t.Helper()
	rec, err := on.Start(t.Context(), owner.Local(), live.Spec{ID: "run_1", Kind: live.KindRun, Turn: &run.Request{
		Owner: owner.Local(), Session: "s", Source: session.SourceAPI, Streaming: true, Messages: []session.Message{{Role: session.User, Content: "Hello."}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	pull, stop := iter.Pull2(other.Follow(ctx, owner.Local(), rec.ID, 0, nil))
	t.Cleanup(func() { stop(); cancel() })
	return rec.ID, func() live.Event {
		t.Helper()
		e, err, ok := pull()
		if err != nil || !ok {
			t.Fatalf("follow on another node: %v, %t", err, ok)
		}
		return e
	}
}

// skipTo reads events up to one of a type.
func skipTo(next func() live.Event, want live.EventType) live.Event {
	for {
		if e := next(); e.Type == want || e.Type.Last() {
			return e
		}
	}
}

// TestRunTakenElsewhere: a run that waits on one node is taken by another one as soon as that hears of
// it. Without the news it would look a minute later.
func TestRunTakenElsewhere(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	acquainted(t, nodes)
	m := &talker{make(chan struct{}, 1)}
	idle, _ := registryOn(nodes[0], m)
	busy, serve := registryOn(nodes[1], m)
	nodes[1].HearNews(func(_ string, it news.Item) {
		if it.Type == news.Run {
			busy.Poke()
		}
	}, busy.Poke)
	serve(t)
	id, next := begin(t, idle, busy)
	nodes[0].TellNews(owner.Local().ID(), news.Item{Type: news.Run, ID: id, What: "started"})
	m.more <- struct{}{}
	if e := skipTo(next, live.RunCompleted); e.Type != live.RunCompleted {
		t.Errorf("the run ended with %s", e.Type)
	}
}

// TestFollowElsewhere: the events of a run are seen on another node as they come.
func TestFollowElsewhere(t *testing.T) {
	t.Parallel()
	nodes, m := registries(t, 2)
	_, next := begin(t, nodes[0], nodes[1])
	skipTo(next, live.MessageDelta)
	m.more <- struct{}{}
	if e := skipTo(next, live.RunCompleted); e.Run == nil || e.Run.Output() != "first second" {
		t.Errorf("the run ended with %+v", e)
	}
}

// TestStopElsewhere: a run is stopped on another node than the one that carries it.
func TestStopElsewhere(t *testing.T) {
	t.Parallel()
	nodes, _ := registries(t, 2)
	id, next := begin(t, nodes[0], nodes[1])
	skipTo(next, live.MessageDelta)
	rec, err := nodes[1].Stop(t.Context(), owner.Local(), id)
	if err != nil || rec.State != live.Stopping && rec.State != live.Cancelled {
		t.Fatalf("got %s, %v", rec.State, err)
	}
	if e := skipTo(next, live.RunCancelled); e.Type != live.RunCancelled {
		t.Errorf("the run ended with %s", e.Type)
	}
	if _, err := nodes[1].Approve(t.Context(), owner.Local(), id, "", true); fault.CodeOf(err) != "not_waiting" {
		t.Errorf("a call that nobody waits for: %v", err)
	}
}

// TestStopAllElsewhere: before a lineage is erased, its turn on another node ends.
func TestStopAllElsewhere(t *testing.T) {
	t.Parallel()
	nodes, _ := registries(t, 2)
	id, next := begin(t, nodes[0], nodes[1])
	skipTo(next, live.MessageDelta)
	nodes[1].StopAll(t.Context(), owner.Local(), "another")
	nodes[1].StopAll(t.Context(), owner.Local(), "s")
	if e := skipTo(next, live.RunCancelled); e.Type != live.RunCancelled {
		t.Errorf("the run ended with %s", e.Type)
	}
	if rec, err := nodes[1].Run(t.Context(), owner.Local(), id); err != nil || !rec.Erased() {
		t.Errorf("got %+v, %v, want a run whose lineage is erased", rec.Failure, err)
	}
}

// TestRevokedElsewhere: the requests of a key, and those of a page token, end on all nodes when one
// revokes the key or ends the token, also if the notification is lost.
func TestRevokedElsewhere(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	for _, lost := range []bool{false, true} {
		rings := ringsOf(t, nodes, lost)
		key, secret, err := rings[0].Create(t.Context(), owner.NewKey{Name: fmt.Sprint("key ", lost)})
		if err != nil {
			t.Fatal(err)
		}
		byKey, endKey := watched(t, rings[1], secret)
		o, err := rings[0].Authenticate(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		token, ofToken, err := rings[0].SignIn(t.Context(), o, false)
		if err != nil {
			t.Fatal(err)
		}
		byToken, endToken := watched(t, rings[1], ofToken)
		for _, c := range []struct {
			name string
			end  func() error
			ctx  context.Context
		}{
			{"an ended token", func() error { return rings[0].SignOut(t.Context(), o, token.ID) }, byToken},
			{"a revoked key", func() error { _, err := rings[0].Revoke(t.Context(), key.ID); return err }, byKey},
		} {
			if err := c.end(); err != nil {
				t.Fatal(err)
			}
			if lost { // the connection that hears was away, and is there again
				nodes[1].tellRevoked("")
			}
			isOver(c.ctx, t, fmt.Sprintf("lost %t: the request of %s", lost, c.name))
		}
		endKey()
		endToken()
	}
}

// TestDevelopmentEndsElsewhere: the requests of the development key end on all nodes when one makes
// the first key, also if the notification is lost.
func TestDevelopmentEndsElsewhere(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		nodes := openNodes(t, 2)
		rings := ringsOf(t, nodes, lost)
		ctx, end := watched(t, rings[1], owner.DevelopmentKey)
		defer end()
		if _, _, err := rings[0].Create(t.Context(), owner.NewKey{Name: "first"}); err != nil {
			t.Fatal(err)
		}
		if lost { // the connection that hears was away, and is there again
			nodes[1].tellRevoked("")
		}
		isOver(ctx, t, fmt.Sprintf("lost %t: the request of the development key", lost))
	}
}

// ringsOf are the keyrings of nodes, which hear of keys that other nodes revoke and make. lost says
// that the notifications are lost.
func ringsOf(t *testing.T, nodes []*DB, lost bool) []*owner.Keyring {
	t.Helper()
	rings := make([]*owner.Keyring, len(nodes))
	for i, db := range nodes {
		rings[i] = owner.NewKeyring(db, nil, true, time.Now)
		rings[i].KeepPasses(db)
		db.HearRevoked(func(id string) {
			if lost && id != "" {
				return
			}
			go func() {
				if err := rings[i].Revoked(context.Background(), id); err != nil {
					t.Error(err)
				}
			}()
		})
	}
	return rings
}

// isOver waits until a request has ended because its key is no longer valid.
func isOver(ctx context.Context, t *testing.T, what string) {
	t.Helper()
	select {
	case <-ctx.Done():
		if code := fault.CodeOf(context.Cause(ctx)); code != "invalid_api_key" {
			t.Errorf("%s: it ended with %q", what, code)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("%s: it goes on", what)
	}
}

// watched is a request on a node with a secret, which ends when what it came with does.
func watched(t *testing.T, on *owner.Keyring, secret string) (ctx context.Context, end func()) {
	t.Helper()
	o, err := on.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return on.Watch(t.Context(), o)
}
