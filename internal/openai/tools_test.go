package openai

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadToolRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       ToolRules
	}{
		{"nothing", `{}`, ToolRules{Free: true}},
		{"nulls", `{"tools":null,"tool_choice":null,"functions":null,"n":null}`, ToolRules{Free: true}},
		{"tools", `{"tools":[{"type":"function","function":{"name":"a"}},{"type":"custom","custom":{"name":"b"}},{"type":"web_search","name":"c"},{}]}`, ToolRules{Names: []string{"a", "b", "c"}, Free: true}},
		{"left to the model", `{"tool_choice":"auto","n":1}`, ToolRules{Free: true}},
		{"forced", `{"tool_choice":"required"}`, ToolRules{}},
		{"one of them", `{"tool_choice":{"type":"function","function":{"name":"a"}}}`, ToolRules{}},
		{"the older wire", `{"functions":[{"name":"a"}]}`, ToolRules{}},
		{"several", `{"n":2}`, ToolRules{Free: true, Several: true}},
		{"of other types", `{"tools":{"a":1}}`, ToolRules{}},
		{"no JSON", `{`, ToolRules{}},
	} {
		if diff := cmp.Diff(tt.want, ReadToolRules([]byte(tt.body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := ReadToolRules(nil); !got.Free {
		t.Errorf("no body: got %+v", got)
	}
}

func TestKeepCalls(t *testing.T) {
	t.Parallel()
	const raw = `[{"id":"a","extra_content":{"x":1},"function":{"name":"f","arguments":"<&>"}},{"id":"b"},{"id":"c"}]`
	for _, tt := range []struct{ raw, keep, want string }{
		{raw, "a", `[{"id":"a","extra_content":{"x":1},"function":{"name":"f","arguments":"<&>"}}]`},
		{raw, "bc", `[{"id":"b"},{"id":"c"}]`}, {raw, "", ""}, {"", "a", ""}, {"{}", "a", ""}, {`[{"id":1},7,null]`, "a", ""},
	} {
		got := KeepCalls([]byte(tt.raw), func(id string) bool { return id != "" && bytes.Contains([]byte(tt.keep), []byte(id)) })
		var a, b any
		_, _ = json.Unmarshal(got, &a), json.Unmarshal([]byte(tt.want), &b)
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", tt.keep, tt.raw, diff)
		}
	}
}

// FuzzJoinTools: the client's tools stay as they came, in front of ours.
func FuzzJoinTools(f *testing.F) {
	for _, seed := range []string{"", "[]", " [ ] ", `[{"type":"function"}]`, `[{"a":[1,2]} , {"b":"]"}]`, "[", "]", "{}", "null", `["\ud800"]`} {
		f.Add([]byte(seed), "name", "what it does")
	}
	f.Fuzz(func(t *testing.T, client []byte, name, description string) {
		var theirs []json.RawMessage
		valid := json.Unmarshal(client, &theirs) == nil && theirs != nil
		more := []Function{{Name: name, Description: description, Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "b", Parameters: json.RawMessage(`{}`)}}
		got, err := JoinTools(client, more)
		if err != nil {
			t.Fatalf("%q: %v", client, err)
		}
		if len(client) > 0 && !valid {
			return // it was refused long before
		}
		var all []json.RawMessage
		if err := json.Unmarshal(got, &all); err != nil || len(all) != len(theirs)+2 {
			t.Fatalf("%q became %q: %v", client, got, err)
		}
		for i := range theirs {
			if !bytes.Equal(theirs[i], all[i]) {
				t.Errorf("tool %d: %q became %q", i, theirs[i], all[i])
			}
		}
	})
}

func TestRenameCalls(t *testing.T) {
	t.Parallel()
	const calls = `[ {"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"x":1}, {"type":"custom","custom":{"name":"g"}} ]`
	if diff := cmp.Diff([]CallName{{ID: "a", Name: "f"}, {Name: "g"}}, CallNames([]byte(calls))); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for want, ids := range map[string][]string{
		`[{"id":"b","type":"function","function":{"name":"f","arguments":"{}"},"x":1},{"type":"custom","custom":{"name":"g"},"id":"c"}]`: {"b", "c"},
		`[{"type":"custom","custom":{"name":"g"},"id":"c"}]`:                                                                             {"", "c"},
		"": {"", ""},
	} {
		if got := string(RenameCalls([]byte(calls), ids)); got != want {
			t.Errorf("%q: got %s, want %s", ids, got, want)
		}
	}
}

// FuzzCalls: each call that can be named can be renamed, and nothing else is touched.
func FuzzCalls(f *testing.F) {
	for _, seed := range []string{"", "[]", "null", `[{"id":"a"},{"id":1,"function":{"name":"f","x":[{}]}}]`, `[1]`, `[{"function":"x"}]`, `[{"id":"a"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		names := CallNames(raw)
		ids := make([]string, len(names))
		for i := range ids {
			ids[i] = "new"
		}
		out := RenameCalls(raw, ids)
		if out == nil {
			return // a call is no object, or nothing could be named
		}
		renamed := CallNames(out)
		if len(renamed) != len(names) {
			t.Fatalf("%q has %d calls, renamed %d: %q", raw, len(names), len(renamed), out)
		}
		for i := range names {
			if renamed[i].ID != "new" || renamed[i].Name != names[i].Name {
				t.Errorf("%q: call %d became %+v", raw, i, renamed[i])
			}
		}
		_ = HasFunctionCall(raw)
		_ = Respell(raw, Set{Name: "a", Value: []byte("1")})
	})
}
