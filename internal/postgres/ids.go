package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Message ids are counted for each owner, in a range of its own, so that an id tells
// nothing of what other owners do. The high bits of an id are the number of the range,
// drawn by chance; the low bits are the owner's counter. Both together are at most 53
// bits, which a program in JavaScript reads without loss. Two owners may draw the same
// range: an id is never used without its owner.
const (
	counterBits = 33
	rangeBits   = 20
	counterMask = 1<<counterBits - 1
)

// heldFor is how long a reserved id may be held before it is stored: no turn takes longer.
const heldFor = time.Hour

// idRange is the state of an owner's ids.
type idRange struct {
	// first is the first id of the range; it is not issued. last is the newest id issued.
	first, last int64
	// settled says that no unused id can still be held.
	settled bool
	// gaps are the ids that adopted ones have skipped, in pairs of first and last.
	gaps []int64
}

// reserveIDs counts ids of an owner whose counter has room for them. A reservation that a
// crash of the server loses does no harm: nobody has stored its ids. So it need not be
// durable.
// The commit of a message makes the reservations before it durable.
const reserveIDs = `UPDATE id_ranges SET newest = newest + ?2, reserved_at = now()
	WHERE owner_id = ?1 AND newest + ?2 <= (range_id << 33) + ?3::bigint AND set_config('synchronous_commit', 'off', true) = 'off' RETURNING newest`

// ReserveMessageIDs implements lineage.Store.
func (db *DB) ReserveMessageIDs(ctx context.Context, o owner.Owner, n int) (int64, error) {
	if err := errNoOwner(o); err != nil {
		return 0, err
	}
	newest, err := db.reserve(ctx, o, n)
	if isNoRows(err) { // the owner has no range yet, or none left
		if err = db.drawRange(ctx, o); err == nil {
			newest, err = db.reserve(ctx, o, n)
		}
		if isNoRows(err) {
			return 0, fault.New(fault.Unavailable, "ids_used_up", "This owner has used up its message ids. Export its sessions and import them for a new owner.")
		}
	}
	if err != nil {
		return 0, fmt.Errorf("reserve message ids: %w", err)
	}
	return newest - int64(n) + 1, nil
}

func (db *DB) reserve(ctx context.Context, o owner.Owner, n int) (newest int64, err error) {
	err = db.row(ctx, reserveIDs, o.ID(), int64(n), int64(counterMask)).Scan(&newest)
	return newest, err
}

// drawRange gives an owner a range. The local owner's is range 0.
func (db *DB) drawRange(ctx context.Context, o owner.Owner) error {
	drawn := int64(0)
	if o.ID() != owner.Local().ID() {
		drawn = 1 + rand.Int64N(1<<rangeBits-1)
	}
	const insert = `INSERT INTO id_ranges (owner_id, range_id, newest, reserved_at, gaps) VALUES ($1, $2, $3, now(), '{}') ON CONFLICT DO NOTHING`
	if _, err := db.pool.Exec(ctx, insert, storable(o.ID()), drawn, drawn<<counterBits); err != nil {
		return fmt.Errorf("draw a range of ids: %w", judge(err))
	}
	return nil
}

// AdoptMessageIDs implements curate.Store.
func (db *DB) AdoptMessageIDs(ctx context.Context, o owner.Owner, want []int64) ([]int64, error) {
	if len(want) == 0 {
		return []int64{}, nil
	}
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	if err := db.drawRange(ctx, o); err != nil {
		return nil, err
	}
	var adopted []int64
	err := db.w.submit(ctx, o, func(t *tx) (err error) {
		adopted, err = t.adopt(o, want)
		return err
	})
	return adopted, err
}

// mostGaps bounds the list of gaps. Ids of a gap that is not listed are not adopted again.
const mostGaps = 1024

// adopt takes ids; nil if one of them may be in use.
func (t *tx) adopt(o owner.Owner, want []int64) ([]int64, error) {
	const look = `SELECT range_id << 33, newest, reserved_at < now() - ?2::bigint * interval '1 second', gaps FROM id_ranges WHERE owner_id = ?1 FOR UPDATE`
	var r idRange
	if err := t.row(look, o.ID(), int64(heldFor/time.Second)).Scan(&r.first, &r.last, &r.settled, &r.gaps); err != nil {
		return nil, fmt.Errorf("read the counter of message ids: %w", err)
	}
	adopted := r.translate(want)
	if !r.free(adopted) {
		return nil, nil
	}
	var used bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM messages WHERE owner_id = ? AND id = ANY(?))`, o.ID(), adopted).Scan(&used); err != nil {
		return nil, fmt.Errorf("look for ids: %w", err)
	}
	if used {
		return nil, nil
	}
	if newest := adopted[len(adopted)-1]; newest > r.last {
		gaps := append(r.gaps, r.last+1, newest)
		t.send("adopt ids", `UPDATE id_ranges SET newest = ?, gaps = ? WHERE owner_id = ?`, newest, gaps[max(0, len(gaps)-mostGaps):], o.ID())
	}
	return adopted, nil
}

// translate moves ids into the range. Their order stays.
func (r *idRange) translate(want []int64) []int64 {
	out := make([]int64, len(want))
	for i, id := range want {
		if id > 0 {
			out[i] = r.first | id&counterMask
		}
	}
	return out
}

// mostAdopted keeps a forged import from using up the numbers.
const mostAdopted = 1 << (counterBits - 1)

// free reports whether none of the ids can have been issued and still be held.
func (r *idRange) free(want []int64) bool {
	before := r.first
	for _, id := range want {
		if id <= before || id > r.first+mostAdopted {
			return false
		}
		before = id
		if id <= r.last && !r.settled && !r.skipped(id) {
			return false
		}
	}
	return true
}

func (r *idRange) skipped(id int64) bool {
	for i := 0; i+1 < len(r.gaps); i += 2 {
		if r.gaps[i] <= id && id <= r.gaps[i+1] {
			return true
		}
	}
	return false
}
