package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/sqlite"
)

// Copy is an earlier state of the data that a forgetting does not change.
type Copy struct {
	File string
	At   time.Time
	// AgesOut is when it is deleted if backups go on; zero if it stays until it is deleted.
	AgesOut time.Time
}

// Copies are the earlier states of a home that are known: the backups in the directory of
// backups, what was replaced by restored backups, and copies from before migrations, oldest
// first. Copies that people have taken elsewhere are not known.
func Copies(home, dir string, plan Plan, now time.Time) ([]Copy, error) {
	var out []Copy
	if dir != "" {
		all, err := List(dir)
		if err != nil {
			return nil, err
		}
		for i, at := range plan.AgesOut(all, now) {
			out = append(out, Copy{File: all[i].File, At: all[i].At, AgesOut: at})
		}
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return nil, fmt.Errorf("list the home: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if !sqlite.IsCopy(name) || strings.HasPrefix(name, ".") { // what is being made is no copy yet
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it was deleted meanwhile
		}
		out = append(out, Copy{File: filepath.Join(home, name), At: info.ModTime().UTC()})
	}
	slices.SortStableFunc(out, func(a, b Copy) int { return a.At.Compare(b.At) })
	return out, nil
}

// DeleteCopies deletes copies. It waits for a backup that is being made, which may hold what
// they hold, and deletes that one, too, if it is in the directory of backups.
func (s *Source) DeleteCopies(ctx context.Context, list func() ([]Copy, error)) (int, error) {
	if err := s.lock(ctx); err != nil {
		return 0, err
	}
	defer s.making.Unlock()
	all, err := list()
	n := 0
	for i := range all {
		if gone := os.RemoveAll(all[i].File); gone != nil {
			err = errors.Join(err, fmt.Errorf("delete a backup: %w", gone))
			continue
		}
		n++
	}
	return n, err
}
