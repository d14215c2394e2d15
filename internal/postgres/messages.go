package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
		AND (?::boolean OR undone_at IS NULL) AND ?::bigint IN (0, id) ORDER BY seq `
	selectOldest = `SELECT ` + messageColumns + `, NULL::text, NULL::text` + messageWindow + `LIMIT ?`
	selectNewest = `SELECT ` + messageColumns + `, NULL::text, NULL::text` + messageWindow + `DESC LIMIT ?`
	// Receipts make rows several times as long, and only exports need them.
	withReceipts       = `SELECT ` + messageColumns + `, receipt_id, receipt` + messageWindow + `LIMIT ?`
	newestWithReceipts = `SELECT ` + messageColumns + `, receipt_id, receipt` + messageWindow + `DESC LIMIT ?`
	insertMessage      = `INSERT INTO messages (id, owner_id, root_id, seq, session_id, session_key, role, name, content, wire,
		tool_calls, tool_call_id, tool_name, note, said_at, recorded_at, token_count, finish_reason, model, receipt_id, receipt, hash, undone_at,
		frame, reply_to, history, exchange, figures, terms)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,array_to_tsvector(?::text[]))`

	documentColumns = `id, session_id, root_id, seq, role, name, content, note, said_at`
	standingThen    = ` AND recorded_at <= ?3 AND undone_at IS NULL`
	// In a lineage, places and ids rise together.
	documentsInPlace = `SELECT ` + documentColumns + ` FROM messages
		WHERE owner_id = ?1 AND root_id = ?2 AND recorded_at <= ?3 AND undone_at IS NULL AND id > ?4::bigint
		AND seq > coalesce((SELECT seq FROM messages WHERE id = ?4::bigint AND owner_id = ?1 AND root_id = ?2), -1)`
	documentsByRoot    = documentsInPlace + ` AND session_key IS NULL ORDER BY seq LIMIT ?5`
	documentsOfLineage = documentsInPlace + ` ORDER BY seq LIMIT ?5`
)

var documentsByKey = `SELECT ` + documentColumns + ` FROM messages WHERE ` + messagesAbove(`?4`) + standingThen + messageRising + `?5`

func scanMessage(row scanner) (session.Message, error) {
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

// messagePage is how many messages one query reads if the caller bounds their bytes.
const messagePage = 256

// Messages implements session.Store.
func (db *DB) Messages(ctx context.Context, o owner.Owner, root session.ID, r session.Range) ([]session.Message, error) {
	if r.To == 0 {
		r.To = math.MaxInt64
	}
	if r.Bytes == 0 {
		return db.messagePage(ctx, o, root, &r)
	}
	var out []session.Message
	for size, limit := 0, r.Limit; ; {
		if r.Limit = messagePage; limit > 0 {
			r.Limit = min(messagePage, limit-len(out))
		}
		page, err := db.messagePage(ctx, o, root, &r)
		if err != nil {
			return nil, err
		}
		more, fits := len(page) == r.Limit, fitting(page, &r, r.Bytes-size)
		for i := range fits {
			size += fits[i].Size()
		}
		if r.Newest {
			out = append(fits[:len(fits):len(fits)], out...)
		} else {
			out = append(out, fits...)
		}
		if !more || len(fits) < len(page) || size >= r.Bytes || len(out) == limit {
			return out, nil
		}
		r.From, r.To = behind(page, &r)
	}
}

// fitting is the part of a page whose bytes are within a bound, with the message that
// reaches it. The newest messages come first if they are asked for.
func fitting(page []session.Message, r *session.Range, most int) []session.Message {
	size := 0
	for i := range page {
		at := i
		if r.Newest {
			at = len(page) - 1 - i
		}
		if size >= most {
			if r.Newest {
				return page[at+1:]
			}
			return page[:at]
		}
		size += page[at].Size()
	}
	return page
}

// behind is the range after a page.
func behind(page []session.Message, r *session.Range) (from, to int64) {
	if r.Newest {
		return r.From, page[0].Seq
	}
	return page[len(page)-1].Seq + 1, r.To
}

// messagePage reads messages in the order of their places.
func (db *DB) messagePage(ctx context.Context, o owner.Owner, root session.ID, r *session.Range) ([]session.Message, error) {
	query := map[[2]bool]string{
		{false, false}: selectOldest, {true, false}: selectNewest, {false, true}: withReceipts, {true, true}: newestWithReceipts,
	}[[2]bool{r.Newest, r.Receipts}]
	out, err := rowsOf(ctx, db, func(rows *rows) (session.Message, error) { return scanMessage(rows) }, query,
		o.ID(), string(root), r.From, r.To, until(r.Until), !r.Standing, r.MessageID, atMost(r.Limit))
	if err != nil {
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

// appendMessage inserts a message with what belongs to an answer.
func (t *tx) appendMessage(o owner.Owner, m *session.Message, a *answered) error {
	terms, err := t.w.db.termsOf(t.ctx, o, m.Content)
	if err != nil {
		return err
	}
	t.send("insert a message", insertMessage, m.ID, o.ID(), string(m.RootID), m.Seq, string(m.SessionID), null(m.Key), string(m.Role),
		null(m.Name), m.Content, nullBytes(m.Wire), nullBytes(m.ToolCalls), null(m.ToolCallID), null(m.ToolName), null(m.Note),
		bound.Millis(m.SaidAt), bound.Millis(m.RecordedAt), m.Tokens, null(m.FinishReason), null(m.Model),
		a.id, nullBytes(a.receipt), m.Hash, millis(m.UndoneAt), a.frame, sql.NullInt64{Int64: m.ReplyTo, Valid: m.ReplyTo != 0},
		keyedHistory(t.w.db.hashKey, m.History), keyedHistory(t.w.db.hashKey, m.Exchange), figuresOf(a.receipt), terms)
	t.placeFiles(o, m)
	return nil
}

// answered is what an answer is stored with: the id of its receipt, the receipt, and what
// was sent to the model.
type answered struct {
	id      any
	receipt []byte
	frame   any
}

func scanDocument(row scanner) (ranking.Document, error) {
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
	rows, err := db.query(ctx, query, o.ID(), arg, until(scope.AsOf), after, pieceMessages)
	if err != nil {
		return nil, false, fmt.Errorf("read messages: %w", err)
	}
	defer rows.Close()
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

// quotesByPlace looks up places.
const quotesByPlace = `SELECT ` + documentColumns + ` FROM messages m
	WHERE m.owner_id = ? AND (m.root_id, m.seq) IN (SELECT * FROM unnest(?::text[], ?::bigint[]))`

// Quotes implements memory.Store.
func (db *DB) Quotes(ctx context.Context, o owner.Owner, places []memory.Place) ([]ranking.Document, error) {
	roots, seqs := make([]string, len(places)), make([]int64, len(places))
	for i, p := range places {
		roots[i], seqs[i] = string(p.Root), p.Seq
	}
	list, err := rowsOf(ctx, db, func(rows *rows) (ranking.Document, error) { return scanDocument(rows) }, quotesByPlace, o.ID(), roots, seqs)
	if err != nil {
		return nil, fmt.Errorf("read quotes: %w", err)
	}
	found := make(map[memory.Place]int, len(list))
	for i := range list {
		found[memory.Place{Root: list[i].Root, Seq: list[i].Seq}] = i
	}
	out := make([]ranking.Document, 0, len(places))
	for _, p := range places {
		if i, ok := found[p]; ok {
			out = append(out, list[i])
		}
	}
	return out, nil
}
