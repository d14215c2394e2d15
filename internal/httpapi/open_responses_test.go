package httpapi_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// openResponses holds answers against the schema of the Open Responses specification, in
// testdata/open_responses.json.
type openResponses struct {
	*world
	t *testing.T
}

func newOpenResponses(t *testing.T, steps ...upstreamtest.Step) *openResponses {
	t.Helper()
	w := newWorld(t, options{})
	w.up.Queue(steps...)
	return &openResponses{w, t}
}

// conforms holds a text against a definition of the schema.
func (o *openResponses) conforms(definition, text string) {
	o.t.Helper()
	raw, err := os.ReadFile("testdata/open_responses.json")
	if err != nil {
		o.t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		o.t.Fatal(err)
	}
	schema.Ref = "#/$defs/" + definition
	resolved, err := schema.Resolve(nil)
	if err != nil {
		o.t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		o.t.Fatalf("%s: %v", text, err)
	}
	if err := resolved.Validate(value); err != nil {
		o.t.Errorf("%s is no %s: %v", text, definition, err)
	}
}

// answers makes a response, and returns the types of its items.
func (o *openResponses) answers(members string) []string {
	o.t.Helper()
	got := o.call("POST", "/v1/responses", `{"model":"hermes",`+members+`}`)
	o.conforms("response", got.body)
	return o.types(got.body)
}

func (o *openResponses) types(response string) (types []string) {
	o.t.Helper()
	var in struct {
		Status string
		Output []struct{ Type string }
	}
	if err := json.Unmarshal([]byte(response), &in); err != nil || in.Status != "completed" {
		o.t.Errorf("got %s, %v, want a completed response", response, err)
	}
	for _, item := range in.Output {
		types = append(types, item.Type)
	}
	return types
}

// streams makes a response as a stream, and returns the types of its events.
func (o *openResponses) streams(members string) (types []string) {
	o.t.Helper()
	for _, e := range o.openResponse(o.t, "POST", "/v1/responses", `{"model":"hermes","stream":true,`+members+`}`).events(-1) {
		o.conforms("event", e.raw)
		types = append(types, e.Type)
	}
	return types
}

// over makes responses over a WebSocket connection. A "<previous>" in their members is the
// id of the first one. It returns the last event of each.
func (o *openResponses) over(requests ...string) (ends []socketEvent) {
	o.t.Helper()
	s := o.socket(o.t)
	previous := ""
	for _, members := range requests {
		s.send(`{"type":"response.create","model":"hermes",` + strings.ReplaceAll(members, "<previous>", previous) + `}`)
		for {
			_, data, err := s.conn.Read(s.ctx)
			if err != nil {
				o.t.Fatal(err)
			}
			o.conforms("event", string(data))
			var e socketEvent
			if err := json.Unmarshal(data, &e); err != nil {
				o.t.Fatal(err)
			}
			if e.Type == "error" || e.Type == "response.completed" || e.Type == "response.failed" {
				ends = append(ends, e)
				if previous == "" {
					previous = e.Response.ID
				}
				break
			}
		}
	}
	return ends
}

const openTool = `"tools":[{"type":"function","name":"weather","description":"The weather of a place","parameters":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}}]`

// TestOpenResponses has what the compliance suite of Open Responses looks at.
func TestOpenResponses(t *testing.T) {
	t.Parallel()
	call := upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"place":"Oslo"}`}}}
	const (
		unstored = `"store":false,"input":"The word is cobalt."`
		missing  = "previous_response_not_found"
	)
	for name, check := range map[string]func(o *openResponses){
		"a text": func(o *openResponses) {
			if got := o.answers(`"input":[{"type":"message","role":"user","content":"Three words."}]`); !slices.Equal(got, []string{"message"}) {
				o.t.Errorf("got %v", got)
			}
		},
		"phases of answers": func(o *openResponses) {
			o.answers(`"input":[{"type":"message","role":"assistant","phase":"commentary","content":"I look."},{"type":"message","role":"assistant","phase":"final_answer","content":"Four."},{"type":"message","role":"user","content":"Again?"}]`)
		},
		"a system prompt": func(o *openResponses) {
			o.answers(`"input":[{"type":"message","role":"system","content":"Be a pirate."},{"type":"message","role":"user","content":"Hello."}]`)
		},
		"an image": func(o *openResponses) {
			o.answers(`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"What is it?"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}]`)
		},
		"several turns": func(o *openResponses) {
			o.answers(`"input":[{"type":"message","role":"user","content":"I am Alex."},{"type":"message","role":"assistant","content":"Hello."},{"type":"message","role":"user","content":"Who am I?"}]`)
		},
		"a stream": func(o *openResponses) {
			if got := o.streams(`"input":[{"type":"message","role":"user","content":"Count."}]`); len(got) < 6 || got[len(got)-1] != "response.completed" {
				o.t.Errorf("got %v", got)
			}
		},
		"a call": func(o *openResponses) {
			o.up.Queue(call)
			if got := o.answers(openTool + `,"input":"Weather?"`); !slices.Contains(got, "function_call") {
				o.t.Errorf("got %v", got)
			}
		},
		"a call in a stream": func(o *openResponses) {
			o.up.Queue(call)
			got := o.streams(openTool + `,"input":"Weather?"`)
			for _, want := range []string{"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done"} {
				if !slices.Contains(got, want) {
					o.t.Errorf("got %v, want %s", got, want)
				}
			}
		},
		"a compaction": func(o *openResponses) {
			o.conforms("compaction", o.call("POST", "/v1/responses/compact", `{"model":"hermes","prompt_cache_key":"k","input":[{"type":"message","role":"user","content":"Tuesday."},{"type":"message","role":"assistant","content":"Noted."}]}`).body)
		},
		"a compaction without a model": func(o *openResponses) {
			if got := o.call("POST", "/v1/responses/compact", `{"input":"x"}`); got.status != 400 {
				o.t.Errorf("got %d", got.status)
			}
		},
		"over WebSocket": func(o *openResponses) {
			if e := o.over(`"input":"Count."`)[0]; e.Response.Status != "completed" {
				o.t.Errorf("got %+v", e)
			}
		},
		"one after another": func(o *openResponses) {
			for _, e := range o.over(`"store":false,"input":"a"`, `"store":false,"input":"b"`) {
				if e.Response.Status != "completed" {
					o.t.Errorf("got %+v", e)
				}
			}
		},
		"a continuation of what is not stored": func(o *openResponses) {
			if ends := o.over(unstored, `"store":false,"previous_response_id":"<previous>","input":"Which?"`); ends[1].Response.Status != "completed" {
				o.t.Errorf("got %+v", ends)
			}
		},
		"another connection": func(o *openResponses) {
			first := o.over(unstored)[0].Response.ID
			ends := o.over(`"store":false,"previous_response_id":"`+first+`","input":"x"`, `"store":false,"input":"x"`)
			if ends[0].Error.Code != missing || ends[1].Response.Status != "completed" {
				o.t.Errorf("got %+v", ends)
			}
		},
		"no previous response": func(o *openResponses) {
			if ends := o.over(`"store":false,"previous_response_id":"resp_none","input":"x"`); ends[0].Error.Code != missing {
				o.t.Errorf("got %+v", ends)
			}
		},
		"a continuation that failed": func(o *openResponses) {
			ends := o.over(unstored, `"store":false,"previous_response_id":"<previous>","input":[{"type":"function_call_output","call_id":"none","output":"x"}]`, `"store":false,"previous_response_id":"<previous>","input":"x"`)
			if ends[1].Type != "error" || ends[2].Error.Code != missing {
				o.t.Errorf("got %+v", ends)
			}
		},
		"a compaction as the beginning": func(o *openResponses) {
			item := o.compacted(o.t, `{"model":"hermes","input":[{"role":"user","content":[{"type":"input_text","text":"The word is slate."}]},{"role":"assistant","content":[{"type":"output_text","text":"OK."}]},{"role":"user","content":"Go on."}]}`)
			if e := o.over(`"store":false,"tools":[],"input":[` + item + `,{"type":"message","role":"user","content":"Which?"}]`)[0]; e.Response.Status != "completed" {
				o.t.Errorf("got %+v", e)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(newOpenResponses(t))
		})
	}
}
