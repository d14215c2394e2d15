package transfer

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chatsSQL makes the table of chats of Open WebUI with one chat.
const chatsSQL = `CREATE TABLE "chat" (
	id VARCHAR(255) NOT NULL, user_id VARCHAR(255) NOT NULL, title TEXT NOT NULL, share_id VARCHAR(255), created_at BIGINT, updated_at BIGINT, chat JSON);
INSERT INTO chat VALUES ('w','ada','t',NULL,1,1,'{"history":{"currentId":"a","messages":{"a":{"id":"a","role":"user","content":"A stork."}}}}');`

// TestDatabaseByItsTables: a database is told by its tables, whatever it is called and wherever they stand in it.
func TestDatabaseByItsTables(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("BEGIN;")
	for i := range 300 {
		fmt.Fprintf(&many, "CREATE TABLE t%d (%s_%d TEXT);", i, strings.Repeat("x", 1000), i)
	}
	many.WriteString(chatsSQL + "COMMIT;")
	packed := strings.Replace(chatsSQL, `'{"history`, `'"{\"history`, 1)
	packed = packed[:strings.Index(packed, `{\"`)] + strings.ReplaceAll(strings.ReplaceAll(packed[strings.Index(packed, `{\"`):], `\"`, `"`), `"`, `\"`)
	packed = strings.Replace(packed, `}}}}'`, `}}}}"'`, 1)
	for name, statements := range map[string]string{"copy.sqlite": chatsSQL, "large.db": many.String(), "packed.db": packed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			makeDatabase(t, path, statements)
			if got, err := readPath(t, path); err != nil || !strings.Contains(got, `user: "A stork."`) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// TestChatsDated: a database says when each chat was begun and changed, as an export does. An older generation has
// one time only.
func TestChatsDated(t *testing.T) {
	t.Parallel()
	older := strings.Replace(strings.Replace(chatsSQL, "created_at BIGINT, updated_at BIGINT", `"timestamp" INTEGER`, 1), "NULL,1,1,", "NULL,1717232400,", 1)
	for name, c := range map[string]struct {
		statements     string
		begun, changed int64
	}{
		"now":   {strings.Replace(chatsSQL, "NULL,1,1,", "NULL,1717232400,1717232500,", 1), 1717232400, 1717232500},
		"older": {older, 1717232400, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "webui.db")
			makeDatabase(t, path, c.statements)
			in, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			head := headOf(t, in.Files...)
			if changed := head.Origin.ChangedAt; head.StartedAt.Unix() != c.begun || changed.IsZero() != (c.changed == 0) || c.changed != 0 && changed.Unix() != c.changed {
				t.Errorf("got begun %s, changed %s, want %d, %d", head.StartedAt, changed, c.begun, c.changed)
			}
		})
	}
}

// readPath reads a file or a directory.
func readPath(t *testing.T, path string) (string, error) {
	t.Helper()
	in, err := Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	return readAll(t, in, Options{From: "auto"})
}

// TestDatabaseCutOff: a database that was cut off is damaged, and not unknown.
func TestDatabaseCutOff(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string]string{"chats": chatsSQL, "another": "CREATE TABLE a (b);"} {
		path := filepath.Join(t.TempDir(), "x.db")
		makeDatabase(t, path, statements+"CREATE TABLE more (b); INSERT INTO more VALUES (randomblob(9000));")
		if err := os.Truncate(path, 9000); err != nil {
			t.Fatal(err)
		}
		got, err := readPath(t, path)
		if err != nil {
			got += err.Error()
		}
		if !strings.Contains(got, "The database is damaged") {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestDatabaseCutOffInAPage: a database whose last page is not complete is damaged, although SQLite reads the rest of
// the page as zeros.
func TestDatabaseCutOffInAPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "webui.db")
	makeDatabase(t, path, chatsSQL)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-3000)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := readPath(t, path)
	if err != nil {
		got += err.Error()
	}
	if !strings.Contains(got, "The database is damaged: it was cut off") {
		t.Errorf("got %s", got)
	}
}

// TestDatabaseWithItsLog: the rows in the log of a database count, whatever it is called.
func TestDatabaseWithItsLog(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(from, "my.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "PRAGMA journal_mode=WAL;"+chatsSQL); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"my.db", "my.db-wal"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readPath(t, to); err != nil || !strings.Contains(got, `user: "A stork."`) || !strings.Contains(got, "files: 2") {
		t.Errorf("got %s, %v", got, err)
	}
}
