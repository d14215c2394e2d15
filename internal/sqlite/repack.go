package sqlite

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Repack implements curate.Sweeper. When SQLite splits a page, copies of rows can stay
// in the page's unallocated space. secure_delete overwrites a row where it lies, and
// not such copies. VACUUM writes every page again from the rows alone.
//
// Writes wait until Repack ends. Reads go on.
func (db *DB) Repack(ctx context.Context) error {
	var size uint64
	if err := db.read.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&size); err != nil {
		return fmt.Errorf("measure the database: %w", err)
	}
	if room := RoomOf(db.w.reserve.dir); room.Known && room.Free < repackRoom(size)+room.reserved() {
		return fault.New(fault.Unavailable, "disk_full", fmt.Sprintf(
			"Erasing the last copies needs %d MiB of free disk, but only %d MiB are free. Free some space and forget again.",
			repackRoom(size)>>20, room.Free>>20))
	}
	return db.w.repack(ctx)
}

// repackRoom is the disk space that a repack needs in addition to a database of that
// size: VACUUM writes the database once to a temporary file and once to the WAL.
func repackRoom(size uint64) uint64 { return 2 * size }

// repack runs VACUUM between two transactions, and empties the WAL. A failed VACUUM
// changes nothing, so the writer continues.
func (w *writer) repack(ctx context.Context) error {
	select {
	case <-w.pen:
	case <-w.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { w.pen <- struct{}{} }()
	if err := w.ready(); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, `VACUUM`); err != nil {
		return fmt.Errorf("rewrite the database without what was erased: %w", err)
	}
	w.scrub(context.WithoutCancel(ctx)) // part of the repack, even if the caller has gone
	if err := w.files.check(); err != nil {
		return w.fail(err)
	}
	return nil
}
