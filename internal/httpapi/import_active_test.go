package httpapi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// activeAt is a line that says when its newest message was said, as each line of `hermes import` does.
func activeAt(line, seconds string) string {
	return strings.Replace(line, `"started_at"`, `"last_active":`+seconds+`,"started_at"`, 1)
}

// TestImportLastActive: a session that an import adds to was active when its newest message was said, so that it has
// its place in a list, and is not pruned for its age.
func TestImportLastActive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	active := func(id string, want int64) {
		t.Helper()
		tip, err := w.db.Tip(context.Background(), owner.Local(), session.ID(id))
		if err != nil || !tip.LastActive.Equal(time.Unix(want, 0)) {
			t.Errorf("%s: got %v, %v, want %v", id, tip.LastActive, err, time.Unix(want, 0).UTC())
		}
	}
	w.imports(t, "", activeAt(namedLine(cat, fine), "1700000001"), "imported:1 messages:2")
	active("chat:c", 1700000001)
	w.imports(t, "", activeAt(namedLine(cat, fine, tea), "1700000002"), "grown:1 messages:1")
	active("chat:c", 1700000002)
	w.imports(t, "", activeAt(namedLine(cat, fine, coffee, good), "1700000003"), "changed:1 messages:2")
	active("chat:c", 1700000003)

	first := memoryLine(noted{"1", rome, 1}, noted{"2", green, 2})
	w.imports(t, "", activeAt(first, "1700000002"), "imported:1 messages:2")
	w.imports(t, "", activeAt(memoryLine(noted{"1", paris, 9}), "1700000009"), "changed:1 messages:2")
	active("mem:m", 1700000009)
	w.imports(t, "", activeAt(memoryLine(noted{"3", fish, 4}), "1700000004"), "grown:1 messages:1") // an older page
	active("mem:m", 1700000009)
	w.imports(t, "", memoryLine(noted{"4", "Runs.", 12}), "grown:1 messages:1") // without a time
	active("mem:m", 1700000009)
	w.states()
}
