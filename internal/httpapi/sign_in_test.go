package httpapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// terminalKey is the key of the command line in a world.
const terminalKey = "local-token-of-this-machine"

// pageToken is what a sign-in answers.
type pageToken struct{ ID, Token, Actor string }

// signIn changes a key for a page token.
func (w *world) signIn(key, body string) pageToken {
	w.t.Helper()
	var told pageToken
	got := w.call("POST", "/api/page/token", body, "Authorization", "Bearer "+key)
	if err := json.Unmarshal([]byte(got.body), &told); err != nil || got.status != http.StatusCreated {
		w.t.Fatalf("sign in: got %d %s, %v, want 201", got.status, got.body, err)
	}
	return told
}

// with is a call with a key or a page token.
func (w *world) with(token, method, path, body string) reply {
	w.t.Helper()
	return w.call(method, path, body, "Authorization", "Bearer "+token)
}

// TestHowToGetIn: the page is told how to get in by each request itself.
func TestHowToGetIn(t *testing.T) {
	t.Parallel()
	says := func(w *world, headers ...string) string {
		var told struct {
			How string `json:"sign_in"`
		}
		got := w.call("GET", "/api/page", "", append([]string{"Authorization", ""}, headers...)...)
		if err := json.Unmarshal([]byte(got.body), &told); err != nil || got.status != http.StatusOK {
			t.Fatalf("got %d %s, %v", got.status, got.body, err)
		}
		return told.How
	}
	fresh := newWorld(t, options{development: true, Hosts: []string{"memory.example"}})
	for name, c := range map[string]struct {
		want    string
		headers []string
	}{
		"here": {"development", nil}, "by another name": {"key", []string{"Host", "memory.example"}},
		"through a proxy": {"key", []string{"X-Forwarded-For", "192.0.2.1"}}, "through another": {"key", []string{"Via", "1.1 x"}},
	} {
		if got := says(fresh, c.headers...); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := fresh.with(owner.DevelopmentKey, "POST", "/api/page/token", "{}"); got.status != http.StatusBadRequest || !strings.Contains(got.body, "page_token_not_needed") {
		t.Errorf("a token of the development key: got %d %s", got.status, got.body)
	}
	fresh.key("laptop")
	if got := says(fresh); got != "key" {
		t.Errorf("with a key made: got %q, want key", got)
	}
	open := newWorld(t, options{NoAuth: true})
	if got := says(open); got != "none" {
		t.Errorf("with --no-auth: got %q, want none", got)
	}
	if got := open.call("POST", "/api/page/token", "{}", "Authorization", ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, "page_token_not_needed") {
		t.Errorf("a token with --no-auth: got %d %s", got.status, got.body)
	}
	if got := open.call("POST", "/api/page/codes", "", "Authorization", ""); got.status != http.StatusForbidden {
		t.Errorf("a code with --no-auth: got %d %s", got.status, got.body)
	}
}

// TestPageToken: a token acts as its key, until it is signed out or its key is revoked.
func TestPageToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	key := w.key("laptop", owner.Chat, owner.SessionsRead)
	first, second := w.signIn(key, `{"stay":true}`), w.signIn(key, "")
	if first.Actor != "key:laptop" || first.Token == second.Token {
		t.Errorf("got %+v and %+v", first, second)
	}
	var me struct {
		Actor, Owner string
		Scopes       []string
		Key          struct{ Name string }
		Token        struct{ ID string } `json:"page_token"`
	}
	got := w.with(first.Token, "GET", "/api/me", "")
	if err := json.Unmarshal([]byte(got.body), &me); err != nil || me.Actor != "key:laptop" || me.Owner != "laptop" || me.Key.Name != "laptop" || len(me.Scopes) != 2 || me.Token.ID != first.ID {
		t.Errorf("got %s, %v", got.body, err)
	}
	if got := w.with(first.Token, "GET", "/api/sessions", ""); got.status != http.StatusOK {
		t.Errorf("sessions: got %d %s, want 200", got.status, got.body)
	}
	if got := w.with(first.Token, "GET", "/api/memory", ""); got.status != http.StatusForbidden {
		t.Errorf("memory: got %d %s, want 403 as with the key", got.status, got.body)
	}
	for _, path := range []string{"/api/page/token", "/api/page/codes"} {
		if got := w.with(first.Token, "POST", path, "{}"); got.status != http.StatusForbidden || !strings.Contains(got.body, "page_token_only") {
			t.Errorf("%s with a token: got %d %s, want 403", path, got.status, got.body)
		}
	}
	list := w.with(second.Token, "GET", "/api/page/token", "")
	if strings.Count(list.body, `"hermes.page_token"`) != 2 || strings.Count(list.body, `"current":true`) != 1 || strings.Contains(list.body, "hp_") {
		t.Errorf("got %s, want both, one of them current, and no secret", list.body)
	}
	other := w.signIn(w.key("phone"), "")
	if got := w.with(other.Token, "DELETE", "/api/page/token/"+first.ID, ""); got.status != http.StatusNotFound {
		t.Errorf("sign out another key's: got %d %s, want 404", got.status, got.body)
	}
	if got := w.with(first.Token, "DELETE", "/api/page/token/"+second.ID, ""); got.status != http.StatusOK {
		t.Errorf("sign out another: got %d %s, want 200", got.status, got.body)
	}
	if got := w.with(second.Token, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("signed out: got %d %s, want 401", got.status, got.body)
	}
	if got := w.with(other.Token, "DELETE", "/api/page/token", ""); got.status != http.StatusOK {
		t.Errorf("sign out: got %d %s, want 200", got.status, got.body)
	}
	if got := w.with(other.Token, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("signed out: got %d %s, want 401", got.status, got.body)
	}
	if _, err := w.keyring.Revoke(t.Context(), "laptop"); err != nil {
		t.Fatal(err)
	}
	if got := w.with(first.Token, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("of a revoked key: got %d %s, want 401", got.status, got.body)
	}
}

// TestPageTokenIsKept: a restart signs nobody out, and the idle are signed out.
func TestPageTokenIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	idle, stays := w.signIn(localKey, ""), w.signIn(localKey, `{"stay":true}`)
	w.restart()
	for _, token := range []pageToken{idle, stays} {
		if got := w.with(token.Token, "GET", "/api/me", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"actor":"configured"`) {
			t.Errorf("after a restart: got %d %s", got.status, got.body)
		}
	}
	w.clock.Advance(12 * time.Hour)
	if got := w.with(idle.Token, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("after 12 hours: got %d, want 401", got.status)
	}
	if got := w.with(stays.Token, "GET", "/api/me", ""); got.status != http.StatusOK {
		t.Errorf("after 12 hours, to stay: got %d, want 200", got.status)
	}
}

// TestPageCode: the terminal lets a browser in, once, and no secret is in the log, in the
// audit, or in the file.
func TestPageCode(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, options{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	var made struct{ Code string }
	if err := json.Unmarshal([]byte(w.with(terminalKey, "POST", "/api/page/codes", "").body), &made); err != nil || made.Code == "" {
		t.Fatal(made, err)
	}
	redeem := func() reply {
		return w.call("POST", "/api/page/token", `{"code":"`+made.Code+`"}`, "Authorization", "")
	}
	var told pageToken
	if got := redeem(); got.status != http.StatusCreated || json.Unmarshal([]byte(got.body), &told) != nil || told.Actor != "terminal" {
		t.Fatalf("got %d %s, want 201", got.status, got.body)
	}
	if got := redeem(); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "invalid_code") || !strings.Contains(got.body, "hermes page") {
		t.Errorf("again: got %d %s, want 401 and what to do", got.status, got.body)
	}
	if got := w.with(told.Token, "GET", "/api/keys", ""); got.status != http.StatusOK {
		t.Errorf("got %d %s, want all rights of the terminal", got.status, got.body)
	}
	if got := w.with(told.Token, "DELETE", "/api/page/token", ""); got.status != http.StatusOK {
		t.Errorf("sign out: got %d %s", got.status, got.body)
	}
	rows, words := w.audit()
	if got := strings.Join(words, ", "); got != "page.code ok, page.sign_in ok, auth.refused invalid_api_key, page.sign_out ok" {
		t.Errorf("audit: got %s", got)
	}
	if rows[1].Actor != "terminal" || rows[1].Kind != "page_token" || rows[1].Target != told.ID || rows[1].Detail != "code" || rows[3].Target != told.ID {
		t.Errorf("audit: got %+v", rows)
	}
	audit := w.call("GET", "/api/audit", "").body
	files, err := filepath.Glob(filepath.Join(w.dir, "state.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	kept := []string{log.String(), audit}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, string(data))
	}
	for i, text := range kept {
		for _, secret := range []string{made.Code[16:], told.Token[16:], localKey, terminalKey} {
			if strings.Contains(text, secret) {
				t.Errorf("%d: a secret is in what is kept", i)
			}
		}
	}
}
