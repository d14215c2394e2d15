package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// The rows of a scope that no piece holds: ?1 is the owner, ?2 the key or the root, ?3 the newest
// time of recording, ?4 how many rows.
const (
	lastOfPieces = `(SELECT coalesce(max(p.last_id), 0) FROM scopes s JOIN pieces p ON p.owner_id = s.owner_id AND p.scope_id = s.id
		AND p.state = 'live' WHERE s.owner_id = ?1 AND `
	ofKey      = `s.session_key = ?2 AND s.root_id = '' AND p.kind = `
	ofRoot     = `s.session_key = '' AND s.root_id = ?2 AND p.kind = `
	ofMessages = `'messages')`
	ofFacts    = `'facts')`

	lastOfRoot      = lastOfPieces + ofRoot + ofMessages
	unindexedByRoot = `SELECT ` + documentColumns + ` FROM messages WHERE owner_id = ?1 AND root_id = ?2 AND recorded_at <= ?3 AND undone_at IS NULL
		AND id > ` + lastOfRoot + ` AND seq > coalesce((SELECT seq FROM messages WHERE id = ` + lastOfRoot + ` AND owner_id = ?1 AND root_id = ?2), -1)
		AND session_key IS NULL ORDER BY seq LIMIT ?4`
	// A fact's number is that of its message, multiplied, with its ordinal, of which ?5 is the highest.
	behindMessage = ` * (?5::bigint + 1) + ?5::bigint`
)

var (
	unindexedByKey       = `SELECT ` + documentColumns + ` FROM messages WHERE ` + messagesAbove(lastOfPieces+ofKey+ofMessages) + standingThen + messageRising + `?4`
	unindexedFactsByKey  = selectFacts + factsAbove(scopeOfKey, lastOfPieces+ofKey+ofFacts+behindMessage) + untilThen + factsRising + `?4`
	unindexedFactsByRoot = selectFacts + factsAbove(scopeOfRoot, lastOfPieces+ofRoot+ofFacts+behindMessage) + untilThen + factsRising + `?4`
)

// beginReading begins a transaction all reads of which see the same moment.
const beginReading = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

// Opening implements memory.PieceStore. Its reads see the same moment, and make one round trip.
func (db *DB) Opening(ctx context.Context, o owner.Owner, scope memory.Scope) (memory.Opening, error) {
	out := memory.Opening{Manifest: memory.Manifest{Version: memory.Unwritten}}
	name, found := nameOf(scope)
	if !found {
		return out, nil
	}
	leave, err := db.shared(ctx, o)
	if err != nil {
		return out, err
	}
	defer leave()
	documents, arg := ofScope(scope, unindexedByKey, unindexedByRoot, unindexedByRoot)
	facts, _ := ofScope(scope, unindexedFactsByKey, unindexedFactsByRoot, unindexedFactsByRoot)
	batch := &pgx.Batch{}
	batch.Queue(beginReading)
	m := &out.Manifest
	queueRows(batch, func(r *rows) error { return scanManifest(r, m) }, selectManifest, o.ID(), name.key, name.root)
	args := []any{o.ID(), arg, until(scope.AsOf), pieceMessages}
	queueAhead(batch, &out.Facts, factScanner(), func(*memory.StoredFact) int { return 0 }, facts, append(args, int64(memory.MaxPart))...)
	read := func(rows *rows) (ranking.Document, error) { return scanDocument(rows) }
	queueAhead(batch, &out.Documents, read, func(d *ranking.Document) int { return len(d.Text) }, documents, args...)
	batch.Queue(`COMMIT`)
	if err := db.pool.SendBatch(ctx, batch).Close(); err != nil {
		return memory.Opening{}, fmt.Errorf("read manifest: %w", judge(err))
	}
	out.Facts.After, out.Documents.After = int64(memory.LastNumber(m.Last(memory.FactPiece))), m.Last(memory.MessagePiece)
	return out, nil
}

// queueRows queues a query, whose rows are read by scan.
func queueRows(b *pgx.Batch, scan func(*rows) error, query string, args ...any) {
	b.Queue(numbered(query), storedArgs(args)...).Query(func(found pgx.Rows) error { return scanAll(&rows{found}, scan) })
}

// queueRow queues a query for one row, which is read by scan.
func queueRow(b *pgx.Batch, scan func(scanner) error, query string, args ...any) {
	b.Queue(numbered(query), storedArgs(args)...).Query(func(found pgx.Rows) error { return scan(&row{rows: &rows{found}}) })
}

// queueAhead queues a query for rows that are read ahead: pieceMessages of them at most, and texts
// of about pieceBytes.
func queueAhead[R any](b *pgx.Batch, out *memory.Ahead[R], scan func(*rows) (R, error), length func(*R) int, query string, args ...any) {
	out.Read = true
	size := 0
	queueRows(b, func(r *rows) error {
		if out.More {
			return nil
		}
		row, err := scan(r)
		out.Rows = append(out.Rows, row)
		size += length(&row)
		out.More = len(out.Rows) == pieceMessages || size >= pieceBytes
		return err
	}, query, args...)
}
