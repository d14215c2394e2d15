//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDistrust: a configuration names commands, so it is read only where no other
// account can have written it.
func TestDistrust(t *testing.T) {
	t.Parallel()
	const file = "log:\n  level: debug\n"
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, w *world) error
		want    string // in the error; "" for none
	}{
		{"as it is made", func(*testing.T, *world) error { return nil }, ""},
		{"a home that all can write", func(_ *testing.T, w *world) error { return os.Chmod(w.home, 0o777) }, "can be written by other accounts"},
		{"a home like /tmp", func(_ *testing.T, w *world) error { return os.Chmod(w.home, 0o777|os.ModeSticky) }, "can be written by other accounts"},
		{"a file that all can write", func(_ *testing.T, w *world) error {
			return os.Chmod(filepath.Join(w.home, "config.yaml"), 0o666)
		}, "config.yaml can be written by other accounts"},
		{"a link to a file of ours", func(t *testing.T, w *world) error {
			t.Helper()
			return linkTo(t, w, 0o600)
		}, ""},
		{"a link to a file that all can write", func(t *testing.T, w *world) error {
			t.Helper()
			return linkTo(t, w, 0o666)
		}, "can be written by other accounts"},
		{"a home below a directory that all can write", func(_ *testing.T, w *world) error {
			return os.Chmod(filepath.Dir(w.home), 0o777)
		}, "can be written by other accounts"},
		{"an empty home that all can write", func(_ *testing.T, w *world) error {
			return os.Chmod(w.home, 0o777)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := file
			if strings.HasPrefix(c.name, "an empty") {
				text = ""
			}
			w := newWorld(t, "")
			w.home = filepath.Join(t.TempDir(), "home")
			w.env["HERMES_HOME"] = w.home
			if err := os.Mkdir(w.home, 0o700); err != nil {
				t.Fatal(err)
			}
			if text != "" {
				if err := os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.prepare(t, w); err != nil {
				t.Fatal(err)
			}
			_, err := w.load()
			if c.want == "" && err != nil {
				t.Errorf("got %v, want it read", err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "HERMES_HOME")) {
				t.Errorf("got %v, want an error with %q and what to do", err, c.want)
			}
		})
	}
}

// linkTo puts a link to a file elsewhere in the place of the configuration.
func linkTo(t *testing.T, w *world, mode os.FileMode) error {
	t.Helper()
	path, target := filepath.Join(w.home, "config.yaml"), filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.Rename(path, target); err != nil {
		return err
	}
	if err := os.Chmod(target, mode); err != nil {
		return err
	}
	return os.Symlink(target, path)
}
