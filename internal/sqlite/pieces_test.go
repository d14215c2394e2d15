package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// oneScope is the scope of the lineage "s".
func oneScope() memory.Scope { return memory.Scope{Root: "s"} }

// manifestOf reads the manifest of oneScope.
func manifestOf(t *testing.T, db *DB) memory.Manifest {
	t.Helper()
	m, err := db.Manifest(t.Context(), owner.Local(), oneScope())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// blocks are n blocks of 64 KiB.
func blocks(n int) iter.Seq2[memory.PieceBlock, error] {
	return func(yield func(memory.PieceBlock, error) bool) {
		for i := range n {
			if !yield(memory.PieceBlock{Number: i, Data: bytes.Repeat([]byte{byte(i)}, 64<<10)}, nil) {
				return
			}
		}
	}
}

// addPiece stores a piece of n blocks over the messages of oneScope, and takes it into the
// manifest if live is set.
func addPiece(t *testing.T, db *DB, n int, live bool) memory.PieceID {
	t.Helper()
	m := manifestOf(t, db)
	id, err := db.AddPiece(t.Context(), owner.Local(), m, memory.Piece{Kind: memory.MessagePiece, Span: memory.Span{First: 1, Last: 40}}, blocks(n))
	if err == nil && live {
		err = db.Swap(t.Context(), owner.Local(), m, memory.Swap{Add: []memory.PieceID{id}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestOrphanPieces stops between the steps of a piece: the next start deletes what no
// manifest names, and keeps the rest.
func TestOrphanPieces(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(40)...)
	live := addPiece(t, db, 3, true)
	addPiece(t, db, 40, false)
	closeDB(t, db)
	// Half of a dead piece is deleted, and an erased one has not lost a block yet.
	must(t, raw(t, path),
		`INSERT INTO pieces SELECT 70, owner_id, scope_id, kind, 'dead', 1, 1, 2, 3, 4 FROM pieces LIMIT 1`, `INSERT INTO piece_blocks VALUES (70 << 16 | 3, x'00')`,
		`INSERT INTO pieces SELECT 71, owner_id, scope_id, kind, 'erased', 1, 1, 2, 3, 4 FROM pieces LIMIT 1`, `INSERT INTO piece_blocks VALUES (71 << 16, x'00')`)
	db = openAt(t, path)
	if err := db.pieces.erased(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask[int](t, db.read.DB, `SELECT count(*) FROM pieces`); got != 1 {
		t.Errorf("got %d pieces, want the live one", got)
	}
	if got := ask[int](t, db.read.DB, `SELECT count(*) FROM piece_blocks`); got != 3 {
		t.Errorf("got %d blocks, want those of the live piece", got)
	}
	if got := manifestOf(t, db).Pieces; len(got) != 1 || got[0].ID != live || got[0].Blocks != 3 {
		t.Errorf("got the pieces %+v, want %d", got, live)
	}
	if next := addPiece(t, db, 1, false); next <= live {
		t.Errorf("got the id %d for a new piece, want none that was used before", next)
	}
}

// TestLostScopes takes the tables of scopes and pieces away: the next start fills the scopes
// from the messages, and what rests on their ids is made again.
func TestLostScopes(t *testing.T) {
	t.Parallel()
	for table, want := range map[string][]string{
		"scopes": {"facts", "scopes"}, "pieces": {"pieces"}, "piece_blocks": {"piece_blocks"},
	} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			write(t, db, "s", 0, numbered(40)...)
			write(t, db, "other", 0, numbered(2)...)
			addPiece(t, db, 2, true)
			before, err := db.Scopes(t.Context(), owner.Local())
			if err != nil {
				t.Fatal(err)
			}
			closeDB(t, db)
			must(t, raw(t, path), `DROP TABLE `+table)
			var log bytes.Buffer
			db, err = Open(t.Context(), Options{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer closeDB(t, db)
			if got := slices.Sorted(slices.Values(db.Lost())); !slices.Equal(got, want) {
				t.Errorf("got %q lost, want %q", got, want)
			}
			if !strings.Contains(log.String(), table) {
				t.Errorf("the log does not name %s", table)
			}
			for _, rest := range []string{"pieces", "piece_blocks"} {
				if got := ask[int](t, db.read.DB, `SELECT count(*) FROM `+rest); got != 0 {
					t.Errorf("got %d rows of %s, want none", got, rest)
				}
			}
			after, err := db.Scopes(t.Context(), owner.Local())
			if err != nil || !slices.Equal(after, before) {
				t.Errorf("got the scopes %+v, %v, want %+v", after, err, before)
			}
			write(t, db, "s", 40, "one more")
			addPiece(t, db, 2, true)
		})
	}
}

// TestMissingBlocks takes blocks of a piece away under a running program: a check notices,
// and the piece is to be made again.
func TestMissingBlocks(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(4)...)
	addPiece(t, db, 3, true)
	whole := addPiece(t, db, 3, true)
	for _, deep := range []bool{true, false} {
		if damage, err := db.Check(t.Context(), deep); err != nil || len(damage) > 0 {
			t.Errorf("check: got %q, %v", damage, err)
		}
	}
	must(t, raw(t, path), `DELETE FROM piece_blocks WHERE id = (SELECT min(id) + 1 FROM piece_blocks)`)
	if damage, err := db.Check(t.Context(), true); err != nil || len(damage) > 0 {
		t.Errorf("check: got %q, %v, want it mended", damage, err)
	}
	if got := manifestOf(t, db).Pieces; len(got) != 1 || got[0].ID != whole {
		t.Errorf("got the pieces %+v, want %d", got, whole)
	}
}

// TestScopesOfOlderFiles opens a database of a version without scopes: each has its row.
func TestScopesOfOlderFiles(t *testing.T) {
	t.Parallel()
	path := version5(t, "version1.sql")
	file := raw(t, path)
	want := ask[int](t, file, `SELECT count(DISTINCT session_key) + (SELECT count(DISTINCT owner_id || ' ' || root_id) FROM messages WHERE session_key IS NULL) FROM messages`)
	db := openAt(t, path)
	if got := ask[int](t, db.read.DB, `SELECT count(*) FROM scopes`); got != want || want == 0 {
		t.Errorf("got %d scopes, want %d", got, want)
	}
	const wrong = `SELECT count(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM scopes s WHERE s.owner_id = m.owner_id AND s.newest >= m.id
		AND s.session_key = coalesce(m.session_key, '') AND s.root_id = CASE WHEN m.session_key IS NULL THEN m.root_id ELSE '' END)`
	if got := ask[int](t, db.read.DB, wrong); got != 0 {
		t.Errorf("got %d messages without their scope, want none", got)
	}
}

// TestErasedPieceLeavesNoBytes deletes the lineage of a piece: soon no file has its bytes,
// without anything else being written.
func TestErasedPieceLeavesNoBytes(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(4)...)
	m := manifestOf(t, db)
	text := bytes.Repeat([]byte("quetzalcoatl "), 40_000)
	id, err := db.AddPiece(t.Context(), owner.Local(), m, memory.Piece{Kind: memory.MessagePiece, Span: memory.Span{First: 1, Last: 40}},
		func(yield func(memory.PieceBlock, error) bool) { yield(memory.PieceBlock{Data: text}, nil) })
	if err == nil {
		err = db.Swap(t.Context(), owner.Local(), m, memory.Swap{Add: []memory.PieceID{id}})
	}
	if err != nil {
		t.Fatal(err)
	}
	holding := func() (found []string) {
		for _, name := range []string{path, path + "-wal"} {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte("quetzalcoatl")) {
				found = append(found, name)
			}
		}
		return found
	}
	if len(holding()) == 0 {
		t.Fatal("the test itself: no file has the bytes")
	}
	if err := db.DeleteLineage(t.Context(), owner.Local(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := db.pieces.erased(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := holding(); len(found) > 0 {
		t.Errorf("got the bytes in %q, want them nowhere", found)
	}
}

// replacePieces replaces the piece of oneScope by ever new ones.
func replacePieces(ctx context.Context, db *DB) error {
	for {
		m, err := db.Manifest(ctx, owner.Local(), oneScope())
		if err != nil {
			return err
		}
		var s memory.Swap
		for _, p := range m.Pieces {
			s.Remove = append(s.Remove, p.ID)
		}
		id, err := db.AddPiece(ctx, owner.Local(), m, memory.Piece{Kind: memory.MessagePiece, Span: memory.Span{First: 1, Last: 40}}, blocks(40))
		if err != nil {
			return err
		}
		s.Add = []memory.PieceID{id}
		if err := db.Swap(ctx, owner.Local(), m, s); err != nil {
			return err
		}
		fmt.Println("swapped")
	}
}

// TestKilledWhileMakingPieces kills a process that makes and replaces pieces: there is one
// whole piece afterwards, and nothing else.
func TestKilledWhileMakingPieces(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(40)...)
	addPiece(t, db, 40, true)
	closeDB(t, db)
	for round := range 6 {
		p := start(t, roleOwner, path)
		if _, err := fmt.Fprintln(p.in, "pieces"); err != nil {
			t.Fatal(err)
		}
		for range round % 3 {
			if got := p.line(); got != "swapped" {
				t.Fatalf("got %q, want a swap", got)
			}
		}
		p.kill()
		db := openAt(t, path)
		if err := db.pieces.erased(t.Context()); err != nil {
			t.Fatal(err)
		}
		pieces, stored := manifestOf(t, db).Pieces, 0
		for i := range 40 {
			got, err := db.PieceBlock(t.Context(), owner.Local(), pieces[0].ID, i)
			if err == nil && bytes.Equal(got, bytes.Repeat([]byte{byte(i)}, 64<<10)) {
				stored++
			}
		}
		if len(pieces) != 1 || stored != 40 || pieces[0].Blocks != 40 {
			t.Errorf("round %d: got the pieces %+v and %d blocks, want one whole piece", round, pieces, stored)
		}
		if got := ask[int](t, db.read.DB, `SELECT (SELECT count(*) FROM pieces) * 1000 + (SELECT count(*) FROM piece_blocks)`); got != 1040 {
			t.Errorf("round %d: got %d pieces and %d blocks, want 1 and 40", round, got/1000, got%1000)
		}
		closeDB(t, db)
	}
}
