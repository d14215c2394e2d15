package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// tenant is one of two owners who use the same ids for everything.
type tenant struct {
	w       *world
	name    string
	key     string
	canary  string
	receipt string
	facts   []string
}

func (p *tenant) call(method, path, body string, headers ...string) reply {
	p.w.t.Helper()
	return p.w.call(method, path, body, append([]string{"Authorization", "Bearer " + p.key}, headers...)...)
}

// settle gives a tenant a session, a key, facts, and a receipt.
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
	p.call("PATCH", "/api/sessions/shared", `{"title":"Title of `+p.canary+`","system_prompt":"Prompt of `+p.canary+`"}`)
	state := p.call("GET", "/api/sessions/shared/state", "", "X-Hermes-Session-Key", "shared")
	p.facts = regexp.MustCompile(`\bf_[0-9a-f]{16}\b`).FindAllString(state.body, -1)
	if !strings.Contains(state.body, p.canary) {
		t.Errorf("%s: got a state without its own canary: %s", p.name, state.body)
	}
}

// TestIsolation: two keys are two worlds, over every route, with equal ids
// (X11): nothing of one is ever seen or changed by the other.
func TestIsolation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	ada := &tenant{w: w, name: "ada", key: w.key("ada"), canary: "ZEBRA"}
	bob := &tenant{w: w, name: "bob", key: w.key("bob"), canary: "QUAGGA"}
	local := &tenant{w: w, name: "local", key: localKey, canary: "OKAPI"}
	ada.settle(t)
	bob.settle(t)
	local.settle(t)
	for _, pair := range [][2]*tenant{{ada, bob}, {bob, ada}, {local, ada}, {ada, local}} {
		me, other := pair[0], pair[1]
		for _, v := range httpapi.Table() {
			if v.Method != http.MethodDelete {
				me.look(t, v, other)
			}
		}
		me.ask(t, other)
		if got := me.call("GET", "/api/receipts/"+other.receipt, ""); got.status != http.StatusNotFound {
			t.Errorf("%s reads a receipt of %s: got %d %s", me.name, other.name, got.status, got.body)
		}
	}
	// What one deletes is gone for that one alone.
	if got := bob.call("DELETE", "/api/sessions/shared", ""); got.status != 200 {
		t.Fatalf("delete: got %d %s", got.status, got.body)
	}
	if got := bob.call("GET", "/api/sessions/shared", ""); got.status != http.StatusNotFound {
		t.Errorf("bob after deleting: got %d %s, want 404", got.status, got.body)
	}
	got := ada.call("GET", "/api/sessions/shared/messages", "")
	if got.status != 200 || !strings.Contains(got.body, ada.canary) {
		t.Errorf("ada after bob deleted his: got %d %s", got.status, got.body)
	}
}

// look asks one route for everything under the shared ids, and for the other's.
func (p *tenant) look(t *testing.T, v httpapi.Verb, other *tenant) {
	t.Helper()
	c := routeCases()[v.Method+" "+v.Path]
	ids := append([]string{"shared", other.receipt}, other.facts...)
	for _, id := range ids {
		for _, query := range []string{"?session_id=shared", "?session_key=shared", "?session_id=shared&q=cat&topic=cat", "?include=superseded&session_id=shared"} {
			got := p.call(v.Method, fillPath(v.Path, id)+query, c.body, "X-Hermes-Session-Id", "shared", "X-Hermes-Session-Key", "shared")
			if strings.Contains(got.body, other.canary) {
				t.Errorf("%s %s: %s sees what %s said: %s", v.Method, v.Path+query, p.name, other.name, got.body)
			}
		}
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
	list := p.call("GET", "/api/sessions?limit=200", "")
	if strings.Contains(list.body, other.canary) || !strings.Contains(list.body, p.canary) {
		t.Errorf("%s lists: got %s", p.name, list.body)
	}
}
