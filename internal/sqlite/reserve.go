package sqlite

import (
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	// One per cent of the disk is kept free, at most mostReserved bytes.
	reservedShare = 100
	mostReserved  = 64 << 20
	// ample is free space that a second of writing cannot use up.
	ample = 1 << 30
)

// Room is the free space of a directory's disk, in bytes.
type Room struct {
	Free, Total uint64
	// Known is false if the file system does not report its free space.
	Known bool
}

// RoomOf reads the free space of a disk.
func RoomOf(dir string) Room {
	free, total, ok := spaceOf(dir)
	return Room{Free: free, Total: total, Known: ok}
}

// Low reports whether only the reserve for deletions is left, so that nothing is
// stored.
func (r Room) Low() bool { return r.Known && r.Free < r.reserved() }

// Scarce reports whether the space above the reserve is nearly used up.
func (r Room) Scarce() bool { return r.Known && r.Free < 8*r.reserved() }

// Holds reports whether so many bytes fit besides the reserve, as far as that is known.
func (r Room) Holds(bytes int64) bool {
	return !r.Known || r.Free >= uint64(max(0, bytes))+r.reserved() //nolint:gosec // not negative
}

func (r Room) reserved() uint64 { return min(r.Total/reservedShare, mostReserved) }

// reserve keeps disk space free for deletions. A deletion is written too, so without a
// reserve a full disk could not be cleared. Only the writer uses it.
type reserve struct {
	dir    string
	space  func(dir string) (free, total uint64, ok bool)
	now    func() time.Time
	looked time.Time
	free   uint64
	low    bool
}

// used reports whether only the reserve is left. It is false if the file system does
// not report its free space.
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
		"The disk is full except for the reserve for deletions (1 %, at most 64 MiB), so this was not stored. Free some space and try again.")
}
