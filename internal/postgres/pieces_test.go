package postgres

import (
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
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

// TestReplacedPiecesStay: a piece that was replaced stays readable for a while, because a turn of
// another node may be in the middle of it. A piece with erased words goes at once.
func TestReplacedPiecesStay(t *testing.T) {
	t.Parallel()
	db := openNodes(t, 1)[0]
	ctx := t.Context()
	states := func() (out string) {
		t.Helper()
		const all = `SELECT coalesce(string_agg(state || ' ' || id, ', ' ORDER BY id), '') FROM pieces`
		if err := db.row(ctx, all).Scan(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	do := func(query string) {
		t.Helper()
		if _, err := db.pool.Exec(ctx, query); err != nil {
			t.Fatal(err)
		}
	}
	do(`INSERT INTO pieces (id, owner_id, scope_id, kind, state, format, first_id, last_id, count, blocks, grown_at) OVERRIDING SYSTEM VALUE VALUES
		(1, 'alice', 1, 'facts', 'dead', 1, 1, 1, 1, 0, now() - interval '1 minute'), (2, 'alice', 1, 'facts', 'dead', 1, 1, 1, 1, 0, now() - interval '3 minutes'),
		(3, 'alice', 1, 'facts', 'erased', 1, 1, 1, 1, 0, now()), (4, 'alice', 1, 'facts', 'live', 1, 1, 1, 1, 0, now() - interval '1 hour')`)
	for _, want := range []string{"dead 1, live 4", "live 4"} {
		if err := newPieceEraser(db).erase(ctx); err != nil {
			t.Fatal(err)
		}
		if got := states(); got != want {
			t.Errorf("the pieces are %q, want %q", got, want)
		}
		do(`UPDATE pieces SET grown_at = grown_at - interval '1 minute' WHERE state = 'dead'`)
	}
	if err := db.w.submit(ctx, owner.Stored("alice"), func(t *tx) error { return t.setState(owner.Stored("alice"), []memory.PieceID{4}, livePiece, deadPiece) }); err != nil {
		t.Fatal(err)
	}
	if err := newPieceEraser(db).erase(ctx); err != nil {
		t.Fatal(err)
	}
	if got := states(); got != "dead 4" {
		t.Errorf("a piece that was replaced now is %q, want it kept", got)
	}
}
