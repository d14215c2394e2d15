package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestTracesOfOneValue: neighbouring columns are no mention, whatever they say together. A value
// that names the thing is one, in a row, in a page of a long text, and in the log.
func TestTracesOfOneValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows [][2]string
		want int
	}{
		"neighbours":                {[][2]string{{"local", "matrix"}, {"l", "matrix"}, {"red", "annual"}}, 0},
		"a value":                   {[][2]string{{"local", "the soul of alma"}}, 1},
		"the first value":           {[][2]string{{"alma", "x"}}, 1},
		"both":                      {[][2]string{{"local", "matrix and alma"}}, 1},
		"a text over several pages": {[][2]string{{strings.Repeat("x ", 9000) + "alma" + strings.Repeat(" y", 9000), "matrix"}}, 1},
		"neighbours behind long":    {[][2]string{{strings.Repeat("x ", 200) + "local", "matrix"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			db, err := Open(t.Context(), Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			err = db.w.submit(t.Context(), func(t *tx) error {
				if _, err := t.exec(`CREATE TABLE seams (a TEXT, b TEXT)`); err != nil {
					return err
				}
				for i := range 40 {
					for _, row := range c.rows {
						if _, err := t.exec(`INSERT INTO seams VALUES (?, ?)`, row[0], row[1]); err != nil {
							return err
						}
					}
					if i == 0 && c.want > 0 {
						break
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, place := range []string{"log", "file"} {
				found, err := db.Traces(t.Context(), mention.Of("alma"))
				if err != nil {
					t.Fatal(err)
				}
				hits := 0
				for _, trace := range found {
					hits += trace.Hits
				}
				if hits != c.want {
					t.Errorf("in the %s: %d mentions, want %d: %+v", place, hits, c.want, found)
				}
				if err := db.Clean(t.Context()); err != nil { // moves the log into the file
					t.Fatal(err)
				}
			}
		})
	}
}

// FuzzSeams: any page gives an answer.
func FuzzSeams(f *testing.F) {
	path := filepath.Join(f.TempDir(), "state.db")
	db, err := Open(f.Context(), Options{Path: path})
	if err != nil {
		f.Fatal(err)
	}
	if err := db.Close(); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for at := 0; at+4096 <= len(file) && at < 8*4096; at += 4096 {
		f.Add(file[at:at+4096], 200, 8)
	}
	f.Fuzz(func(_ *testing.T, page []byte, from, length int) {
		if len(page) < 512 || from < 0 || length < 0 || length > len(page) || from >= len(page)-length {
			return
		}
		divided(page, 0, from, from+length)
		divided(page, fileHeader, from, from+length)
	})
}
