package attachment_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// bundle is a keeper of files over a real database.
type bundle struct {
	home  string
	db    *sqlite.DB
	files *attachment.Files
}

func alice() owner.Owner { return owner.Stored("alice") }

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{home: t.TempDir()}
	b.db = runtest.Open(t, filepath.Join(b.home, "state.db"))
	t.Cleanup(func() {
		if err := b.db.Close(); err != nil {
			t.Error(err)
		}
	})
	b.files = attachment.New(attachment.Parts{Store: b.db, Home: b.home, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	return b
}

// keep keeps a file.
func (b *bundle) keep(t *testing.T, o owner.Owner, id session.FileID, content string) attachment.File {
	t.Helper()
	f, err := b.files.Keep(t.Context(), o, attachment.File{ID: id, Kind: "photo", Run: "run_1"}, strings.NewReader(content))
	if err != nil {
		t.Fatalf("keep %s: %v", id, err)
	}
	return f
}

// names are the paths of all files on the disk, below the directory of files.
func (b *bundle) names(t *testing.T) []string {
	t.Helper()
	var out []string
	root := filepath.Join(b.home, "files")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

// count checks how many files are on the disk.
func (b *bundle) count(t *testing.T, what string, want int) {
	t.Helper()
	if got := b.names(t); len(got) != want {
		t.Errorf("%s: got the files %q, want %d", what, got, want)
	}
}

// TestKeep: equal bytes of an owner are kept once, and no owner has those of another one.
func TestKeep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.keep(t, alice(), "file_1", "content")
	b.keep(t, alice(), "file_2", "content")
	if again := b.keep(t, alice(), "file_1", "other"); again != first {
		t.Errorf("got %+v, want the file that was there: %+v", again, first)
	}
	if err := b.files.Tidy(t.Context(), alice()); err != nil {
		t.Fatal(err)
	}
	b.count(t, "one owner", 1)
	theirs := b.keep(t, owner.Stored("bob"), "file_1", "content")
	b.count(t, "two owners", 2)
	for _, o := range []owner.Owner{alice(), owner.Stored("bob")} {
		if data, err := b.files.Read(t.Context(), o, &theirs); err != nil || string(data) != "content" {
			t.Errorf("%s: got %q, %v", o.ID(), data, err)
		}
	}
	if err := b.db.DropFiles(t.Context(), alice(), []session.FileID{"file_1"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		drop session.FileID
		left int
	}{{"file_1", 2}, {"file_2", 1}} { // the bytes stay as long as a row has them
		err := errors.Join(b.db.DropFiles(t.Context(), alice(), []session.FileID{step.drop}), b.files.Tidy(t.Context(), alice()))
		if err != nil {
			t.Fatal(err)
		}
		b.count(t, string(step.drop), step.left)
	}
	if _, err := b.files.Read(t.Context(), alice(), &first); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v, want the bytes gone", err)
	}
}

// TestKeepFails: a file that is too large, or whose download breaks off, leaves nothing.
func TestKeepFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endless := io.LimitReader(zeros{}, attachment.MaxSize+1)
	for name, c := range map[string]struct {
		from io.Reader
		want fault.Kind
	}{
		"too large": {endless, fault.TooLarge}, "broken": {io.MultiReader(strings.NewReader("begun"), iotest.ErrReader(fault.New(fault.Timeout, "", "slow"))), fault.Timeout},
	} {
		_, err := b.files.Keep(t.Context(), alice(), attachment.File{ID: "file_1", Kind: "photo"}, c.from)
		if fault.KindOf(err) != c.want {
			t.Errorf("%s: got %v, want the kind %s", name, err, c.want)
		}
	}
	b.count(t, "after failures", 0)
	f, err := b.files.Keep(t.Context(), alice(), attachment.File{ID: "file_1", Kind: "photo"}, io.LimitReader(zeros{}, attachment.MaxSize))
	if err != nil || f.Size != attachment.MaxSize {
		t.Errorf("the largest file: got %d bytes, %v", f.Size, err)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestMend: what an earlier process has left is removed, and what is not ours stays.
func TestMend(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept := b.keep(t, alice(), "file_1", "kept")
	b.keep(t, alice(), "file_2", "a row that is lost")
	b.keep(t, owner.Stored("bob"), "file_1", "all rows are lost")
	err := errors.Join(b.db.DropFiles(t.Context(), alice(), []session.FileID{"file_2"}), b.db.DropFiles(t.Context(), owner.Stored("bob"), []session.FileID{"file_1"}))
	dir := filepath.Dir(b.names(t)[0])
	for _, name := range []string{"part.0123", "README"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	outside := filepath.Join(b.home, kept.Hash.String())
	err = errors.Join(err, os.WriteFile(outside, []byte("x"), 0o600), b.files.Mend(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	b.count(t, "after mending", 2)
	if data, err := b.files.Read(t.Context(), alice(), &kept); err != nil || string(data) != "kept" {
		t.Errorf("got %q, %v, want the file that has a row", data, err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// TestLeft: the search after an erasure finds bytes without a row, and texts that name the
// thing.
func TestLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if bytes, hits, err := b.files.Left(t.Context(), alice(), mention.Of("Rex")); bytes != 0 || hits != 0 || err != nil {
		t.Errorf("without files: got %d bytes, %d hits, %v", bytes, hits, err)
	}
	b.keep(t, alice(), "file_1", "This is Rex.")
	b.keep(t, alice(), "file_2", "nothing")
	b.keep(t, alice(), "file_3", "gone")
	if err := b.db.DropFiles(t.Context(), alice(), []session.FileID{"file_3"}); err != nil {
		t.Fatal(err)
	}
	bytes, hits, err := b.files.Left(t.Context(), alice(), mention.Of("Rex"))
	if err != nil || hits != 2 || bytes != int64(len("This is Rex.nothinggone")) {
		t.Errorf("got %d bytes, %d hits, %v, want 2 hits", bytes, hits, err)
	}
	n, err := b.files.Forget(t.Context(), alice(), mention.Of("Rex"), false)
	if err != nil || n != 1 {
		t.Errorf("got %d files, %v, want 1 erased", n, err)
	}
	b.count(t, "after forgetting", 1)
	if _, hits, err := b.files.Left(t.Context(), alice(), mention.Of("Rex")); err != nil || hits != 0 {
		t.Errorf("got %d hits, %v, want none", hits, err)
	}
}

// TestImage: the bytes say whether a file is an image that models take.
func TestImage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const png = "\x89PNG\r\n\x1a\n"
	for id, c := range map[session.FileID]struct {
		content string
		want    string
	}{
		"png": {png + "data", "image/png"}, "jpeg": {"\xff\xd8\xff\xe0", "image/jpeg"}, "gif": {"GIF89a", "image/gif"}, "webp": {"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"},
		"svg": {"<svg xmlns='http://www.w3.org/2000/svg'/>", ""}, "bmp": {"BM\x00\x00", ""}, "text": {"words", ""}, "empty": {"", ""},
		"largest": {png + strings.Repeat("x", 5<<20-len(png)), "image/png"}, "too large": {png + strings.Repeat("x", 5<<20-len(png)+1), ""},
	} {
		b.keep(t, alice(), id, c.content)
		mime, data, ok := b.files.Image(context.Background(), alice(), id)
		if ok != (c.want != "") || ok && (mime != c.want || string(data) != c.content) {
			t.Errorf("%s: got %s with %d bytes, %t, want %q", id, mime, len(data), ok, c.want)
		}
	}
	if _, _, ok := b.files.Image(context.Background(), owner.Stored("bob"), "png"); ok {
		t.Error("another owner has the image")
	}
}

// FuzzIsText: what is taken for a text has only signs that texts have.
func FuzzIsText(f *testing.F) {
	for _, seed := range []string{"words\r\n\tmore", "\x00", "\xff", "\x1b[2J", "äöü ✓", "\x7f"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		odd := strings.ContainsFunc(string(data), func(c rune) bool { return c < ' ' && !strings.ContainsRune("\t\n\v\f\r", c) || c == 0x7f })
		if got := attachment.IsText(data); got && (odd || string(data) != strings.ToValidUTF8(string(data), "?")) {
			t.Errorf("%q was taken for a text", data)
		}
	})
}
