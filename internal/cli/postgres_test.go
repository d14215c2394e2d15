package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

// TestPostgres: two servers share a PostgreSQL database, and a client may go to any of them
// with any request.
func TestPostgres(t *testing.T) {
	t.Parallel()
	db, err := postgrestest.Start(t.Context(), postgrestest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Stop)
	url := db.Database(t, func(context.Context, string) error { return nil })
	env := []string{"HERMES_DATABASE_URL=" + url}
	nodes := [2]*server{serve(t, t.TempDir(), env, "--addr", "127.0.0.1:0"), serve(t, t.TempDir(), env, "--addr", "127.0.0.1:0")}
	client := newClient(t)
	said := func(node int, session, text string) string {
		t.Helper()
		r, err := chat{session: session, text: text}.send(t.Context(), client, nodes[node].addr)
		if err != nil || r.status != 200 {
			t.Fatalf("%s: got %d %s, %v", text, r.status, r.body, err)
		}
		return r.text
	}
	said(1, "talk", "Hello there.") // the second server has the lineage in its cache
	said(0, "talk", "My favourite database is Quetzal.")
	if got := said(1, "talk", "What is my favourite database?"); !strings.Contains(got, "Quetzal") {
		t.Errorf("the second server answers %q", got)
	}
	for i := range 20 {
		said(i%2, "talk", fmt.Sprintf("Note number %d.", i))
	}
	read := func(node int) string {
		return callAPI(t, nodes[node].addr, "GET", "/api/sessions/talk/messages?limit=100", "", 200, nil)
	}
	if one, other := read(0), read(1); one != other || strings.Count(one, `"role":"user"`) != 23 {
		t.Errorf("got different transcripts, or not every message:\n%s\n%s", one, other)
	}
	events := follow(t, nodes[1].addr)
	said(0, "talk", "The page of the other server sees this.")
	events(`"type":"session","id":"talk","what":"message"`)
	callAPI(t, nodes[0].addr, "DELETE", "/api/sessions/talk", "", 200, nil)
	events(`"type":"session","id":"talk","what":"deleted"`)
	if got := said(1, "talk", "What is my favourite database?"); strings.Contains(got, "Quetzal") {
		t.Errorf("after the deletion the second server answers %q", got)
	}

	nodes[0].kill()
	said(1, "talk", "Is anybody there?")
	for _, c := range []struct{ command, has string }{
		{"doctor", "PostgreSQL database"}, {"config show", "[set]"},
	} {
		out, err := command(t, nodes[1].home, env, strings.Fields(c.command)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.has) || strings.Contains(string(out), url) {
			t.Errorf("hermes %s: got %v\n%s", c.command, err, out)
		}
	}
	second := launch(t, nodes[1].home, env, "--addr", "127.0.0.1:0")
	if code := second.wait(); code == 0 || !strings.Contains(second.log.String(), "HERMES_HOME") {
		t.Errorf("a second server of a home: got code %d\n%s", code, second.log)
	}
	nodes[1].stop()
}

// TestCopiedHome: two servers of one machine whose homes are copies of one home do not take each other
// for an earlier process of theirs.
func TestCopiedHome(t *testing.T) {
	t.Parallel()
	db, err := postgrestest.Start(t.Context(), postgrestest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Stop)
	env := []string{"HERMES_DATABASE_URL=" + db.Database(t, func(context.Context, string) error { return nil })}
	var nodes [2]*server
	for i := range nodes {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "node.id"), []byte("COPIED"), 0o600); err != nil {
			t.Fatal(err)
		}
		nodes[i] = serve(t, home, env, "--addr", "127.0.0.1:0")
	}
	end := time.After(20 * time.Second)
	for _, node := range nodes {
		for health := ""; !strings.Contains(health, `"nodes":2`); {
			health = callAPI(t, node.addr, "GET", "/health", "", 200, nil)
			select {
			case <-time.After(50 * time.Millisecond):
			case <-end:
				t.Fatalf("a server does not count two: %s\n%s", health, node.log)
			}
		}
	}
	for _, node := range nodes {
		node.stop()
	}
}

// follow reads the page's events of a server. The function returned waits for one that has some text.
func follow(t *testing.T, addr string) func(has string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hermes")
	res, err := newClient(t).Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("events: %v, %v", res, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	return func(has string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), has) {
				return
			}
		}
		t.Errorf("no event has %s: %v", has, lines.Err())
	}
}
