package anthropic

// Source is where an image or a document is.
type Source struct {
	// Type is base64, url, text, content or file.
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

// ToolChoice says which tools a model may or must use.
type ToolChoice struct {
	// Type is auto, any, tool or none.
	Type string `json:"type"`
	// Name is the tool of a choice of type tool.
	Name string `json:"name,omitempty"`
	// Disabled says that the model may make one call at most.
	Disabled bool `json:"disable_parallel_tool_use,omitempty"`
}

// choices are the types of tool choices, with the words of chat completions for them.
var choices = []struct{ ours, chat string }{{"auto", "auto"}, {"any", "required"}, {"none", "none"}}

// ChoiceOf is the type of the tool choice that a word of chat completions means; "" if
// the word is unknown.
func ChoiceOf(chat string) string {
	for _, c := range choices {
		if c.chat == chat {
			return c.ours
		}
	}
	return ""
}

// stops are the reasons why an answer ended, with the finish reasons of chat completions
// for them. Of several with one finish reason, the first is its translation.
var stops = []struct{ stop, finish string }{
	{"end_turn", "stop"},
	{StopSequence, "stop"},
	{"max_tokens", "length"},
	{"model_context_window_exceeded", "length"},
	{"tool_use", "tool_calls"},
	{"tool_use", "function_call"},
	{"refusal", "content_filter"},
}

// StopSequence is the stop reason of an answer that ended at a text of the client.
const StopSequence = "stop_sequence"

// FinishReason is a stop reason in the words of chat completions. Unknown reasons are
// "stop".
func FinishReason(stop string) string {
	for _, s := range stops {
		if s.stop == stop {
			return s.finish
		}
	}
	return "stop"
}

// StopReason is a finish reason of chat completions in the words of this format. Unknown
// reasons are "end_turn".
func StopReason(finish string) string {
	for _, s := range stops {
		if s.finish == finish {
			return s.stop
		}
	}
	return "end_turn"
}

// Extras are the settings of a request that chat completions lack, as JSON values. Only
// models that speak this format take them.
type Extras struct {
	Thinking     rawValue `json:"thinking,omitempty"`
	OutputConfig rawValue `json:"output_config,omitempty"`
	TopK         *int     `json:"top_k,omitempty"`
	ServiceTier  string   `json:"service_tier,omitempty"`
	// CacheControl marks the whole prompt, and Cache parts of it.
	CacheControl rawValue `json:"cache_control,omitempty"`
	Cache        *Cache   `json:"cache,omitempty"`
}
