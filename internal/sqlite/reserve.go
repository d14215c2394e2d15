package sqlite

import (
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	// A hundredth of the disk is kept free, and no more than mostReserved bytes.
	reservedShare = 100
	mostReserved  = 64 << 20
	// ample is free space that no second of writing uses up.
	ample = 1 << 30
)

// Room is how much is free of the disk that a directory is on, in bytes.
type Room struct {
	Free, Total uint64
	// Known is false where the file system does not say.
	Known bool
}

// RoomOf looks how much room there is.
func RoomOf(dir string) Room {
	free, total, ok := spaceOf(dir)
	return Room{Free: free, Total: total, Known: ok}
}

// Low reports whether only what is kept for deletions is left: nothing is stored.
func (r Room) Low() bool { return r.Known && r.Free < r.reserved() }

// Scarce reports whether little is left before that.
func (r Room) Scarce() bool { return r.Known && r.Free < 8*r.reserved() }

func (r Room) reserved() uint64 { return min(r.Total/reservedShare, mostReserved) }

// reserve keeps some disk space free for deletions: a deletion is written, too, so a
// full disk could not be cleared without it. It is used by the writer only.
type reserve struct {
	dir    string
	space  func(dir string) (free, total uint64, ok bool)
	now    func() time.Time
	looked time.Time
	free   uint64
	low    bool
}

// used reports whether only the reserve is left. A file system that does not say
// has none.
func (r *reserve) used() bool {
	now := r.now()
	if r.free >= ample && now.Sub(r.looked) < time.Second {
		return r.low
	}
	free, total, ok := r.space(r.dir)
	r.looked, r.free = now, free
	r.low = Room{Free: free, Total: total, Known: ok}.Low()
	return r.low
}

func errReserved() error {
	return fault.New(fault.Unavailable, "disk_full",
		"The disk is full but for what deletions need (1 % of it, 64 MiB at most): nothing was stored. Free some space and try again.")
}
