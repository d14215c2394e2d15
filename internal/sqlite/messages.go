package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// messageColumns are the columns of a message in the order of scanMessage.
const messageColumns = `id, session_id, root_id, seq, session_key, role, name, content, wire, tool_calls, tool_call_id,
	tool_name, note, said_at, recorded_at, token_count, finish_reason, model, hash, undone_at, reply_to`

const (
	messageWindow = ` FROM messages WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ? AND recorded_at <= ?
		AND (? OR undone_at IS NULL) AND ? IN (0, id) ORDER BY seq `
	selectOldest = `SELECT ` + messageColumns + `, NULL, NULL` + messageWindow + `LIMIT 0+?`
	selectNewest = `SELECT ` + messageColumns + `, NULL, NULL` + messageWindow + `DESC LIMIT 0+?`
	// Receipts make rows several times as long, and only exports need them.
	withReceipts       = `SELECT ` + messageColumns + `, receipt_id, receipt` + messageWindow + `LIMIT 0+?`
	newestWithReceipts = `SELECT ` + messageColumns + `, receipt_id, receipt` + messageWindow + `DESC LIMIT 0+?`
	insertMessage      = `INSERT INTO messages (id, owner_id, root_id, seq, session_id, session_key, role, name, content, wire,
		tool_calls, tool_call_id, tool_name, note, said_at, recorded_at, token_count, finish_reason, model, receipt_id, receipt, hash, undone_at,
		frame, reply_to, history, exchange)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`

	documentColumns = `id, session_id, root_id, seq, role, name, content, note, said_at`
	documentsByKey  = `SELECT ` + documentColumns + ` FROM messages
		WHERE owner_id = ? AND session_key = ? AND recorded_at <= ? AND undone_at IS NULL AND id > ? ORDER BY id`
	// In a lineage, places and ids rise together.
	documentsInPlace = `SELECT ` + documentColumns + ` FROM messages
		WHERE owner_id = ?1 AND root_id = ?2 AND recorded_at <= ?3 AND undone_at IS NULL AND id > ?4
		AND seq > coalesce((SELECT seq FROM messages WHERE id = ?4 AND owner_id = ?1 AND root_id = ?2), -1)`
	documentsByRoot    = documentsInPlace + ` AND session_key IS NULL ORDER BY seq`
	documentsOfLineage = documentsInPlace + ` ORDER BY seq`
)

func scanMessage(row interface{ Scan(...any) error }) (session.Message, error) {
	var m session.Message
	var key, name, toolCallID, toolName, note, finish, model, receiptID sql.NullString
	var said, recorded int64
	var undone, replyTo sql.NullInt64
	err := row.Scan(&m.ID, &m.SessionID, &m.RootID, &m.Seq, &key, &m.Role, &name, &m.Content, &m.Wire, &m.ToolCalls,
		&toolCallID, &toolName, &note, &said, &recorded, &m.Tokens, &finish, &model, &m.Hash, &undone, &replyTo, &receiptID, &m.Receipt)
	if err != nil {
		return m, fmt.Errorf("read message: %w", err)
	}
	m.Key, m.Name, m.ToolCallID, m.ToolName = session.Key(key.String), name.String, toolCallID.String, toolName.String
	m.Note, m.FinishReason, m.Model = note.String, finish.String, model.String
	m.SaidAt, m.RecordedAt = bound.FromMillis(said), bound.FromMillis(recorded)
	m.UndoneAt, m.ReceiptID = fromMillis(undone), receiptID.String
	m.ReplyTo = bound.Count(replyTo.Int64)
	m.Tokens = int(bound.Count(int64(m.Tokens)))
	m.ToolCalls, m.Wire, m.Receipt = whole(m.ToolCalls), whole(m.Wire), whole(m.Receipt)
	return m, nil
}

// whole is a raw part of a message, or nil if it is damaged: one invalid part would
// make the whole response invalid.
func whole(raw []byte) []byte {
	if len(raw) == 0 || !json.Valid(raw) {
		return nil
	}
	return raw
}

// Messages implements session.Store.
func (db *DB) Messages(ctx context.Context, o owner.Owner, root session.ID, r session.Range) ([]session.Message, error) {
	query := map[[2]bool]string{
		{false, false}: selectOldest, {true, false}: selectNewest, {false, true}: withReceipts, {true, true}: newestWithReceipts,
	}[[2]bool{r.Newest, r.Receipts}]
	to, limit := r.To, r.Limit
	if to == 0 {
		to = 1<<63 - 1
	}
	if limit == 0 {
		limit = -1
	}
	st, err := db.read.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, o.ID(), string(root), r.From, to, until(r.Until), !r.Standing, r.MessageID, limit)
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []session.Message
	size := 0
	for (r.Bytes == 0 || size < r.Bytes) && rows.Next() {
		m, err := scanMessage(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
		size += m.Size()
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	if r.Newest {
		slices.Reverse(out)
	}
	return out, nil
}

// until is the upper bound for a view of the past; no bound for the zero time.
func until(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return bound.Millis(t)
}

// appendMessage inserts a message. The answer also gets its receipt.
func (t *tx) appendMessage(o owner.Owner, m *session.Message, receiptID, receipt, frame any) error {
	_, err := t.exec(insertMessage, m.ID, o.ID(), string(m.RootID), m.Seq, string(m.SessionID), null(m.Key), string(m.Role),
		null(m.Name), m.Content, nullBytes(m.Wire), nullBytes(m.ToolCalls), null(m.ToolCallID), null(m.ToolName), null(m.Note),
		bound.Millis(m.SaidAt), bound.Millis(m.RecordedAt), m.Tokens, null(m.FinishReason), null(m.Model),
		receiptID, receipt, m.Hash, millis(m.UndoneAt), frame, sql.NullInt64{Int64: m.ReplyTo, Valid: m.ReplyTo != 0},
		keyedHistory(t.w.hashKey, m.History), keyedHistory(t.w.hashKey, m.Exchange))
	if err != nil {
		return fmt.Errorf("insert message: %w", err)
	}
	t.stored = append(t.stored, m.ID)
	t.transcriptChanged(o, m.SessionID, false)
	return t.placeFiles(o, m)
}

func scanDocument(row interface{ Scan(...any) error }) (ranking.Document, error) {
	var d ranking.Document
	var name, note sql.NullString
	var said int64
	if err := row.Scan(&d.MessageID, &d.SessionID, &d.Root, &d.Seq, &d.Role, &name, &d.Text, &note, &said); err != nil {
		return d, err
	}
	d.Speaker, d.Note, d.SaidAt = name.String, note.String, bound.FromMillis(said)
	return d, nil
}

// ofScope chooses the query for a scope, and its argument: by key, of a lineage's
// messages without a key, or of a whole lineage.
func ofScope(scope memory.Scope, byKey, byRoot, ofLineage string) (query, arg string) {
	switch {
	case scope.Key != "":
		return byKey, string(scope.Key)
	case scope.Whole:
		return ofLineage, string(scope.Root)
	}
	return byRoot, string(scope.Root)
}

// Documents implements memory.Store. It reads in pieces and releases the connection
// before each is called, because each may take long.
func (db *DB) Documents(ctx context.Context, o owner.Owner, scope memory.Scope, after int64, each func(ranking.Document) bool) error {
	for {
		piece, more, err := db.documents(ctx, o, scope, after)
		if err != nil {
			return err
		}
		for i := range piece {
			if !each(piece[i]) {
				return nil
			}
		}
		if !more {
			return nil
		}
		after = piece[len(piece)-1].MessageID
	}
}

// Bounds of a piece of a scope's messages: their number, and the bytes after which the
// piece ends. Reading a piece takes a few milliseconds.
const (
	pieceMessages = 256
	pieceBytes    = 1 << 20
)

// documents reads the messages of a scope after an id. more says that others may follow.
func (db *DB) documents(
	ctx context.Context, o owner.Owner, scope memory.Scope, after int64,
) (piece []ranking.Document, more bool, err error) {
	query, arg := ofScope(scope, documentsByKey, documentsByRoot, documentsOfLineage)
	leave, err := db.shared(ctx, o)
	if err != nil {
		return nil, false, err
	}
	defer leave()
	st, err := db.read.stmt(ctx, query)
	if err != nil {
		return nil, false, err
	}
	rows, err := st.QueryContext(ctx, o.ID(), arg, until(scope.AsOf), after)
	if err != nil {
		return nil, false, fmt.Errorf("read messages: %w", err)
	}
	defer func() { _ = rows.Close() }()
	size := 0
	for rows.Next() {
		d, err := scanDocument(rows)
		if err != nil {
			return nil, false, fmt.Errorf("read message: %w", err)
		}
		piece = append(piece, d)
		if size += len(d.Text); len(piece) == pieceMessages || size >= pieceBytes {
			return piece, true, nil
		}
	}
	if err := rows.Err(); err != nil {
		return nil, false, fmt.Errorf("read messages: %w", err)
	}
	return piece, false, nil
}

// quoteBatch is how many places one query looks up. An answer quotes several messages,
// and a query for each would cost more than its row.
const quoteBatch = 12

// quotesByPlace looks up quoteBatch places at once. CROSS JOIN makes SQLite iterate
// over the places and use the index for each.
var quotesByPlace = `WITH want(root, seq) AS (VALUES (?,?)` + strings.Repeat(`,(?,?)`, quoteBatch-1) + `)
	SELECT ` + documentColumns + ` FROM (SELECT m.* FROM want CROSS JOIN messages m
		ON m.owner_id = ? AND m.root_id = want.root AND m.seq = want.seq)`

// Quotes implements memory.Store.
func (db *DB) Quotes(ctx context.Context, o owner.Owner, places []memory.Place) ([]ranking.Document, error) {
	found := make(map[memory.Place]ranking.Document, len(places))
	keep := func(d *ranking.Document) { found[memory.Place{Root: d.Root, Seq: d.Seq}] = *d }
	for batch := range slices.Chunk(places, quoteBatch) {
		args := make([]any, 0, 2*quoteBatch+1)
		for i := range quoteBatch {
			if i < len(batch) {
				args = append(args, string(batch[i].Root), batch[i].Seq)
			} else {
				args = append(args, "", int64(-1)) // a place without a message
			}
		}
		if err := db.quoteBatch(ctx, append(args, o.ID()), keep); err != nil {
			return nil, err
		}
	}
	out := make([]ranking.Document, 0, len(places))
	for _, p := range places {
		if d, ok := found[p]; ok {
			out = append(out, d)
		}
	}
	return out, nil
}

// quoteBatch looks up one batch.
func (db *DB) quoteBatch(ctx context.Context, args []any, keep func(*ranking.Document)) error {
	st, err := db.read.stmt(ctx, quotesByPlace)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return fmt.Errorf("read quotes: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		d, err := scanDocument(rows)
		if err != nil {
			return fmt.Errorf("read quote: %w", err)
		}
		keep(&d)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read quotes: %w", err)
	}
	return nil
}
