package sqlite

import (
	"errors"
	"fmt"
	"os"
)

// identity identifies the open database files themselves, not their names. If another
// process deletes or replaces a file while it is open, later writes to it are lost on
// close.
type identity struct {
	names []string
	infos []os.FileInfo
}

// errReplaced says that a file is no longer the one that was opened.
var errReplaced = errors.New("the file was removed or replaced while it was in use")

func newIdentity(path string) (*identity, error) {
	id := &identity{}
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("look at the database: %w", err)
		}
		id.names, id.infos = append(id.names, name), append(id.infos, info)
	}
	return id, nil
}

// check compares the files with those that were opened. It opens no file, because
// closing a database file drops the locks on it.
func (id *identity) check() error {
	for i, name := range id.names {
		info, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("%w: %w", errReplaced, err)
		}
		if !os.SameFile(info, id.infos[i]) {
			return fmt.Errorf("%w: %s", errReplaced, name)
		}
	}
	return nil
}
