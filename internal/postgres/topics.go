package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/news"
)

// channel is the channel of notifications between nodes. The first byte of a notification is
// its kind.
const channel = "hermes"

// The kinds of notifications.
const (
	aboutPlace = "p" // the topic follows
	aboutRun   = "r" // owner and id of a run follow, in JSON
	aboutOrder = "o" // a live.Order follows, in JSON
	aboutKey   = "k" // what no longer admits follows: the id of a key, or the name of a page token or of the development key
	aboutNews  = "n" // a dispatch follows, in JSON
)

// ears are the functions that hear of runs, keys and news; nil before Hear, HearRevoked and HearNews.
type ears struct {
	mu      sync.Mutex
	changed func(owner, id string)
	heed    func(live.Order)
	revoked func(id string)
	news    func(owner string, it news.Item)
	lost    func()
}

// HearRevoked calls revoked for each key that a node revokes, with [owner.TokenName] for each page
// token that a node deletes, and with [owner.DevelopmentName] when a node makes a key. It calls revoked
// with "" after news of keys may have been lost. It is called once. The function must not block.
func (db *DB) HearRevoked(revoked func(id string)) {
	db.ears.mu.Lock()
	defer db.ears.mu.Unlock()
	db.ears.revoked = revoked
}

// tellRevoked passes on that a key was revoked; "" for any.
func (db *DB) tellRevoked(id string) {
	db.ears.mu.Lock()
	revoked := db.ears.revoked
	db.ears.mu.Unlock()
	if revoked != nil {
		revoked(id)
	}
}

// Hear implements live.Shared.
func (db *DB) Hear(changed func(owner, id string), heed func(live.Order)) {
	db.ears.mu.Lock()
	defer db.ears.mu.Unlock()
	db.ears.changed, db.ears.heed = changed, heed
}

// Send implements live.Shared.
func (db *DB) Send(ctx context.Context, o live.Order) error {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode an order: %w", err)
	}
	if _, err := db.pool.Exec(ctx, notify, aboutOrder+string(text)); err != nil {
		return fmt.Errorf("send an order: %w", judge(err))
	}
	return nil
}

// notify sends a notification.
const notify = `SELECT pg_notify('` + channel + `', $1)`

// announce sends a notification with the commit.
func (t *tx) announce(payload string) {
	if t.w.db.node != nil {
		t.send("announce a change", notify, payload)
	}
}

// tellRun announces with the commit that a run has new events.
func (t *tx) tellRun(owner, id string) {
	if text, err := json.Marshal([2]string{owner, id}); err == nil { // two texts always have a form
		t.announce(aboutRun + string(text))
	}
}

// heard passes a notification on. One that cannot be read is of a newer node, or no node's.
func (db *DB) heard(payload string) {
	if payload == "" {
		return
	}
	kind, text := payload[:1], payload[1:]
	db.ears.mu.Lock()
	changed, heed := db.ears.changed, db.ears.heed
	db.ears.mu.Unlock()
	switch kind {
	case aboutPlace:
		db.topics.announce(text)
	case aboutRun:
		var run [2]string
		if json.Unmarshal([]byte(text), &run) == nil && changed != nil {
			changed(run[0], run[1])
		}
	case aboutOrder:
		var order live.Order
		if json.Unmarshal([]byte(text), &order) == nil && heed != nil {
			heed(order)
		}
	case aboutKey:
		db.tellRevoked(text)
	case aboutNews:
		db.hearNews(text)
	}
}

// topics wake those who wait for places. Of those who wait for one place in this process, only
// the one with the smallest ticket is woken, and looks: the others cannot be next. A lost
// notification costs no more than the time between two looks.
type topics struct {
	mu sync.Mutex
	by map[string][]*waiter // by topic, the smallest ticket first
}

// waiter is a ticket that waits.
type waiter struct {
	number int64
	woken  chan struct{}
}

// join adds a ticket to those that wait.
func (ts *topics) join(topic string, number int64) *waiter {
	w := &waiter{number, make(chan struct{}, 1)}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.by == nil {
		ts.by = make(map[string][]*waiter)
	}
	list := ts.by[topic]
	at, _ := slices.BinarySearchFunc(list, w, func(a, b *waiter) int { return cmp.Compare(a.number, b.number) })
	ts.by[topic] = slices.Insert(list, at, w)
	return w
}

// leave ends join. The next one looks then.
func (ts *topics) leave(topic string, w *waiter) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	list := slices.DeleteFunc(ts.by[topic], func(other *waiter) bool { return other == w })
	if len(list) == 0 {
		delete(ts.by, topic)
		return
	}
	ts.by[topic] = list
	list[0].wake()
}

// first reports whether a ticket is the smallest of those that wait in this process.
func (ts *topics) first(topic string, w *waiter) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	list := ts.by[topic]
	return len(list) > 0 && list[0] == w
}

// announce wakes the first one who waits for a topic; for the topic "", that of each.
func (ts *topics) announce(topic string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for name, list := range ts.by {
		if topic == "" || topic == name {
			list[0].wake()
		}
	}
}

func (w *waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default: // it is awake already
	}
}

// listen hears the notifications of all nodes until ctx ends. It has a connection of its own.
func (db *DB) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := db.hear(ctx); err != nil && ctx.Err() == nil {
			db.log.Warn("notifications of other nodes are not heard; they are looked for each second", "err", err)
		}
		select {
		case <-time.After(renewEach):
		case <-ctx.Done():
		}
	}
}

// hear hears notifications until the connection breaks.
func (db *DB) hear(ctx context.Context) error {
	// The URL may have settings of the pool, which are no settings of a connection.
	cfg, err := pgxpool.ParseConfig(cmp.Or(db.opt.ListenURL, db.opt.URL))
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", errUnreachable(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if _, err := conn.Exec(ctx, notify, db.dispatches.greeting()); err != nil {
		return fmt.Errorf("greet the other nodes: %w", err)
	}
	db.topics.announce("") // what was announced before is lost
	db.tellRevoked("")
	db.loseNews()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait for a notification: %w", err)
		}
		db.heard(n.Payload)
	}
}
