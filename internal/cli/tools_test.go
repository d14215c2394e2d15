package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// saver is a model that puts what it is told into memory, twice, and then says so.
func saver(req *upstreamtest.Request) upstreamtest.Step {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(req.Body, &body); err != nil || len(body.Messages) == 0 {
		return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
	}
	results := 0
	for i := len(body.Messages) - 1; i >= 0 && body.Messages[i].Role != "user"; i-- {
		if body.Messages[i].Role == "tool" {
			results++
		}
	}
	if results == 2 {
		return upstreamtest.Step{Text: "Noted.", Before: 2 * time.Millisecond}
	}
	said := body.Messages[len(body.Messages)-1-2*results].Content
	arguments, _ := json.Marshal(map[string]string{"action": "save", "statement": fmt.Sprintf("Step %d of %s is done.", results, said)})
	return upstreamtest.Step{
		ToolCalls: []upstreamtest.ToolCall{{ID: fmt.Sprintf("call_%d", results), Name: "memory", Arguments: string(arguments)}}, Before: 2 * time.Millisecond,
	}
}

// TestKillTools kills the server while models call tools. No call may be stored
// without its result, nothing twice, and what was learnt is what can be learnt
// from the messages.
func TestKillTools(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{Quiet: true, Default: saver})
	home, port := t.TempDir(), freePort(t)
	env := []string{"HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m", "HERMES_TOOLS=memory"}
	const clients, rounds = 4, 6
	told := make([]int, clients)
	for round := range rounds {
		s := serve(t, home, env, "--addr", "127.0.0.1:"+port)
		ctx, cancel := context.WithCancel(t.Context())
		var talking sync.WaitGroup
		first := make(chan struct{}) // the first turn of the round is answered
		answered := sync.OnceFunc(func() { close(first) })
		for i := range clients {
			talking.Go(func() {
				defer answered() // also if no turn is: the test then says so at its end
				client := newClient(t)
				for n := 0; ; n++ {
					c := chat{session: fmt.Sprintf("s%d", i), text: fmt.Sprintf("job %d-%d-%d", i, round, n), stream: n%2 == 0}
					if got, err := c.send(ctx, client, s.addr); err != nil || !got.whole {
						return
					}
					told[i]++
					answered()
				}
			})
		}
		<-first
		fuse := time.NewTimer(rand.N(300 * time.Millisecond))
		<-fuse.C
		s.kill()
		cancel()
		talking.Wait()
	}
	s := serve(t, home, env, "--addr", "127.0.0.1:"+port)
	checkRebuild(t, s.addr)
	db := database(t, home)
	s.stop()
	checkFile(t, db)
	const parted = `SELECT count(*) FROM messages m WHERE m.role = 'assistant' AND m.tool_calls IS NOT NULL AND NOT EXISTS
		(SELECT 1 FROM messages r WHERE r.root_id = m.root_id AND r.seq = m.seq + 1 AND r.role = 'tool' AND r.tool_call_id IS NOT NULL)`
	if n := ask[int](t, db, parted); n != 0 {
		t.Errorf("got %d calls without a result", n)
	}
	total := 0
	for i, n := range told {
		total += n
		// Each acknowledged turn left two statements and an answer.
		if saved := ask[int](t, db, fmt.Sprintf(`SELECT count(*) FROM messages WHERE role = 'tool' AND root_id = 's%d'`, i)); saved < 2*n {
			t.Errorf("client %d: got %d results for %d answered turns", i, saved, n)
		}
	}
	if total < rounds {
		t.Errorf("the test itself: got %d answered turns only", total)
	}
	if n := ask[int](t, db, `SELECT count(*) FROM (SELECT content FROM messages WHERE role = 'tool' GROUP BY content HAVING count(*) > 1)`); n != 0 {
		t.Errorf("got %d statements stored twice", n)
	}
}

// TestMCPClients: the official Go client over HTTP and over stdio, through the
// same server: one memory.
func TestMCPClients(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := serve(t, home, nil, "--addr", "127.0.0.1:0", "--responder", "recall")
	pool := newClient(t)
	pool.Transport = bearer{pool.Transport}
	transports := map[string]mcp.Transport{
		"http":  &mcp.StreamableClientTransport{Endpoint: "http://" + s.addr + "/mcp", HTTPClient: pool},
		"stdio": &mcp.CommandTransport{Command: command(t, home, nil, "mcp")},
	}
	for name, transport := range transports {
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var names []string
		for tool, err := range client.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			names = append(names, tool.Name)
		}
		if diff := cmp.Diff(mcpToolNames(), names); diff != "" {
			t.Errorf("%s: tools (-want +got):\n%s", name, diff)
		}
		call := func(tool string, arguments map[string]any) string {
			arguments["session_key"] = "work"
			res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil || len(res.Content) != 1 {
				t.Fatalf("%s: %s: got %+v, %v", name, tool, res, err)
			}
			return res.Content[0].(*mcp.TextContent).Text
		}
		if got := call("remember", map[string]any{"statement": "We deploy over " + name + " on Fridays."}); !strings.Contains(got, `"id":"f_`) {
			t.Errorf("%s: remember: got %s", name, got)
		}
		if got := call("recall", map[string]any{"question": "When do we deploy?"}); !strings.Contains(got, name+" on Fridays") {
			t.Errorf("%s: recall: got %s", name, got)
		}
		if err := client.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
	s.stop()
}

func mcpToolNames() []string { return []string{"forget", "recall", "remember", "session_search"} }

// bearer adds the development key to every request.
type bearer struct{ next http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer hermes")
	return b.next.RoundTrip(r)
}
