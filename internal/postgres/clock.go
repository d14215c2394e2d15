package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// clock follows the server's clock: leases and due times are the same for all nodes,
// although their own clocks may differ by minutes.
type clock struct {
	ahead atomic.Int64 // how far the server's clock is ahead of this machine's, in nanoseconds
}

const (
	// steadyWithin is a difference that the way to the server may make. The clock is not
	// moved for it, because times should not go back.
	steadyWithin = 250 * time.Millisecond
	// mostWay is the longest round trip by which the clock is set.
	mostWay = time.Second
)

// Now is the time by the server's clock.
func (db *DB) Now() time.Time { return time.Now().Add(time.Duration(db.clock.ahead.Load())) }

// setClock compares the clocks.
func (db *DB) setClock(ctx context.Context) error {
	var there time.Time
	began := time.Now()
	if err := db.row(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return fmt.Errorf("read the server's clock: %w", err)
	}
	db.clock.follow(began, there)
	return nil
}

// follow sets the clock by an answer with the server's time, to a request that began at began.
func (c *clock) follow(began, there time.Time) {
	if way := time.Since(began); way <= mostWay {
		c.set(there.Sub(began.Add(way / 2)))
	}
}

// set moves the clock if the difference has changed.
func (c *clock) set(ahead time.Duration) {
	if before := time.Duration(c.ahead.Load()); (ahead - before).Abs() > steadyWithin {
		c.ahead.Store(int64(ahead))
	}
}
