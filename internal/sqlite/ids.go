package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Message ids are counted for each owner, in a range of its own, so that an id tells
// nothing of what other owners do. The high bits of an id are the number of the range,
// drawn by chance; the low bits are the owner's counter. Both together are at most 53
// bits, which a program in JavaScript reads without loss.
const (
	counterBits = 33
	rangeBits   = 20
	counterMask = 1<<counterBits - 1
)

// rangeOf is the number of an id's range.
func rangeOf(id int64) int64 { return id >> counterBits }

// ids issues message ids. One process owns the file, so counters in memory are enough.
type ids struct {
	mu      sync.Mutex
	byOwner map[string]*counter
}

// counter is the state of an owner's ids.
type counter struct {
	// first is the first id of the range; it is not issued.
	first int64
	// last is the newest id issued, and opened its value when the counter was read: no
	// unused id up to opened can still be held.
	last, opened int64
	// gaps are the ranges that adopted ids have skipped: never given out.
	gaps []gap
}

// gap is a range of ids, both ends included.
type gap struct{ from, to int64 }

// ReserveMessageIDs implements lineage.Store.
func (db *DB) ReserveMessageIDs(ctx context.Context, o owner.Owner, n int) (int64, error) {
	c, err := db.counter(ctx, o)
	if err != nil {
		return 0, err
	}
	db.ids.mu.Lock()
	defer db.ids.mu.Unlock()
	if c.last+int64(n) > c.first|counterMask {
		return 0, fault.New(fault.Unavailable, "ids_used_up", "This owner has used up its message ids. Export its sessions and import them for a new owner.")
	}
	c.last += int64(n)
	return c.last - int64(n) + 1, nil
}

// AdoptMessageIDs implements curate.Store.
func (db *DB) AdoptMessageIDs(ctx context.Context, o owner.Owner, want []int64) ([]int64, error) {
	if len(want) == 0 {
		return []int64{}, nil
	}
	c, err := db.counter(ctx, o)
	if err != nil {
		return nil, err
	}
	adopted := c.translate(want)
	list, err := json.Marshal(adopted)
	if err != nil {
		return nil, fmt.Errorf("encode ids: %w", err)
	}
	db.ids.mu.Lock()
	defer db.ids.mu.Unlock()
	if !c.free(adopted) {
		return nil, nil
	}
	var used int
	const inUse = `SELECT count(*) FROM messages WHERE id IN (SELECT value FROM json_each(?))`
	if err := db.read.QueryRowContext(ctx, inUse, string(list)).Scan(&used); err != nil {
		return nil, fmt.Errorf("look for ids: %w", err)
	}
	if used > 0 {
		return nil, nil
	}
	if newest := adopted[len(adopted)-1]; newest > c.last {
		c.gaps = append(c.gaps, gap{c.last + 1, newest})
		c.last = newest
	}
	return adopted, nil
}

// translate moves ids into the counter's range. Their order stays.
func (c *counter) translate(want []int64) []int64 {
	out := make([]int64, len(want))
	for i, id := range want {
		if id > 0 {
			out[i] = c.first | id&counterMask
		}
	}
	return out
}

// mostAdopted keeps a forged import from using up the numbers.
const mostAdopted = 1 << (counterBits - 1)

// free reports whether none of the ids can have been issued in this process.
func (c *counter) free(want []int64) bool {
	before := c.first
	for _, id := range want {
		if id <= before || id > c.first+mostAdopted {
			return false
		}
		before = id
		if id <= c.last && id > c.opened && !c.skipped(id) {
			return false
		}
	}
	return true
}

func (c *counter) skipped(id int64) bool {
	for _, g := range c.gaps {
		if g.from <= id && id <= g.to {
			return true
		}
	}
	return false
}

// counter is an owner's, read from the file when the owner first asks.
func (db *DB) counter(ctx context.Context, o owner.Owner) (*counter, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	db.ids.mu.Lock()
	c := db.ids.byOwner[o.ID()]
	db.ids.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := db.readCounter(ctx, o)
	if isNoRows(err) {
		if err = db.w.submit(ctx, func(t *tx) error { return t.drawRange(o) }); err == nil {
			c, err = db.readCounter(ctx, o)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the counter of message ids: %w", err)
	}
	db.ids.mu.Lock()
	defer db.ids.mu.Unlock()
	if first := db.ids.byOwner[o.ID()]; first != nil { // another request was quicker
		return first, nil
	}
	db.ids.byOwner[o.ID()] = c
	return c, nil
}

// retireIDs is executed before the messages of a lineage are deleted, so that no message gets an
// id of theirs. The owner may have messages in the range from before there were ranges, too.
const retireIDs = `UPDATE id_ranges SET newest = max(newest, (SELECT max(id) FROM messages WHERE owner_id = ?1 AND root_id = ?2 AND id >> 33 = range_id))
	WHERE range_id IN (SELECT id >> 33 FROM messages WHERE owner_id = ?1 AND root_id = ?2)`

// readCounter reads where an owner's ids have come to. What was deleted is known by the range's
// newest id, which a deletion raises, and the text index as it goes.
func (db *DB) readCounter(ctx context.Context, o owner.Owner) (*counter, error) {
	const query = `SELECT range_id << 33, max(newest, coalesce(
			(SELECT max(id) FROM messages WHERE id >= range_id << 33 AND id < (range_id + 1) << 33), 0))
		FROM id_ranges WHERE owner_id = ?`
	c := &counter{}
	if err := db.read.QueryRowContext(ctx, query, o.ID()).Scan(&c.first, &c.last); err != nil {
		return nil, err
	}
	c.opened = c.last
	return c, nil
}

// drawRange gives an owner a range. What the owner said before there were ranges has
// lower ids than what comes: the order of an owner's ids is the order of learning.
func (t *tx) drawRange(o owner.Owner) error {
	var before sql.NullInt64
	if err := t.row(`SELECT max(id) FROM messages WHERE owner_id = ?`, o.ID()).Scan(&before); err != nil {
		return fmt.Errorf("look for earlier messages: %w", err)
	}
	lowest := rangeOf(before.Int64) + 1
	for range 1000 {
		drawn := lowest + rand.Int64N(1<<rangeBits-lowest)
		const insert = `INSERT INTO id_ranges (range_id, owner_id, newest, whole) VALUES (?1, ?2, ?3, 0) ON CONFLICT DO NOTHING`
		if _, err := t.exec(insert, drawn, o.ID(), drawn<<counterBits|before.Int64&counterMask); err != nil {
			return fmt.Errorf("keep a range of ids: %w", err)
		}
		var there bool
		if err := t.row(`SELECT EXISTS (SELECT 1 FROM id_ranges WHERE owner_id = ?)`, o.ID()).Scan(&there); err != nil {
			return fmt.Errorf("look for a range of ids: %w", err)
		}
		if there {
			return nil
		}
	}
	return fault.New(fault.Unavailable, "owners_used_up", "This store has no room for one more owner.")
}
