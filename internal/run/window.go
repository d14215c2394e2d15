package run

import "context"

// Window is the largest prompt that a model takes.
type Window struct {
	// Tokens is its size; 0 means unknown.
	Tokens int
	// Source says where the size comes from, such as a setting. It is safe to show.
	Source string
}

// anyWindow bounds the client's part if the model's window is unknown: few models take
// more. One request must not occupy the server with text that no model will read.
func anyWindow() Window {
	return Window{Tokens: 1 << 20, Source: "its window is unknown; upstream.context_tokens sets it"}
}

// window is the window of a model. The recall responder takes prompts of any size.
func (r *Runner) window(ctx context.Context, model string) Window {
	if r.models.Upstream == nil || r.config.Window == nil {
		return Window{}
	}
	return r.config.Window(ctx, model)
}
