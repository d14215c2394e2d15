package postgres

import (
	"sync"
	"testing"
)

// TestErasers: erasers of several nodes leave neither a piece nor a block behind.
func TestErasers(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	for _, pieces := range []int{2, 3, 60} {
		eraseAtOnce(t, db, pieces)
	}
}

// eraseAtOnce lets several erasers delete pieces.
func eraseAtOnce(t *testing.T, db *DB, pieces int) {
	t.Helper()
	const blocks = 5
	ctx := t.Context()
	for _, query := range []string{
		`INSERT INTO pieces (owner_id, scope_id, kind, state, format, first_id, last_id, count, blocks, grown_at)
			SELECT 'alice', 1, 'facts', CASE WHEN n % 2 = 0 THEN 'dead' ELSE 'erased' END, 1, 1, 1, 1, $2, now() FROM generate_series(1, $1::int) n`,
		`INSERT INTO piece_blocks (owner_id, piece_id, number, data) SELECT owner_id, id, n, 'x' FROM pieces, generate_series(1, $2::int) n WHERE $1 > 0`,
	} {
		if _, err := db.pool.Exec(ctx, query, pieces, blocks); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := newPieceEraser(db).erase(ctx); err != nil {
				t.Errorf("erase: %v", err)
			}
		})
	}
	wg.Wait()
	var left int
	if err := db.row(ctx, `SELECT (SELECT count(*) FROM pieces) + (SELECT count(*) FROM piece_blocks)`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d pieces: got %d pieces and blocks left, %v, want none", pieces, left, err)
	}
}
