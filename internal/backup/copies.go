package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// Copy is an earlier state of the data that a forgetting does not change.
type Copy struct {
	File string
	At   time.Time
	// AgesOut is when it is deleted if backups go on; zero if it stays until it is deleted.
	AgesOut time.Time
	// ByHand says that a person wrote it into the directory of backups. The program deletes there only what it made by itself.
	ByHand bool
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
	kept, err := keptIn(home, out)
	if err != nil {
		return nil, err
	}
	out = append(out, kept...)
	byHand, err := byHandIn(home, dir, out)
	if err != nil {
		return nil, err
	}
	out = append(out, byHand...)
	slices.SortStableFunc(out, func(a, b Copy) int { return a.At.Compare(b.At) })
	return out, nil
}

// keptIn are the earlier states in a home that are not listed yet: those that this program has kept, and backups that a person
// wrote there.
func keptIn(home string, listed []Copy) (out []Copy, err error) {
	err = filepath.WalkDir(home, func(file string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(home, file) // a file of home has a name
		switch {
		case file == home:
			return err
		case err != nil: // it was deleted meanwhile, or cannot be read
			return skipped(d)
		case strings.HasPrefix(name, "."), d.IsDir() && slices.Contains(directories(), name): // what is being made is no copy yet
			return skipped(d)
		case transcript.Has(name), slices.ContainsFunc(listed, func(c Copy) bool { return c.File == file }):
			return nil
		case sqlite.IsCopy(name), sqlite.IsBackup(home, file):
			if info, err := d.Info(); err == nil {
				out = append(out, Copy{File: file, At: info.ModTime().UTC()})
			}
			return skipped(d)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the home: %w", err)
	}
	return out, nil
}

// byHandIn are the backups in the directory of backups that are not listed yet: a person wrote them there, under any name. What
// begins with a dot is being made.
func byHandIn(home, dir string, listed []Copy) (out []Copy, err error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		info, gone := e.Info()
		known := gone != nil || strings.HasPrefix(e.Name(), ".") || slices.ContainsFunc(listed, func(c Copy) bool { return c.File == file })
		if !known && sqlite.IsBackup(home, file) {
			out = append(out, Copy{File: file, At: info.ModTime().UTC(), ByHand: true})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	return out, nil
}

// skipped leaves out what is in a directory.
func skipped(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// DeleteCopies deletes copies, but for those that a person wrote into the directory of backups. It waits for a backup that is
// being made, which may hold what they hold, and deletes that one, too, if it is in the directory of backups.
func (s *Source) DeleteCopies(ctx context.Context, list func() ([]Copy, error)) (int, error) {
	if err := s.lock(ctx); err != nil {
		return 0, err
	}
	defer s.making.Unlock()
	all, err := list()
	n := 0
	for i := range all {
		if all[i].ByHand {
			continue
		}
		if gone := os.RemoveAll(all[i].File); gone != nil {
			err = errors.Join(err, fmt.Errorf("delete a backup: %w", gone))
			continue
		}
		n++
	}
	return n, err
}
