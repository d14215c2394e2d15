package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
)

// routeCase is a request that a route answers, with a valid key and in a world
// where the session "s" has had one turn.
type routeCase struct {
	path, body string
	status     int
}

// routeCases has a case for every route: one that is missing fails
// TestEveryRouteHasACase. A "{…}" in a path is filled in by the test.
func routeCases() map[string]routeCase {
	return map[string]routeCase{
		"POST /v1/chat/completions": {"/v1/chat/completions", chatBody("hi", false), 200},
		"POST /v1/responses":        {"/v1/responses", `{"model":"hermes","input":"hi"}`, 200},
		"GET /v1/responses":         {"/v1/responses", "", 426}, // no handshake
		"POST /v1/messages":         {"/v1/messages", `{"model":"hermes","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, 200},
		"GET /v1/models":            {"/v1/models", "", 200},

		"POST /v1/responses/input_tokens":    {"/v1/responses/input_tokens", `{"model":"hermes","input":"hi"}`, 200},
		"POST /v1/responses/compact":         {"/v1/responses/compact", `{"model":"hermes","input":"hi"}`, 200},
		"GET /v1/responses/{id}":             {"/v1/responses/{response}", "", 200},
		"DELETE /v1/responses/{id}":          {"/v1/responses/{response}", "", 200},
		"GET /v1/responses/{id}/input_items": {"/v1/responses/{response}/input_items", "", 200},
		"POST /v1/responses/{id}/cancel":     {"/v1/responses/{response}/cancel", "", 200},

		"POST /v1/conversations":                        {"/v1/conversations", `{"metadata":{"a":"b"}}`, 200},
		"GET /v1/conversations/{id}":                    {"/v1/conversations/s", "", 200},
		"POST /v1/conversations/{id}":                   {"/v1/conversations/s", `{"metadata":{"a":"b"}}`, 200},
		"DELETE /v1/conversations/{id}":                 {"/v1/conversations/s", "", 200},
		"GET /v1/conversations/{id}/items":              {"/v1/conversations/s/items", "", 200},
		"POST /v1/conversations/{id}/items":             {"/v1/conversations/s/items", `{"items":[{"role":"user","content":"x"}]}`, 200},
		"GET /v1/conversations/{id}/items/{item_id}":    {"/v1/conversations/s/items/{item}", "", 200},
		"DELETE /v1/conversations/{id}/items/{item_id}": {"/v1/conversations/s/items/{item}", "", 200},

		"POST /v1/messages/count_tokens": {"/v1/messages/count_tokens", `{"model":"hermes","messages":[{"role":"user","content":"hi"}]}`, 200},

		"GET /v1/models/{id...}":      {"/v1/models/hermes", "", 200},
		"GET /v1/capabilities":        {"/v1/capabilities", "", 200},
		"POST /v1/runs":               {"/v1/runs", `{"input":"hi"}`, 202},
		"GET /v1/runs":                {"/v1/runs", "", 200},
		"GET /v1/runs/{id}":           {"/v1/runs/{run}", "", 200},
		"DELETE /v1/runs/{id}":        {"/v1/runs/{run}", "", 200},
		"GET /v1/runs/{id}/events":    {"/v1/runs/{run}/events", "", 200},
		"POST /v1/runs/{id}/stop":     {"/v1/runs/{run}/stop", "", 200},
		"POST /v1/runs/{id}/approval": {"/v1/runs/{run}/approval", `{"approve":true}`, 409}, // nothing waits

		"GET /api/sessions":                     {"/api/sessions", "", 200},
		"POST /api/sessions":                    {"/api/sessions", `{"title":"t"}`, 201},
		"GET /api/sessions/{id}":                {"/api/sessions/s", "", 200},
		"PATCH /api/sessions/{id}":              {"/api/sessions/s", `{"title":"t"}`, 200},
		"DELETE /api/sessions/{id}":             {"/api/sessions/s", "", 200},
		"GET /api/sessions/{id}/messages":       {"/api/sessions/s/messages", "", 200},
		"GET /api/sessions/{id}/messages/{seq}": {"/api/sessions/s/messages/0", "", 200},

		"POST /api/sessions/{id}/messages": {"/api/sessions/s/messages", `{"messages":[{"role":"user","content":"x"}]}`, 200},
		"GET /api/sessions/{id}/state":     {"/api/sessions/s/state", "", 200},
		"GET /api/sessions/{id}/timeline":  {"/api/sessions/s/timeline", "", 200},
		"GET /api/sessions/{id}/cost":      {"/api/sessions/s/cost", "", 200},

		"GET /api/search":          {"/api/search?q=Rust", "", 200},
		"POST /api/search/rebuild": {"/api/search/rebuild", "", 200},

		"GET /api/sessions/export":         {"/api/sessions/export", "", 200},
		"POST /api/sessions/import":        {"/api/sessions/import", `{"id":"i","started_at":"2026-01-01T00:00:00Z","messages":[{"role":"user","content":"x"}]}`, 200},
		"GET /api/sessions/stats":          {"/api/sessions/stats", "", 200},
		"POST /api/sessions/prune":         {"/api/sessions/prune", "", 200},
		"POST /api/sessions/mirror":        {"/api/sessions/mirror", "", 200},
		"POST /api/sessions/{id}/reset":    {"/api/sessions/s/reset", "", 201},
		"POST /api/sessions/{id}/compress": {"/api/sessions/s/compress", "", 200},
		"POST /api/sessions/{id}/fork":     {"/api/sessions/s/fork", "", 201},
		"POST /api/sessions/{id}/undo":     {"/api/sessions/s/undo", "", 200},

		"GET /api/memory":              {"/api/memory?session_id=s", "", 200},
		"POST /api/memory":             {"/api/memory?session_id=s", `{"statement":"I like tea"}`, 201},
		"GET /api/memory/recall":       {"/api/memory/recall?session_id=s&q=Rust", "", 200},
		"POST /api/memory/forget":      {"/api/memory/forget", `{"about":"unicorns"}`, 200},
		"POST /api/memory/rebuild":     {"/api/memory/rebuild", `{"verify":true}`, 200},
		"GET /api/memory/{fact_id}":    {"/api/memory/{fact}?session_id=s", "", 200},
		"PATCH /api/memory/{fact_id}":  {"/api/memory/{fact}?session_id=s", `{"statement":"I like coffee"}`, 200},
		"DELETE /api/memory/{fact_id}": {"/api/memory/{fact}?session_id=s", "", 200},
		"GET /api/receipts/{id}":       {"/api/receipts/{receipt}", "", 200},

		"GET /api/jobs":              {"/api/jobs", "", 200},
		"POST /api/jobs":             {"/api/jobs", `{"name":"n","schedule":"@daily","prompt":"p"}`, 201},
		"GET /api/jobs/preview":      {"/api/jobs/preview?schedule=@daily", "", 200},
		"GET /api/jobs/{id}":         {"/api/jobs/{job}", "", 200},
		"PATCH /api/jobs/{id}":       {"/api/jobs/{job}", `{"prompt":"q"}`, 200},
		"DELETE /api/jobs/{id}":      {"/api/jobs/{job}", "", 200},
		"POST /api/jobs/{id}/pause":  {"/api/jobs/{job}/pause", "", 200},
		"POST /api/jobs/{id}/resume": {"/api/jobs/{job}/resume", "", 200},
		"POST /api/jobs/{id}/run":    {"/api/jobs/{job}/run", "", 202},
		"GET /api/jobs/{id}/runs":    {"/api/jobs/{job}/runs", "", 200},

		"GET /api/page":               {"/api/page", "", 200},
		"GET /api/page/token":         {"/api/page/token", "", 200},
		"POST /api/page/token":        {"/api/page/token", "{}", 201},
		"DELETE /api/page/token":      {"/api/page/token", "", 400}, // a key asks
		"DELETE /api/page/token/{id}": {"/api/page/token/none", "", 404},
		"POST /api/page/codes":        {"/api/page/codes", "", 201},
		"GET /api/me":                 {"/api/me", "", 200},
		"GET /api/memory/timeline":    {"/api/memory/timeline?session_id=s", "", 200},
		"GET /api/cost":               {"/api/cost", "", 200},
		"GET /api/config":             {"/api/config", "", 200},
		"GET /api/doctor":             {"/api/doctor", "", 200},
		"GET /api/events":             {"/api/events", "", 200},
		"GET /api/jobs/runs":          {"/api/jobs/runs", "", 200},
		"GET /api/memory/scopes":      {"/api/memory/scopes", "", 200},
		"GET /api/memory/state":       {"/api/memory/state?session_id=s", "", 200},

		"GET /api/keys":         {"/api/keys", "", 200},
		"POST /api/keys":        {"/api/keys", `{"name":"bot"}`, 201},
		"PATCH /api/keys/{id}":  {"/api/keys/limited", `{"requests_per_minute":600}`, 200},
		"DELETE /api/keys/{id}": {"/api/keys/doomed", "", 200},

		"GET /api/backup": {"/api/backup", "", 400}, // this world is none that is backed up
		"GET /api/work":   {"/api/work", "", 200},

		"GET /api/provider":           {"/api/provider", "", 200},
		"POST /api/provider/test":     {"/api/provider/test", "", 200},
		"POST /api/provider/backfill": {"/api/provider/backfill", `{"dry_run":true}`, 200},
		"POST /api/provider/forget":   {"/api/provider/forget", "", 200},
		"GET /api/audit":              {"/api/audit", "", 200},
		"GET /api/audit/verify":       {"/api/audit/verify", "", 200},

		"POST /mcp": {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200},

		"POST /gateway/webhook": {"/gateway/webhook", `{"platform":"pigeon","event_id":"e","chat_id":"c","chat_type":"dm","user_id":"u","text":"hi"}`, 202},

		"GET /platforms/{platform}":         {"/platforms/telegram", "", 404},
		"POST /platforms/{platform}":        {"/platforms/telegram", "{}", 404},
		"POST /platforms/{platform}/{part}": {"/platforms/slack/events", "{}", 404},
		"GET /api/platforms":                {"/api/platforms", "", 200},
		"GET /api/platforms/events":         {"/api/platforms/events", "", 200},
		"GET /api/pairings":                 {"/api/pairings", "", 200},
		"POST /api/pairings":                {"/api/pairings", `{"platform":"telegram","code":"ABCDEFGH"}`, 404},
		"DELETE /api/pairings":              {"/api/pairings?platform=telegram&user_id=1", "", 404},

		"GET /assets/{version}/{path...}": {"/assets/0/app.css", "", 404}, // of another version
		"GET /favicon.ico":                {"/favicon.ico", "", 204},

		"GET /":          {"/", "", 200},
		"GET /health":    {"/health", "", 200},
		"GET /v1/health": {"/v1/health", "", 200},
		"GET /readyz":    {"/readyz", "", 200},

		"GET /health/detailed": {"/health/detailed", "", 200},
		"GET /metrics":         {"/metrics", "", 200},
		"GET /openapi.json":    {"/openapi.json", "", 200},
	}
}

func TestEveryRouteHasACase(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, v := range httpapi.Table() {
		want = append(want, v.Method+" "+v.Path)
	}
	for name := range routeCases() {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases of routeCases (-routes +cases):\n%s", diff)
	}
}

// routeWorld is a world in which every case of routeCases has something to find.
func routeWorld(t *testing.T) (w *world, fill func(string) string) {
	t.Helper()
	w = newWorld(t, options{})
	first := w.chat("s", "We use Rust because of latency.")
	w.key("doomed")
	w.key("limited")
	var told struct {
		Hermes struct {
			ReceiptID string `json:"receipt_id"`
		}
	}
	if err := json.Unmarshal([]byte(first.body), &told); err != nil {
		t.Fatal(err)
	}
	var state struct{ Facts []struct{ ID string } }
	if err := json.Unmarshal([]byte(w.call("GET", "/api/sessions/s/state", "").body), &state); err != nil || len(state.Facts) == 0 {
		t.Fatalf("got facts %v, %v, want some of a sentence with a reason", state.Facts, err)
	}
	var made struct{ Job struct{ ID string } }
	if err := json.Unmarshal([]byte(w.call("POST", "/api/jobs", `{"name":"there","schedule":"@daily","prompt":"p"}`).body), &made); err != nil {
		t.Fatal(err)
	}
	var answered struct{ ID string }
	if err := json.Unmarshal([]byte(w.call("POST", "/v1/responses", `{"input":"hi","background":true,"conversation":"s"}`).body), &answered); err != nil {
		t.Fatal(err)
	}
	w.call("GET", "/v1/responses/"+answered.ID+"?stream=true", "") // until it is over
	run := w.run("s", "And what else?")
	var items struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(w.call("GET", "/v1/conversations/s/items?limit=1", "").body), &items); err != nil || len(items.Data) != 1 {
		t.Fatalf("got items %v, %v, want one", items.Data, err)
	}
	return w, strings.NewReplacer("{run}", run, "{item}", items.Data[0].ID, "{response}", answered.ID, "{job}", made.Job.ID, "{receipt}", told.Hermes.ReceiptID, "{fact}", state.Facts[0].ID).Replace
}

// TestEveryRouteAnswers holds the cases themselves: what the other tests of all
// routes refuse would be answered otherwise.
func TestEveryRouteAnswers(t *testing.T) {
	t.Parallel()
	for _, v := range httpapi.Table() {
		w, fill := routeWorld(t) // what one case changes, another may need
		c := routeCases()[v.Method+" "+v.Path]
		got := w.call(v.Method, fill(c.path), c.body)
		readable := json.Valid([]byte(got.body)) || strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") || slices.Contains([]string{"/", "/metrics", "/favicon.ico"}, v.Path)
		if got.status != c.status || !readable {
			t.Errorf("%s %s: got %d %s, want %d", v.Method, fill(c.path), got.status, got.body, c.status)
		}
	}
}

// TestEveryRouteNeedsAKey: no key, no answer, on every route that has a scope
// (O2, A6, X2, X9).
func TestEveryRouteNeedsAKey(t *testing.T) {
	t.Parallel()
	w, fill := routeWorld(t)
	revoked := w.key("revoked", owner.AllScopes()...)
	if _, err := w.keyring.Revoke(t.Context(), "revoked"); err != nil {
		t.Fatal(err)
	}
	calls := len(w.up.Requests())
	for _, tt := range []struct{ name, authorization string }{
		{"none", ""},
		{"another", "Bearer wire-local-key-0123456780"},
		{"the start of ours", "Bearer " + localKey[:len(localKey)-1]},
		{"the development key", "Bearer hermes"},
		{"revoked", "Bearer " + revoked},
		{"one that never was", "Bearer hk_0123456789ab_" + strings.Repeat("A", 43)},
		{"another scheme", "Basic " + localKey},
		{"no token", "Bearer "},
		{"the upstream's", "Bearer " + upstreamKey},
	} {
		for _, v := range httpapi.Table() {
			c := routeCases()[v.Method+" "+v.Path]
			if slices.Contains([]string{"/", "/assets/{version}/{path...}", "/favicon.ico", "/api/page", "/health", "/v1/health", "/readyz", "/openapi.json"}, v.Path) {
				continue // these are open, and only these
			}
			if strings.HasPrefix(v.Path, "/platforms/") {
				continue // the adapters check what the platforms sign
			}
			got := w.call(v.Method, fill(c.path), c.body, "Authorization", tt.authorization)
			if got.status != http.StatusUnauthorized || !strings.Contains(got.body, `"code":"invalid_api_key"`) {
				t.Errorf("%s: %s %s: got %d %s, want 401", tt.name, v.Method, v.Path, got.status, got.body)
			}
			if challenge := got.header.Get("WWW-Authenticate"); challenge != "Bearer" {
				t.Errorf("%s: %s %s: got WWW-Authenticate %q", tt.name, v.Method, v.Path, challenge)
			}
		}
	}
	if n := len(w.up.Requests()); n != calls {
		t.Errorf("got %d upstream calls without a key, want none", n-calls)
	}
}

// TestTwoKeysAreNone: with two Authorization headers, a program between client and server
// disagrees with the client about its identity.
func TestTwoKeysAreNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	r := w.request("GET", "/v1/models", "")
	r.Header.Add("Authorization", "Bearer "+w.key("other"))
	if got := w.do(r); got.status != http.StatusBadRequest || !strings.Contains(got.body, "duplicate_authorization") {
		t.Errorf("got %d %s, want 400", got.status, got.body)
	}
}

// TestEveryRouteNeedsItsScope: a key can do what its scopes say, and no more.
func TestEveryRouteNeedsItsScope(t *testing.T) {
	t.Parallel()
	w, fill := routeWorld(t)
	keys := make(map[owner.Scope]string)
	for _, s := range owner.AllScopes() {
		keys[s] = w.key("only "+string(s), s)
	}
	for _, v := range httpapi.Table() {
		c := routeCases()[v.Method+" "+v.Path]
		for scope, key := range keys {
			got := w.call(v.Method, fill(c.path), c.body, "Authorization", "Bearer "+key)
			refused := got.status == http.StatusForbidden && strings.Contains(got.body, "insufficient_scope")
			if want := !slices.Contains([]owner.Scope{"", "any", scope}, v.Scope); refused != want {
				t.Errorf("%s %s with only %q: got %d %s, want refused: %t", v.Method, v.Path, scope, got.status, got.body, want)
			}
		}
	}
}

// TestCapabilitiesListEveryRoute: what a client is told is what there is.
func TestCapabilitiesListEveryRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	var told struct {
		Endpoints []struct{ Method, Path string }
	}
	if err := json.Unmarshal([]byte(w.call("GET", "/v1/capabilities", "").body), &told); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, v := range httpapi.Table() {
		want = append(want, v.Method+" "+v.Path)
	}
	for _, e := range told.Endpoints {
		got = append(got, e.Method+" "+e.Path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("endpoints (-routes +told):\n%s", diff)
	}
}

// TestSessionTwice: a session stands in its answer twice, as the object itself
// and under "session", and both say the same.
func TestSessionTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "hi")
	var outer map[string]any
	if err := json.Unmarshal([]byte(w.call("GET", "/api/sessions/s", "").body), &outer); err != nil {
		t.Fatal(err)
	}
	inner, _ := outer["session"].(map[string]any)
	delete(outer, "session")
	delete(outer, "lineage")
	if diff := cmp.Diff(outer, inner); diff != "" || len(inner) == 0 {
		t.Errorf("session (-outer +inner):\n%s", diff)
	}
}
