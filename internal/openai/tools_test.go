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
