package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/provider/honcho/honchotest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestProvider runs the whole program and a Honcho.
func TestProvider(t *testing.T) {
	t.Parallel()
	honcho, up := honchotest.Start(t), upstreamtest.New(t, upstreamtest.Options{})
	home := filepath.Join(t.TempDir(), "home")
	s := &shell{t: t, env: map[string]string{"HERMES_HOME": home, "HERMES_UPSTREAM_URL": up.URL + "/v1", "HERMES_MODEL": "m", "HERMES_PROBE": "false"}}
	chat := func(call func(method, path, body string) string, text string) string {
		t.Helper()
		return call("POST", "/k/me/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":`+quoted(text)+`}]}`)
	}
	call, stop := s.serve()
	chat(call, "I said this before.")
	if out, _ := s.run("", "provider", "status"); !strings.Contains(out, "No memory provider is configured") {
		t.Errorf("got %q", out)
	}
	for _, do := range []string{"test", "backfill", "forget"} {
		if _, errs := s.run("", "provider", do); !strings.Contains(errs, "docs/providers.md") {
			t.Errorf("%s: got %q", do, errs)
		}
	}
	stop()
	if n := len(honcho.Requests()); n > 0 {
		t.Errorf("%d requests without a provider", n)
	}

	file := "memory_provider: {type: honcho, wait: 5s}\n"
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env["HONCHO_BASE_URL"], s.env["HONCHO_API_KEY"] = honcho.URL+"/v3", honchotest.Key
	call, stop = s.serve()
	defer stop()
	chat(call, "I live in Zanzibar.")
	told := func(text string) bool { return has(honcho, text) }
	until(t, func() bool { return told("Zanzibar") })
	out, _ := s.run("", "provider", "status", "--json")
	var st httpapi.ProviderStatus
	if err := json.Unmarshal([]byte(out), &st); err != nil || st.Type == nil || *st.Type != "honcho" || !st.Serves || st.Told != 2 {
		t.Errorf("got %s, %v", out, err)
	}
	if out, errs := s.run("", "provider", "test"); strings.Count(out, " ok ") != 3 {
		t.Errorf("got %q, %q", out, errs)
	}
	until(t, func() bool { // the answer of the provider is noted after it has the message
		out, _ := s.run("", "provider", "backfill", "--dry-run")
		return strings.Contains(out, "2 messages in 1 session,")
	})
	s.run("", "provider", "backfill", "--yes")
	until(t, func() bool { return told("I said this before.") })
	if out := s.why(chat(call, "Where do I live?")); !strings.Contains(out, `What the memory provider honcho added`) || !strings.Contains(out, "Zanzibar") {
		t.Errorf("got %q", out)
	}
	if out, errs := s.run("", "forget", "--about", "Zanzibar", "--yes"); !strings.Contains(out, "has confirmed that") || told("Zanzibar") {
		t.Errorf("got %q, %q", out, errs)
	}
	until(t, func() bool { return told("I said this before.") }) // the rest of an emptied place is told again
	if out, errs := s.run("", "provider", "forget", "--yes"); !strings.Contains(out, "has confirmed") || told("") {
		t.Errorf("got %q, %q", out, errs)
	}
	until(t, func() bool { // a telling that was under way may take a place yet
		out, _ := s.run("", "provider", "forget", "--yes")
		return strings.Contains(out, "has nothing to forget")
	})
	honcho.Hold()
	chat(call, "I live on the moon.")
	until(t, func() bool { return told("moon") })
	if out, _ := s.run("", "forget", "--about", "moon", "--yes"); !strings.Contains(out, "Not confirmed there") {
		t.Errorf("got %q", out)
	}
	if out, _ := s.run("", "provider", "status"); !strings.Contains(out, "To forget at") {
		t.Errorf("got %q", out)
	}
}

// why explains an answer of the API.
func (s *shell) why(answer string) string {
	s.t.Helper()
	var a struct {
		Hermes struct {
			ReceiptID string `json:"receipt_id"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		s.t.Fatal(err)
	}
	out, _ := s.run("", "why", a.Hermes.ReceiptID)
	return out
}

// TestBackfillWithoutServer: what is to be told is kept for the next server.
func TestBackfillWithoutServer(t *testing.T) {
	t.Parallel()
	honcho, up := honchotest.Start(t), upstreamtest.New(t, upstreamtest.Options{})
	home := filepath.Join(t.TempDir(), "home")
	s := &shell{t: t, env: map[string]string{"HERMES_HOME": home, "HERMES_UPSTREAM_URL": up.URL + "/v1", "HERMES_MODEL": "m", "HERMES_PROBE": "false"}}
	call, stop := s.serve()
	call("POST", "/k/me/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"I said this before."}]}`)
	stop()
	s.env["HERMES_MEMORY_PROVIDER"], s.env["HONCHO_BASE_URL"], s.env["HONCHO_API_KEY"] = "honcho", honcho.URL, honchotest.Key
	out, errs := s.run("", "provider", "backfill", "--yes")
	if !strings.Contains(out, "2 messages in 1 session,") || !strings.Contains(out, "`hermes serve` sends them") {
		t.Errorf("got %q, %q", out, errs)
	}
	if n := len(honcho.Requests()); n > 0 {
		t.Errorf("%d requests without a server", n)
	}
	_, stop = s.serve()
	defer stop()
	until(t, func() bool { return has(honcho, "I said this before.") })
}

// has reports whether any place of a Honcho has a text.
func has(honcho *honchotest.Server, text string) bool {
	for _, workspace := range honcho.Workspaces() {
		for _, place := range honcho.Sessions(workspace) {
			for _, m := range honcho.Messages(workspace, place) {
				if strings.Contains(m.Content, text) {
					return true
				}
			}
		}
	}
	return false
}

// TestTwoHomesOneProvider: two homes with the same keys and message ids use one account. Each has its own
// places there, and what one lets the provider forget stays for the other.
func TestTwoHomesOneProvider(t *testing.T) {
	t.Parallel()
	honcho, up := honchotest.Start(t), upstreamtest.New(t, upstreamtest.Options{})
	var homes []*shell
	for _, text := range []string{"I live in Zanzibar.", "I live on the moon."} {
		s := &shell{t: t, env: map[string]string{
			"HERMES_HOME": filepath.Join(t.TempDir(), "home"), "HERMES_UPSTREAM_URL": up.URL + "/v1", "HERMES_MODEL": "m", "HERMES_PROBE": "false",
			"HERMES_MEMORY_PROVIDER": "honcho", "HONCHO_BASE_URL": honcho.URL, "HONCHO_API_KEY": honchotest.Key,
		}}
		call, stop := s.serve()
		defer stop()
		call("POST", "/k/me/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":`+quoted(text)+`}]}`)
		until(t, func() bool { return has(honcho, text) })
		homes = append(homes, s)
	}
	if out, errs := homes[0].run("", "provider", "forget", "--yes"); !strings.Contains(out, "has confirmed that 1 message or place is gone") {
		t.Errorf("got %q, %q", out, errs)
	}
	if has(honcho, "Zanzibar") || !has(honcho, "moon") {
		t.Error("the forgetting of one home is not what the provider has forgotten")
	}
}
