package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// checkHome refuses a home that another account could have written: its files name
// commands to run, and the server that conversations are sent to. A missing or empty
// home is made private when it is opened.
func checkHome(home string) error {
	info, err := os.Stat(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: correct that, or choose another home with HERMES_HOME", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no directory: choose another home with HERMES_HOME", home)
	}
	if names, err := os.ReadDir(home); err == nil && len(names) == 0 {
		return checkTrust(filepath.Dir(home), false)
	}
	return errors.Join(checkTrust(home, true), checkTrust(filepath.Dir(home), false))
}

// checkTrust refuses a file or directory that another account owns or can write, and a
// symbolic link of another account. If own is false, path is a parent directory, whose
// entries must not be replaceable by every account.
func checkTrust(path string, own bool) error {
	link, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if own && isForeignLink(link) {
		return distrust(path, "is a symbolic link that another account has made")
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	switch {
	case own && !isOurs(info):
		return distrust(path, "belongs to another account")
	case exposed(info, own):
		return distrust(path, fmt.Sprintf("can be written by other accounts (mode %04o)", info.Mode().Perm()))
	}
	return nil
}

// isForeignLink reports whether another account has made a symbolic link.
func isForeignLink(info fs.FileInfo) bool {
	return info.Mode()&fs.ModeSymlink != 0 && !isOurs(info)
}

// exposed reports whether another account can change a file, or the entries of a parent
// directory.
func exposed(info fs.FileInfo, own bool) bool {
	if own {
		return writable(info)
	}
	return replaceable(info)
}

// replaceable reports whether every account can replace entries of a directory.
func replaceable(dir fs.FileInfo) bool {
	return checksModes && dir.Mode().Perm()&0o002 != 0 && dir.Mode()&fs.ModeSticky == 0
}

func distrust(path, why string) error {
	return fmt.Errorf("%s %s, so what is in it cannot be trusted: look through it, then take that away "+
		"(chown \"$(id -un)\", chmod go-w), or choose another home with HERMES_HOME", path, why)
}

// checkFile refuses a configuration file that another account could have written, and a
// link through a directory that another account can write.
func checkFile(path string) error {
	if err := checkTrust(path, true); err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if target == path {
		return nil
	}
	return errors.Join(checkTrust(target, true), checkTrust(filepath.Dir(target), false))
}
