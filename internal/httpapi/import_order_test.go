package httpapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// interleaved is a world in which three sessions of one key took turns.
func interleaved(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, options{})
	for i, text := range []string{
		"We use Postgres for the ledger.", "My cat is called Zebra.", "I live in Lisbon.", "We moved from Postgres to MySQL because of the licence.",
		"My cat is called Quetzal now.", "I moved to Porto.", "We use MySQL for the ledger.",
	} {
		w.clock.Advance(1)
		if got := w.call("POST", "/v1/chat/completions", chatBody(text, false),
			"X-Hermes-Session-Id", []string{"a", "b", "c", "b", "c", "a", "c"}[i], "X-Hermes-Session-Key", "team"); got.status != http.StatusOK {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	return w
}

// breaking is a body that ends with an error, and with it the request.
type breaking struct {
	io.Reader
	leave context.CancelFunc
}

func (b breaking) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		b.leave()
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// importBroken imports lines with a client that leaves behind them.
func (w *world) importBroken(lines []string) {
	ctx, leave := context.WithCancel(w.t.Context())
	r := httptest.NewRequest("POST", w.srv.URL+"/api/sessions/import", breaking{strings.NewReader(strings.Join(lines, "")), leave}).WithContext(ctx)
	r.Header.Set("Authorization", "Bearer "+localKey)
	(*w.handler.Load()).ServeHTTP(httptest.NewRecorder(), r)
}

// TestImportOrder: memory learns the same from an export in whatever order its lines come, also
// if the import breaks off and is run again.
func TestImportOrder(t *testing.T) {
	t.Parallel()
	w := interleaved(t)
	lines := strings.SplitAfter(strings.TrimSuffix(w.export(""), "\n"), "\n")
	lines[2] += "\n"
	want := w.states()
	for name, order := range map[string][3]int{"oldest first": {0, 1, 2}, "newest first": {2, 1, 0}, "mixed": {1, 2, 0}} {
		for _, broken := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				other := newWorld(t, options{})
				all := []string{lines[order[0]], lines[order[1]], lines[order[2]]}
				counts := `"imported":3,"unchanged":0,"failed":0`
				if broken {
					other.importBroken(all[:2])
					other.restart()
					counts = `"imported":1,"unchanged":2,"failed":0`
				}
				if got := other.call("POST", "/api/sessions/import", strings.Join(all, "")); !strings.Contains(got.body, counts) {
					t.Fatalf("got %d %s, want %s", got.status, got.body, counts)
				}
				if diff := cmp.Diff(want, other.states()); diff != "" {
					t.Errorf("memory (-first +again):\n%s", diff)
				}
			})
		}
	}
}

// TestImportSettles: an import whose lines are all there already learns what an import that
// broke off has stored and not learnt.
func TestImportSettles(t *testing.T) {
	t.Parallel()
	w := interleaved(t)
	lines := strings.SplitAfter(w.export(""), "\n")
	slices.Reverse(lines)
	other := newWorld(t, options{})
	other.importBroken(lines)
	if got := other.call("POST", "/api/sessions/import", strings.Join(lines, "")); !strings.Contains(got.body, `"imported":0,"unchanged":3`) {
		t.Fatalf("got %s", got.body)
	}
	if diff := cmp.Diff(w.states(), other.states()); diff != "" {
		t.Errorf("memory (-first +again):\n%s", diff)
	}
}

// TestImportGrownAfterRestart: what is new of a conversation without a key is learnt on top of
// what was learnt of it before.
func TestImportGrownAfterRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", foreignLine("", "We use Postgres for the ledger.", "Fine."), "imported:1 messages:2")
	w.restart()
	w.imports(t, "", foreignLine("", "We use Postgres for the ledger.", "Fine.", "We moved from Postgres to MySQL.", "Good."), "grown:1 messages:2")
	w.states()
	if got := w.call("GET", "/api/memory?session_id=chat:c", ""); !strings.Contains(got.body, "superseded_by") {
		t.Errorf("nothing was replaced: got %s", got.body)
	}
}
