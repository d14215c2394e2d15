package httpapi_test

import (
	"strings"
	"testing"
)

// exportedTo imports what a server exports into another one.
func (w *world) exportedTo(t *testing.T, other *world) string {
	t.Helper()
	lines := w.call("GET", "/api/sessions/export", "").body
	other.imports(t, "", lines, "imported:1 messages:4")
	return lines
}

// TestImportOfExported: a session that an export brought into another home is known to the next import of the
// conversation that it came from.
func TestImportOfExported(t *testing.T) {
	t.Parallel()
	line := namedLine(cat, fine, tea, good)
	for name, c := range map[string]struct{ next, want, id string }{
		"unchanged": {line, "unchanged:1", "chat:c"},
		"grown":     {namedLine(cat, fine, tea, good, coffee), "grown:1 messages:1", "chat:c"},
		"edited":    {namedLine(cat, fine, coffee, good), "changed:1 messages:2", "chat:c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newWorld(t, options{}), newWorld(t, options{})
			from.imports(t, "", line, "imported:1 messages:4")
			lines := from.exportedTo(t, to)
			to.imports(t, "", lines, "unchanged:1")
			to.imports(t, "?dry_run=true", c.next, c.want)
			to.imports(t, "", c.next, c.want)
			to.states()
		})
	}
}

// TestImportOfExportedContinued: what was said before the export, and is not in the other program, stays.
func TestImportOfExportedContinued(t *testing.T) {
	t.Parallel()
	from, to := newWorld(t, options{}), newWorld(t, options{})
	from.imports(t, "", namedLine(cat, fine), "imported:1 messages:2")
	from.chat("chat:c", "I have a dog, too.")
	from.exportedTo(t, to)
	to.imports(t, "", namedLine(cat, fine), "unchanged:1")
	to.imports(t, "", namedLine(cat, fine, tea), "apart:1 messages:3")
	to.stands("chat:c~2", cat, fine, tea)
}

// TestImportOfExportedTwice: a conversation that this home has imported itself stays with the session that
// it has here.
func TestImportOfExportedTwice(t *testing.T) {
	t.Parallel()
	from, to := newWorld(t, options{}), newWorld(t, options{})
	from.imports(t, "", strings.Replace(namedLine(cat, fine, tea, good), `"id":"chat:c","session_key"`, `"id":"other","session_key"`, 1), "imported:1 messages:4")
	to.imports(t, "", namedLine(cat, fine), "imported:1 messages:2")
	from.exportedTo(t, to)
	to.imports(t, "", namedLine(cat, fine, coffee), "grown:1 messages:1")
	to.stands("chat:c", cat, fine, coffee)
	to.stands("other", cat, fine, tea, good)
}

// TestImportOfUnknown: a session that is not known to come from the conversation stays, and the failure says
// what to do. An export that says where it comes from makes it known.
func TestImportOfUnknown(t *testing.T) {
	t.Parallel()
	from, to := newWorld(t, options{}), newWorld(t, options{})
	line := namedLine(cat, fine, tea, good)
	from.imports(t, "", line, "imported:1 messages:4")
	lines := from.call("GET", "/api/sessions/export", "").body
	to.imports(t, "", strings.Replace(lines, `"imported_from"`, `"something"`, 1), "imported:1 messages:4")
	const hint = `and is not known to come from this conversation; it was left as it is. ` +
		"To take this one in its place, delete that one with `hermes sessions delete chat:c`, and import again. " +
		"To keep both, copy that one first with `hermes sessions fork chat:c`."
	if got := to.call("POST", "/api/sessions/import", line); !strings.Contains(got.body, hint) {
		t.Errorf("got %s", got.body)
	}
	if got := to.call("POST", "/api/sessions/import?dry_run=true", line); !strings.Contains(got.body, hint) {
		t.Errorf("dry run: got %s", got.body)
	}
	to.imports(t, "", lines, "unchanged:1")
	to.imports(t, "", line, "unchanged:1")
}
