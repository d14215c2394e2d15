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

// reserve keeps a little of the disk free for what makes room: without it nothing
// could be deleted from a full disk, for a deletion is written, too. It belongs to
// the one who writes.
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
	r.low = ok && free < min(total/reservedShare, mostReserved)
	return r.low
}

func errReserved() error {
	return fault.New(fault.Unavailable, "disk_full",
		"The disk is full but for what deletions need (1 % of it, 64 MiB at most): nothing was stored. Free some space and try again.")
}
