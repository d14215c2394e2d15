package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

// TestMigrate: a home goes to PostgreSQL and comes back. The server on each of them shows
// the same state hash, the same receipts, keys and jobs, and exports the same bytes.
func TestMigrate(t *testing.T) {
	t.Parallel()
	db, err := postgrestest.Start(t.Context(), postgrestest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Stop)
	secret := db.Database(t, func(context.Context, string) error { return nil }) + "&password=tellnobody"
	home, back := t.TempDir(), t.TempDir()
	s := serve(t, home, nil, "--addr", "127.0.0.1:0")
	tellAll(t, s)
	first := lookAt(t, s, nil)
	file := filepath.Join(home, "state.db")
	onPostgres := []string{"HERMES_DATABASE_URL=" + secret}
	if out, err := command(t, home, onPostgres, "migrate").CombinedOutput(); err == nil || !strings.Contains(string(out), "The source: Another hermes") {
		t.Errorf("with a running server: got %v\n%s", err, out)
	}
	s.stop()

	there := migrated(t, home, onPostgres, "--from", file)
	if there.Messages != 42 || there.Scopes != 2 {
		t.Errorf("got %+v", there)
	}
	if out, err := command(t, home, onPostgres, "migrate").CombinedOutput(); err == nil || !strings.Contains(string(out), "target holds data") {
		t.Errorf("a second time: got %v\n%s", err, out)
	}
	s = serve(t, home, onPostgres, "--addr", "127.0.0.1:0")
	if second := lookAt(t, s, onPostgres); second != first {
		t.Errorf("PostgreSQL shows\n%s\nthe file\n%s", second, first)
	}
	s.stop()

	migrated(t, back, nil, "--from", secret, "--to", filepath.Join(back, "state.db"))
	s = serve(t, back, nil, "--addr", "127.0.0.1:0")
	if third := lookAt(t, s, nil); third != first {
		t.Errorf("the file that came back shows\n%s\nthe first one\n%s", third, first)
	}
	s.stop()
}

// tellAll fills a server: turns with and without a session key, a job and an API key.
func tellAll(t *testing.T, s *server) {
	t.Helper()
	client := newClient(t)
	for i := range 20 {
		c := chat{session: "talk", text: fmt.Sprintf("My note %d is about the Quetzal database in room %d.", i, i)}
		if r, err := c.send(t.Context(), client, s.addr); err != nil || r.status != 200 {
			t.Fatalf("got %d %s, %v", r.status, r.body, err)
		}
	}
	callAPI(t, s.addr, "POST", "/api/jobs", `{"name":"tea","prompt":"Remind me of tea.","schedule":"0 9 * * *"}`, 201, nil)
	c := chat{session: "other", text: "My sister lives in Oslo."}
	if r, err := c.send(t.Context(), client, s.addr); err != nil || r.status != 200 {
		t.Fatalf("got %d %s, %v", r.status, r.body, err)
	}
	if out, err := command(t, s.home, nil, "keys", "create", "--name", "laptop").CombinedOutput(); err != nil {
		t.Fatalf("make a key: %v\n%s", err, out)
	}
}

// lookAt is what a server shows of its data.
func lookAt(t *testing.T, s *server, env []string) string {
	t.Helper()
	var out strings.Builder
	export := filepath.Join(t.TempDir(), "export")
	if text, err := command(t, s.home, env, "sessions", "export", export).CombinedOutput(); err != nil {
		t.Fatalf("export: %v\n%s", err, text)
	}
	lines, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(lines)
	for _, line := range []string{"state talk", "state other", "jobs list", "keys list"} {
		text, err := command(t, s.home, env, append(strings.Fields(line), "--json")...).Output()
		if err != nil {
			t.Errorf("hermes %s: %v", line, err)
		}
		fmt.Fprintf(&out, "%s: %s\n", line, text)
	}
	if text, err := command(t, s.home, env, "audit", "--verify").CombinedOutput(); err != nil {
		t.Errorf("the audit: %v\n%s", err, text)
	}
	return out.String()
}

// moved is the report of a move.
type moved struct {
	Messages, Scopes int
	To               string
}

// migrated moves, and checks that no output has the password.
func migrated(t *testing.T, home string, env []string, args ...string) (out moved) {
	t.Helper()
	text, err := command(t, home, env, append([]string{"migrate", "--json"}, args...)...).CombinedOutput()
	if err != nil || json.Unmarshal(text, &out) != nil {
		t.Fatalf("hermes migrate: %v\n%s", err, text)
	}
	if strings.Contains(string(text), "tellnobody") || out.To == "" {
		t.Errorf("got %s", text)
	}
	return out
}
