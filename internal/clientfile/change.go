package clientfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Change is what installing or uninstalling does to one file. Nothing is written before
// Write.
type Change struct {
	// File is the file as the client names it. Target is the file that symbolic links
	// lead to; else it is File.
	File, Target string
	// Before and After are the contents. nil means that there is no file.
	Before, After []byte
	// Replaced is the command or URL of another program's entry that is replaced; or "".
	Replaced string
	// Restored reports that an entry of another program comes back.
	Restored bool

	keepBackup, dropBackup bool
}

// None reports that nothing changes.
func (c *Change) None() bool {
	return bytes.Equal(c.Before, c.After) && (c.Before == nil) == (c.After == nil)
}

// mark is the byte order mark, which some editors put before UTF-8.
var mark = []byte("\xef\xbb\xbf")

// Install plans the entry of a server in the client's file. It returns a fault, which
// names file and line, if the file cannot be changed.
func (c *Client) Install(p Place, project bool, s Server) (*Change, error) {
	f, err := c.open(p, project)
	if err != nil {
		return nil, err
	}
	change := &Change{File: f.name, Target: f.target, Before: f.bytes}
	found, exists := lookup(f.members, c.path())
	old, ours := c.read(found)
	if exists && !ours {
		change.Replaced = cmp.Or(old.URL, old.Command, "another value")
	}
	change.keepBackup = ours
	body, err := c.install(f.body, s)
	if err == nil {
		err = c.checkOthers(f.body, body)
	}
	if err != nil {
		return nil, f.refuse(err)
	}
	change.After = f.with(body)
	return change, nil
}

// install writes the entry into a document. It changes this program's own entry field by
// field: fields that the user or the client added stay. An entry that changes between a
// command and a URL is written as a whole, because clients refuse fields of the other form.
func (c *Client) install(doc []byte, s Server) ([]byte, error) {
	members, err := c.syntax.decode(doc)
	if err != nil {
		return nil, err
	}
	found, exists := lookup(members, c.path())
	old, ours := c.read(found)
	if !exists || !ours || old.form() != s.form() {
		return c.syntax.set(doc, c.path(), c.entry(s))
	}
	if s.HomeDir == "" && old.HomeDir != "" {
		if doc, err = c.removeHome(doc, found); err != nil {
			return nil, err
		}
	}
	return c.update(doc, members, c.entry(s).leaves())
}

// update sets the fields of the entry that are not as wanted.
func (c *Client) update(doc []byte, members map[string]any, wanted []leaf) (_ []byte, err error) {
	for _, l := range wanted {
		if value, exists := lookup(members, c.path(l.path...)); exists && same(value, l.value) {
			continue
		}
		if doc, err = c.syntax.set(doc, c.path(l.path...), l.value); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// removeHome takes HERMES_HOME out of an entry, with the table that is empty then.
func (c *Client) removeHome(doc []byte, entry any) ([]byte, error) {
	members, _ := entry.(map[string]any)
	for _, table := range environments() {
		variables, _ := members[table].(map[string]any)
		if _, found := variables[homeVariable]; !found {
			continue
		}
		if len(variables) == 1 {
			return c.syntax.remove(doc, c.path(table))
		}
		return c.syntax.remove(doc, c.path(table, homeVariable))
	}
	return doc, nil
}

// Uninstall plans the file without the entry: as it was before the installation, except
// for what has changed since. It changes nothing if there is no entry, and refuses one
// of another program.
func (c *Client) Uninstall(p Place, project bool) (*Change, error) {
	f, err := c.open(p, project)
	if err != nil {
		return nil, err
	}
	change := &Change{File: f.name, Target: f.target, Before: f.bytes, After: f.bytes}
	found, exists := lookup(f.members, c.path())
	if !exists {
		return change, nil
	}
	s, ours := c.read(found)
	if !ours {
		return nil, fault.New(fault.Conflict, "foreign_entry", fmt.Sprintf(
			"The entry %q in %s starts another program: %s. It was left as it is.", entryName, f.name, cmp.Or(s.URL, s.Command, "unknown")))
	}
	backup, err := c.earlier(f, change)
	if err != nil {
		return nil, err
	}
	if fresh, err := c.install(backup.body, s); err == nil && bytes.Equal(backup.with(fresh), f.bytes) {
		change.After, change.dropBackup = backup.bytes, true
		_, change.Restored = lookup(backup.members, c.path())
		return change, nil
	}
	body, restored, err := c.uninstall(f, backup)
	if err == nil {
		err = c.checkOthers(f.body, body)
	}
	if err != nil {
		return nil, f.refuse(err)
	}
	change.After, change.Restored = f.with(body), restored
	if bytes.Equal(change.After, backup.bytes) {
		change.dropBackup = true
	}
	return change, nil
}

// earlier is the file from before the installation. A copy that has an entry of this program
// was made between two installations: it is dropped, and counts as none.
func (c *Client) earlier(f *file, change *Change) (*file, error) {
	backup, err := c.backupOf(f)
	if err != nil {
		return nil, err
	}
	entry, kept := lookup(backup.members, c.path())
	if _, ours := c.read(entry); kept && ours {
		change.dropBackup = true
		return &file{name: backup.name}, nil
	}
	return backup, nil
}

// uninstall takes the entry out of a file that has changed since the installation, and puts
// another program's entry of the backup in its place.
func (c *Client) uninstall(f, backup *file) (body []byte, restored bool, err error) {
	if _, existed := lookup(backup.members, c.path()); existed {
		body, err = c.syntax.graft(f.body, backup.body, c.path())
		return body, true, err
	}
	if body, err = c.syntax.remove(f.body, c.path()); err != nil {
		return nil, false, err
	}
	members, err := c.syntax.decode(body)
	if err != nil {
		return nil, false, err
	}
	table, _ := members[c.table].(map[string]any)
	if _, hadTable := backup.members[c.table]; len(table) > 0 || hadTable || members[c.table] == nil {
		return body, false, nil
	}
	body, err = c.syntax.remove(body, []string{c.table})
	return body, false, err
}

// checkOthers makes sure that an edit changed the entry only, before anything is written.
func (c *Client) checkOthers(before, after []byte) error {
	old, err := c.syntax.decode(before)
	if err != nil {
		return err
	}
	changed, err := c.syntax.decode(after)
	if err != nil {
		return fmt.Errorf("the changed file would not be valid: %w", err)
	}
	old, changed = without(old, c.path()), without(changed, c.path())
	if len(old) == 0 && len(changed) == 0 || alike(old, changed) {
		return nil
	}
	return errors.New("the change would affect other entries of the file")
}

// alike reports whether two decoded values are the same. TOML has nan, which equals nothing.
func alike(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, alike)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, alike)
	}
	return reflect.DeepEqual(a, b)
}

// Snippet is the entry as it stands in a file of its own.
func (c *Client) Snippet(s Server) (string, error) {
	body, err := c.syntax.set(nil, c.path(), c.entry(s))
	return string(body), err
}
