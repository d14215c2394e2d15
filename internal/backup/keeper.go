package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Keeper makes backups at regular times into a directory, and deletes those that the plan does
// not keep. The directory belongs to one home.
type Keeper struct {
	Source *Source
	Ledger *Ledger
	Dir    string
	Plan   Plan
	Log    *slog.Logger
}

// retry is how long after a failure the next backup is tried, at most.
const retry = 15 * time.Minute

// Run makes backups until ctx ends. One that was missed is made at once.
func (k *Keeper) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := time.NewTimer(max(0, k.Step(ctx).Sub(k.Source.Now())))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
		}
	}
}

// Step makes a backup if one is due, and returns when the next one is.
func (k *Keeper) Step(ctx context.Context) time.Time {
	now := k.Source.Now()
	due, err := k.due(now)
	if err == nil && due.After(now) {
		return due
	}
	if err == nil {
		err = k.make(ctx)
	}
	if ctx.Err() != nil {
		return now
	}
	if noted := k.note(now, err); noted != nil {
		k.Log.WarnContext(ctx, "the outcome of a backup could not be noted", "err", noted)
	}
	if err != nil {
		k.Log.ErrorContext(ctx, "the backup failed", "dir", k.Dir, "err", err)
		return now.Add(min(retry, k.Plan.Every))
	}
	return now.Add(k.Plan.Every)
}

// due is when the next backup is to be made.
func (k *Keeper) due(now time.Time) (time.Time, error) {
	all, err := List(k.Dir)
	return k.Plan.due(all, now), err
}

// make makes a backup, and deletes what the plan does not keep.
func (k *Keeper) make(ctx context.Context) error {
	if _, err := os.Stat(k.Dir); err != nil {
		return fault.New(fault.Unavailable, "backup_dir_missing",
			fmt.Sprintf("The directory of backups, %s, cannot be used: %v. Make it, or mount its disk.", k.Dir, fault.Innermost(err)))
	}
	if err := errors.Join(k.removeParts(), k.Ledger.Copy()); err != nil {
		return err
	}
	made, err := k.Source.Make(ctx, false)
	if err != nil {
		return err
	}
	defer func() {
		if err := made.Close(); err != nil {
			k.Log.WarnContext(ctx, "the copy of the database for a backup could not be removed", "err", err)
		}
	}()
	file := filepath.Join(k.Dir, keptName(made.Manifest.CreatedAt))
	if err := Fits(file, made.Size()); err != nil {
		return err
	}
	m, err := Save(file, made.Write)
	if err != nil {
		return err
	}
	k.Log.InfoContext(ctx, "backed up", "file", file, "bytes", m.Size(), "messages", m.Counts["messages"])
	return k.rotate()
}

// rotate deletes what the plan does not keep.
func (k *Keeper) rotate() error {
	all, err := List(k.Dir)
	if err != nil {
		return err
	}
	for _, old := range k.Plan.Expired(all) {
		if err := os.Remove(old.File); err != nil {
			return fmt.Errorf("delete an old backup: %w", err)
		}
	}
	return nil
}

// removeParts removes what interrupted backups have left in the directory.
func (k *Keeper) removeParts() error {
	return removeParts(k.Dir, func(name string) bool {
		return strings.HasPrefix(name, "."+keptPrefix) && strings.HasSuffix(name, partSuffix)
	})
}

// statusName is the file of a home with the outcome of the newest backup at a regular time.
const statusName = "backup.json"

// Status is the outcome of the newest backup at a regular time.
type Status struct {
	At    time.Time `json:"at"`
	Error string    `json:"error,omitempty"` // safe to show to the operator
}

// note keeps the outcome for the doctor.
func (k *Keeper) note(at time.Time, failed error) error {
	s := Status{At: at.UTC()}
	if failed != nil {
		s.Error = fault.MessageOf(failed)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	file := filepath.Join(k.Source.Home, statusName)
	if err := os.WriteFile(file+partSuffix, text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+partSuffix, file)
}

// StatusOf reads the outcome of the newest backup of a home; zero for none.
func StatusOf(home string) (Status, error) {
	var s Status
	text, err := os.ReadFile(filepath.Join(home, statusName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}
