package upstream

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// machine is a server that answers the given paths, and its address.
func machine(t *testing.T, server string, paths map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if server != "" {
			w.Header().Set("Server", server)
		}
		body, ok := paths[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

const isRunning = "Ollama is running"

func ollamaWith(t *testing.T, tags string) string {
	t.Helper()
	return machine(t, "", map[string]string{"/": isRunning, "/api/tags": tags})
}

// nothing is an address where nothing listens, and no test's server ever will: a port
// that was free a moment ago may be another's.
const nothing = "127.0.0.1:1"

func TestChoose(t *testing.T) {
	t.Parallel()
	const twoModels = `{"models":[{"name":"old:7b","modified_at":"2025-01-02T00:00:00Z"},{"name":"nomic-embed-text:latest","modified_at":"2026-03-01T00:00:00+01:00"},
		{"name":"new:latest","modified_at":"2026-01-02T00:00:00.123+02:00","details":{"family":"llama"}},{"name":"mini:latest","modified_at":"2026-02-02T00:00:00Z","details":{"family":"bert"}}]}`
	ollama, empty := ollamaWith(t, twoModels), ollamaWith(t, `{"models":[]}`)
	llama := machine(t, "llama.cpp", map[string]string{"/v1/models": `{"data":[{"id":"qwen.gguf","owned_by":"llamacpp"}]}`})
	loading := machine(t, "llama.cpp", nil)
	other := machine(t, "nginx", map[string]string{"/v1/models": `{"data":[{"id":"x","owned_by":"y"}]}`})
	mock := upstreamtest.New(t, upstreamtest.Options{Models: []string{"listed"}})

	type chosen struct {
		Kind      Kind
		Name, URL string
		Why       string
		Skipped   []string
	}
	const unnamed = "_API_KEY is set, but no model is named: set HERMES_MODEL to use it"
	const none = "no model server is configured or found on this machine"
	const byURL = "HERMES_UPSTREAM_URL is set; HERMES_MODEL is not, so the first model listed there answers"
	for _, tt := range []struct {
		name string
		env  Environment
		want chosen
	}{
		{"nothing", Environment{}, chosen{Kind: KindRecall, Why: none}},
		{
			"configured", Environment{URL: "https://ann:pw@gpu.example/v1/", Key: "k", Model: "m", OpenAIKey: "k", OllamaAddr: ollama},
			chosen{Kind: KindConfigured, Name: "m", URL: "https://gpu.example/v1", Why: "HERMES_UPSTREAM_URL is set and HERMES_MODEL names m"},
		},
		{"configured here, no model", Environment{URL: mock.URL + "/v1", Key: "k"}, chosen{Kind: KindConfigured, Name: "listed", URL: mock.URL + "/v1", Why: byURL}},
		{"configured here, down", Environment{URL: "http://" + nothing}, chosen{Kind: KindConfigured, URL: "http://" + nothing, Why: byURL}},
		{
			"configured elsewhere with a key, no model", Environment{URL: "https://gpu.example", Key: "k"},
			chosen{Kind: KindRecall, Why: none, Skipped: []string{"HERMES_UPSTREAM_URL and HERMES_UPSTREAM_KEY are set, but no model is named: set HERMES_MODEL to use them"}},
		},
		{
			"a key without a URL", Environment{Key: "k"},
			chosen{Kind: KindRecall, Why: none, Skipped: []string{"HERMES_UPSTREAM_KEY is set, but no HERMES_UPSTREAM_URL says where it belongs"}},
		},
		{
			"openai", Environment{Model: "gpt-4o", OpenAIKey: "k", AnthropicKey: "k", OpenRouterKey: "k", OllamaAddr: ollama},
			chosen{Kind: KindOpenAI, Name: "gpt-4o", URL: openAIURL, Why: "OPENAI_API_KEY is set and HERMES_MODEL names gpt-4o"},
		},
		{
			"openai elsewhere", Environment{Model: "m", OpenAIKey: "k", OpenAIURL: "http://proxy.example/v1"},
			chosen{Kind: KindOpenAI, Name: "m", URL: "http://proxy.example/v1", Why: "OPENAI_API_KEY is set and HERMES_MODEL names m"},
		},
		{
			"anthropic", Environment{Model: "claude", AnthropicKey: "k", OpenRouterKey: "k"},
			chosen{Kind: KindAnthropic, Name: "claude", URL: anthropicURL, Why: "ANTHROPIC_API_KEY is set and HERMES_MODEL names claude"},
		},
		{
			"openrouter", Environment{Model: "a/b", OpenRouterKey: "k"},
			chosen{Kind: KindOpenRouter, Name: "a/b", URL: openRouterURL, Why: "OPENROUTER_API_KEY is set and HERMES_MODEL names a/b"},
		},
		{
			"forgotten keys", Environment{OpenAIKey: "k", AnthropicKey: "k", OpenRouterKey: "k", OllamaAddr: ollama},
			chosen{
				Kind: KindOllama, Name: "new:latest", URL: "http://" + ollama + "/v1", Why: "an Ollama runs on this machine and new:latest is its newest model",
				Skipped: []string{"OPENAI" + unnamed, "ANTHROPIC" + unnamed, "OPENROUTER" + unnamed},
			},
		},
		{
			"ollama before llama", Environment{Model: "new", OllamaAddr: ollama, LlamaAddr: llama},
			chosen{Kind: KindOllama, Name: "new", URL: "http://" + ollama + "/v1", Why: "an Ollama runs on this machine and HERMES_MODEL names new"},
		},
		{
			"ollama without the model", Environment{Model: "gpt-4o", OllamaAddr: ollama},
			chosen{Kind: KindRecall, Why: none, Skipped: []string{"an Ollama runs on this machine, but it does not have gpt-4o: run `ollama pull gpt-4o`"}},
		},
		{
			"ollama without models, llama", Environment{OllamaAddr: empty, LlamaAddr: llama},
			chosen{
				Kind: KindLlama, Name: "qwen.gguf", URL: "http://" + llama + "/v1", Why: "a llama.cpp server runs on this machine",
				Skipped: []string{"an Ollama runs on this machine, but it has no model: run `ollama pull` with the name of one"},
			},
		},
		{"llama loading", Environment{LlamaAddr: loading}, chosen{Kind: KindLlama, URL: "http://" + loading + "/v1", Why: "a llama.cpp server runs on this machine"}},
		{"llama with a model named", Environment{Model: "m", LlamaAddr: llama}, chosen{Kind: KindLlama, Name: "m", URL: "http://" + llama + "/v1", Why: "a llama.cpp server runs on this machine"}},
		{"something else at both ports", Environment{OllamaAddr: other, LlamaAddr: other}, chosen{Kind: KindRecall, Why: none}},
		{"our own addresses", Environment{OllamaAddr: ollama, LlamaAddr: llama, Own: "[::1]:" + ollama[strings.LastIndex(ollama, ":")+1:]}, chosen{
			Kind: KindLlama, Name: "qwen.gguf", URL: "http://" + llama + "/v1", Why: "a llama.cpp server runs on this machine",
		}},
		{
			"OLLAMA_HOST", Environment{OllamaHost: ollama, OllamaAddr: nothing},
			chosen{Kind: KindOllama, Name: "new:latest", URL: "http://" + ollama + "/v1", Why: "OLLAMA_HOST is set and new:latest is its newest model"},
		},
		{"OLLAMA_HOST is ours", Environment{OllamaHost: ollama, Own: ollama}, chosen{
			Kind: KindRecall, Why: none, Skipped: []string{"OLLAMA_HOST is the address this server listens on itself"},
		}},
		{"OLLAMA_HOST is down", Environment{OllamaHost: nothing}, chosen{
			Kind: KindRecall, Why: none, Skipped: []string{"OLLAMA_HOST is set, but no Ollama answers there"},
		}},
		{"OLLAMA_HOST is down, model named", Environment{OllamaHost: nothing, Model: "m"}, chosen{
			Kind: KindOllama, Name: "m", URL: "http://" + nothing + "/v1", Why: "OLLAMA_HOST is set and HERMES_MODEL names m (it does not answer yet)",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, addr := range []*string{&tt.env.OllamaAddr, &tt.env.LlamaAddr} {
				if *addr == "" {
					*addr = "off"
				}
			}
			tt.env.Options.Transport = pool(t)
			c, err := Choose(t.Context(), tt.env)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, chosen{c.Kind, c.Name, c.BaseURL, c.Why, c.Skipped}); diff != "" {
				t.Errorf("choice (-want +got):\n%s", diff)
			}
			if _, speaks := c.Model.(*Anthropic); (c.Model == nil) != (c.Kind == KindRecall) || speaks != (c.Kind == KindAnthropic) {
				t.Errorf("got a model of type %T", c.Model)
			}
			if (c.Lister == nil) != (c.Model == nil) {
				t.Errorf("got a lister of type %T with a model of type %T", c.Lister, c.Model)
			}
		})
	}
}

func TestChooseRefusesBadURLs(t *testing.T) {
	t.Parallel()
	for _, env := range []Environment{
		{URL: "localhost:1234"},
		{URL: "https://user:pass word@x"},
		{OpenAIKey: "k", Model: "m", OpenAIURL: "example.com"},
		{OllamaHost: "ftp://x"},
	} {
		env.OllamaAddr, env.LlamaAddr, env.Options.Transport = "off", "off", pool(t)
		_, err := Choose(t.Context(), env)
		if fault.CodeOf(err) != "invalid_upstream_url" || strings.Contains(err.Error(), "pass") {
			t.Errorf("%+v: got %v", env, err)
		}
	}
}

// TestChooseIsQuick: servers that accept and say nothing delay the start by no
// more than the patience for one probe, because all are probed at once.
func TestChooseIsQuick(t *testing.T) {
	t.Parallel()
	var here sync.WaitGroup
	here.Add(2)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		here.Done()
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	addr := strings.TrimPrefix(silent.URL, "http://")
	start := time.Now()
	c, err := Choose(t.Context(), Environment{OllamaAddr: addr, LlamaAddr: addr, Options: Options{Transport: pool(t)}})
	if took := time.Since(start); err != nil || c.Kind != KindRecall || took > 10*time.Second {
		t.Errorf("got %q, %v after %v", c.Kind, err, took)
	}
	here.Wait()
}

func TestIsOllama(t *testing.T) {
	t.Parallel()
	if addr := ollamaWith(t, `{}`); !IsOllama(t.Context(), addr) {
		t.Error("an Ollama is not recognized")
	}
	for name, addr := range map[string]string{"nothing": nothing, "another server": machine(t, "", map[string]string{"/": "<html>Hermes"}), "no address": ":::"} {
		if IsOllama(t.Context(), addr) {
			t.Errorf("%s is taken for an Ollama", name)
		}
	}
}

func TestOllamaURL(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"127.0.0.1:11434":        "http://127.0.0.1:11434",
		"0.0.0.0":                "http://127.0.0.1:11434",
		":1234":                  "http://127.0.0.1:1234",
		"box":                    "http://box:11434",
		" \"box:99\" ":           "http://box:99",
		"http://box":             "http://box:80",
		"https://box/ollama/":    "https://box:443/ollama",
		"[::]:5":                 "http://127.0.0.1:5",
		"::1":                    "http://[::1]:11434",
		"http://0.0.0.0:8000/?a": "http://127.0.0.1:8000",
		"ftp://box":              "",
		"http://%zz":             "",
	} {
		u, err := ollamaURL(host)
		if got := ""; err != nil && want != got || err == nil && u.String() != want {
			t.Errorf("%q: got %v, %v, want %q", host, u, err, want)
		}
	}
}

func TestSameAddr(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"127.0.0.1:8080", "localhost:8080", true},
		{"127.0.0.1:8080", "0.0.0.0:8080", true},
		{"127.0.0.1:8080", ":8080", true},
		{"[::1]:8080", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", "127.0.0.1:8081", false},
		{"box:8080", "BOX:8080", true},
		{"box:8080", "127.0.0.1:8080", false},
		{"127.0.0.1:8080", "", false},
	} {
		if got := sameAddr(tt.a, tt.b); got != tt.same {
			t.Errorf("%q and %q: got %v, want %v", tt.a, tt.b, got, tt.same)
		}
	}
}
