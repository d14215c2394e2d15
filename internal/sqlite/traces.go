package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// Clean implements curate.Sweeper.
func (db *DB) Clean(ctx context.Context) error {
	if err := db.indexer.scoured(ctx); err != nil {
		return fmt.Errorf("clean the index: %w", err)
	}
	if err := db.pieces.erased(ctx); err != nil {
		return fmt.Errorf("erase pieces: %w", err)
	}
	err := db.w.submit(ctx, func(t *tx) error {
		t.erases = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("empty the log: %w", err)
	}
	return nil
}

// Traces implements curate.Sweeper.
func (db *DB) Traces(ctx context.Context, about *mention.Thing) ([]curate.Trace, error) {
	home, err := filepath.EvalSymlinks(filepath.Dir(db.opt.Path)) // WalkDir does not follow a link
	if err != nil {
		return nil, fmt.Errorf("find the home: %w", err)
	}
	schema, err := db.schemaText(ctx)
	if err != nil {
		return nil, err
	}
	names, err := db.unnamed(ctx, about)
	if err != nil {
		return nil, err
	}
	format := about.FormatOf(schema).WithNames(about, names)
	var out []curate.Trace
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(home, path)
		if err != nil {
			return fmt.Errorf("name a file: %w", err)
		}
		if IsCopy(name) {
			return skipCopy(d)
		}
		if d.IsDir() {
			return nil
		}
		t := curate.Trace{File: name, Foreign: !db.wrote(name)}
		in := mention.Format{}
		switch {
		case strings.HasPrefix(name, filepath.Base(db.opt.Path)): // the database, its log, a copy of it
			in = format
		case name == config.FileName: // people write it; the names of its settings are no mention
			in = about.FormatOf(strings.Join(config.Words(), " "))
		case transcript.Has(name):
			in = about.FormatOf("").WithNames(about, names)
		}
		found, err := db.searchFile(path, &t, about, in)
		if found {
			out = append(out, t)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", home, err)
	}
	return out, nil
}

// unnamed are the ids and session keys that have the name of a thing in a word, and do not name the thing.
func (db *DB) unnamed(ctx context.Context, about *mention.Thing) (names []string, err error) {
	rows, err := db.read.QueryContext(ctx, storage.Names())
	if err != nil {
		return nil, fmt.Errorf("list ids: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("list ids: %w", err)
		}
		names = storage.Unnamed(about, names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list ids: %w", err)
	}
	return names, nil
}

// skipCopy leaves a copy out of a search.
func skipCopy(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// schemaText is what the database's files say about their own format, with the words that this program writes into
// values.
func (db *DB) schemaText(ctx context.Context) (string, error) {
	var text string
	const query = `SELECT 'SQLite format 3 ' || coalesce(group_concat(concat_ws(' ', type, name, tbl_name, sql), ' '), '')
		|| ' ' || (SELECT coalesce(group_concat(platform, ' '), '') FROM (` + storage.Platforms + `)) FROM sqlite_schema`
	if err := db.read.QueryRowContext(ctx, query).Scan(&text); err != nil {
		return "", fmt.Errorf("read schema: %w", err)
	}
	return text + " " + mention.OwnWords, nil
}

// searchFile searches a file for the thing. found is false if the file no longer exists
// or is not a regular file. The database files are read through the guard's
// descriptors, because closing another descriptor would drop SQLite's locks.
func (db *DB) searchFile(path string, t *curate.Trace, about *mention.Thing, format mention.Format) (found bool, err error) {
	info, err := os.Stat(path) // of the target of a link
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", path, err)
	}
	if info.IsDir() { // a link to another directory is reported, not followed
		t.File += " (a link, not searched)"
		return true, nil
	}
	if !info.Mode().IsRegular() {
		return false, nil
	}
	held, err := db.guard.file(info)
	if err != nil {
		return false, err
	}
	var in io.Reader
	file := held
	if held != nil {
		in = io.NewSectionReader(held, 0, 1<<62)
	} else {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("open %s: %w", path, err)
		}
		defer func() { _ = f.Close() }()
		if t.Foreign && isBackup(f) {
			return false, nil
		}
		in, file = f, f
	}
	if strings.HasPrefix(t.File, filepath.Base(db.opt.Path)) {
		format = format.With(newSeams(file).apart)
	}
	if transcript.Has(t.File) {
		in = transcript.Texts(t.File, in)
	}
	c, err := about.CountIn(in, format)
	t.Bytes, t.Hits, t.Format = info.Size(), c.Hits, c.Own
	if db.keepsNoWords(t.File) {
		t.Hits, t.Format = 0, c.Hits+c.Own
	}
	return true, err
}
