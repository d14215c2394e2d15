package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// searchTime is the timeout for searching the index. The messages found until then are
// ranked.
const searchTime = 500 * time.Millisecond

// Search implements search.Store.
func (db *DB) Search(ctx context.Context, o owner.Owner, r search.Request) (search.Found, error) {
	if !r.Scope.Valid() || r.Query.Root == nil {
		return search.Found{}, errors.New("search without a scope or without a query")
	}
	if err := db.searches.Enter(ctx, o.ID(), 1); err != nil {
		return search.Found{}, err
	}
	defer db.searches.Leave(o.ID(), 1)
	limited, cancel := context.WithTimeout(ctx, db.opt.SearchTime)
	defer cancel()
	s := searching{db: db, ctx: limited, owner: o, r: r, Gathering: search.Gather(search.NewChecker(r))}
	switch err := s.run(); {
	case err == nil:
	case ctx.Err() != nil:
		return search.Found{}, ctx.Err()
	case limited.Err() == nil:
		return search.Found{}, err
	case s.Len() == 0:
		return search.Found{}, fault.New(fault.Invalid, "invalid_query",
			"The search found nothing within its time: the query matches too much, or the database is busy. Use rarer or longer words, look in one session only, or try again.").At("q")
	default:
		s.partial = true
	}
	hits, err := db.withTips(ctx, o, s.Hits())
	return search.Found{Hits: hits, Partial: s.partial}, err
}

// searching is a search under way.
type searching struct {
	*search.Gathering
	db    *DB
	ctx   context.Context
	owner owner.Owner
	r     search.Request

	where   string // conditions on a message m
	args    []any  // arguments of where
	oldest  int64  // the last message read
	partial bool
}

// matchColumns are the columns of a message that is ranked.
const matchColumns = `SELECT m.id, m.session_id, m.root_id, m.seq, m.role, m.said_at, m.content FROM messages m WHERE `

// run collects the messages to rank.
func (s *searching) run() error {
	s.filter()
	more, err := s.collect(s.ctx, matchColumns+s.where+` ORDER BY m.id DESC LIMIT ?`, append(s.args[:len(s.args):len(s.args)], search.ReadAtOnce+1)...)
	if err != nil || !more {
		return err
	}
	s.partial = true
	if !s.Widen() {
		return nil
	}
	return s.widen()
}

// filter makes the conditions on messages.
func (s *searching) filter() {
	var b strings.Builder
	add := func(cond string, args ...any) {
		b.WriteString(cond)
		s.args = append(s.args, args...)
	}
	add(`m.owner_id = ? AND m.terms @@ ?::tsquery AND m.undone_at IS NULL AND coalesce(m.note, '') <> ALL(?::text[])`,
		s.owner.ID(), matchOf(s.db.tagOf(s.owner), s.r.Query), []string{session.EchoNote, session.FoundNote, session.AsideNote})
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

// ask runs a query that is planned for its arguments: how to search depends on the words.
func (s *searching) ask(ctx context.Context, query string, args []any) (*rows, error) {
	return queryOn(ctx, s.db.pool, query, append([]any{pgx.QueryExecModeCacheDescribe}, args...))
}

// collect reads and ranks messages. more says that others may follow.
func (s *searching) collect(ctx context.Context, query string, args ...any) (more bool, err error) {
	rows, err := s.ask(ctx, query, args)
	if err != nil {
		return false, fmt.Errorf("search: %w", err)
	}
	defer rows.Close()
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

// widen reads older messages of lineages without a match so far.
func (s *searching) widen() error {
	until, _ := s.ctx.Deadline()                                       // the context has a deadline
	looking, cancel := context.WithTimeout(s.ctx, time.Until(until)/2) // the rest is for reading them
	defer cancel()
	ids, err := s.unseen(looking)
	if err != nil && looking.Err() == nil {
		return err
	}
	// In the order of the table, old messages would take the place of newer ones.
	_, err = s.collect(s.ctx, matchColumns+`m.owner_id = ? AND m.id = ANY(?) ORDER BY m.id DESC`, s.owner.ID(), ids)
	return err
}

// unseen finds older messages of further lineages, until there are enough or the time is
// over.
func (s *searching) unseen(ctx context.Context) ([]int64, error) {
	const older = `SELECT m.id, m.root_id FROM messages m WHERE `
	rows, err := s.ask(ctx, older+s.where+` AND m.id < ? ORDER BY m.id DESC LIMIT ?`,
		append(s.args[:len(s.args):len(s.args)], s.oldest, search.ScanAtOnce))
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer rows.Close()
	ids := []int64{}
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
