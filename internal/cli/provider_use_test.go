package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/provider/honcho/honchotest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestProviderInUse: a provider is in use from the first server or chat on, and until one runs without it. The status says
// the same with a server and without one, and what was said before is never told.
func TestProviderInUse(t *testing.T) {
	t.Parallel()
	honcho, up := honchotest.Start(t), upstreamtest.New(t, upstreamtest.Options{})
	home := filepath.Join(t.TempDir(), "home")
	s := &shell{t: t, env: map[string]string{
		"HERMES_HOME": home, "HERMES_UPSTREAM_URL": up.URL + "/v1", "HERMES_MODEL": "m", "HERMES_PROBE": "false",
		"HONCHO_BASE_URL": honcho.URL, "HONCHO_API_KEY": honchotest.Key,
	}}
	status := func(what string, wantSince *time.Time) *time.Time {
		t.Helper()
		out, errs := s.run("", "provider", "status", "--json")
		var st httpapi.ProviderStatus
		if err := json.Unmarshal([]byte(out), &st); err != nil {
			t.Fatalf("%s: got %q, %q, %v", what, out, errs, err)
		}
		if st.Waiting != 0 {
			t.Errorf("%s: %d sessions wait, want none", what, st.Waiting)
		}
		if wantSince != nil && (st.Since == nil || !st.Since.Equal(*wantSince)) {
			t.Errorf("%s: in use since %v, want %v", what, st.Since, wantSince)
		}
		return st.Since
	}
	serving := func(text string) {
		t.Helper()
		_, stop := s.serve()
		defer stop()
		until(t, func() bool { return has(honcho, text) })
		until(t, func() bool {
			out, _ := s.run("", "provider", "status")
			return strings.Contains(out, "something to tell: 0")
		})
	}
	s.run("", "-q", "I said this before.")
	s.env["HERMES_MEMORY_PROVIDER"] = "honcho"
	file := filepath.Join(t.TempDir(), "chat.jsonl")
	line := `{"session":"x","role":"user","content":"I was imported.","timestamp":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}` + "\n"
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs := s.run("", "import", file); !strings.Contains(out, "messages stored  1") {
		t.Fatalf("got %q, %q", out, errs)
	}
	if since := status("before any turn", nil); since != nil {
		t.Errorf("in use since %v, before any turn", since)
	}
	if out, _ := s.run("", "provider", "status"); !strings.Contains(out, "not in use yet") {
		t.Errorf("got %q", out)
	}
	s.run("", "-q", "My hat is purple.")
	out, _ := s.run("", "provider", "status", "--json")
	var first httpapi.ProviderStatus
	if err := json.Unmarshal([]byte(out), &first); err != nil || first.Since == nil {
		t.Fatalf("after a chat: got %s, %v", out, err)
	}
	serving("hat")
	status("without the server", first.Since)
	s.run("", "-q", "My umbrella is yellow.")
	serving("umbrella")
	status("after another chat", first.Since)
	delete(s.env, "HERMES_MEMORY_PROVIDER")
	s.run("", "-q", "I said this while it was off.")
	s.env["HERMES_MEMORY_PROVIDER"] = "honcho"
	if since := status("after a chat without it", nil); since != nil {
		t.Errorf("in use since %v, after a chat without it", since)
	}
	s.run("", "-q", "My scarf is orange.")
	serving("scarf")
	for _, text := range []string{"I said this", "imported"} {
		if has(honcho, text) {
			t.Errorf("%q was told", text)
		}
	}
}
