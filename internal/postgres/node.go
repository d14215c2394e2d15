package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	// nodeLease is how long a node that does not renew its row may hold anything. It counts
	// on the database's clock.
	nodeLease = 15 * time.Second
	// renewEach is how often a node renews its row.
	renewEach = time.Second
	// rejoinPatience is how long a turn waits for a node that has lost its row.
	rejoinPatience = 5 * time.Second
	// joinPatience is how long joining waits for a move of the database, which lets no node join.
	joinPatience = "5s"
)

// node is this process among those that share the database. All that it holds ends when its
// row ends: after a sleep of the machine, or while the database cannot be reached for too
// long. What it held is then used up to its end, and each write of it is refused. Only when
// nothing is held does the node join again, with a new row.
type node struct {
	db          *DB
	name, place string

	mu     sync.Mutex
	id     string        // of the row; "" while there is none
	nodes  int           // how many share the database, at the newest renewal
	held   int           // tickets that are held or waited for
	joined chan struct{} // closed when there is a row again
	owed   []*ticket     // those that could not be given back
}

// randomHex is a name that nobody else has.
func randomHex() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// join makes the node's row. That of an earlier process of the same place goes: the process is
// gone, too.
func (n *node) join(ctx context.Context) error {
	id := randomHex()
	err := pgx.BeginFunc(ctx, n.db.pool, func(t pgx.Tx) error {
		// The bound comes first: preparing a statement waits for the lock, too.
		if _, err := t.Exec(ctx, `SET LOCAL lock_timeout = '`+joinPatience+`'`); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, `DELETE FROM nodes WHERE place = $1`, n.place); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `INSERT INTO nodes (node_id, place, name, until) VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
			id, n.place, n.name, nodeLease.Seconds())
		return err
	})
	if codeOf(err) == lockNotAvailable {
		return errMoving(err)
	}
	if err != nil {
		return fmt.Errorf("join the nodes: %w", judge(err))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.id = id
	close(n.joined)
	return nil
}

// run renews the node's row until ctx ends.
func (n *node) run(ctx context.Context) {
	tick := time.NewTicker(renewEach)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := n.renew(ctx); err != nil && ctx.Err() == nil {
			n.db.log.Warn("the node could not renew its lease", "err", err)
			continue
		}
		n.payBack(ctx)
	}
}

// renew renews the row, or makes another one once nothing is held under the old one.
func (n *node) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, nodeLease/3)
	defer cancel()
	n.mu.Lock()
	id, idle := n.id, n.held == 0
	n.mu.Unlock()
	if id == "" {
		if !idle {
			return nil
		}
		return n.join(ctx)
	}
	began := time.Now()
	var there time.Time
	var nodes int
	err := n.db.pool.QueryRow(ctx, renewNode, id, nodeLease.Seconds()).Scan(&there, &nodes)
	if isNoRows(err) {
		n.lose(id)
		return nil
	}
	if err != nil {
		return judge(err)
	}
	n.db.clock.follow(began, there)
	n.mu.Lock()
	n.nodes = nodes
	n.mu.Unlock()
	return nil
}

// renewNode also reads the clock, and counts the nodes.
const renewNode = `UPDATE nodes SET until = now() + make_interval(secs => $2) WHERE node_id = $1
	RETURNING clock_timestamp(), (SELECT count(*) FROM nodes WHERE until > now() OR node_id = $1)`

// lose notes that another node has deleted the row.
func (n *node) lose(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.id != id {
		return
	}
	n.id, n.joined = "", make(chan struct{})
	n.db.log.Error("this node was away for too long: another one may go on with its turns, and what this one writes of them is refused", "node", n.name)
}

// leave deletes the row: what the node held is free at once.
func (n *node) leave(ctx context.Context) {
	n.mu.Lock()
	id := n.id
	n.id, n.joined = "", make(chan struct{})
	n.mu.Unlock()
	if _, err := n.db.pool.Exec(ctx, `DELETE FROM nodes WHERE node_id = $1`, id); err != nil {
		n.db.log.Warn("the node could not leave; what it held is free in a moment", "err", err)
	}
}

// owe notes a ticket that could not be given back.
func (n *node) owe(t *ticket) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owed = append(n.owed, t)
}

// payBack gives back the tickets that are owed.
func (n *node) payBack(ctx context.Context) {
	n.mu.Lock()
	owed := n.owed
	n.owed = nil
	n.mu.Unlock()
	for _, t := range owed {
		if err := n.db.giveBack(ctx, t); err != nil {
			n.owe(t)
		}
	}
}

// hold counts a ticket, and returns the row under which it is drawn. The caller calls drop.
func (n *node) hold(ctx context.Context) (id string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, rejoinPatience, errAway())
	defer cancel()
	for {
		n.mu.Lock()
		if n.id != "" {
			n.held++
			defer n.mu.Unlock()
			return n.id, nil
		}
		joined := n.joined
		n.mu.Unlock()
		select {
		case <-joined:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// drop ends a ticket.
func (n *node) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held--
}

// current is the node's row; "" while there is none.
func (n *node) current() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.id
}

// errAway is the fault of a node whose row is gone.
func errAway() error {
	f := fault.New(fault.Unavailable, "node_away", "This server was away for too long, and another one may have gone on with its work: nothing was stored. Try again.")
	f.RetryAfter = time.Second
	return f
}

// errMoving is the fault of a node that would join while the database is moved.
func errMoving(err error) error {
	return fault.Wrap(fault.Unavailable, "database_moving",
		"The database is being moved by hermes migrate, and takes no server until that is done. Start the server again then.", err)
}

// lookAtNode divides by zero if the node's row is gone or its time is over.
const lookAtNode = `SELECT 1 / count(*) FROM (SELECT FROM nodes WHERE node_id = ? AND until > now() FOR KEY SHARE) n`

// standing makes a transaction fail if the node's row is gone or its time is over. The row
// cannot be deleted before the transaction ends.
func (t *tx) standing(n *node) {
	if n == nil {
		return
	}
	t.must("look at the node", errAway(), lookAtNode, n.current())
}

// Nodes counts the nodes that share the database, as they were a second ago.
func (db *DB) Nodes() int {
	db.node.mu.Lock()
	defer db.node.mu.Unlock()
	return max(db.node.nodes, 1)
}

// meet notes that another node is there, before the next renewal counts it.
func (n *node) meet() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.nodes = max(n.nodes, 2)
}

// NodeName names this node to anybody, without the name of its machine. It stays the same over
// restarts.
func (db *DB) NodeName() string { return placeName(db.node.place)[:8] }

// away says that this node has lost its row, and takes no turns until it has another one.
func (n *node) away() bool { return n != nil && n.current() == "" }
