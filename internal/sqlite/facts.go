package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	factColumns = `root_id, seq, id, session_id, message_id, kind, role, speaker, quote, quote_start, quote_end, statement,
		subject, attribute, value, because, said_at, when_from, when_to, superseded_by, superseded_at, links`
	factsByKey     = `SELECT ` + factColumns + ` FROM facts WHERE owner_id = ? AND session_key = ? AND recorded_at <= ? ORDER BY ord`
	factsByRoot    = `SELECT ` + factColumns + ` FROM facts WHERE owner_id = ? AND root_id = ? AND recorded_at <= ? AND session_key IS NULL ORDER BY ord`
	factsOfLineage = `SELECT ` + factColumns + ` FROM facts WHERE owner_id = ? AND root_id = ? AND recorded_at <= ? ORDER BY ord`
	insertFact     = `INSERT INTO facts (owner_id, session_key, root_id, seq, id, session_id, message_id, kind, role, speaker,
		quote, quote_start, quote_end, statement, subject, attribute, value, because, said_at, recorded_at, when_from, when_to,
		superseded_by, superseded_at, links) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	supersedeFact = `UPDATE facts SET superseded_by = ?, superseded_at = ? WHERE owner_id = ? AND root_id = ? AND seq = ? AND id = ?`
)

// keepChanges stores the changes that a step caused in memory.
func (t *tx) keepChanges(o owner.Owner, step *lineage.Step) error {
	if len(step.Messages) == 0 {
		return nil
	}
	first := step.Messages[0].Seq
	from := func(f *memory.Fact) *session.Message {
		if at := f.Source.Seq - first; at >= 0 && at < int64(len(step.Messages)) {
			return &step.Messages[at]
		}
		return nil
	}
	for i := range step.Changes {
		if err := t.keepChange(o, &step.Changes[i], from); err != nil {
			return err
		}
	}
	return nil
}

// keepChange stores one change. from returns the message whose key and time of
// recording a fact gets.
func (t *tx) keepChange(o owner.Owner, c *memory.Change, from func(*memory.Fact) *session.Message) error {
	for j := range c.Learned {
		f := &c.Learned[j]
		m := from(f)
		if m == nil {
			return fmt.Errorf("store fact %s: it quotes no message of its step", f.ID)
		}
		if err := t.insertFact(o, m, f); err != nil {
			return err
		}
	}
	for j := range c.Superseded {
		f := &c.Superseded[j]
		if _, err := t.exec(supersedeFact, null(f.SupersededBy), millis(f.SupersededAt), o.ID(), string(f.Source.Root), f.Source.Seq,
			string(f.ID)); err != nil {
			return fmt.Errorf("supersede fact: %w", err)
		}
	}
	return nil
}

// linksOf are a fact's links in stored form.
func linksOf(f *memory.Fact) (any, error) {
	if len(f.Links) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(f.Links)
	if err != nil {
		return nil, fmt.Errorf("encode links: %w", err)
	}
	return string(text), nil
}

func (t *tx) insertFact(o owner.Owner, from *session.Message, f *memory.Fact) error {
	links, err := linksOf(f)
	if err != nil {
		return err
	}
	statement := f.Statement
	if statement == f.Quote {
		statement = ""
	}
	src := &f.Source
	_, err = t.exec(insertFact, o.ID(), null(from.Key), string(src.Root), src.Seq, string(f.ID), string(src.SessionID), src.MessageID,
		string(f.Kind), string(src.Role), null(src.Speaker), f.Quote, src.Start, src.End, null(statement), null(f.Subject),
		null(f.Attribute), null(f.Value), null(f.Because), bound.Millis(f.SaidAt), bound.Millis(from.RecordedAt), millis(f.When.From),
		millis(f.When.To),
		null(f.SupersededBy), millis(f.SupersededAt), links)
	if err != nil {
		return fmt.Errorf("insert fact: %w", err)
	}
	return nil
}

// restoreFacts undoes the supersession by facts of a lineage before they are erased. If
// such a fact was itself superseded, its successor takes its place; otherwise the older
// fact holds again. Facts of several lineages meet only under a session key.
func (t *tx) restoreFacts(o owner.Owner, root session.ID) error {
	const restore = `UPDATE facts AS f SET (superseded_by, superseded_at) =
		(SELECT e.superseded_by, e.superseded_at FROM facts e
			WHERE e.owner_id = ?1 AND e.root_id = ?2 AND e.id = f.superseded_by)
		WHERE f.owner_id = ?1 AND f.root_id <> ?2
		AND f.session_key IN (SELECT session_key FROM facts WHERE owner_id = ?1 AND root_id = ?2 AND session_key IS NOT NULL)
		AND f.superseded_by IN (SELECT id FROM facts WHERE owner_id = ?1 AND root_id = ?2)`
	// Each pass shortens the chains by one fact. Chains have no cycles, but a damaged
	// file might, so the number of passes is bounded by the number of facts.
	var facts int64
	if err := t.row(`SELECT count(*) FROM facts WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root)).Scan(&facts); err != nil {
		return fmt.Errorf("count facts: %w", err)
	}
	for range facts {
		res, err := t.exec(restore, o.ID(), string(root))
		if err != nil {
			return fmt.Errorf("restore facts: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("restore facts: %w", err)
		}
		if n == 0 {
			break
		}
	}
	return nil
}

// Facts implements memory.Store.
func (db *DB) Facts(ctx context.Context, o owner.Owner, scope memory.Scope) ([]memory.Fact, error) {
	query, arg := ofScope(scope, factsByKey, factsByRoot, factsOfLineage)
	leave, err := db.shared(ctx, o)
	if err != nil {
		return nil, err
	}
	defer leave()
	st, err := db.read.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, o.ID(), arg, until(scope.AsOf))
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []memory.Fact
	for rows.Next() {
		f, err := scanFact(rows)
		if err != nil {
			return nil, fmt.Errorf("read fact: %w", err)
		}
		out = append(out, f)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return out, nil
}

func scanFact(rows *sql.Rows) (memory.Fact, error) {
	var f memory.Fact
	var speaker, statement, subject, attribute, value, because, by, links sql.NullString
	var said int64
	var from, to, at sql.NullInt64
	src := &f.Source
	err := rows.Scan(&src.Root, &src.Seq, &f.ID, &src.SessionID, &src.MessageID, &f.Kind, &src.Role, &speaker, &f.Quote,
		&src.Start, &src.End, &statement, &subject, &attribute, &value, &because, &said, &from, &to, &by, &at, &links)
	if err != nil {
		return f, err
	}
	src.Speaker, f.Statement = speaker.String, statement.String
	if f.Statement == "" {
		f.Statement = f.Quote
	}
	f.Subject, f.Attribute, f.Value, f.Because = subject.String, attribute.String, value.String, because.String
	f.SaidAt = bound.FromMillis(said)
	f.When = memory.Interval{From: fromMillis(from), To: fromMillis(to)}
	f.SupersededBy, f.SupersededAt = memory.FactID(by.String), fromMillis(at)
	if links.String != "" && json.Unmarshal([]byte(links.String), &f.Links) != nil {
		f.Links = nil // the row is damaged: the fact is returned without links
	}
	return f, nil
}
