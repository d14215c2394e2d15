package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMemoryProvider(t *testing.T) {
	t.Parallel()
	if c := newWorld(t, "").mustLoad(t); c.MemoryProvider.Type != "" {
		t.Errorf("by default: got %+v, want none", c.MemoryProvider)
	}
	w := newWorld(t, `
memory_provider:
  type: honcho
  url: http://memory:8000
  key: from-the-file
  owners: [local, ada]
  send: user
  wait: 1s
  peer: alex
`)
	want := MemoryProvider{
		Type: "honcho", URL: "http://memory:8000", Key: "from-the-file", Owners: []string{"local", "ada"}, Send: "user", Wait: time.Second, Peer: "alex",
	}
	if diff := cmp.Diff(want, w.mustLoad(t).MemoryProvider); diff != "" {
		t.Errorf("from the file (-want +got):\n%s", diff)
	}
	w.env["HONCHO_API_KEY"], w.env["HONCHO_BASE_URL"] = "from-honcho", "http://honcho:8000/v3/"
	c := w.mustLoad(t)
	if c.MemoryProvider.Key != "from-honcho" || c.MemoryProvider.URL != "http://honcho:8000" {
		t.Errorf("Honcho's variables: got %+v", c.MemoryProvider)
	}
	if value, source := origin(t, c, "memory_provider.key"); value != "[set]" || source != "environment HONCHO_API_KEY" {
		t.Errorf("the key is shown as %q from %q", value, source)
	}
	w.env["HERMES_MEMORY_PROVIDER_KEY"] = "ours"
	if c := w.mustLoad(t); c.MemoryProvider.Key != "ours" {
		t.Errorf("our own variable: got %q", c.MemoryProvider.Key)
	}
	other := newWorld(t, "memory_provider: {type: http, url: http://memory:1}")
	other.env["HONCHO_API_KEY"], other.env["HONCHO_BASE_URL"] = "from-honcho", "http://honcho:8000"
	if got := other.mustLoad(t).MemoryProvider; got.Key != "" || got.URL != "http://memory:1" {
		t.Errorf("Honcho's variables with another type: got %+v", got)
	}
}

func TestMemoryProviderRefused(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"memory_provider: {type: zep}":                                            `"zep" is not one of http, honcho, mem0, graphiti, supermemory, and not empty`,
		"memory_provider: {type: graphiti}":                                       "needs a URL",
		"memory_provider: {type: http}":                                           "needs a URL",
		"memory_provider: {type: http, url: 'http://x', peer: alex}":              "only Honcho has peers",
		"memory_provider: {type: honcho, peer: 'a b'}":                            "use at most 512 letters",
		"memory_provider: {type: honcho, peer: " + strings.Repeat("a", 513) + "}": "use at most 512 letters",
		"memory_provider: {type: honcho, send: nothing}":                          "is not one of",
		"memory_provider: {type: honcho, wait: soon}":                             "duration",
		"memory_provider: {type: honcho, owners: []}":                             "name an owner",
	} {
		if _, err := newWorld(t, file).load(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
}
