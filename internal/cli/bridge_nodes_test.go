package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// bridged is what a bridge is told of an event.
type bridged struct {
	Status string `json:"status"`
	Answer string `json:"answer"`
}

// overBridge sends an event of a chat of a bridge to a server.
func overBridge(ctx context.Context, client *http.Client, addr, chat, id, text, wait string) (bridged, error) {
	var out bridged
	body := fmt.Sprintf(`{"platform":"matrix","event_id":%q,"chat_id":%q,"chat_type":"dm","user_id":"ada","admin":true,"text":%q}`, id, chat, text)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/gateway/webhook?wait="+wait, strings.NewReader(body))
	if err != nil {
		return out, err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	res, err := client.Do(req)
	if err != nil {
		return out, err
	}
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		return out, err
	}
	if res.StatusCode/100 != 2 {
		return out, fmt.Errorf("got %d %s", res.StatusCode, all)
	}
	return out, json.Unmarshal(all, &out)
}

// TestABridgeOfTwoServers: a bridge may send each event to another server, and waits there for what the first one makes of it:
// for the answer, for the end of a command that waits for the turn, and for a message behind the turn.
func TestABridgeOfTwoServers(t *testing.T) {
	t.Parallel()
	db, err := postgrestest.Start(t.Context(), postgrestest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Stop)
	hold := make(chan struct{})
	model := upstreamtest.New(t, upstreamtest.Options{Default: func(*upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Step{Text: "Well, thank you.", Hold: hold}
	}})
	env := []string{
		"HERMES_DATABASE_URL=" + db.Database(t, func(context.Context, string) error { return nil }), "HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m",
	}
	nodes := [2]*server{serve(t, t.TempDir(), env, "--addr", "127.0.0.1:0"), serve(t, t.TempDir(), env, "--addr", "127.0.0.1:0")}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	client := newClient(t)
	cases := []struct{ id, text, status, says string }{
		{"1", "How are you?", "answered", "Well, thank you."}, {"2", "And now?", "answered", "Well, thank you."},
		{"2", "/undo", "command", "Taken back"}, {"2", "/undo", "command", "Taken back"}, {"2", "/undo", "command", "Taken back"},
		{"2", "/retry", "answered", "Well, thank you."}, {"2", "/retry", "answered", "Well, thank you."}, {"2", "/new", "command", "A new session has begun"},
		{"2", "/new", "command", "A new session has begun"},
	}
	for i := range cases {
		chat := fmt.Sprint("room ", i)
		if _, err := overBridge(ctx, client, nodes[0].addr, chat, "1", "How are you?", "0"); err != nil { // once: a second time would have it look again
			t.Fatal(err)
		}
		if i%2 == 0 { // the others are still gathered
			eventually(t, "the turn to begin", func() bool {
				return strings.Contains(callAPI(t, nodes[0].addr, "GET", "/api/platforms/events?limit=1", "", 200, nil), `"status":"taken"`)
			})
		}
	}
	told := make(chan error, len(cases))
	for i, c := range cases {
		go func() {
			got, err := overBridge(ctx, client, nodes[1].addr, fmt.Sprint("room ", i), c.id, c.text, "1")
			if err == nil && (got.Status != c.status || !strings.Contains(got.Answer, c.says)) {
				err = fmt.Errorf("got %+v, want %s with %q", got, c.status, c.says)
			}
			if err != nil {
				err = fmt.Errorf("%d, %s: %w", i, c.text, err)
			}
			told <- err
		}()
	}
	eventually(t, "the other server to have the events", func() bool {
		return strings.Count(callAPI(t, nodes[1].addr, "GET", "/api/platforms/events?limit=100", "", 200, nil), `"event_id":"2"`) == len(cases)-1
	})
	close(hold)
	for range cases {
		if err := <-told; err != nil {
			t.Error(err)
		}
	}
}
