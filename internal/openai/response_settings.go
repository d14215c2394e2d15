package openai

import (
	"encoding/json"
	"fmt"
)

// ResponseSettings are the members of a request that its response repeats, as JSON. A
// member that the request leaves out has the API's default; see
// [ResponseSettings.Complete].
type ResponseSettings struct {
	FrequencyPenalty  json.RawMessage `json:"frequency_penalty"`
	Instructions      json.RawMessage `json:"instructions"`
	MaxOutputTokens   json.RawMessage `json:"max_output_tokens"`
	MaxToolCalls      json.RawMessage `json:"max_tool_calls"`
	Metadata          json.RawMessage `json:"metadata"`
	ParallelToolCalls json.RawMessage `json:"parallel_tool_calls"`
	PresencePenalty   json.RawMessage `json:"presence_penalty"`
	PromptCacheKey    json.RawMessage `json:"prompt_cache_key"`
	Reasoning         json.RawMessage `json:"reasoning"`
	SafetyIdentifier  json.RawMessage `json:"safety_identifier"`
	ServiceTier       json.RawMessage `json:"service_tier"`
	Store             bool            `json:"store"`
	Temperature       json.RawMessage `json:"temperature"`
	Text              json.RawMessage `json:"text"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	Tools             json.RawMessage `json:"tools"`
	TopLogprobs       json.RawMessage `json:"top_logprobs"`
	TopP              json.RawMessage `json:"top_p"`
	Truncation        json.RawMessage `json:"truncation"`
	User              json.RawMessage `json:"user"`
}

// Complete gives every member that is absent or null its default. The settings of a
// response that an earlier version stored lack members.
func (s *ResponseSettings) Complete() {
	for _, m := range []struct {
		value     *json.RawMessage
		otherwise string
	}{
		{&s.FrequencyPenalty, "0"},
		{&s.Instructions, "null"},
		{&s.MaxOutputTokens, "null"},
		{&s.MaxToolCalls, "null"},
		{&s.Metadata, "{}"},
		{&s.ParallelToolCalls, "true"},
		{&s.PresencePenalty, "0"},
		{&s.PromptCacheKey, "null"},
		{&s.Reasoning, `{"effort":null,"summary":null}`},
		{&s.SafetyIdentifier, "null"},
		{&s.ServiceTier, `"default"`},
		{&s.Temperature, "1"},
		{&s.Text, `{"format":{"type":"text"}}`},
		{&s.ToolChoice, `"auto"`},
		{&s.Tools, "[]"},
		{&s.TopLogprobs, "0"},
		{&s.TopP, "1"},
		{&s.Truncation, `"disabled"`},
		{&s.User, "null"},
	} {
		if len(*m.value) == 0 || string(*m.value) == "null" {
			*m.value = json.RawMessage(m.otherwise)
		}
	}
}

// setting is a member of a request that its response repeats unchanged.
type setting struct {
	place func(*ResponseSettings) *json.RawMessage
	// check refuses a value of the wrong type.
	check func(value []byte, name string) error
	// chat is the member's name in a chat completion; "" if it has no meaning there.
	chat string
}

// settings are the members that a response repeats unchanged. Members with a part that is
// translated are read by [ResponseRequest.shape].
var settings = map[string]setting{
	"frequency_penalty":   {func(s *ResponseSettings) *json.RawMessage { return &s.FrequencyPenalty }, number, "frequency_penalty"},
	"presence_penalty":    {func(s *ResponseSettings) *json.RawMessage { return &s.PresencePenalty }, number, "presence_penalty"},
	"temperature":         {func(s *ResponseSettings) *json.RawMessage { return &s.Temperature }, number, "temperature"},
	"top_p":               {func(s *ResponseSettings) *json.RawMessage { return &s.TopP }, number, "top_p"},
	"max_output_tokens":   {func(s *ResponseSettings) *json.RawMessage { return &s.MaxOutputTokens }, atLeastOne, "max_completion_tokens"},
	"max_tool_calls":      {func(s *ResponseSettings) *json.RawMessage { return &s.MaxToolCalls }, atLeastOne, ""},
	"top_logprobs":        {func(s *ResponseSettings) *json.RawMessage { return &s.TopLogprobs }, number, ""}, // no log probabilities are shown
	"parallel_tool_calls": {func(s *ResponseSettings) *json.RawMessage { return &s.ParallelToolCalls }, truth, "parallel_tool_calls"},
	"prompt_cache_key":    {func(s *ResponseSettings) *json.RawMessage { return &s.PromptCacheKey }, words, "prompt_cache_key"},
	"safety_identifier":   {func(s *ResponseSettings) *json.RawMessage { return &s.SafetyIdentifier }, words, "safety_identifier"},
	"service_tier":        {func(s *ResponseSettings) *json.RawMessage { return &s.ServiceTier }, words, "service_tier"},
	"metadata":            {func(s *ResponseSettings) *json.RawMessage { return &s.Metadata }, CheckMetadata, ""},
	"truncation":          {func(s *ResponseSettings) *json.RawMessage { return &s.Truncation }, truncation, ""},
}

func truth(value []byte, name string) error { return boolean(value, name, new(bool)) }

func words(value []byte, name string) error { return text(value, name, new(string)) }

// atLeastOne refuses a limit that leaves nothing.
func atLeastOne(value []byte, name string) error {
	var n int64
	if json.Unmarshal(value, &n) != nil || n < 1 {
		return &Problem{Param: name, Code: "integer_below_min_value", Msg: fmt.Sprintf("'%s' must be a whole number, at least 1.", name)}
	}
	return nil
}

func truncation(value []byte, name string) error {
	if v := string(value); v != `"auto"` && v != `"disabled"` {
		return &Problem{Param: name, Msg: "'truncation' must be \"auto\" or \"disabled\"."}
	}
	return nil
}

// CheckMetadata refuses metadata that is not an object of strings. Its error is a
// *Problem about the member with the given name.
func CheckMetadata(value []byte, name string) error {
	var in map[string]string
	if len(value) == 0 || value[0] != '{' || json.Unmarshal(value, &in) != nil {
		return &Problem{Param: name, Msg: fmt.Sprintf("'%s' must be an object whose values are strings.", name)}
	}
	return nil
}
