package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// ids gives out message ids. One process owns the file, so a counter in memory
// is enough.
type ids struct {
	mu sync.Mutex
	// last is the newest id issued, and opened its value when the file was opened: no
	// unused id up to opened can still be held.
	last, opened int64
	// gaps are the ranges that adopted ids have skipped: never given out.
	gaps []gap
}

// gap is a range of ids, both ends included.
type gap struct{ from, to int64 }

// maxAdopted keeps a forged import from using up the numbers.
const maxAdopted = 1 << 52

// ReserveMessageIDs implements run.Store.
func (db *DB) ReserveMessageIDs(_ context.Context, n int) (int64, error) {
	db.ids.mu.Lock()
	defer db.ids.mu.Unlock()
	db.ids.last += int64(n)
	return db.ids.last - int64(n) + 1, nil
}

// AdoptMessageIDs implements run.Store.
func (db *DB) AdoptMessageIDs(ctx context.Context, want []int64) (bool, error) {
	if len(want) == 0 {
		return true, nil
	}
	list, err := json.Marshal(want)
	if err != nil {
		return false, fmt.Errorf("encode ids: %w", err)
	}
	db.ids.mu.Lock()
	defer db.ids.mu.Unlock()
	if !db.ids.free(want) {
		return false, nil
	}
	var used int
	const inUse = `SELECT count(*) FROM messages WHERE id IN (SELECT value FROM json_each(?))`
	if err := db.read.QueryRowContext(ctx, inUse, string(list)).Scan(&used); err != nil {
		return false, fmt.Errorf("look for ids: %w", err)
	}
	if used > 0 {
		return false, nil
	}
	if newest := want[len(want)-1]; newest > db.ids.last {
		db.ids.gaps = append(db.ids.gaps, gap{db.ids.last + 1, newest})
		db.ids.last = newest
	}
	return true, nil
}

// free reports whether none of the ids can have been issued in this process.
func (x *ids) free(want []int64) bool {
	before := int64(0)
	for _, id := range want {
		if id <= before || id > maxAdopted {
			return false
		}
		before = id
		if id <= x.last && id > x.opened && !x.skipped(id) {
			return false
		}
	}
	return true
}

func (x *ids) skipped(id int64) bool {
	for _, g := range x.gaps {
		if g.from <= id && id <= g.to {
			return true
		}
	}
	return false
}
