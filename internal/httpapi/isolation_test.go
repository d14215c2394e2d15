package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// tenant is one of several owners who use the same ids for everything.
type tenant struct {
	w       *world
	name    string
	key     string
	canary  string // a word that only this one says
	receipt string
	facts   []string
	made    string // the id of a session that was given one
	job     string
	// response is one in the background that is over, and item one it said.
	response, item string
	run            string
}

// tenants are three owners who have settled, the local one among them.
func tenants(t *testing.T) (w *world, all []*tenant) {
	t.Helper()
	w = newWorld(t, options{})
	all = []*tenant{
		{w: w, name: "ada", key: w.key("ada"), canary: "ZEBRA"},
		{w: w, name: "bob", key: w.key("bob"), canary: "QUAGGA"},
		{w: w, name: "local", key: localKey, canary: "OKAPIKO"},
	}
	for _, p := range all {
		p.settle(t)
	}
	return w, all
}

func (p *tenant) call(method, path, body string, headers ...string) reply {
	p.w.t.Helper()
	return p.w.call(method, path, body, append([]string{"Authorization", "Bearer " + p.key}, headers...)...)
}

// settle gives a tenant a shared and a private session, a key, facts, a receipt.
func (p *tenant) settle(t *testing.T) {
	t.Helper()
	got := p.call("POST", "/v1/chat/completions", chatBody("My cat is called "+p.canary+" because of the moon.", false),
		"X-Hermes-Session-Id", "shared", "X-Hermes-Session-Key", "shared", "Idempotency-Key", "shared")
	var told struct {
		Hermes struct {
			ReceiptID string `json:"receipt_id"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &told); err != nil || got.status != 200 {
		t.Fatalf("%s: got %d %s, %v", p.name, got.status, got.body, err)
	}
	p.receipt = told.Hermes.ReceiptID
	p.call("POST", "/v1/chat/completions", chatBody("My dog is called "+p.canary+" too, because of the stars.", false), "X-Hermes-Session-Id", "shared")
	p.call("POST", "/v1/chat/completions", chatBody("We use Rust because of latency, says "+p.canary+".", false), "X-Hermes-Session-Id", "own:"+p.name)
	p.made = p.call("POST", "/v1/chat/completions", chatBody("I am "+p.canary+".", false)).header.Get("X-Hermes-Session-Id")
	var kept struct{ Job struct{ ID string } }
	planned := p.call("POST", "/api/jobs", `{"name":"`+p.canary+`","schedule":"@daily","prompt":"`+p.canary+`","session_id":"shared"}`)
	if err := json.Unmarshal([]byte(planned.body), &kept); err != nil || kept.Job.ID == "" {
		t.Fatalf("%s: got %d %s, %v, want a job", p.name, planned.status, planned.body, err)
	}
	p.job = kept.Job.ID
	var answered struct{ ID string }
	begun := p.call("POST", "/v1/responses", `{"input":"My bird is called `+p.canary+`, because of the sky.","conversation":"shared","background":true}`)
	if err := json.Unmarshal([]byte(begun.body), &answered); err != nil || answered.ID == "" {
		t.Fatalf("%s: got %d %s, %v, want a response", p.name, begun.status, begun.body, err)
	}
	p.response = answered.ID
	p.call("GET", "/v1/responses/"+p.response+"?stream=true", "") // until it is over
	p.item = regexp.MustCompile(`\bmsg_[0-9a-f]+_0\b`).FindString(p.call("GET", "/v1/responses/"+p.response, "").body)
	p.run = p.w.run("shared", "My fish is called "+p.canary+".", "Authorization", "Bearer "+p.key)
	p.call("PATCH", "/api/sessions/shared", `{"title":"Title of `+p.canary+`","system_prompt":"Prompt of `+p.canary+`"}`)
	state := p.call("GET", "/api/sessions/shared/state", "", "X-Hermes-Session-Key", "shared")
	p.facts = regexp.MustCompile(`\bf_[0-9a-f]{16}\b`).FindAllString(state.body, -1)
	if !strings.Contains(state.body, p.canary) || len(p.facts) == 0 {
		t.Errorf("%s: got a state without its own canary: %s", p.name, state.body)
	}
}

// TestIsolation: two keys are two worlds, over every route that reads, with equal
// ids (X11): nothing of one is ever seen by the other.
func TestIsolation(t *testing.T) {
	t.Parallel()
	_, all := tenants(t)
	for _, me := range all {
		for _, other := range all {
			if me != other {
				me.lookAround(t, other)
				me.ask(t, other)
			}
		}
		me.atHome(t)
	}
}

// scopes name a memory in a query, in every way there is.
func scopes() []string {
	return []string{
		"", "?session_id=shared", "?session_key=shared", "?session_id=shared&q=cat&topic=cat", "?include=superseded&session_id=shared",
		"?session_key=shared&q=cat+moon&limit=50", "?q=cat+moon",
	}
}

// lookAround asks every reading route for everything under the shared ids, and
// for the other's own.
func (p *tenant) lookAround(t *testing.T, other *tenant) {
	t.Helper()
	for _, v := range httpapi.Table() {
		if v.Method != http.MethodGet {
			continue
		}
		for _, id := range append([]string{"shared", "own:" + other.name, other.receipt, other.response}, other.facts...) {
			for _, query := range append(scopes(), "?session_id=own:"+other.name) {
				got := p.call("GET", fillPath(v.Path, id)+query, "", "X-Hermes-Session-Key", "shared")
				if strings.Contains(got.body, other.canary) {
					t.Errorf("%s %s: %s sees what %s said: %s", v.Path, query, p.name, other.name, got.body)
				}
			}
		}
	}
	for _, path := range []string{
		"/v1/responses/" + other.response, "/v1/responses/" + other.response + "?stream=true", "/v1/responses/" + other.response + "/input_items",
	} {
		foreign, absent := p.call("GET", path, ""), p.call("GET", strings.Replace(path, other.response, "resp_0", 1), "")
		if foreign.status != http.StatusNotFound || foreign.body != absent.body {
			t.Errorf("%s: %s of %s: got %d %s, want the %d %s of one that never was", p.name, path, other.name, foreign.status, foreign.body, absent.status, absent.body)
		}
	}
	for _, path := range []string{"/api/receipts/" + other.receipt, "/api/sessions/own:" + other.name, "/api/memory?session_id=own:" + other.name, "/api/memory/" + other.facts[0] + "?session_key=shared", "/v1/runs/" + other.run, "/v1/runs/" + other.run + "/events"} {
		if got := p.call("GET", path, ""); got.status != http.StatusNotFound {
			t.Errorf("%s: %s of %s: got %d %s, want 404", p.name, path, other.name, got.status, got.body)
		}
	}
}

// atHome holds that a tenant does see its own.
func (p *tenant) atHome(t *testing.T) {
	t.Helper()
	for _, path := range []string{
		"/api/jobs", "/api/sessions", "/api/sessions/shared", "/api/sessions/shared/messages", "/api/sessions/shared/state",
		"/api/memory?session_id=own:" + p.name, "/api/memory/recall?q=cat&session_key=shared", "/api/memory/" + p.facts[0] + "?session_key=shared",
		"/api/receipts/" + p.receipt, "/v1/responses/" + p.response + "/input_items",
		"/v1/runs", "/v1/runs/" + p.run, "/v1/runs/" + p.run + "/events",
	} {
		if got := p.call("GET", path, ""); got.status != 200 || !strings.Contains(got.body, p.canary) {
			t.Errorf("%s at home: %s: got %d %s", p.name, path, got.status, got.body)
		}
	}
	if got := p.call("GET", "/api/sessions/20260301", ""); got.status != 200 || got.header.Get("X-Hermes-Session-Id") != p.made {
		t.Errorf("%s at home: got %d %s for a prefix, want its own session %s", p.name, got.status, got.body, p.made)
	}
	if got := p.call("POST", "/api/memory/rebuild", `{"verify":true}`); !strings.Contains(got.body, "own:"+p.name) {
		t.Errorf("%s at home: got %s, want its own scopes compared", p.name, got.body)
	}
	if got := p.call("GET", "/api/sessions/own:"+p.name, ""); !strings.Contains(got.body, `"lineage":[{"id":"own:`+p.name) {
		t.Errorf("%s at home: got %s, want its lineage", p.name, got.body)
	}
}

// ask lets the model be asked under the shared ids, repeated requests included.
func (p *tenant) ask(t *testing.T, other *tenant) {
	t.Helper()
	p.call("POST", "/v1/chat/completions", chatBody("What is my cat called?", false), "X-Hermes-Session-Id", "shared", "X-Hermes-Session-Key", "shared")
	last := string(p.w.up.Last().Body)
	if strings.Contains(last, other.canary) || !strings.Contains(last, p.canary) {
		t.Errorf("%s asks: got the prompt %s", p.name, last)
	}
	again := p.call("POST", "/v1/chat/completions", chatBody("My cat is called "+p.canary+" because of the moon.", false),
		"X-Hermes-Session-Id", "shared", "X-Hermes-Session-Key", "shared", "Idempotency-Key", "shared")
	if again.header.Get("Idempotency-Replayed") != "true" || !strings.Contains(again.body, p.receipt) {
		t.Errorf("%s repeats: got %d %s, want its own first answer", p.name, again.status, again.body)
	}
}

// write is something a tenant does to what has the same name in other worlds.
type write struct {
	route, path, body string
	status            int
}

// writes has one for every route that writes; those of the admin are not here,
// because keys belong to the server and not to an owner.
func writes(me, other *tenant) []write {
	canary := me.canary
	return []write{
		{"POST /api/page/token", "/api/page/token", `{}`, 201},
		{"POST /api/page/codes", "/api/page/codes", `{}`, 201},
		{"DELETE /api/page/token", "/api/page/token", "", 400}, // a key is not signed out
		{"DELETE /api/page/token/{id}", "/api/page/token/" + canary, "", 404},
		{"POST /v1/chat/completions", "/v1/chat/completions", chatBody("It is "+canary+" that I like, because of the sun.", false), 200},
		{"POST /v1/messages", "/v1/messages", `{"max_tokens":9,"messages":[{"role":"user","content":"It is ` + canary + ` that I like, because of the rain."}]}`, 200},
		{"POST /v1/messages/count_tokens", "/v1/messages/count_tokens", `{"messages":[{"role":"user","content":"` + canary + `"}]}`, 200},
		{"POST /v1/responses", "/v1/responses", `{"input":"It is ` + canary + ` that I like, because of the wind."}`, 200},
		{"POST /v1/responses", "/v1/responses", `{"input":"` + canary + `","previous_response_id":"` + other.response + `"}`, 404},
		{"POST /v1/responses", "/v1/responses", `{"input":[{"type":"item_reference","id":"` + other.item + `"},{"role":"user","content":"` + canary + `"}]}`, 404},
		{"POST /v1/responses/compact", "/v1/responses/compact", `{"model":"m","input":"` + canary + `","previous_response_id":"` + other.response + `"}`, 404},
		{"POST /v1/responses/compact", "/v1/responses/compact", `{"model":"m","input":"` + canary + `"}`, 200},
		{"POST /v1/responses/input_tokens", "/v1/responses/input_tokens", `{"input":"` + canary + `","previous_response_id":"` + other.response + `"}`, 404},
		{"POST /v1/responses/input_tokens", "/v1/responses/input_tokens", `{"input":"` + canary + `"}`, 200},
		{"POST /v1/responses/{id}/cancel", "/v1/responses/" + other.response + "/cancel", "", 404},
		{"POST /v1/responses/{id}/cancel", "/v1/responses/" + me.response + "/cancel", "", 200},
		{"DELETE /v1/responses/{id}", "/v1/responses/" + other.response, "", 404},
		{"DELETE /v1/responses/{id}", "/v1/responses/" + me.response, "", 200},
		{"POST /v1/conversations", "/v1/conversations", `{"metadata":{"about":"` + canary + `"}}`, 409}, // "shared" is there
		{"POST /v1/conversations/{id}", "/v1/conversations/own:" + other.name, `{"metadata":{"about":"` + canary + `"}}`, 404},
		{"POST /v1/conversations/{id}", "/v1/conversations/shared", `{"metadata":{"about":"` + canary + `"}}`, 200},
		{"POST /v1/conversations/{id}/items", "/v1/conversations/own:" + other.name + "/items", `{"items":[{"role":"user","content":"` + canary + `"}]}`, 404},
		{"POST /v1/conversations/{id}/items", "/v1/conversations/shared/items", `{"items":[{"role":"user","content":"I cycle to ` + canary + `."}]}`, 200},
		{"POST /v1/conversations/{id}/items", "/v1/conversations/shared/items", `{"items":[{"type":"item_reference","id":"` + other.item + `"}]}`, 404},
		{"DELETE /v1/conversations/{id}/items/{item_id}", "/v1/conversations/shared/items/msg_m1_0", "", 404},
		{"DELETE /v1/conversations/{id}/items/{item_id}", "/v1/conversations/own:" + other.name + "/items/msg_m1_0", "", 404},
		{"DELETE /v1/conversations/{id}", "/v1/conversations/own:" + other.name, "", 404},
		{"POST /v1/runs", "/v1/runs", `{"input":"My bird is called ` + canary + `."}`, 202},
		{"POST /v1/runs/{id}/stop", "/v1/runs/" + other.run + "/stop", "", 404},
		{"POST /v1/runs/{id}/stop", "/v1/runs/" + me.run + "/stop", "", 200},
		{"POST /v1/runs/{id}/approval", "/v1/runs/" + other.run + "/approval", `{"approve":true}`, 404},
		{"DELETE /v1/runs/{id}", "/v1/runs/" + other.run, "", 404},
		{"DELETE /v1/runs/{id}", "/v1/runs/" + me.run, "", 200},
		{"POST /api/sessions", "/api/sessions", `{"id":"made by ` + me.name + `","title":"` + canary + `"}`, 201},
		{"POST /api/sessions", "/api/sessions", `{"id":"shared"}`, 409},
		{"PATCH /api/sessions/{id}", "/api/sessions/shared", `{"title":"` + canary + ` again","end_reason":"` + canary + `"}`, 200},
		{"PATCH /api/sessions/{id}", "/api/sessions/own:" + other.name, `{"title":"` + canary + `"}`, 404},
		{"POST /api/sessions/{id}/messages", "/api/sessions/shared/messages", `{"messages":[{"role":"user","content":"I moved to ` + canary + `."}]}`, 200},
		{"POST /api/sessions/{id}/undo", "/api/sessions/shared/undo", "", 200},
		{"POST /api/sessions/{id}/compress", "/api/sessions/shared/compress", "", 200},
		{"POST /api/sessions/{id}/fork", "/api/sessions/shared/fork", `{}`, 201},
		{"POST /api/sessions/{id}/fork", "/api/sessions/own:" + other.name + "/fork", `{}`, 404},
		{"POST /api/sessions/{id}/reset", "/api/sessions/own:" + other.name + "/reset", "", 404},
		{"POST /api/sessions/{id}/reset", "/api/sessions/own:" + me.name + "/reset", "", 201},
		{"POST /api/sessions/import", "/api/sessions/import", `{"id":"own:` + other.name + `","started_at":0,"messages":[{"role":"user","content":"It is ` + canary + `."}]}`, 200},
		{"POST /api/sessions/prune", "/api/sessions/prune", `{"older_than_days":0}`, 200},
		{"POST /api/sessions/mirror", "/api/sessions/mirror", "", 200},
		{"POST /api/memory", "/api/memory?session_id=shared", `{"statement":"I like ` + canary + `."}`, 201},
		{"POST /api/memory", "/api/memory?session_key=shared", `{"statement":"I like ` + canary + `."}`, 201},
		{"POST /gateway/webhook", "/gateway/webhook", `{"platform":"pigeon","event_id":"shared","chat_id":"shared","chat_type":"dm","user_id":"u",` +
			`"text":"I like ` + canary + `."}`, 202},
		{"POST /platforms/{platform}", "/platforms/telegram", `{"update_id":1}`, 404},
		{"POST /platforms/{platform}/{part}", "/platforms/slack/events", `{}`, 404},
		{"POST /mcp", "/mcp", mcpCall("remember", `{"statement":"I like `+canary+`.","session_id":"shared"}`), 200},
		{"POST /mcp", "/mcp", mcpCall("recall", `{"question":"What is my cat called?","session_key":"shared"}`), 200},
		{"POST /mcp", "/mcp", mcpCall("remember", `{"statement":"`+canary+`","replaces":"`+string(other.facts[0])+`"}`), 200},
		{"POST /mcp", "/mcp", mcpCall("forget", `{"fact_id":"`+string(other.facts[0])+`"}`), 200},
		{"PATCH /api/memory/{fact_id}", "/api/memory/" + other.facts[0] + "?session_key=shared", `{"statement":"` + canary + `"}`, 404},
		{"PATCH /api/memory/{fact_id}", "/api/memory/" + me.facts[0] + "?session_key=shared", `{"statement":"My cat is called ` + canary + ` now."}`, 200},
		{"DELETE /api/memory/{fact_id}", "/api/memory/" + other.facts[0] + "?session_key=shared", "", 404},
		{"DELETE /api/memory/{fact_id}", "/api/memory/" + me.facts[0] + "?session_key=shared", "", 200},
		{"POST /api/jobs", "/api/jobs", `{"name":"another","schedule":"@daily","prompt":"` + canary + `"}`, 201},
		{"PATCH /api/jobs/{id}", "/api/jobs/" + other.job, `{"prompt":"` + canary + `"}`, 404},
		{"PATCH /api/jobs/{id}", "/api/jobs/" + me.job, `{"prompt":"` + canary + ` again"}`, 200},
		{"POST /api/jobs/{id}/pause", "/api/jobs/" + other.job + "/pause", "", 404},
		{"POST /api/jobs/{id}/pause", "/api/jobs/" + me.job + "/pause", "", 200},
		{"POST /api/jobs/{id}/resume", "/api/jobs/" + other.job + "/resume", "", 404},
		{"POST /api/jobs/{id}/resume", "/api/jobs/" + me.job + "/resume", "", 200},
		{"POST /api/jobs/{id}/run", "/api/jobs/" + other.job + "/run", "", 404},
		{"POST /api/jobs/{id}/run", "/api/jobs/" + me.job + "/run", "", 202},
		{"DELETE /api/jobs/{id}", "/api/jobs/" + other.job, "", 404},
		{"DELETE /api/jobs/{id}", "/api/jobs/" + me.job, "", 200},
		{"POST /api/memory/rebuild", "/api/memory/rebuild", `{}`, 200},
		{"POST /api/provider/backfill", "/api/provider/backfill", `{}`, 200},
		{"POST /api/provider/forget", "/api/provider/forget", "", 200},
		{"POST /api/memory/forget", "/api/memory/forget", `{"about":"` + other.canary + `"}`, 200},
		{"POST /api/memory/forget", "/api/memory/forget", `{"about":"cat"}`, 200},
		{"POST /api/memory/forget", "/api/memory/forget", `{"session_key":"shared"}`, 200},
		{"DELETE /api/sessions/{id}", "/api/sessions/other:" + other.name, "", 404},
		{"DELETE /api/sessions/{id}", "/api/sessions/own:" + me.name, "", 200},
		{"DELETE /api/sessions/{id}", "/api/sessions/made%20by%20" + me.name, "", 200},
	}
}

// mcpCall is the call of a tool by an MCP client.
func mcpCall(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// TestWritesStayInOneWorld: whatever one owner writes, changes, forgets and
// deletes, the others' worlds are the same as before, to the byte.
func TestWritesStayInOneWorld(t *testing.T) {
	t.Parallel()
	_, all := tenants(t)
	bob := all[1]
	others := []*tenant{all[0], all[2]}
	var before []map[string]string
	for _, p := range others {
		before = append(before, p.everything())
	}
	var done []string
	todo := writes(bob, all[0])
	for _, w := range todo {
		method, _, _ := strings.Cut(w.route, " ")
		got := bob.call(method, w.path, w.body, "X-Hermes-Session-Id", "shared", "X-Hermes-Session-Key", "shared")
		if got.status != w.status {
			t.Errorf("%s %s %s: got %d %s, want %d", method, w.path, w.body, got.status, got.body, w.status)
		}
		for _, p := range others {
			if strings.Contains(got.body, p.canary) && !strings.Contains(w.body, p.canary) {
				t.Errorf("%s %s: bob sees what %s said: %s", method, w.path, p.name, got.body)
			}
		}
		done = append(done, w.route)
		for i, p := range others {
			if len(done) < len(todo) && len(done)%len(others) != i {
				continue // one of them after each write, all of them at the end
			}
			if diff := cmp.Diff(before[i], p.everything()); diff != "" {
				t.Fatalf("%s %s %s by bob changed the world of %s (-before +after):\n%s", method, w.path, w.body, p.name, diff)
			}
		}
	}
	for _, v := range httpapi.Table() {
		if name := v.Method + " " + v.Path; v.Method != http.MethodGet && v.Scope != "admin" && !slices.Contains(done, name) {
			t.Errorf("%s is not among the writes of this test", name)
		}
	}
}

var databaseBytes = regexp.MustCompile(`"database_bytes":\d+`)

// everything is a tenant's whole world as it can be read.
func (p *tenant) everything() map[string]string {
	p.w.t.Helper()
	out := make(map[string]string)
	for _, v := range httpapi.Table() {
		if v.Method != http.MethodGet || v.Scope == "" || v.Scope == "admin" || v.Scope == "metrics" { // these are of the whole server
			continue
		}
		for _, id := range []string{"shared", "own:" + p.name, p.receipt, p.facts[0], p.response, p.run} {
			for _, query := range []string{"?session_id=shared", "?session_key=shared&q=cat+moon&topic=cat&limit=50"} {
				path := fillPath(v.Path, id) + query
				// The size of the database, which only the local owner is told, is
				// that of all worlds together.
				out[path] = databaseBytes.ReplaceAllString(p.call("GET", path, "").body, "")
			}
			if !strings.Contains(v.Path, "{") {
				break
			}
		}
	}
	return out
}

// TestForgettingIsNoOracle: what one owner has forgotten must not tell whether
// another ever said it.
func TestForgettingIsNoOracle(t *testing.T) {
	t.Parallel()
	_, all := tenants(t)
	bob := all[1]
	for _, dry := range []string{"true", "false"} {
		known := bob.call("POST", "/api/memory/forget", `{"about":"ZEBRA","dry_run":`+dry+`}`).body
		unknown := bob.call("POST", "/api/memory/forget", `{"about":"GNU12","dry_run":`+dry+`}`).body
		known = erasedCounts.ReplaceAllString(strings.ReplaceAll(known, "ZEBRA", "GNU12"), "")
		if diff := cmp.Diff(erasedCounts.ReplaceAllString(unknown, ""), known); diff != "" {
			t.Errorf("dry run %s: a word of another owner gets another answer than a word that was never said (-never said +another owner):\n%s", dry, diff)
		}
	}
}
