package transfer

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/hermes-memory/hermes/internal/fault"
)

// database is a copy of another program's SQLite database. The program's own file is only
// copied, never opened.
type database struct {
	db  *sql.DB
	dir string
}

// openCopy copies a database, with its log if the input has one, and opens the copy.
func openCopy(ctx context.Context, f *File, files []*File) (*database, error) {
	dir, err := os.MkdirTemp("", "hermes-import-")
	if err != nil {
		return nil, noRoom(err)
	}
	d := &database{dir: dir}
	path := filepath.Join(dir, "copy.db")
	err = copyFile(f, path)
	if err == nil {
		err = wholePages(path)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if i := slices.IndexFunc(files, func(other *File) bool { return other.Name == f.Name+walEnding }); i >= 0 {
		if err := copyFile(files[i], path+"-wal"); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}
	if d.db, err = sql.Open("sqlite", u.String()); err != nil {
		return nil, errors.Join(fmt.Errorf("open the copy: %w", err), os.RemoveAll(dir))
	}
	d.db.SetMaxOpenConns(1)
	if err := d.db.PingContext(ctx); err != nil {
		d.close()
		return nil, unreadableDatabase(err)
	}
	return d, nil
}

func unreadableDatabase(err error) error {
	return fault.Wrap(fault.Invalid, "import_unreadable", "The database is damaged, or not as this program knows it: "+err.Error()+".", err)
}

// wholePages refuses a database whose last page is not complete: SQLite would read zeros in place of the rest.
func wholePages(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 18)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(head, 0); err != nil {
		return ended(err) // SQLite says what is wrong with it
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 { // stands for a size that does not fit
		page = 64 << 10
	}
	if page >= 512 && info.Size()%page != 0 {
		return fault.New(fault.Invalid, "import_unreadable",
			"The database is damaged: it was cut off within a page. Stop the other program, and copy its database again.")
	}
	return nil
}

func copyFile(f *File, to string) (err error) {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return noRoom(err)
	}
	_, err = io.Copy(intoTemporary{out}, in)
	if closed := out.Close(); err == nil && closed != nil {
		err = noRoom(closed)
	}
	return err
}

// intoTemporary tells the errors of a temporary file from those of what is copied into it.
type intoTemporary struct{ io.Writer }

// Write implements io.Writer.
func (w intoTemporary) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = noRoom(err)
	}
	return n, err
}

// close closes the copy and removes it.
func (d *database) close() {
	if d.db != nil {
		_ = d.db.Close() // a copy: nothing is lost
	}
	_ = os.RemoveAll(d.dir) // at worst, a copy stays in the directory for such files
}

// walEnding ends the name of a database's log, which has its newest rows.
const walEnding = "-wal"

// logsOf are the logs of databases among some files, by their names.
func logsOf(files []*File) map[string]*File {
	names := make(map[string]bool)
	for _, f := range files {
		names[f.Name] = true
	}
	logs := make(map[string]*File)
	for _, f := range files {
		if of, ok := strings.CutSuffix(f.Name, walEnding); ok && names[of] {
			logs[f.Name] = f
		}
	}
	return logs
}

// schema are the statements that made the tables.
func (d *database) schema(ctx context.Context) (all []byte, err error) {
	err = d.each(ctx, `SELECT sql FROM sqlite_schema WHERE type = 'table'`, func(row map[string]any) error {
		all = append(append(all, textOf(row["sql"])...), ";\n"...)
		return nil
	})
	return all, err
}

// columns are the columns of a table; none if there is no such table.
func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	var names []string
	err := d.each(ctx, `SELECT name FROM pragma_table_info(?)`, func(row map[string]any) error {
		names = append(names, textOf(row["name"]))
		return nil
	}, table)
	return names, err
}

// each calls take with each row, by column.
func (d *database) each(ctx context.Context, query string, take func(row map[string]any) error, args ...any) error {
	rows, err := d.db.QueryContext(ctx, query, args...)
	if err != nil {
		return unreadableDatabase(err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return unreadableDatabase(err)
	}
	values, places := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return unreadableDatabase(err)
		}
		row := make(map[string]any, len(names))
		for i, name := range names {
			row[name] = values[i]
		}
		if err := take(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return unreadableDatabase(err)
	}
	return nil
}

// textOf is the text of a column.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}
