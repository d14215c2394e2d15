package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// This file lists what has changed for the transcripts in files. Each function that changes
// sessions, messages or chats notes it in the transaction, and the writer lists the notes
// before its commit. A test compares the list with what triggers see.

// transcriptName names a session; its id is "" for the chats of the owner.
type transcriptName struct{ owner, session string }

// transcriptNumbers are the numbers of an entry of the list; see transcript.Change.
type transcriptNumbers struct{ number, rewritten int64 }

// transcriptList has the numbers of the entries that this process has made: an entry that is
// there is not written again at each change. Only the writer changes it.
type transcriptList struct {
	mu sync.Mutex
	by map[transcriptName]transcriptNumbers
}

func newTranscriptList() *transcriptList {
	return &transcriptList{by: make(map[transcriptName]transcriptNumbers)}
}

// mostListed is how many entries the list has at most; further ones are written each time.
const mostListed = 4096

// of are the numbers of an entry; stored if the list does not have it.
func (l *transcriptList) of(name transcriptName, stored transcriptNumbers) transcriptNumbers {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.by[name]; ok {
		return n
	}
	return stored
}

// commit takes over what a transaction has done to the list.
func (l *transcriptList) commit(t *tx) {
	if len(t.relisted)+len(t.unlisted) == 0 && !t.listsAll {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.listsAll {
		clear(l.by)
	}
	for name := range t.unlisted {
		delete(l.by, name)
	}
	for name, n := range t.relisted {
		if _, ok := l.by[name]; ok || len(l.by) < mostListed {
			l.by[name] = n
		}
	}
}

// transcriptChanged notes that a session was changed or deleted. rewritten says that
// messages that were there before have changed.
func (t *tx) transcriptChanged(o owner.Owner, id session.ID, rewritten bool) {
	if t.w.changed == nil {
		return
	}
	if t.transcripts == nil {
		t.transcripts = make(map[transcriptName]bool)
	}
	name := transcriptName{o.ID(), string(id)}
	t.transcripts[name] = rewritten || t.transcripts[name]
}

// chatsChanged notes that a chat was changed or deleted.
func (t *tx) chatsChanged(o owner.Owner) { t.transcriptChanged(o, "", false) }

// lineageChanged notes that all sessions of a lineage were changed or deleted.
func (t *tx) lineageChanged(o owner.Owner, root session.ID) error {
	if t.w.changed == nil {
		return nil
	}
	err := t.rows(func(rows *sql.Rows) error {
		var id session.ID
		if err := rows.Scan(&id); err != nil {
			return err
		}
		t.transcriptChanged(o, id, true)
		return nil
	}, `SELECT id FROM sessions WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root))
	if err != nil {
		return fmt.Errorf("note a changed lineage: %w", err)
	}
	return nil
}

// listTranscripts lists the noted changes.
func (t *tx) listTranscripts() error {
	const list = `INSERT INTO transcript_changes (owner_id, session_id, number, rewritten) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT DO UPDATE SET number = ?3, rewritten = max(rewritten, ?4) RETURNING rewritten`
	for name, rewritten := range t.transcripts {
		t.w.changes++
		before := t.w.listed.of(name, transcriptNumbers{})
		n := transcriptNumbers{t.w.changes, before.rewritten}
		if rewritten {
			n.rewritten = n.number
		}
		if before.number == 0 || t.unlisted[name] || t.listsAll { // otherwise its entry is there
			if err := t.row(list, name.owner, name.session, n.number, n.rewritten).Scan(&n.rewritten); err != nil {
				return fmt.Errorf("list a changed transcript: %w", err)
			}
		}
		if t.relisted == nil {
			t.relisted = make(map[transcriptName]transcriptNumbers)
		}
		t.relisted[name] = n
	}
	return nil
}

// resumeTranscripts returns the number of the newest listed change. The files of what is
// listed are in an unknown state: the process before may have ended while it wrote them.
// Without transcripts nothing stays listed, and the files are of no use any more.
func (db *DB) resumeTranscripts(ctx context.Context, conn *sql.Conn) (newest int64, err error) {
	query := `SELECT coalesce(max(number), 0) FROM transcript_changes`
	steps := []string{`UPDATE transcript_changes SET rewritten = number WHERE rewritten <> number`}
	switch {
	case db.opt.Move != storage.NotMoved:
		steps = nil
	case db.opt.Transcripts == nil:
		steps = []string{`DELETE FROM transcript_changes`, `DELETE FROM meta WHERE name = 'transcripts'`}
	}
	for _, step := range steps {
		if _, err := conn.ExecContext(ctx, step); err != nil {
			return 0, fmt.Errorf("take up the list of transcripts: %w", err)
		}
	}
	if err := conn.QueryRowContext(ctx, query).Scan(&newest); err != nil {
		return 0, fmt.Errorf("read the list of transcripts: %w", err)
	}
	if slices.Contains(db.lost, "transcript_changes") { // no position is right then
		_, err = conn.ExecContext(ctx, `DELETE FROM meta WHERE name = 'transcripts'`)
	}
	return newest, err
}

// TranscriptChanges implements transcript.Store.
func (db *DB) TranscriptChanges(ctx context.Context, limit int) ([]transcript.Change, error) {
	return rowsOf(ctx, db, func(rows *sql.Rows) (transcript.Change, error) {
		var c transcript.Change
		var id string
		var stored transcriptNumbers
		err := rows.Scan(&id, &c.ID, &stored.number, &stored.rewritten, &c.Led)
		n := db.w.listed.of(transcriptName{id, string(c.ID)}, stored)
		c.Owner, c.Number, c.Rewritten = owner.Stored(id), n.number, n.rewritten
		return c, err
	}, `SELECT owner_id, session_id, number, rewritten, EXISTS (SELECT 1 FROM chats c WHERE c.owner_id = t.owner_id)
		FROM transcript_changes t LIMIT 0+?`, limit)
}

// SettleTranscripts implements transcript.Store.
func (db *DB) SettleTranscripts(ctx context.Context, list []transcript.Change) (position int64, err error) {
	err = db.w.submit(ctx, func(t *tx) error {
		for i := range list {
			if err := t.unlist(&list[i]); err != nil {
				return err
			}
		}
		position, err = t.settled()
		return err
	})
	return position, err
}

// unlist takes an entry off the list, unless there were later changes.
func (t *tx) unlist(c *transcript.Change) error {
	name := transcriptName{c.Owner.ID(), string(c.ID)}
	listed := t.w.listed.of(name, transcriptNumbers{})
	query, args := `DELETE FROM transcript_changes WHERE owner_id = ? AND session_id = ? AND number = ?`, []any{name.owner, name.session, c.Number}
	switch {
	case listed.number > c.Number:
		return nil
	case listed.number == c.Number: // the row may have an earlier number
		query, args = `DELETE FROM transcript_changes WHERE owner_id = ? AND session_id = ?`, args[:2]
	}
	gone, err := t.changes(query, args...)
	if err != nil {
		return fmt.Errorf("settle a transcript: %w", err)
	}
	if gone > 0 {
		if t.unlisted == nil {
			t.unlisted = make(map[transcriptName]bool)
		}
		t.unlisted[name] = true
	}
	return nil
}

// settled raises the position, and returns it.
func (t *tx) settled() (position int64, err error) {
	const count = `INSERT INTO meta (name, value) VALUES ('transcripts', '1')
		ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING CAST(value AS INTEGER)`
	if err := t.row(count).Scan(&position); err != nil {
		return 0, fmt.Errorf("count what was settled: %w", err)
	}
	return position, nil
}

// TranscriptPosition implements transcript.Store.
func (db *DB) TranscriptPosition(ctx context.Context) (position int64, err error) {
	st, err := db.read.stmt(ctx, `SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'transcripts'`)
	if err != nil {
		return 0, err
	}
	if err = st.QueryRowContext(ctx).Scan(&position); isNoRows(err) {
		return 0, nil
	}
	return position, err
}

// ListTranscripts implements transcript.Store.
func (db *DB) ListTranscripts(ctx context.Context) ([]owner.Owner, error) {
	err := db.w.submit(ctx, func(t *tx) error {
		t.w.changes++
		t.listsAll = true
		const all = `INSERT OR REPLACE INTO transcript_changes (owner_id, session_id, number, rewritten) SELECT owner_id, id, ?1, ?1 FROM sessions`
		if _, err := t.exec(all, t.w.changes); err != nil {
			return fmt.Errorf("list all transcripts: %w", err)
		}
		_, err := t.settled()
		return err
	})
	if err != nil {
		return nil, err
	}
	return rowsOf(ctx, db, func(rows *sql.Rows) (owner.Owner, error) {
		var id string
		err := rows.Scan(&id)
		return owner.Stored(id), err
	}, `SELECT DISTINCT owner_id FROM sessions`)
}

// routeColumns are of a session that a route leads to.
const routeColumns = `t.id, t.started_at, t.last_active, t.source, coalesce(t.user_id, ''), coalesce(t.title, '')`

const (
	// A chat leads to the tip of its session's lineage.
	chatRoutes = `SELECT ` + routeColumns + `, c.session_key, c.platform, c.account, c.chat_id, c.thread_id, c.type,
		coalesce(c.title, ''), coalesce(c.user_id, '')
		FROM chats c JOIN sessions s ON s.owner_id = c.owner_id AND s.id = c.session_id
		JOIN sessions t ON t.owner_id = s.owner_id AND t.root_id = s.root_id AND t.is_tip = 1
		WHERE c.owner_id = ? ORDER BY c.active_at DESC, c.platform, c.account, c.chat_id, c.thread_id`
	// Other session keys lead to the session that was last used.
	keyRoutes = `SELECT ` + routeColumns + `, t.session_key, '', '', '', '', '', '', '' FROM sessions t
		WHERE t.owner_id = ?1 AND t.is_tip = 1 AND t.session_key IS NOT NULL
		AND t.session_key NOT IN (SELECT session_key FROM chats WHERE owner_id = ?1)
		ORDER BY t.session_key, t.last_active DESC, t.started_at DESC, t.id DESC`
)

// EachRoute implements transcript.Store.
func (db *DB) EachRoute(ctx context.Context, o owner.Owner, each func(*transcript.Route) error) error {
	if err := db.eachRoute(ctx, o, chatRoutes, each); err != nil {
		return err
	}
	before := session.Key("")
	return db.eachRoute(ctx, o, keyRoutes, func(r *transcript.Route) error {
		if r.Key == before {
			return nil
		}
		before = r.Key
		return each(r)
	})
}

func (db *DB) eachRoute(ctx context.Context, o owner.Owner, query string, each func(*transcript.Route) error) error {
	rows, err := db.read.QueryContext(ctx, query, o.ID())
	if err != nil {
		return fmt.Errorf("read routes: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		r, err := scanRoute(rows)
		if err == nil {
			err = each(&r)
		}
		if err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read routes: %w", err)
	}
	return nil
}

func scanRoute(rows *sql.Rows) (transcript.Route, error) {
	var r transcript.Route
	var started, active int64
	var source, user, title string
	g := &r.Origin
	err := rows.Scan(&r.Session, &started, &active, &source, &user, &title, &r.Key,
		&g.Platform, &g.Account, &g.Chat, &g.Thread, &g.ChatType, &g.ChatName, &g.User)
	if err != nil {
		return r, fmt.Errorf("read a route: %w", err)
	}
	r.Started, r.Active = bound.FromMillis(started), bound.FromMillis(active)
	if r.Type = g.ChatType; r.Type == "" {
		g.Platform, g.User = source, user
		r.Name, r.Display = string(r.Key), title
	} else {
		r.Name, r.Display = gateway.RouteName(r.Key, g.Thread), g.ChatName
	}
	r.Platform = g.Platform
	return r, nil
}
