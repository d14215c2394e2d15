package upstream

import (
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/run"
)

// Windows tells how many tokens the models of an upstream take.
type Windows struct {
	// Setting is the setting upstream.context_tokens; 0 means not set.
	Setting int
	// Catalogue is the list of models; nil for none.
	Catalogue *Catalogue
}

// Of returns a model's window: the setting's, else what the server's list of models says,
// else that of a known model. It never calls the server.
func (w *Windows) Of(_ context.Context, model string) run.Window {
	if w.Setting > 0 {
		return run.Window{Tokens: w.Setting, Source: "the setting upstream.context_tokens"}
	}
	if w.Catalogue != nil {
		if n := w.Catalogue.window(model); n > 0 {
			return run.Window{Tokens: n, Source: "the upstream's list of models"}
		}
	}
	if n := knownWindow(model); n > 0 {
		return run.Window{Tokens: n, Source: "known of this model; upstream.context_tokens overrides it"}
	}
	return run.Window{}
}

// window is a model's window in the newest list; 0 if it is unknown.
func (c *Catalogue) window(model string) int {
	list := c.newest.Load()
	if list == nil {
		return 0
	}
	for i, m := range *list {
		if m.ID == model || model == "" && i == 0 {
			return m.ContextTokens
		}
	}
	return 0
}

// listedWindow are the fields in which servers list the window of a model.
type listedWindow struct {
	Loaded  int `json:"loaded_context_length"` // LM Studio: what is loaded
	Max     int `json:"max_context_length"`    // LM Studio, Mistral
	ModelL  int `json:"max_model_len"`         // vLLM
	Window  int `json:"context_window"`        // Groq
	Length  int `json:"context_length"`        // OpenRouter, Together
	Input   int `json:"max_input_tokens"`      // Anthropic
	Trained struct {
		Context int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
}

// tokens is the first sensible number; 0 for none.
func (l *listedWindow) tokens() int {
	for _, n := range []int{l.Loaded, l.Max, l.ModelL, l.Window, l.Length, l.Input, l.Trained.Context} {
		if n > 0 && n <= bound.MaxTokens {
			return n
		}
	}
	return 0
}

// knownWindows are the windows of hosted models by the beginning of their names, as their
// makers document them. The longest beginning decides. Of a family with several windows
// the table has the largest: a request that is too long is then refused by the server.
var knownWindows = map[string]int{
	"gpt-3.5-turbo": 16_385, "gpt-4": 8_192, "gpt-4-32k": 32_768, "gpt-4-turbo": 128_000, "gpt-4-1106": 128_000,
	"gpt-4-0125": 128_000, "gpt-4-vision": 128_000, "gpt-4o": 128_000, "gpt-4.1": 1_047_576, "gpt-4.5": 128_000,
	"gpt-5": 1_047_576, "o1": 200_000, "o3": 200_000, "o4-mini": 200_000, "claude-2": 200_000, "claude-": 1_000_000,
	"gemini-": 2_097_152, "deepseek-": 1_000_000, "mistral-large": 262_144, "command-r": 128_000,
}

// knownWindow is the window of a known model; 0 for none. A provider in front of the name
// ("openai/gpt-4o") does not count.
func knownWindow(model string) int {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	longest, tokens := 0, 0
	for start, n := range knownWindows {
		if len(start) > longest && strings.HasPrefix(name, start) {
			longest, tokens = len(start), n
		}
	}
	return tokens
}
