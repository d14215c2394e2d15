package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Scopes implements memory.Store.
func (db *DB) Scopes(ctx context.Context, o owner.Owner) ([]memory.Scope, error) {
	const query = `SELECT DISTINCT '', session_key FROM messages WHERE owner_id = ? AND session_key IS NOT NULL
		UNION ALL SELECT DISTINCT root_id, '' FROM messages WHERE owner_id = ? AND session_key IS NULL ORDER BY 2, 1`
	rows, err := db.read.QueryContext(ctx, query, o.ID(), o.ID())
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []memory.Scope
	for rows.Next() {
		var s memory.Scope
		if err := rows.Scan(&s.Root, &s.Key); err != nil {
			return nil, fmt.Errorf("list scopes: %w", err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	return out, nil
}

// Erasures implements memory.Store.
func (db *DB) Erasures(ctx context.Context, o owner.Owner) ([]memory.Erasure, error) {
	st, err := db.read.stmt(ctx, `SELECT hash, words, erased_at FROM erasures WHERE owner_id = ? ORDER BY erased_at`)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, o.ID())
	if err != nil {
		return nil, fmt.Errorf("list erasures: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []memory.Erasure
	for rows.Next() {
		var e memory.Erasure
		var hash []byte
		var at int64
		if err := rows.Scan(&hash, &e.Words, &at); err != nil {
			return nil, fmt.Errorf("list erasures: %w", err)
		}
		copy(e.Hash[:], hash)
		e.At = time.UnixMilli(at).UTC()
		out = append(out, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list erasures: %w", err)
	}
	return out, nil
}

// Rewrite implements run.Store.
func (db *DB) Rewrite(ctx context.Context, o owner.Owner, w run.Rewrite) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.w.submit(ctx, func(t *tx) error {
		if len(w.Undone) == 0 { // what was taken back stays in the archive
			t.erases = true
		}
		if err := t.undo(o, &w); err != nil {
			return err
		}
		for i := range w.Messages {
			if err := t.rewriteMessage(o, &w.Messages[i]); err != nil {
				return err
			}
		}
		for i := range w.Sessions {
			s := &w.Sessions[i]
			if _, err := t.exec(rewriteSession,
				null(s.Title), titleSource(s.Title, s.TitleSource), null(s.SystemPrompt), null(s.Summary), null(s.UserID), s.TailFrom, s.LineageTokens, o.ID(), string(s.ID)); err != nil {
				return fmt.Errorf("rewrite session: %w", err)
			}
			if s.Title == "" {
				if err := t.untitled(o, s.ID); err != nil {
					return err
				}
			}
		}
		for i := range w.Scopes {
			if err := t.replaceFacts(o, &w.Scopes[i]); err != nil {
				return err
			}
		}
		if e := w.Erased; e != nil {
			if _, err := t.exec(`INSERT OR REPLACE INTO erasures (owner_id, hash, words, erased_at) VALUES (?,?,?,?)`,
				o.ID(), e.Hash[:], e.Words, millis(e.At)); err != nil {
				return fmt.Errorf("keep erasure: %w", err)
			}
		}
		for _, needle := range w.Outcomes {
			if _, err := t.exec(`DELETE FROM requests WHERE owner_id = ? AND instr(lower(outcome), ?) > 0`, o.ID(), string(needle)); err != nil {
				return fmt.Errorf("erase outcomes: %w", err)
			}
			if _, err := t.exec(`UPDATE job_runs SET output = NULL, error = NULL WHERE owner_id = ?1 AND instr(lower(coalesce(output, '') || ' ' || coalesce(error, '')), ?2) > 0`,
				o.ID(), string(needle)); err != nil {
				return fmt.Errorf("erase outputs: %w", err)
			}
		}
		return t.forgetRuns(o, w.Outcomes)
	})
}

const rewriteSession = `UPDATE sessions SET title = ?, title_source = ?, system_prompt = ?, summary = ?, user_id = ?, tail_from = ?, lineage_tokens = ?
	WHERE owner_id = ? AND id = ?`

// undo marks messages as taken back, and takes their facts away.
func (t *tx) undo(o owner.Owner, w *run.Rewrite) error {
	for _, u := range w.Undone {
		if _, err := t.exec(`UPDATE messages SET undone_at = ? WHERE owner_id = ? AND root_id = ? AND seq >= ? AND undone_at IS NULL`,
			millis(u.At), o.ID(), string(u.Root), u.From); err != nil {
			return fmt.Errorf("mark messages: %w", err)
		}
		if _, err := t.exec(`DELETE FROM facts WHERE owner_id = ? AND root_id = ? AND seq >= ?`, o.ID(), string(u.Root), u.From); err != nil {
			return fmt.Errorf("delete facts: %w", err)
		}
		if err := t.dropStudied(o, u.Root, u.From); err != nil {
			return err
		}
	}
	const relink = `UPDATE facts SET superseded_by = ?, superseded_at = ?, links = ? WHERE owner_id = ? AND root_id = ? AND seq = ? AND id = ?`
	for i := range w.Relinked {
		f := &w.Relinked[i]
		links, err := linksOf(f)
		if err != nil {
			return err
		}
		if _, err := t.exec(relink, null(f.SupersededBy), millis(f.SupersededAt), links, o.ID(), string(f.Source.Root), f.Source.Seq, string(f.ID)); err != nil {
			return fmt.Errorf("relink fact: %w", err)
		}
	}
	return nil
}

// rewriteMessage gives a message another text, in the text index, too.
func (t *tx) rewriteMessage(o owner.Owner, m *session.Message) error {
	const update = `UPDATE messages SET content = ?, tool_calls = ?, wire = ?, name = ? WHERE owner_id = ? AND root_id = ? AND seq = ?`
	var id int64
	err := t.row(`SELECT id FROM messages WHERE owner_id = ? AND root_id = ? AND seq = ?`, o.ID(), string(m.RootID), m.Seq).Scan(&id)
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for message: %w", err)
	}
	if err := t.unindex(id); err != nil {
		return err
	}
	if _, err := t.exec(update, m.Content, nullBytes(m.ToolCalls), nullBytes(m.Wire), null(m.Name), o.ID(), string(m.RootID), m.Seq); err != nil {
		return fmt.Errorf("rewrite message: %w", err)
	}
	if err := t.dropVector(o, m); err != nil {
		return err
	}
	return t.index(id)
}

// replaceFacts gives a scope other facts.
func (t *tx) replaceFacts(o owner.Owner, s *run.ScopeFacts) error {
	query, arg := `DELETE FROM facts WHERE owner_id = ? AND root_id = ? AND session_key IS NULL`, string(s.Scope.Root)
	if s.Scope.Key != "" {
		query, arg = `DELETE FROM facts WHERE owner_id = ? AND session_key = ?`, string(s.Scope.Key)
	}
	if _, err := t.exec(query, o.ID(), arg); err != nil {
		return fmt.Errorf("delete facts: %w", err)
	}
	for i := range s.Facts {
		f := &s.Facts[i]
		var key sql.NullString
		var recorded int64
		err := t.row(`SELECT session_key, recorded_at FROM messages WHERE owner_id = ? AND root_id = ? AND seq = ?`,
			o.ID(), string(f.Source.Root), f.Source.Seq).Scan(&key, &recorded)
		if err != nil {
			return fmt.Errorf("find a fact's message: %w", err)
		}
		if key.String != string(s.Scope.Key) {
			continue // said under a key: it belongs to that scope, and is seen from here
		}
		if f.By != "" {
			if recorded, err = t.acceptedAt(o, f, recorded); err != nil {
				return err
			}
		}
		from := session.Message{Key: s.Scope.Key, RecordedAt: time.UnixMilli(recorded)}
		if err := t.insertFact(o, &from, f); err != nil {
			return err
		}
	}
	return t.dropFindings(o, &s.Scope)
}

// Traces implements run.Store. The log is emptied first, so that what it still
// held of deleted rows is gone, and the index lets go of its deleted terms.
func (db *DB) Traces(ctx context.Context, needles [][]byte) ([]run.Trace, error) {
	err := db.w.submit(ctx, func(t *tx) error {
		t.erases = true
		_, err := t.exec(`INSERT INTO messages_fts(messages_fts) VALUES ('optimize')`)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("clean the index: %w", err)
	}
	return scanHome(db.guard, filepath.Dir(db.opt.Path), needles)
}

// scanHome searches every file of the data directory. The database's own files
// are read through the guard's descriptors: closing another one here would drop
// SQLite's locks on them.
func scanHome(g *guard, home string, needles [][]byte) ([]run.Trace, error) {
	var out []run.Trace
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		var in io.Reader
		if held := g.file(path); held != nil {
			in = io.NewSectionReader(held, 0, 1<<62)
		} else {
			f, err := os.Open(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			in = f
		}
		name, err := filepath.Rel(home, path)
		if err != nil {
			return err
		}
		t := run.Trace{File: name}
		t.Bytes, t.Hits, err = countIn(in, needles)
		out = append(out, t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", home, err)
	}
	return out, nil
}

// countIn counts the needles in a stream, whatever the case of letters.
func countIn(in io.Reader, needles [][]byte) (size int64, hits int, err error) {
	longest := 1
	for _, n := range needles {
		longest = max(longest, len(n))
	}
	buf, low := make([]byte, 0, 1<<20), make([]byte, 0, 1<<20)
	for {
		keep := min(len(buf), longest-1) // a needle may lie across two reads
		copy(buf, buf[len(buf)-keep:])
		n, err := in.Read(buf[keep:cap(buf)])
		buf = buf[:keep+n]
		size += int64(n)
		low = lower(low[:0], buf)
		for _, needle := range needles {
			for at := 0; ; at++ {
				i := bytes.Index(low[at:], needle)
				if i < 0 {
					break
				}
				if at += i; at+len(needle) > keep { // not counted with the last read
					hits++
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return size, hits, nil
		}
		if err != nil {
			return size, hits, err
		}
	}
}

// lower appends b in small letters, position for position: a letter whose small
// form has another length stays as it is, and so does what is no text.
func lower(to, b []byte) []byte {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if small := unicode.ToLower(r); small != r && utf8.RuneLen(small) == size {
			to = utf8.AppendRune(to, small)
		} else {
			to = append(to, b[i:i+size]...)
		}
		i += size
	}
	return to
}
