package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// lookEach is how often a waiting turn looks whether its place is free, if no notification
// comes.
const lookEach = time.Second

// settleEach is how often it is looked whether places have been left.
const settleEach = 100 * time.Millisecond

// ticket is a place in the queue of a place.
type ticket struct {
	owner, name, node string
	draw              string // by which the ticket is found if nobody knows its number
	number            int64
	more              func(*pgx.Batch) // queries that follow the look at the queue
}

const (
	// drawTicket locks the row of the place before it takes a number.
	drawTicket = `WITH p AS (INSERT INTO places (owner_id, name, drawn) VALUES ($1, $2, now())
		ON CONFLICT (owner_id, name) DO UPDATE SET drawn = excluded.drawn RETURNING owner_id, name)
		INSERT INTO tickets (owner_id, name, node_id, draw) SELECT owner_id, name, $3, $4 FROM p RETURNING ticket`
	// firstTicket is the holder's, with whether the time of its node is over.
	firstTicket = `SELECT t.ticket, n.until <= now() FROM tickets t JOIN nodes n USING (node_id) WHERE t.owner_id = $1 AND t.name = $2 ORDER BY t.ticket LIMIT 1`
	// bury waits for writes of the dead nodes that are under way.
	bury = `DELETE FROM nodes WHERE until <= now()`
	// passOn deletes a ticket, and wakes those who wait behind it.
	passOn = `WITH gone AS (DELETE FROM tickets WHERE owner_id = $1 AND name = $2 AND draw = $3 RETURNING ticket)
		SELECT pg_notify('` + channel + `', $4) FROM gone WHERE EXISTS (SELECT FROM tickets WHERE owner_id = $1 AND name = $2 AND draw <> $3)`
)

// Hold implements lineage.Shared.
func (db *DB) Hold(ctx context.Context, o owner.Owner, place string) (leave func(), err error) {
	return db.holdWith(ctx, o, place, func(*pgx.Batch) {})
}

// HoldTurn implements lineage.Shared.
func (db *DB) HoldTurn(ctx context.Context, o owner.Owner, t lineage.Turn) (leave func(), at lineage.Standing, err error) {
	var tipErr, stateErr error
	leave, err = db.holdWith(ctx, o, t.Place, func(b *pgx.Batch) {
		at = lineage.Standing{Scope: t.Scope, State: memory.ScopeState{Version: memory.Unwritten}}
		if t.Session != "" {
			queueRow(b, func(got scanner) error {
				at.Tip, tipErr = scanSession(got)
				at.Found = tipErr == nil
				return nil
			}, selectTip, o.ID(), string(t.Session))
		}
		name, _ := nameOf(t.Scope)
		queueRow(b, func(got scanner) error {
			at.State, stateErr = scanState(got)
			return nil
		}, selectState, o.ID(), name.key, name.root)
	})
	if fault.KindOf(tipErr) == fault.NotFound {
		tipErr = nil
	}
	if err == nil {
		err = errors.Join(tipErr, stateErr)
		if err != nil {
			leave()
		}
	}
	return leave, at, err
}

// holdWith holds a place, and makes more queries in the round trip in which the place is taken.
// more adds them; it may be called several times, and the last time counts.
func (db *DB) holdWith(ctx context.Context, o owner.Owner, place string, more func(*pgx.Batch)) (leave func(), err error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	id, err := db.node.hold(ctx)
	if err != nil {
		return nil, err
	}
	t := &ticket{owner: o.ID(), name: placeName(place), node: id, draw: randomHex(), more: more}
	if err := db.enter(ctx, t); err != nil {
		db.exit(context.WithoutCancel(ctx), t)
		return nil, err
	}
	return func() { db.exit(context.WithoutCancel(ctx), t) }, nil
}

// placeName is a place as it is stored: ids of clients may be long.
func placeName(place string) string {
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:16])
}

// topic is what those who wait for a place are woken by.
func (t *ticket) topic() string { return placeName(t.owner + "\x00" + t.name) }

// enter draws a ticket and waits until it is the first one.
func (db *DB) enter(ctx context.Context, t *ticket) error {
	mine, err := db.draw(ctx, t)
	if mine || err != nil {
		return err
	}
	w := db.topics.join(t.topic(), t.number)
	defer db.topics.leave(t.topic(), w)
	tick := time.NewTicker(lookEach)
	defer tick.Stop()
	for {
		if db.topics.first(t.topic(), w) {
			if mine, err = db.isFirst(ctx, t); mine || err != nil {
				return err
			}
		}
		select {
		case <-w.woken:
		case <-tick.C:
		case <-ctx.Done():
			return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for its session.", ctx.Err())
		}
	}
}

// draw takes a ticket and reports whether it is the first one, in one round trip. The second
// statement sees all tickets with smaller numbers: the row of the place is locked. A client
// that leaves meanwhile does not cut the connection.
func (db *DB) draw(ctx context.Context, t *ticket) (mine bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connPatience)
	defer cancel()
	batch := &pgx.Batch{}
	queueRow(batch, func(row scanner) error { return row.Scan(&t.number) }, drawTicket, t.owner, t.name, t.node, t.draw)
	queueRow(batch, func(row scanner) error {
		var first int64
		var dead bool
		err := row.Scan(&first, &dead)
		mine = first == t.number
		return err
	}, firstTicket, t.owner, t.name)
	t.more(batch)
	err = db.pool.SendBatch(ctx, batch).Close()
	if isForeignKey(err) {
		db.node.lose(t.node)
		return false, errAway()
	}
	if errors.Is(err, context.DeadlineExceeded) { // that of this wait, whatever the client's is
		err = errUnreachable(err)
	}
	if err != nil {
		return false, fmt.Errorf("draw a ticket: %w", judge(err))
	}
	return mine, nil
}

// isFirst reports whether a ticket is the first one of its place. Dead nodes in front of it
// are buried.
func (db *DB) isFirst(ctx context.Context, t *ticket) (bool, error) {
	for range attempts {
		first, dead, err := db.look(ctx, t)
		switch {
		case isNoRows(err) || err == nil && first > t.number: // the ticket is gone, and its node with it
			db.node.lose(t.node)
			return false, errAway()
		case err != nil:
			return false, fmt.Errorf("look at a queue: %w", judge(err))
		case !dead:
			return first == t.number, nil
		}
		if _, err := db.pool.Exec(ctx, bury); err != nil {
			return false, fmt.Errorf("bury a node: %w", judge(err))
		}
	}
	return false, nil
}

// look reads which ticket is the first one, and what is read with it.
func (db *DB) look(ctx context.Context, t *ticket) (first int64, dead bool, err error) {
	batch := &pgx.Batch{}
	var found error
	queueRow(batch, func(row scanner) error {
		found = row.Scan(&first, &dead)
		return nil
	}, firstTicket, t.owner, t.name)
	t.more(batch)
	if err := db.pool.SendBatch(ctx, batch).Close(); err != nil {
		return 0, false, err
	}
	return first, dead, found
}

// exit gives a ticket back. If the database cannot be reached, that is tried again until it can.
func (db *DB) exit(ctx context.Context, t *ticket) {
	defer db.node.drop()
	if err := db.giveBack(ctx, t); err != nil {
		db.node.owe(t)
	}
}

func (db *DB) giveBack(ctx context.Context, t *ticket) error {
	ctx, cancel := context.WithTimeout(ctx, connPatience)
	defer cancel()
	_, err := db.pool.Exec(ctx, passOn, t.owner, t.name, t.draw, aboutPlace+t.topic())
	return err
}

// newestTicket is the newest ticket of an owner; 0 for none. ticketsUpTo are those up to one that are
// still there, and whether the time of a node that holds one is over.
const (
	newestTicket = `SELECT coalesce(max(ticket), 0) FROM tickets WHERE owner_id = ?`
	ticketsUpTo  = `SELECT count(*), coalesce(bool_or(n.until <= now()), false) FROM tickets t JOIN nodes n USING (node_id)
		WHERE t.owner_id = ? AND t.ticket <= ?`
)

// Settle implements lineage.Shared.
func (db *DB) Settle(ctx context.Context, o owner.Owner) error {
	var newest int64
	if err := db.row(ctx, newestTicket, o.ID()).Scan(&newest); err != nil {
		return fmt.Errorf("look for tickets: %w", err)
	}
	tick := time.NewTicker(settleEach)
	defer tick.Stop()
	for {
		var left int
		var dead bool
		if err := db.row(ctx, ticketsUpTo, o.ID(), newest).Scan(&left, &dead); err != nil {
			return fmt.Errorf("look for tickets: %w", err)
		}
		if left == 0 {
			return nil
		}
		if dead {
			if _, err := db.pool.Exec(ctx, bury); err != nil {
				return fmt.Errorf("bury a node: %w", judge(err))
			}
			continue
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for turns under way.", ctx.Err())
		}
	}
}

const selectState = `SELECT id, version, edition FROM scopes WHERE owner_id = ? AND session_key = ? AND root_id = ?`

func scanState(row scanner) (memory.ScopeState, error) {
	var s memory.ScopeState
	err := row.Scan(&s.Scope, &s.Version, &s.Edition)
	if isNoRows(err) {
		return memory.ScopeState{Version: memory.Unwritten}, nil
	}
	if err != nil {
		return s, fmt.Errorf("read the state of a scope: %w", err)
	}
	return s, nil
}

// State implements lineage.Shared.
func (db *DB) State(ctx context.Context, o owner.Owner, scope memory.Scope) (memory.ScopeState, error) {
	name, found := nameOf(scope)
	if !found {
		return memory.ScopeState{Version: memory.Unwritten}, nil
	}
	return scanState(db.row(ctx, selectState, o.ID(), name.key, name.root))
}

var _ lineage.Shared = (*DB)(nil)
