package postgres

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

// AppendTurn implements run.Store.
func (db *DB) AppendTurn(ctx context.Context, o owner.Owner, step lineage.Step) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	receipt, err := encodeReceipt(step.Receipt)
	if err != nil {
		return err
	}
	sent := frameOf(step.Receipt)
	var scopes []written
	store := func(known bool) error {
		return db.w.submitTelling(ctx, o, step.Queued, func(t *tx) (err error) {
			scopes, err = t.appendStep(o, &step, receipt, sent, known)
			return err
		})
	}
	if err = store(true); errors.Is(err, errScopeMoved) {
		err = store(false)
	}
	if errors.Is(err, errUnknown) && db.placed(ctx, o, &step) {
		err = nil
	}
	if err == nil && len(scopes) == 1 {
		step.Stored(memory.ScopeID(scopes[0].id), scopes[0].was, scopes[0].is)
	}
	if isConstraint(err) {
		return errPlaceTaken(err)
	}
	return err
}

// lookPatience is how long the outcome of a commit is looked for, and lookPause the time
// between two looks.
const lookPatience, lookPause = 5 * time.Second, 200 * time.Millisecond

// placed looks whether a step was stored whose commit has an unknown outcome: the place of
// its last message decides. It is false if the database cannot be reached.
func (db *DB) placed(ctx context.Context, o owner.Owner, step *lineage.Step) bool {
	if len(step.Messages) == 0 {
		return false
	}
	m := &step.Messages[len(step.Messages)-1]
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookPatience)
	defer cancel()
	for ctx.Err() == nil {
		var there bool
		const look = `SELECT EXISTS (SELECT 1 FROM messages WHERE owner_id = ? AND root_id = ? AND seq = ? AND id = ?)`
		if err := db.row(ctx, look, o.ID(), string(m.RootID), m.Seq, m.ID).Scan(&there); err == nil {
			return there
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
		}
	}
	return false
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

// appendStep writes a step: sessions first, then messages, then what came of them. It returns
// the scopes of the messages. known says that a scope is expected to be as the step knows it.
func (t *tx) appendStep(o owner.Owner, step *lineage.Step, receipt []byte, sent *framing, known bool) ([]written, error) {
	frame, err := t.keepFrame(o, sent)
	if err != nil {
		return nil, err
	}
	t.endPrevious(o, step)
	if err := t.stepSession(o, step); err != nil {
		return nil, err
	}
	scopes, written := []written(nil), false
	if known && step.Version == 0 {
		scopes, written = t.writeKnownScope(o, step)
	}
	if !written {
		if scopes, err = t.writeScopes(o, step.Messages, step.Version); err != nil {
			return nil, err
		}
	}
	for i := range step.Messages {
		if err := t.stepMessage(o, step, &step.Messages[i], receipt, frame); err != nil {
			return nil, err
		}
	}
	if err := t.keepChanges(o, step, scopes); err != nil {
		return nil, err
	}
	t.markStale(o, step.Unlearnt, scopes)
	t.notePending(o, step.Pending)
	t.noteOrigin(o, step.Origin)
	t.skip(o, step)
	t.finishRequest(o, step.Finished)
	return scopes, nil
}

// endPrevious ends the session that the step's session replaces, if there is one. After
// a reset, that session stays the tip of its lineage.
func (t *tx) endPrevious(o owner.Owner, step *lineage.Step) {
	if s := step.Ended; s != nil {
		staysTip := s.RootID != step.Session.RootID
		t.send("end a session", endSession, millis(s.EndedAt), string(s.EndReason), staysTip, o.ID(), string(s.ID))
	}
}

// stepMessage stores a message of a step, the answer with the step's receipt and what
// was sent to the model.
func (t *tx) stepMessage(o owner.Owner, step *lineage.Step, m *session.Message, receipt []byte, frame any) error {
	if step.Receipt == nil || m.Seq != step.Receipt.Seq {
		return t.appendMessage(o, m, &answered{id: null(m.ReceiptID), receipt: m.Receipt})
	}
	return t.appendMessage(o, m, &answered{id: step.Receipt.ID, receipt: receipt, frame: frame})
}

// stepSession creates the session of a step or updates its counters, and sets its
// title.
func (t *tx) stepSession(o owner.Owner, step *lineage.Step) error {
	s := step.Session
	if !step.Opened {
		t.countSession(o, &s)
		return t.nameSession(o, s.ID, step.Title)
	}
	if step.Title != "" {
		s.Title, s.TitleSource = step.Title, session.TitleDerived
	}
	return t.openSession(o, &s)
}

// A request is kept in one row: first with the place of its input, then with its outcome.
const keepRequest = `INSERT INTO requests (owner_id, route, key, body_hash, outcome, root_id, seq, count, created_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?,?)
	ON CONFLICT (owner_id, route, key) DO UPDATE SET body_hash = excluded.body_hash, outcome = excluded.outcome, root_id = excluded.root_id,
	seq = excluded.seq, count = excluded.count, created_at = excluded.created_at, expires_at = excluded.expires_at`

// finishRequest stores the outcome of an idempotent request with its answer.
func (t *tx) finishRequest(o owner.Owner, f *lineage.Finished) {
	if f == nil {
		return
	}
	k := &f.Key
	t.send("expire requests", `DELETE FROM requests WHERE owner_id = ? AND expires_at < ?`, o.ID(), millis(k.At))
	t.send("keep an outcome", keepRequest, o.ID(), k.Route, k.Key, k.BodyHash, string(f.Outcome), lineageOf(f.Outcome), nil, nil,
		millis(k.At), millis(k.Expires))
}

// lineageOf is the lineage of a stored result; null for none.
func lineageOf(outcome []byte) any {
	var result struct {
		Root session.ID `json:"lineage_root_id"`
	}
	if json.Unmarshal(outcome, &result) != nil {
		return nil
	}
	return null(result.Root)
}

// notePending stores the position of the input of an idempotent request.
func (t *tx) notePending(o owner.Owner, p *lineage.Pending) {
	if p == nil {
		return
	}
	k := &p.Key
	t.send("keep a pending request", keepRequest, o.ID(), k.Route, k.Key, k.BodyHash, nil, string(p.At.Root), p.At.Seq, p.Count,
		millis(k.At), millis(k.Expires))
}

// ClaimRequest implements run.Store. The runner serializes the requests of this process.
func (db *DB) ClaimRequest(ctx context.Context, o owner.Owner, c lineage.RequestKey) (run.Claimed, error) {
	if err := errNoOwner(o); err != nil {
		return run.Claimed{}, err
	}
	var hash, outcome []byte
	var root sql.NullString
	var seq, count sql.NullInt64
	err := db.row(ctx, `SELECT body_hash, outcome, root_id, seq, count FROM requests WHERE owner_id = ? AND route = ? AND key = ? AND expires_at >= ?`, o.ID(), c.Route, c.Key, millis(c.At)).Scan(&hash, &outcome, &root, &seq, &count)
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
	var text []byte
	var frame []int64
	err := db.row(ctx, `SELECT receipt, frame FROM messages WHERE owner_id = ? AND receipt_id = ?`, o.ID(), id).Scan(&text, &frame)
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
	if len(frame) > 0 {
		if r.Frame, err = db.readFrame(ctx, o, frame); err != nil {
			return r, err
		}
	}
	return r, nil
}
