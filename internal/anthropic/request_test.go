package anthropic

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chatJSON is the chat completion that a request becomes.
func chatJSON(t *testing.T, body string) string {
	t.Helper()
	r, err := ParseCount([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.ChatBody()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestChatBody(t *testing.T) {
	t.Parallel()
	const hi = `"messages":[{"role":"user","content":"hi"}]`
	for _, tt := range []struct{ name, body, want string }{
		{"plain", `{"model":"m",` + hi + `}`, `{"model":"m",` + hi + `,"stream":false}`},
		{
			"parameters", `{"model":"m",` + hi + `,"stream":true,"temperature":0.2,"top_p":0.9,"top_k":4,"stop_sequences":["a","b"],"metadata":{"user_id":"u1"}}`,
			`{"model":"m",` + hi + `,"stream":true,"stream_options":{"include_usage":true},"temperature":0.2,"top_p":0.9,"stop":["a","b"],"user":"u1"}`,
		},
		{
			"instructions from everywhere, each once", `{"system":[{"type":"text","text":"A"},{"type":"text","text":"x-anthropic-billing-header: h=1;"}],"messages":[` +
				`{"role":"user","content":[{"type":"text","text":"<system-reminder>R</system-reminder>"},{"type":"text","text":"hi"}]},{"role":"system","content":"B"},` +
				`{"role":"assistant","content":"yes"},{"role":"user","content":[{"type":"text","text":"<system-reminder>R</system-reminder>"},{"type":"text","text":"<system-reminder>x</system-reminder> mine <system-reminder>y</system-reminder>"}]}]}`,
			`{"model":"","messages":[{"role":"system","content":"A\n\n<system-reminder>R</system-reminder>\n\nB"},{"role":"user","content":"hi"},{"role":"assistant","content":"yes"},` +
				`{"role":"user","content":"<system-reminder>x</system-reminder> mine <system-reminder>y</system-reminder>"}],"stream":false}`,
		},
		{
			"a message of the client alone", `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"yes"},{"role":"user","content":"<system-reminder>Over.</system-reminder>"}]}`,
			`{"model":"","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"yes"},{"role":"user","content":"<system-reminder>Over.</system-reminder>"}],"stream":false}`,
		},
		{
			"several elements of the client", `{"messages":[{"role":"user","content":[{"type":"text","text":"<command-name>/compact</command-name>\n <command-args></command-args>"},{"type":"text","text":"go"}]}]}`,
			`{"model":"","messages":[{"role":"system","content":"<command-name>/compact</command-name>\n <command-args></command-args>"},{"role":"user","content":"go"}],"stream":false}`,
		},
		{
			"tool choice", `{` + hi + `,"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`,
			`{"model":"",` + hi + `,"stream":false,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"required"}`,
		},
		{
			"choice of a tool that is left out", `{` + hi + `,"tools":[{"name":"f","input_schema":{}},{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"tool","name":"bash"}}`,
			`{"model":"",` + hi + `,"stream":false,"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":"auto"}`,
		},
		{
			"form of the answer", `{` + hi + `,"output_config":{"effort":"high","format":{"type":"json_schema","schema":{"type":"object"}}}}`,
			`{"model":"",` + hi + `,"stream":false,"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"object"}}}}`,
		},
		{
			"documents and search results", `{"messages":[{"role":"user","content":[{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"}},` +
				`{"type":"document","title":"Notes","context":"Of May","source":{"type":"text","media_type":"text/plain","data":"We met."}},` +
				`{"type":"document","source":{"type":"url","url":"https://x.example/b.pdf"}},` +
				`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"one"}]}},` +
				`{"type":"search_result","source":"https://x.example","title":"T","content":[{"type":"text","text":"found"}]}]}]}`,
			`{"model":"","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,BBBB"}},{"type":"text","text":"Notes\nOf May\nWe met."},` +
				`{"type":"file","file":{"filename":"document.pdf","file_data":"https://x.example/b.pdf"}},{"type":"text","text":"one"},{"type":"text","text":"T\nhttps://x.example"},{"type":"text","text":"found"}]}],"stream":false}`,
		},
		{
			"results before the text, thoughts and hosted blocks left out", `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"},{"type":"server_tool_use","id":"s","name":"web_search","input":{}},` +
				`{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"tool_use","id":"1","name":"f","input":{"a": [1]}},{"type":"tool_use","id":"2","name":"g","input":null}]},` +
				`{"role":"user","content":[{"type":"text","text":"and?"},{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"tool_result","tool_use_id":"2","is_error":true,"content":"<error>bad</error>"}]}]}`,
			`{"model":"","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"ab","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":[1]}"}},{"id":"2","type":"function","function":{"name":"g","arguments":"{}"}}]},` +
				`{"role":"tool","content":"x","tool_call_id":"1"},{"role":"tool","content":"<error>bad</error>","tool_call_id":"2"},{"role":"user","content":"and?"}],"stream":false}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, chatJSON(t, tt.body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOmitted(t *testing.T) {
	t.Parallel()
	r, err := ParseCount([]byte(`{"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"computer_20250124","name":"computer"},{"type":"web_search_20250305","name":"w2"},{"name":"f","input_schema":{}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"container_upload","file_id":"f"}]},{"role":"assistant","content":[{"type":"server_tool_use"},{"type":"web_search_tool_result","content":{}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web_search_20250305", "computer_20250124"}, r.OmittedTools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"container_upload", "server_tool_use", "web_search_tool_result"}, r.OmittedItems); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ body, param string }{
		{`{`, ""},
		{`[]`, ""},
		{`{"model":"a","model":"b"}`, ""},
		{`{"max_tokens":1}`, "messages"},
		{`{"messages":[]}`, "messages"},
		{`{"messages":"hi"}`, "messages"},
		{`{"messages":[{"role":"user","content":"hi"}]}`, "max_tokens"},
		{`{"max_tokens":0,"messages":[{"role":"user","content":"hi"}]}`, "max_tokens"},
		{`{"max_tokens":"1","messages":[{"role":"user","content":"hi"}]}`, "max_tokens"},
		{`{"max_tokens":1,"messages":[{"role":"tool","content":"hi"}]}`, "messages.0.role"},
		{`{"max_tokens":1,"messages":[{"role":"user","content":7}]}`, "messages.0.content"},
		{`{"max_tokens":1,"messages":[{"role":"user","content":[{"text":"x"}]}]}`, "messages.0.content.0.type"},
		{`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":1}]}]}`, "messages.0.content.0.text"},
		{`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"image"}]}]}`, "messages.0.content.0.source"},
		{`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","content":"x"}]}]}`, "messages.0.content.0.tool_use_id"},
		{`{"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use"}]}]}`, "messages.0.content.0"},
		{`{"max_tokens":1,"messages":[{"role":"assistant","content":""}]}`, "messages"},
		{`{"max_tokens":1,"system":{},"messages":[{"role":"user","content":"hi"}]}`, "system"},
		{`{"max_tokens":1,"tools":[{"name":"f"}],"messages":[{"role":"user","content":"hi"}]}`, "tools.0.input_schema"},
		{`{"max_tokens":1,"tools":[{"input_schema":{}}],"messages":[{"role":"user","content":"hi"}]}`, "tools.0.name"},
	} {
		_, err := Parse([]byte(tt.body))
		if p, ok := errors.AsType[*Problem](err); !ok || p.Param != tt.param || p.Msg == "" {
			t.Errorf("%s: got %#v, want a problem of %q", tt.body, err, tt.param)
		}
	}
}

func TestExtras(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"messages":[{"role":"user","content":"hi"}]}`: ``,
		`{"messages":[{"role":"user","content":"hi"}],"thinking":{"type":"enabled","budget_tokens":2000},"top_k":0,"service_tier":"auto","output_config":{"effort":"low"}}`: `{"thinking":{"type":"enabled","budget_tokens":2000},"output_config":{"effort":"low"},"top_k":0,"service_tier":"auto"}`,
	} {
		r, err := ParseCount([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(r.Extras()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if r.Thinking != (want != "") {
			t.Errorf("%s: got thinking %t", body, r.Thinking)
		}
	}
}

// TestClaudeCode holds the shapes by which Claude Code is recognized.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	const (
		session = `"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"728b33f1-00db\"}"}`
		older   = `"metadata":{"user_id":"user_0a1b_account_728b33f1-00db_session_443ae2ea-bb2a-4af6"}`
		hi      = `"messages":[{"role":"user","content":"hi"}]`
		tools   = `"tools":[{"name":"Bash","input_schema":{}}]`
		compact = `"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"},{"role":"user","content":[{"type":"text","text":"TEXT ONLY.\n\nYour task is to create a detailed summary of the conversation."}]}]`
	)
	for _, tt := range []struct {
		name, body, session string
		task                bool
	}{
		{"no session", `{` + hi + `,"max_tokens":1}`, "", false},
		{"a person", `{` + hi + `,"metadata":{"user_id":"user_1"}}`, "", false},
		{"a person in JSON", `{` + hi + `,"metadata":{"user_id":"{\"id\":1}"}}`, "", false},
		{"a turn", `{` + hi + `,` + session + `,` + tools + `}`, "728b33f1-00db", false},
		{"a turn of an older version", `{` + hi + `,` + older + `,` + tools + `}`, "443ae2ea-bb2a-4af6", false},
		{"a turn without tools", `{` + hi + `,` + session + `,"system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`, "728b33f1-00db", false},
		{"a title", `{` + hi + `,` + session + `}`, "728b33f1-00db", true},
		{"the probe of a key", `{` + hi + `,` + older + `,"max_tokens":1}`, "443ae2ea-bb2a-4af6", true},
		{"a summary", `{` + compact + `,` + session + `,` + tools + `}`, "728b33f1-00db", true},
		{"a notification", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"},{"role":"user","content":"<system-reminder>Over.</system-reminder>"},{"role":"system","content":"x"}],` + session + `,` + tools + `}`, "728b33f1-00db", true},
		{"a notification that was answered", `{"messages":[{"role":"user","content":"hi"},{"role":"user","content":"<system-reminder>Over.</system-reminder>"},{"role":"assistant","content":"yes"},{"role":"user","content":"on"}],` + session + `,` + tools + `}`, "728b33f1-00db", false},
		{"the same of another client", `{` + compact + `,` + tools + `}`, "", false},
	} {
		r, err := ParseCount([]byte(tt.body))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if r.Session() != tt.session || r.Task() != tt.task {
			t.Errorf("%s: got session %q, task %t", tt.name, r.Session(), r.Task())
		}
		var body struct{ User *string }
		if err := json.Unmarshal([]byte(chatJSON(t, tt.body)), &body); err != nil {
			t.Fatal(err)
		}
		if body.User != nil && tt.session != "" {
			t.Errorf("%s: got the user %q, want none", tt.name, *body.User)
		}
	}
}

// FuzzParse: a request that is taken becomes JSON, whatever it holds.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`,
		`{"max_tokens":1,"system":[{"type":"text","text":"x"}],"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"A"}},{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"url","url":"u"}}]}}]},` +
			`{"role":"assistant","content":[{"type":"thinking"},{"type":"tool_use","id":"1","name":"f","input":{"a":"\ud83d\ude00"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"search_result","source":"s","content":[{"type":"text","text":"x"}]}]}]}],"tools":[{"name":"f","input_schema":{}},{"type":"x"}],"tool_choice":{"type":"tool","name":"f"}}`,
		`{"max_tokens":1,"messages":[{"role":"system","content":"x"},{"role":"user","content":"<system-reminder></system-reminder>"}],"metadata":{"user_id":"{\"session_id\":\"s\"}"},"thinking":[],"output_config":{"format":{"type":"json_schema","schema":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Parse(body)
		if err != nil {
			if _, ok := errors.AsType[*Problem](err); !ok {
				t.Fatalf("got %v, want a problem", err)
			}
			return
		}
		out, err := r.ChatBody()
		if err != nil || !json.Valid(out) {
			t.Errorf("got %q, %v", out, err)
		}
		if extras := r.Extras(); extras != nil && !json.Valid(extras) {
			t.Errorf("got the extras %q", extras)
		}
		_, _ = r.Session(), r.Task()
	})
}
