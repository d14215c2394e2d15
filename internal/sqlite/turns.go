package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// AppendTurn implements run.Store.
func (db *DB) AppendTurn(ctx context.Context, o owner.Owner, step lineage.Step) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	receipt, err := encodeReceipt(step.Receipt)
	if err != nil {
		return err
	}
	sent := db.frame(o, step.Receipt)
	err = db.w.submitTelling(ctx, step.Queued, func(t *tx) error { return t.appendStep(o, &step, receipt, sent) })
	if isConstraint(err) {
		return errPlaceTaken(err)
	}
	if err != nil {
		return err
	}
	if sent != nil {
		db.known.keep(sent.keys, sent.ids, sent.era)
	}
	db.awaitLarge(ctx, step.Messages)
	return nil
}

// errPlaceTaken is the fault for a place that another writer has used.
func errPlaceTaken(err error) error {
	return fault.Wrap(fault.Conflict, "concurrent_writer", "Another writer has changed this session. Try again.", err)
}

// encodeReceipt encodes the receipt of a step, which may have none.
func encodeReceipt(r *lineage.Receipt) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode receipt: %w", err)
	}
	return text, nil
}

// appendStep writes a step: sessions first, then messages, then what came of them.
func (t *tx) appendStep(o owner.Owner, step *lineage.Step, receipt []byte, sent *framing) error {
	frame, err := t.keepFrame(sent)
	if err != nil {
		return err
	}
	if err := t.endPrevious(o, step); err != nil {
		return err
	}
	if err := t.stepSession(o, step); err != nil {
		return err
	}
	scopes, err := t.writeScopes(o, step.Messages, step.Version)
	if err != nil {
		return err
	}
	for i := range step.Messages {
		if err := t.stepMessage(o, step, &step.Messages[i], receipt, frame); err != nil {
			return err
		}
	}
	if err := errors.Join(t.keepChanges(o, step, scopes), t.markStale(step.Unlearnt, scopes)); err != nil {
		return err
	}
	if err := t.notePending(o, step.Pending); err != nil {
		return err
	}
	if err := errors.Join(t.noteOrigin(o, step.Origin), t.skip(o, step)); err != nil {
		return err
	}
	return t.finishRequest(o, step.Finished)
}

// endPrevious ends the session that the step's session replaces, if there is one. After
// a reset, that session stays the tip of its lineage.
func (t *tx) endPrevious(o owner.Owner, step *lineage.Step) error {
	s := step.Ended
	if s == nil {
		return nil
	}
	staysTip := s.RootID != step.Session.RootID
	if _, err := t.exec(endSession, millis(s.EndedAt), string(s.EndReason), staysTip, o.ID(), string(s.ID)); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	t.transcriptChanged(o, s.ID, false)
	return nil
}

// stepMessage stores a message of a step, the answer with the step's receipt and what
// was sent to the model.
func (t *tx) stepMessage(o owner.Owner, step *lineage.Step, m *session.Message, receipt []byte, frame any) error {
	if step.Receipt == nil || m.Seq != step.Receipt.Seq {
		return t.appendMessage(o, m, null(m.ReceiptID), nullBytes(m.Receipt), nil)
	}
	return t.appendMessage(o, m, step.Receipt.ID, string(receipt), frame)
}

// stepSession creates the session of a step or updates its counters, and sets its
// title.
func (t *tx) stepSession(o owner.Owner, step *lineage.Step) error {
	s := step.Session
	if !step.Opened {
		if err := t.countSession(o, &s); err != nil {
			return err
		}
		return t.nameSession(o, s.ID, step.Title)
	}
	if step.Title != "" {
		s.Title, s.TitleSource = step.Title, session.TitleDerived
	}
	return t.openSession(o, &s)
}

// awaitLarge waits until large messages are indexed, because indexing them takes
// several times their memory. The wait keeps their sender from sending more meanwhile.
// A timeout is no failure.
func (db *DB) awaitLarge(ctx context.Context, ms []session.Message) {
	const large, patience = 1 << 20, 5 * time.Second
	size := 0
	for i := range ms {
		size += len(ms[i].Content)
	}
	if size < large {
		return
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_ = db.indexer.wait(ctx)
}

// isConstraint reports whether an error means that a place, an id or a name is taken.
func isConstraint(err error) bool {
	const primaryKey, unique, rowID = 1555, 2067, 2579
	code := codeOf(err)
	return code == primaryKey || code == unique || code == rowID
}

// finishRequest stores the outcome of an idempotent request with its answer.
func (t *tx) finishRequest(o owner.Owner, f *lineage.Finished) error {
	if f == nil {
		return nil
	}
	if _, err := t.exec(`DELETE FROM requests WHERE expires_at < ?`, millis(f.Key.At)); err != nil {
		return fmt.Errorf("expire requests: %w", err)
	}
	const keep = `INSERT OR REPLACE INTO requests (owner_id, route, key, body_hash, outcome, created_at, expires_at) VALUES (?,?,?,?,?,?,?)`
	k := &f.Key
	if _, err := t.exec(keep, o.ID(), k.Route, k.Key, k.BodyHash, string(f.Outcome), millis(k.At), millis(k.Expires)); err != nil {
		return fmt.Errorf("keep outcome: %w", err)
	}
	return nil
}

// notePending stores the position of the input of an idempotent request.
func (t *tx) notePending(o owner.Owner, p *lineage.Pending) error {
	if p == nil {
		return nil
	}
	const keep = `INSERT OR REPLACE INTO requests (owner_id, route, key, body_hash, root_id, seq, count, created_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?)`
	k := &p.Key
	if _, err := t.exec(keep, o.ID(), k.Route, k.Key, k.BodyHash, string(p.At.Root), p.At.Seq, p.Count, millis(k.At),
		millis(k.Expires)); err != nil {
		return fmt.Errorf("keep pending request: %w", err)
	}
	return nil
}

// ClaimRequest implements run.Store. The runner serializes the requests of this
// process, and no other process can write here. So a claim only reads finished
// requests.
func (db *DB) ClaimRequest(ctx context.Context, o owner.Owner, c lineage.RequestKey) (run.Claimed, error) {
	if err := errNoOwner(o); err != nil {
		return run.Claimed{}, err
	}
	st, err := db.read.stmt(ctx, `SELECT body_hash, outcome, root_id, seq, count FROM requests WHERE owner_id = ? AND route = ? AND key = ? AND expires_at >= ?`)
	if err != nil {
		return run.Claimed{}, err
	}
	var hash, outcome []byte
	var root sql.NullString
	var seq, count sql.NullInt64
	err = st.QueryRowContext(ctx, o.ID(), c.Route, c.Key, millis(c.At)).Scan(&hash, &outcome, &root, &seq, &count)
	if isNoRows(err) {
		return run.Claimed{Mine: true}, nil
	}
	if err != nil {
		return run.Claimed{}, fmt.Errorf("look for request: %w", err)
	}
	got := run.Claimed{SameBody: bytes.Equal(hash, c.BodyHash), Outcome: outcome}
	if outcome == nil && got.SameBody { // the turn got no answer, so the request runs again
		got.Mine = true
		got.Pending = &lineage.Pending{At: memory.Place{Root: session.ID(root.String), Seq: seq.Int64}, Count: int(count.Int64)}
	}
	return got, nil
}

// ReleaseRequest implements run.Store. It changes nothing: an unfinished request has
// only stored the position of its input, which its next try needs.
func (db *DB) ReleaseRequest(context.Context, owner.Owner, lineage.RequestKey) error { return nil }

// Receipt implements run.Store.
func (db *DB) Receipt(ctx context.Context, o owner.Owner, id string) (lineage.Receipt, error) {
	var r lineage.Receipt
	st, err := db.read.stmt(ctx, `SELECT receipt, coalesce(frame, '') FROM messages WHERE owner_id = ? AND receipt_id = ?`)
	if err != nil {
		return r, err
	}
	var text []byte
	var frame string
	err = st.QueryRowContext(ctx, o.ID(), id).Scan(&text, &frame)
	if isNoRows(err) {
		return r, fault.New(fault.NotFound, "receipt_not_found", "No receipt with this id.")
	}
	if err != nil {
		return r, fmt.Errorf("read receipt: %w", err)
	}
	if json.Unmarshal(text, &r) != nil {
		return lineage.Receipt{}, fault.New(fault.NotFound, "receipt_damaged", "The receipt with this id is damaged and cannot be read. `hermes doctor` lists damaged rows.")
	}
	r.At = bound.FromMillis(bound.Millis(r.At))
	if frame != "" {
		if r.Frame, err = db.readFrame(ctx, o, frame); err != nil {
			return r, err
		}
	}
	return r, nil
}
