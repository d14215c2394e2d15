package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestSplice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		sets       []Set
		want       string // "" for a refusal
	}{
		{"replace in place", `{"a":1,"model":"x","b":[ 1 ]}`, []Set{{"model", []byte(`"y"`)}}, `{"a":1,"model":"y","b":[ 1 ]}`},
		{"add", `{"a":1}`, []Set{{"b", []byte(`2`)}, {"c", []byte(`3`)}}, `{"a":1,"b":2,"c":3}`},
		{"add to nothing", ` { } `, []Set{{"b", []byte(`2`)}}, `{"b":2}`},
		{"remove", `{"a":1,"b":2,"c":3}`, []Set{{"b", nil}}, `{"a":1,"c":3}`},
		{"remove the only one", `{"a":1}`, []Set{{"a", nil}}, `{}`},
		{"remove what is not there", `{"a":1}`, []Set{{"b", nil}}, `{"a":1}`},
		{"nothing to do", `{"a": 1.50, "b" : "\u0041"}`, nil, `{"a": 1.50,"b" : "\u0041"}`},
		{"escaped name", `{"mod\u0065l":1,"\"q\\":2}`, []Set{{"model", []byte(`9`)}}, `{"mod\u0065l":9,"\"q\\":2}`},
		{"nested names stay", `{"a":{"model":1}}`, []Set{{"model", []byte(`2`)}}, `{"a":{"model":1},"model":2}`},
		{"numbers keep their spelling", `{"a":1e400,"b":-0}`, []Set{{"c", []byte(`1`)}}, `{"a":1e400,"b":-0,"c":1}`},
		{"duplicate", `{"a":1,"a":2}`, nil, ""},
		{"duplicate deep down", `{"a":[{"b":1,"b":2}]}`, nil, ""},
		{"no object", `[]`, nil, ""},
		{"text", `"x"`, nil, ""},
		{"garbage", `{"a":}`, nil, ""},
		{"more behind it", `{} {}`, nil, ""},
		{"empty", ``, nil, ""},
		{"not UTF-8", "{\"a\":\"\xff\"}", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Splice([]byte(tt.text), tt.sets...)
			if (err != nil) != (tt.want == "") || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// FuzzSplice: what is put in is there, what is not named is as it was, and the
// text that was given is not touched.
func FuzzSplice(f *testing.F) {
	for _, seed := range []string{
		`{"model":"x","messages":[],"a":{"model":1}}`, `{"\u006dodel":1}`, `{ "a\\" : "\\" , "\"":0 }`, `{}`, `{"a":1,"a":2}`, `[1]`, `{"messages":null}`, "{\"\xff\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got, err := Splice(text, Set{"model", []byte(`"new"`)}, Set{"messages", []byte(`[{"role":"user"}]`)}, Set{"gone", nil})
		if !bytes.Equal(before, text) {
			t.Fatalf("%q was changed to %q", before, text)
		}
		if err != nil {
			return
		}
		if !jsontext.Value(got).IsValid() {
			t.Fatalf("%q became %q", text, got)
		}
		var was, is map[string]json.RawMessage
		if json.Unmarshal(text, &was) != nil || json.Unmarshal(got, &is) != nil {
			t.Fatalf("%q or %q is no object", text, got)
		}
		delete(was, "gone")
		was["model"], was["messages"] = json.RawMessage(`"new"`), json.RawMessage(`[{"role":"user"}]`)
		if len(was) != len(is) {
			t.Fatalf("%q became %q", text, got)
		}
		for name, value := range was {
			if !bytes.Equal(value, is[name]) {
				t.Errorf("%q became %q: %q differs", text, got, name)
			}
		}
	})
}

// TestLists: elements are parts of the text as it is.
func TestLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
		ok   bool
	}{
		{`{"messages":[ {"a":[1,2]} , "x\"]",3 ]}`, []string{`{"a":[1,2]}`, `"x\"]"`, `3`}, true},
		{`{"a":[1],"messages":[]}`, nil, true},
		{`{"messages":null}`, nil, true},
		{`{}`, nil, true},
		{` `, nil, true},
		{`{"messages":{}}`, nil, false},
		{`{"messages":[1],"messages":[2]}`, nil, false},
		{`{"messages":[1}`, nil, false},
		{`[]`, nil, false},
	} {
		list, err := List([]byte(tt.text), "messages")
		var got []string
		for _, e := range list {
			got = append(got, string(e))
		}
		if (err == nil) != tt.ok || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, %v", tt.text, got, err)
		}
	}
}

// TestRest: the body of a chat without its messages keeps everything else.
func TestRest(t *testing.T) {
	t.Parallel()
	req, err := ParseChat([]byte(` {"model":"m", "messages" : [{"role":"user","content":"]}"}] ,"seed":7}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(req.Rest()), ` {"model":"m", "messages" : [] ,"seed":7}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
