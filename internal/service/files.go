package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Installed reports whether a file was written here. It fails if the file is of other
// origin.
func Installed(name string) (bool, error) {
	body, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the service: %w", err)
	}
	if !strings.Contains(string(body), Mark) {
		return false, fault.New(fault.Conflict, "service_foreign",
			name+" was not written by `hermes service install`, so it is left alone. Move it away, or go on with it.")
	}
	return true, nil
}

// Own fails if one of the files of a plan is of other origin.
func Own(files []File) error {
	for i := range files {
		if files[i].Secret {
			continue
		}
		if _, err := Installed(files[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the files of a plan, unless one of them is of other origin. If one cannot be written, those before it are undone.
func Write(files []File) (*Written, error) {
	if err := Own(files); err != nil {
		return nil, err
	}
	w := new(Written)
	for i := range files {
		err := w.note(&files[i])
		if err == nil {
			err = write(&files[i])
		}
		if err != nil {
			return nil, errors.Join(permitted(err), w.Undo())
		}
	}
	return w, nil
}

func write(f *File) error {
	if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
		return err
	}
	how := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if f.Secret {
		how = os.O_CREATE | os.O_WRONLY | os.O_EXCL
	}
	out, err := os.OpenFile(f.Name, how, f.Mode)
	if f.Secret && errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = out.WriteString(f.Body)
	return errors.Join(err, out.Close())
}

// Remove removes the files of a plan that were written here, and directories that it leaves
// empty.
func Remove(files []File) error {
	for i := range files {
		there, err := Installed(files[i].Name)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := os.Remove(files[i].Name); err != nil {
			return permitted(err)
		}
		if files[i].Under != "" {
			removeEmpty(filepath.Dir(files[i].Name), files[i].Under)
		}
	}
	return nil
}

// removeEmpty removes a directory and those above it, up to one that is not empty, or that is
// no directory but a link to one. It stops at the directory stays.
func removeEmpty(dir, stays string) {
	for dir != stays && strings.HasPrefix(dir, stays+string(filepath.Separator)) {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// permitted explains an error of files of the machine.
func permitted(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(fault.Forbidden, "service_needs_root",
			"A service of the machine is installed and removed by root: sudo hermes service … --system. Without --system it belongs to your account.", err)
	}
	return fmt.Errorf("change the files of the service: %w", err)
}
