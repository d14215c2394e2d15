package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Copies are earlier states of the data, which no erasure changes.
type Copies interface {
	// Copies lists them, oldest first.
	Copies(ctx context.Context) ([]Copy, error)
	// DeleteCopies deletes all of them but those that are ByHand.
	DeleteCopies(ctx context.Context) (int, error)
}

// Copy is a backup, or an earlier state of the database in the home.
type Copy struct {
	File string    `json:"file"`
	At   time.Time `json:"at"`
	// AgesOut is when it is deleted by itself; nil for never.
	AgesOut *time.Time `json:"ages_out"`
	// ByHand says that a person wrote it into the directory of backups: only a person deletes it.
	ByHand bool `json:"by_hand,omitempty"`
}

// HeldBy are the copies that were made before an erasure, and may still hold what was erased.
type HeldBy struct {
	Count int `json:"count"`
	// Until is when the last of them is deleted by itself; nil if one stays.
	Until *time.Time `json:"until"`
	// Files names them, to the operator alone.
	Files   []Copy `json:"files,omitempty"`
	Deleted int    `json:"deleted,omitempty"`
}

// deleteBackups is the value of backups in a request to forget that deletes them.
const deleteBackups = "delete"

// checkBackups validates what a request to forget says of backups.
func checkBackups(r *http.Request, backups string) error {
	switch backups {
	case "":
		return nil
	case deleteBackups:
		if ownerOf(r).ID() != owner.LocalID {
			return fault.New(fault.Forbidden, "local_owner_only",
				"Only the owner local may delete backups, because they hold the data of all owners.").At("backups")
		}
		return nil
	}
	return fault.New(fault.Invalid, "invalid_backups", "\"backups\" is \"delete\", or left out.").At("backups")
}

// heldBy says which copies may still hold what was erased, and deletes them if that was asked
// for. nil if there are none.
func (s *server) heldBy(r *http.Request, remove bool) (*HeldBy, error) {
	if s.Copies == nil {
		return nil, nil
	}
	all, err := s.Copies.Copies(r.Context())
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, nil
	}
	out := new(HeldBy)
	if remove {
		if out.Deleted, err = s.Copies.DeleteCopies(r.Context()); err != nil {
			return out, err
		}
		all = slices.DeleteFunc(all, func(c Copy) bool { return !c.ByHand })
	}
	out.Count = len(all)
	latest := time.Time{}
	for i := range all {
		if all[i].AgesOut == nil {
			latest = time.Time{}
			break
		}
		if all[i].AgesOut.After(latest) {
			latest = *all[i].AgesOut
		}
	}
	if !latest.IsZero() {
		out.Until = &latest
	}
	if ownerOf(r).ID() == owner.LocalID {
		out.Files = all
	}
	return out, nil
}
