package postgres

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

// prepared are the statements that the idle connections of a node know, each once.
func prepared(t *testing.T, db *DB) []string {
	t.Helper()
	var all []string
	for _, conn := range db.pool.AcquireAllIdle(t.Context()) {
		rows, _ := conn.Query(t.Context(), `SELECT statement FROM pg_prepared_statements`, pgx.QueryExecModeSimpleProtocol)
		known, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, known...)
		conn.Release()
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestWarmUp: the first turns of a node, in a session that another node has begun, prepare nothing.
func TestWarmUp(t *testing.T) {
	t.Parallel()
	url := postgrestest.Shared(t).Database(t, prepareTemplate)
	nodes := serversOver(openNodesWith(t, 2, func(int) Options { return Options{URL: url} }))
	nodes[0].mustSay(t, "s", "", "My cat is called Minka.")
	nodes[0].mustSay(t, "keyed", "k", "My dog is called Rex.")
	db := nodes[1].db
	before := prepared(t, db)
	for range 3 {
		nodes[1].mustSay(t, "s", "", "Who is Minka? I moved to Linz because of work.")
		nodes[1].mustSay(t, "keyed", "k", "Who is Rex? I moved to Graz because of work.")
	}
	for _, query := range prepared(t, db) {
		if query != renewNode && !slices.Contains(before, query) { // which is no turn's: the node runs it by the clock
			t.Errorf("a turn prepared a statement: %.200s", query)
		}
	}
}
