package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// searchTime is the timeout for searching the index. The messages found until then
	// are ranked.
	searchTime = 150 * time.Millisecond
	// indexPatience is how long a search waits for the index to catch up.
	indexPatience = 500 * time.Millisecond
	// few is how many matches are checked one by one for their scope. With more
	// matches, the index is queried for the scope.
	few = 1024
)

// Search implements search.Store.
func (db *DB) Search(ctx context.Context, o owner.Owner, r search.Request) (search.Found, error) {
	if !r.Scope.Valid() || r.Query.Root == nil {
		return search.Found{}, errors.New("search without a scope or without a query")
	}
	found, err := db.search(ctx, o, r)
	if harm, ok := errors.AsType[*harmedSearch](err); ok && db.heal(ctx, whyOf(harm.err), harm.emptied) == nil {
		found, err = db.search(ctx, o, r)
	}
	if harm, ok := errors.AsType[*harmedSearch](err); ok {
		return found, fault.Wrap(fault.Unavailable, "search_index_damaged",
			"The text index is damaged and is being made again. Try again shortly; `hermes doctor` says how it is.", harm.err)
	}
	return found, err
}

// harmedSearch is a search that found the index damaged. emptied is how often the index
// had been emptied before the search.
type harmedSearch struct {
	err     error
	emptied int
}

// Error implements error.
func (h *harmedSearch) Error() string { return h.err.Error() }

// search runs a search on a reserved connection.
func (db *DB) search(ctx context.Context, o owner.Owner, r search.Request) (search.Found, error) {
	behind, err := db.awaitIndex(ctx)
	if err != nil {
		return search.Found{}, err
	}
	if err := db.searches.Enter(ctx, o.ID(), 1); err != nil {
		return search.Found{}, err
	}
	defer db.searches.Leave(o.ID(), 1)
	limited, cancel := context.WithTimeout(ctx, db.opt.SearchTime)
	defer cancel()
	s := searching{Gathering: search.Gather(search.NewRanker(r)), db: db, ctx: limited, owner: o, r: r, partial: behind}
	emptied := db.indexer.times()
	switch err = s.found(s.run()); {
	case err == nil:
	case ctx.Err() != nil:
		return search.Found{}, ctx.Err()
	case db.harmed(ctx, err):
		return search.Found{}, &harmedSearch{err, emptied}
	case limited.Err() == nil:
		return search.Found{}, err
	case s.Len() == 0:
		return search.Found{}, fault.New(fault.Invalid, "invalid_query",
			"The search found nothing within its time: the query matches too much, or the machine is busy. Use rarer or longer words, look in one session only, or try again.").At("q")
	default:
		s.partial = true
	}
	hits, err := db.withTips(ctx, o, s.Hits())
	return search.Found{Hits: hits, Partial: s.partial}, err
}

// found is the outcome of a search. A search that finds nothing makes sure that the index
// finds anything.
func (s *searching) found(err error) error {
	if err != nil || s.partial || s.Len() > 0 {
		return err
	}
	why, err := s.db.blind(s.ctx)
	if err == nil && why != "" {
		err = errBlind{why}
	}
	return err
}

// errBlind says what the text index did not find, although it should have.
type errBlind struct{ why string }

// Error implements error.
func (e errBlind) Error() string { return e.why }

// awaitIndex waits a moment for the index to catch up, and reports whether it is still
// behind.
func (db *DB) awaitIndex(ctx context.Context) (behind bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, db.opt.IndexPatience)
	defer cancel()
	if err := db.indexer.wait(waiting); err != nil && ctx.Err() != nil {
		return true, ctx.Err()
	} else if err != nil {
		return true, nil
	}
	return false, nil
}

// searching is a search under way.
type searching struct {
	*search.Gathering
	db    *DB
	ctx   context.Context
	owner owner.Owner
	r     search.Request

	match   string // the query for the index
	where   string // further conditions on a message m
	args    []any  // arguments of where
	oldest  int64  // the last message read
	partial bool
}

// run collects the messages to rank.
func (s *searching) run() error {
	s.match = matchOf(s.r.Query)
	s.filter()
	if err := s.narrow(); err != nil {
		return err
	}
	const newest = `SELECT m.id, m.session_id, m.root_id, m.seq, m.role, m.said_at, m.content
		FROM messages_fts f CROSS JOIN messages m ON m.id = f.rowid
		WHERE f.messages_fts MATCH ? AND `
	more, err := s.collect(newest+s.where+` ORDER BY f.rowid DESC LIMIT 0+?`, append(append([]any{s.match}, s.args...), search.ReadAtOnce+1)...)
	if err != nil || !more {
		return err
	}
	s.partial = true
	return s.widen()
}

// filter adds the conditions on messages besides the query.
func (s *searching) filter() {
	var b strings.Builder
	add := func(cond string, args ...any) {
		b.WriteString(cond)
		s.args = append(s.args, args...)
	}
	add(`m.owner_id = ? AND m.undone_at IS NULL AND m.note IS NOT ? AND m.note IS NOT ? AND m.note IS NOT ?`,
		s.owner.ID(), session.EchoNote, session.FoundNote, session.AsideNote)
	if s.r.Scope.Root != "" {
		add(` AND m.root_id = ?`, string(s.r.Scope.Root))
	}
	if s.r.Scope.Key != "" {
		add(` AND m.session_key = ?`, string(s.r.Scope.Key))
	}
	if s.r.Role != "" {
		add(` AND m.role = ?`, string(s.r.Role))
	}
	if s.r.Source != "" {
		add(` AND EXISTS (SELECT 1 FROM sessions s WHERE s.owner_id = m.owner_id AND s.id = m.session_id AND s.source = ?)`, string(s.r.Source))
	}
	if !s.r.From.IsZero() {
		add(` AND m.said_at >= ?`, bound.Millis(s.r.From))
	}
	if !s.r.To.IsZero() {
		add(` AND m.said_at < ?`, bound.Millis(s.r.To))
	}
	s.where = b.String()
}

// narrow adds the scope to the query of the index, if there are many matches. That
// costs the index a lookup for every match. Without it, matches outside the scope are
// read and skipped.
func (s *searching) narrow() error {
	shared, err := s.shared()
	if err != nil {
		return err
	}
	marks := marksOf(s.owner, &s.r, shared)
	if marks == "" {
		return nil
	}
	n, err := s.count(`SELECT count(*) FROM (SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? LIMIT 0+?)`, s.match, few+1)
	if n > few {
		s.match += marks
	}
	return err
}

// others caches whether several owners have sessions. It only affects how the index is
// queried; rows of other owners are skipped in any case. So it may be out of date, and
// is rarely updated.
type others struct {
	there atomic.Bool
	alone atomic.Int64 // time until which the owner counts as the only one, in Unix nanoseconds
}

// aloneFor is how long the cached value is valid.
const aloneFor = time.Second

// shared reports whether other owners have sessions.
func (s *searching) shared() (bool, error) {
	o, now := &s.db.others, time.Now()
	if o.there.Load() || now.UnixNano() < o.alone.Load() {
		return o.there.Load(), nil
	}
	n, err := s.count(`SELECT coalesce((SELECT min(owner_id) FROM sessions) <> (SELECT max(owner_id) FROM sessions), 0)`)
	if err != nil {
		return false, err
	}
	o.there.Store(n > 0)
	o.alone.Store(now.Add(aloneFor).UnixNano())
	return n > 0, nil
}

func (s *searching) count(query string, args ...any) (n int, err error) {
	st, err := s.db.texts.stmt(s.ctx, query)
	if err != nil {
		return 0, err
	}
	if err := st.QueryRowContext(s.ctx, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count matches: %w", err)
	}
	return n, nil
}

// collect reads and ranks messages. more says that others may follow.
func (s *searching) collect(query string, args ...any) (more bool, err error) {
	st, err := s.db.texts.stmt(s.ctx, query)
	if err != nil {
		return false, err
	}
	rows, err := st.QueryContext(s.ctx, args...)
	if err != nil {
		return false, fmt.Errorf("search: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if s.Full() {
			return true, nil
		}
		var m search.Match
		var said int64
		var text string
		if err := rows.Scan(&m.MessageID, &m.SessionID, &m.Root, &m.Seq, &m.Role, &said, &text); err != nil {
			return false, fmt.Errorf("read match: %w", err)
		}
		m.SaidAt = bound.FromMillis(said)
		s.Offer(m, text)
		s.oldest = m.MessageID
	}
	if err := rows.Err(); err != nil {
		return false, fmt.Errorf("search: %w", err)
	}
	return false, nil
}

// widen reads older messages of lineages without a match so far: a lineage that
// mentions the topic everywhere must not hide the others.
func (s *searching) widen() error {
	if !s.Widen() {
		return nil
	}
	looking, cancel := context.WithTimeout(s.ctx, s.left()/2) // the rest is for reading them
	defer cancel()
	ids, err := s.unseen(looking)
	if err != nil && looking.Err() == nil {
		return err
	}
	return s.byID(ids)
}

// unseen finds older messages of further lineages, until there are enough or the time
// is over.
func (s *searching) unseen(ctx context.Context) ([]int64, error) {
	const older = `SELECT m.id, m.root_id FROM messages_fts f CROSS JOIN messages m ON m.id = f.rowid
		WHERE f.messages_fts MATCH ? AND f.rowid < ? AND `
	st, err := s.db.texts.stmt(ctx, older+s.where+` ORDER BY f.rowid DESC LIMIT 0+?`)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, append(append([]any{s.match, s.oldest}, s.args...), search.ScanAtOnce)...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ids []int64
	for rows.Next() {
		var id int64
		var root session.ID
		if err := rows.Scan(&id, &root); err != nil {
			return ids, fmt.Errorf("read match: %w", err)
		}
		if s.Choose(root) {
			ids = append(ids, id)
		}
	}
	if err := rows.Err(); err != nil {
		return ids, fmt.Errorf("search: %w", err)
	}
	return ids, nil
}

// left is the remaining time.
func (s *searching) left() time.Duration {
	until, _ := s.ctx.Deadline() // the context has a deadline
	return time.Until(until)
}

// byID reads and ranks messages by id.
func (s *searching) byID(ids []int64) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("encode ids: %w", err)
	}
	const byID = `SELECT m.id, m.session_id, m.root_id, m.seq, m.role, m.said_at, m.content
		FROM json_each(?) w CROSS JOIN messages m ON m.id = w.value WHERE m.owner_id = ?`
	_, err = s.collect(byID, string(list), s.owner.ID())
	return err
}
