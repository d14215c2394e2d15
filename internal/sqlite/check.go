package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Check looks for damage in the file and returns what it found. A quick check reads the
// structure of every page. A deep check also compares indexes with their tables, and
// reads the text index. A damaged text index is rebuilt first, because it is derived
// data; Index reports that. So are pieces that lack blocks dropped.
func (db *DB) Check(ctx context.Context, deep bool) ([]string, error) {
	found, err := db.check(ctx, deep)
	if isDamage(err) { // a step of the check met it
		return append(found, reasonOf(err)), nil
	}
	return found, err
}

func (db *DB) check(ctx context.Context, deep bool) ([]string, error) {
	if err := db.mendIndex(ctx, deep); err != nil {
		return nil, err
	}
	if err := db.mendPieces(ctx, deep); err != nil {
		return nil, err
	}
	found, err := db.gone(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := db.checkPages(ctx, deep)
	if slices.ContainsFunc(pages, ofTextIndex) {
		if err := db.indexer.ask(ctx, "it was damaged: "+pages[slices.IndexFunc(pages, ofTextIndex)]); err != nil {
			return nil, err
		}
		pages, err = db.checkPages(ctx, deep)
	}
	return append(found, pages...), err
}

// ofTextIndex reports whether a line of a check is about the text index.
func ofTextIndex(line string) bool { return strings.Contains(line, textIndex) }

// mendIndex rebuilds the text index if it is damaged.
func (db *DB) mendIndex(ctx context.Context, deep bool) error {
	why, err := db.harm(ctx)
	if err == nil && why == "" && deep && db.Ready() == nil {
		why, err = db.contradicts(ctx)
	}
	if err != nil || why == "" {
		return err
	}
	return db.indexer.ask(ctx, why)
}

// mendPieces drops the pieces that lack blocks. What the blocks hold is checked by its
// readers, with every read.
func (db *DB) mendPieces(ctx context.Context, deep bool) error {
	if !deep {
		return nil
	}
	const torn = `SELECT p.owner_id, p.id FROM pieces p WHERE p.state = 'live' AND p.blocks <>
		(SELECT count(*) FROM piece_blocks b WHERE b.id >= p.id << 16 AND b.id < (p.id << 16) + p.blocks)`
	lost, err := rowsOf(ctx, db, func(rows *sql.Rows) (p tornPiece, err error) {
		err = rows.Scan(&p.owner, &p.id)
		return p, err
	}, torn)
	for i := 0; i < len(lost) && err == nil; i++ {
		db.log.WarnContext(ctx, "a piece of the memory index lacked blocks; it is made again", "piece", lost[i].id)
		err = db.DropPieces(ctx, owner.Stored(lost[i].owner), []memory.PieceID{lost[i].id})
	}
	return err
}

// tornPiece is a piece that lacks blocks.
type tornPiece struct {
	owner string
	id    memory.PieceID
}

// gone names the tables and indexes that were removed from the file since it was
// opened.
func (db *DB) gone(ctx context.Context) ([]string, error) {
	objects, err := schemaObjects()
	if err != nil {
		return nil, err
	}
	there, err := thereNow(ctx, db.read)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, o := range missing(objects, there) {
		found = append(found, fmt.Sprintf("the %s %s is missing", strings.ToLower(o.kind), o.name))
	}
	if why, err := lostParts(ctx, db.read); err != nil || why != "" {
		return append(found, "the text index could not be made again: "+why), err
	}
	return found, nil
}

// checkPages lets SQLite check the pages of the file.
func (db *DB) checkPages(ctx context.Context, deep bool) ([]string, error) {
	pragma := `PRAGMA quick_check(20)`
	if deep {
		pragma = `PRAGMA integrity_check(20)`
	}
	rows, err := db.read.QueryContext(ctx, pragma)
	if err != nil {
		return nil, fmt.Errorf("check the database: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, fmt.Errorf("check the database: %w", err)
		}
		if line != "ok" {
			found = append(found, line)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("check the database: %w", err)
	}
	return found, nil
}
