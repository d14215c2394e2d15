package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

// openNodes opens handles of one database, as so many processes do.
func openNodes(t *testing.T, n int) []*DB {
	t.Helper()
	url := postgrestest.Shared(t).Database(t, prepareTemplate)
	return openNodesWith(t, n, func(int) Options { return Options{URL: url} })
}

// openNodesWith opens nodes with settings of their own.
func openNodesWith(t *testing.T, n int, settings func(n int) Options) []*DB {
	t.Helper()
	out := make([]*DB, n)
	for i := range out {
		opt := settings(i)
		opt.Log, opt.SearchTime, opt.Node, opt.Unsafe = quiet(), time.Minute, fmt.Sprint("node ", i), true
		db, err := Open(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		out[i] = db
	}
	return out
}

// expire lets the time of a node run out, as if it had slept.
func expire(t *testing.T, db *DB) {
	t.Helper()
	if _, err := db.pool.Exec(t.Context(), `UPDATE nodes SET until = now() - interval '1 second' WHERE node_id = $1`, db.node.current()); err != nil {
		t.Fatal(err)
	}
}

// write writes something under a node's lease.
func write(ctx context.Context, db *DB, o owner.Owner) error {
	return db.w.submit(ctx, o, func(t *tx) error { return nil })
}

// TestPlaces: one holder at a time over all nodes, and everybody gets a turn.
func TestPlaces(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 3)
	o := owner.Stored("alice")
	var inside, entered atomic.Int64
	var working sync.WaitGroup
	for i := range 60 {
		db := nodes[i%len(nodes)]
		working.Go(func() {
			leave, err := db.Hold(context.Background(), o, "turn s")
			if err != nil {
				t.Error(err)
				return
			}
			if inside.Add(1) != 1 {
				t.Error("two hold the place")
			}
			entered.Add(1)
			inside.Add(-1)
			leave()
		})
	}
	working.Wait()
	if entered.Load() != 60 {
		t.Errorf("%d entered", entered.Load())
	}
	var left int
	if err := nodes[0].pool.QueryRow(t.Context(), `SELECT count(*) FROM tickets`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d tickets are left, %v", left, err)
	}
}

// TestPlacesAreApart: other places and other owners are not waited for.
func TestPlacesAreApart(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	leave, err := nodes[0].Hold(t.Context(), owner.Stored("alice"), "turn s")
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	for _, c := range []struct {
		owner, place string
		free         bool
	}{{"alice", "turn s", false}, {"alice", "turn t", true}, {"bob", "turn s", true}} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if !c.free {
			cancel()
		}
		leave, err := nodes[1].Hold(ctx, owner.Stored(c.owner), c.place)
		cancel()
		if got := err == nil; got != c.free {
			t.Errorf("%s of %s: free is %t, %v", c.place, c.owner, got, err)
		}
		if err == nil {
			leave()
		}
	}
}

// TestPlacesInOrder: those who wait are served in the order in which they came.
func TestPlacesInOrder(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	o := owner.Stored("alice")
	leave, err := nodes[0].Hold(t.Context(), o, "turn s")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []int
	var waiting sync.WaitGroup
	for i := range 6 {
		db := nodes[i%2]
		waiting.Go(func() {
			leave, err := db.Hold(context.Background(), o, "turn s")
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			leave()
		})
		for tickets := 0; tickets < i+2; { // it has drawn its ticket
			if err := db.pool.QueryRow(t.Context(), `SELECT count(*) FROM tickets`).Scan(&tickets); err != nil {
				t.Fatal(err)
			}
		}
	}
	leave()
	waiting.Wait()
	if got := fmt.Sprint(order); got != "[0 1 2 3 4 5]" {
		t.Errorf("order: %s", got)
	}
}

// TestSleepingNode: what a node held that slept too long goes to others, and what it writes
// then is refused. Once it holds nothing, it works again.
func TestSleepingNode(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	asleep, awake, o := nodes[0], nodes[1], owner.Stored("alice")
	held, err := asleep.Hold(t.Context(), o, "turn s")
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), asleep, o); err != nil {
		t.Fatalf("a write of a node that holds its lease: %v", err)
	}
	for range 3 { // a renewal may come between
		expire(t, asleep)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		leave, err := awake.Hold(ctx, o, "turn s")
		cancel()
		if err == nil {
			leave()
			break
		}
	}
	if err := write(t.Context(), asleep, o); fault.CodeOf(err) != "node_away" {
		t.Errorf("a write of the node that slept: %v", err)
	}
	if _, err := asleep.Hold(t.Context(), o, "turn t"); fault.CodeOf(err) != "node_away" {
		t.Errorf("a new turn while an old one goes on: %v", err)
	}
	held()
	leave, err := asleep.Hold(t.Context(), o, "turn t")
	if err != nil {
		t.Fatalf("after the old turns have ended: %v", err)
	}
	defer leave()
	if err := write(t.Context(), asleep, o); err != nil {
		t.Errorf("a write after the node has joined again: %v", err)
	}
}

// TestSilentDatabase: a place that the database does not give in time is a fault that passes.
func TestSilentDatabase(t *testing.T) {
	t.Parallel()
	db := openNodes(t, 1)[0]
	o := owner.Stored("alice")
	leave, err := db.Hold(t.Context(), o, "turn s")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	err = pgx.BeginFunc(t.Context(), db.pool, func(other pgx.Tx) error {
		if _, err := other.Exec(t.Context(), `SELECT FROM places FOR UPDATE`); err != nil {
			return err
		}
		_, err := db.Hold(t.Context(), o, "turn s")
		if code := fault.CodeOf(err); code != "database_unreachable" {
			t.Errorf("got %v with code %q", err, code)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestReasonLogged: the log says why a database cannot be reached at the start, without its password.
func TestReasonLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	url := postgrestest.Shared(t).URL("nowhere") + "&password=secret"
	_, err := Open(t.Context(), Options{URL: url, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if fault.CodeOf(err) != "database_unreachable" || !strings.Contains(log.String(), "does not exist") || strings.Contains(log.String(), "secret") {
		t.Errorf("got %v, and the log:\n%s", err, log.String())
	}
}

// TestLeavingNode: a node that stops gives all it held to the others at once.
func TestLeavingNode(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	o := owner.Stored("alice")
	if _, err := nodes[0].Hold(t.Context(), o, "turn s"); err != nil {
		t.Fatal(err)
	}
	if err := nodes[0].Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	leave, err := nodes[1].Hold(ctx, o, "turn s")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if err := nodes[1].node.renew(ctx); err != nil || nodes[1].Nodes() != 1 {
		t.Errorf("%d nodes, %v", nodes[1].Nodes(), err)
	}
}
