package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/session"
)

// trips counts the round trips to the database: a statement, or a batch of them.
type trips struct {
	mu   sync.Mutex
	seen []string
}

func (r *trips) add(sql string) {
	if strings.Contains(sql, "UPDATE nodes SET") || strings.Contains(sql, "SELECT now()") { // the node renews its lease, whether there are turns or not
		return
	}
	r.mu.Lock()
	r.seen = append(r.seen, sql)
	r.mu.Unlock()
}

// take returns the trips since the last call.
func (r *trips) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// TraceQueryStart implements pgx.QueryTracer.
func (r *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	r.add(d.SQL)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (r *trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (r *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	all := make([]string, 0, len(d.Batch.QueuedQueries))
	for _, q := range d.Batch.QueuedQueries {
		all = append(all, q.SQL)
	}
	r.add(fmt.Sprintf("batch of %d: %s", len(all), strings.Join(all, "; ")))
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (r *trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (r *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TestRoundTrips: each round trip is a wait of the client. A turn in a lineage at hand makes four:
// it takes its place, reserves ids, commits, and gives the place back.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	url := postgrestest.Shared(t).Database(t, prepareTemplate)
	traces := make([]*trips, 2)
	nodes := serversOver(openNodesWith(t, len(traces), func(n int) Options {
		traces[n] = &trips{}
		return Options{URL: url, tracer: traces[n]}
	}))
	for _, c := range []struct {
		key session.Key
		// warm is for a turn in a lineage at hand, and cold for one in a lineage that another
		// node has changed.
		warm, cold int
	}{
		{"", 4, 6},
		{"k", 10, 12}, // input and answer are stored apart, each in the order of the key
	} {
		id := session.ID("s" + string(c.key))
		for n := range 6 {
			nodes[0].mustSay(t, id, c.key, fmt.Sprintf("Box %d is red.", n))
		}
		traces[0].take()
		nodes[0].mustSay(t, id, c.key, "Box 7 is green.")
		if got := traces[0].take(); len(got) > c.warm {
			t.Errorf("key %q: a turn makes %d round trips, want at most %d:\n%s", c.key, len(got), c.warm, strings.Join(got, "\n"))
		}
		nodes[1].mustSay(t, id, c.key, "Box 8 is green.")
		traces[0].take()
		nodes[0].mustSay(t, id, c.key, "Box 9 is green.")
		if got := traces[0].take(); len(got) > c.cold {
			t.Errorf("key %q: a turn that another node was before makes %d round trips, want at most %d:\n%s", c.key, len(got), c.cold, strings.Join(got, "\n"))
		}
	}
}
