package upstream_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream"
)

// TestWindows: the setting decides, then the server's list in any of its forms, then the
// table. Nothing is asked of the server while a turn waits.
func TestWindows(t *testing.T) {
	t.Parallel()
	const list = `{"data":[{"id":"vllm","max_model_len":4096},{"id":"router","context_length":32000},{"id":"groq","context_window":131072},
		{"id":"studio","max_context_length":131072,"loaded_context_length":8192},{"id":"llama","meta":{"n_ctx_train":2048}},
		{"id":"odd","context_length":"many"},{"id":"negative","context_length":-5},{"id":"gpt-4o"}]}`
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte(list))
	}))
	defer server.Close()
	chosen, err := upstream.Choose(t.Context(), upstream.Environment{URL: server.URL, Model: "vllm", OllamaAddr: "off", LlamaAddr: "off"})
	if err != nil {
		t.Fatal(err)
	}
	catalogue := upstream.NewCatalogue(chosen.Lister, time.Now)
	w := upstream.Windows{Catalogue: catalogue}
	before := asked
	if got := w.Of(context.Background(), "vllm"); got.Tokens != 0 || asked != before {
		t.Errorf("before the list is known: got %+v, asked %d times", got, asked-before)
	}
	if _, err := catalogue.Models(t.Context()); err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]int{
		"vllm": 4096, "": 4096, "router": 32000, "groq": 131072, "studio": 8192, "llama": 2048, "odd": 0, "negative": 0,
		"gpt-4o": 128_000, "gpt-4o-mini-2024": 128_000, "openai/GPT-4": 8192, "unheard-of": 0,
	} {
		if got := w.Of(t.Context(), model); got.Tokens != want || (want > 0) != (got.Source != "") {
			t.Errorf("%q: got %+v, want %d", model, got, want)
		}
	}
	w.Setting = 500
	if got := w.Of(t.Context(), "vllm"); got.Tokens != 500 {
		t.Errorf("with the setting: got %+v", got)
	}
}
