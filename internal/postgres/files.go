package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// PutFile implements attachment.Store.
func (db *DB) PutFile(ctx context.Context, o owner.Owner, f *attachment.File) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	const insert = `INSERT INTO files (owner_id, id, kind, name, mime, size, hash, spoken, run_id, kept_at) VALUES (?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT DO NOTHING`
	return db.w.submit(ctx, o, func(t *tx) error {
		t.send("store a file", insert, o.ID(), string(f.ID), string(f.Kind), null(f.Name), null(f.Mime),
			f.Size, f.Hash[:], null(f.Spoken), f.Run, bound.Millis(f.KeptAt))
		return nil
	})
}

const selectFiles = `SELECT id, kind, coalesce(name, ''), coalesce(mime, ''), size, hash, coalesce(spoken, ''), run_id, coalesce(root_id, ''), coalesce(seq, 0), kept_at
	FROM files WHERE owner_id = ?`

func scanFile(rows *rows) (attachment.File, error) {
	var f attachment.File
	var hash []byte
	var kept int64
	err := rows.Scan(&f.ID, &f.Kind, &f.Name, &f.Mime, &f.Size, &hash, &f.Spoken, &f.Run, &f.Root, &f.Seq, &kept)
	copy(f.Hash[:], hash)
	f.KeptAt = bound.FromMillis(kept)
	return f, err
}

// File implements attachment.Store.
func (db *DB) File(ctx context.Context, o owner.Owner, id session.FileID) (attachment.File, error) {
	list, err := rowsOf(ctx, db, scanFile, selectFiles+` AND id = ?`, o.ID(), string(id))
	if err != nil {
		return attachment.File{}, fmt.Errorf("read a file: %w", err)
	}
	if len(list) == 0 {
		return attachment.File{}, fault.New(fault.NotFound, "file_not_found", "No file of yours has this id.")
	}
	return list[0], nil
}

// Files implements attachment.Store.
func (db *DB) Files(ctx context.Context, o owner.Owner) ([]attachment.File, error) {
	list, err := rowsOf(ctx, db, scanFile, selectFiles+` ORDER BY kept_at, id`, o.ID())
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return list, nil
}

// SpokenFile implements attachment.Store.
func (db *DB) SpokenFile(ctx context.Context, o owner.Owner, id session.FileID, text string) error {
	return db.w.submit(ctx, o, func(t *tx) error {
		t.send("store what is said in a file", `UPDATE files SET spoken = ? WHERE owner_id = ? AND id = ?`, null(text), o.ID(), string(id))
		return nil
	})
}

// DropFiles implements attachment.Store.
func (db *DB) DropFiles(ctx context.Context, o owner.Owner, ids []session.FileID) error {
	return db.w.submit(ctx, o, func(t *tx) error {
		for _, id := range ids {
			t.send("erase a file", `DELETE FROM files WHERE owner_id = ? AND id = ?`, o.ID(), string(id))
		}
		return nil
	})
}

// SweepFiles implements attachment.Store.
func (db *DB) SweepFiles(ctx context.Context, old, unsaid time.Time) error {
	return db.w.submit(ctx, owner.Owner{}, func(t *tx) error {
		t.send("sweep files", `DELETE FROM files WHERE kept_at < ? OR kept_at < ? AND root_id IS NULL`, bound.Millis(old), bound.Millis(unsaid))
		return nil
	})
}

// FileOwners implements attachment.Store.
func (db *DB) FileOwners(ctx context.Context) ([]owner.Owner, error) {
	list, err := rowsOf(ctx, db, func(rows *rows) (owner.Owner, error) {
		var id string
		err := rows.Scan(&id)
		return owner.Stored(id), err
	}, `SELECT DISTINCT owner_id FROM files`)
	if err != nil {
		return nil, fmt.Errorf("list the owners of files: %w", err)
	}
	return list, nil
}

// placeFiles notes which message files came with.
func (t *tx) placeFiles(o owner.Owner, m *session.Message) {
	for _, id := range m.Files {
		t.send("note the message of a file", `UPDATE files SET root_id = ?, seq = ? WHERE owner_id = ? AND id = ?`,
			string(m.RootID), m.Seq, o.ID(), string(id))
	}
}

// eraseFiles erases the files of a message that is rewritten.
func (t *tx) eraseFiles(o owner.Owner, m *session.Message) {
	t.send("erase the files of a message", `DELETE FROM files WHERE owner_id = ? AND root_id = ? AND seq = ?`, o.ID(), string(m.RootID), m.Seq)
}
