package postgres

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// asked keeps the reads of rows that were sent alone or in batches, with their arguments.
type asked struct {
	mu  sync.Mutex
	all []*pgx.QueuedQuery
}

func (a *asked) add(sql string, args []any) {
	if !strings.HasPrefix(sql, "SELECT") || strings.Contains(sql, "FOR UPDATE") {
		return
	}
	a.mu.Lock()
	a.all = append(a.all, &pgx.QueuedQuery{SQL: sql, Arguments: args})
	a.mu.Unlock()
}

// TraceQueryStart implements pgx.QueryTracer.
func (a *asked) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	a.add(d.SQL, d.Args)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (a *asked) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (a *asked) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		a.add(q.SQL, q.Arguments)
	}
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (a *asked) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (a *asked) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// plan is a node of a plan as EXPLAIN tells it.
type plan struct {
	Rows    float64 `json:"Actual Rows"`
	Removed float64 `json:"Rows Removed by Filter"`
	Loops   float64 `json:"Actual Loops"`
	Plans   []plan
}

// read is how many rows the nodes of a plan looked at.
func (p *plan) read() float64 {
	n := (p.Rows + p.Removed) * p.Loops
	for i := range p.Plans {
		n += p.Plans[i].read()
	}
	return n
}

// TestSmallScopesAreReadAlone: what is read of a small scope does not depend on the owner's other
// scopes, however large one of them is.
func TestSmallScopesAreReadAlone(t *testing.T) {
	t.Parallel()
	sent := &asked{}
	url := postgrestest.Shared(t).Database(t, prepareTemplate)
	db := openNodesWith(t, 1, func(int) Options { return Options{URL: url, tracer: sent} })[0]
	s := serversOver([]*DB{db})[0]
	s.mustSay(t, "large", "large-key", "My cat is called Minka.")
	ctx := t.Context()
	const rows = 10_000
	for _, query := range []string{
		// A large scope, copied from one message and its fact.
		`INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object('id', m.id + 100 * g, 'seq', m.seq + 100 * g))).*
			FROM messages m, generate_series(1, $1::bigint) g WHERE m.role = 'user'`,
		`INSERT INTO facts SELECT (jsonb_populate_record(f, jsonb_build_object('id', f.id || g, 'number', f.number + 102400 * g, 'seq', f.seq + 100 * g))).*
			FROM facts f, generate_series(1, $1::bigint) g`,
	} {
		if _, err := db.pool.Exec(ctx, query, rows); err != nil {
			t.Fatal(err)
		}
	}
	// The statistics are a sample, in which small scopes are missing as a rule.
	if _, err := db.pool.Exec(ctx, `ANALYZE`); err != nil {
		t.Fatal(err)
	}
	s.mustSay(t, "small", "", "My horse is called Wanda.")
	s.mustSay(t, "of-small", "small-key", "My bird is called Hugo.")
	sent.all = nil
	for _, scope := range []memory.Scope{{Key: "small-key"}, {Root: "small"}} {
		readAll(t, db, scope)
	}
	if len(sent.all) < 16 {
		t.Fatalf("%d statements were seen", len(sent.all))
	}
	for _, q := range sent.all {
		var told []byte
		if err := db.pool.QueryRow(ctx, `EXPLAIN (ANALYZE, FORMAT JSON) `+q.SQL, q.Arguments...).Scan(&told); err != nil {
			t.Fatalf("explain %s: %v", q.SQL, err)
		}
		var plans []struct{ Plan plan }
		if err := json.Unmarshal(told, &plans); err != nil {
			t.Fatal(err)
		}
		if n := plans[0].Plan.read(); n > 500 {
			t.Errorf("%.0f rows were read by: %s", n, q.SQL)
		}
	}
}

// readAll reads a scope in all ways in which it is read from one place on.
func readAll(t *testing.T, db *DB, scope memory.Scope) {
	t.Helper()
	ctx, o := t.Context(), owner.Local()
	facts := 0
	check := func(what string, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	_, err := db.Opening(ctx, o, scope)
	check("opening", err)
	check("facts", db.Facts(ctx, o, scope, func(*memory.StoredFact) bool { facts++; return true }))
	check("documents", db.Documents(ctx, o, scope, 0, func(ranking.Document) bool { return true }))
	_, err = db.MessageIDs(ctx, o, scope, memory.Span{First: 1, Last: 1 << 40})
	check("ids", err)
	_, err = db.FactTexts(ctx, o, scope, 0, 100)
	check("texts", err)
	listed := 0
	for _, f := range []memory.FactFilter{{}, {Latest: true, Behind: 1 << 60}, {Status: memory.ReversedStatus}} {
		list, err := db.FactsListed(ctx, o, scope, f, 100)
		check("listed", err)
		listed += len(list)
	}
	if facts == 0 || listed != 2*facts {
		t.Errorf("%+v: %d facts, %d in two lists", scope, facts, listed)
	}
	var newest session.Message
	query, arg := newestOfKey, string(scope.Key)
	err = db.row(ctx, query, o.ID(), arg).Scan(&newest.ID)
	if scope.Key != "" {
		check("newest", err)
	}
}
