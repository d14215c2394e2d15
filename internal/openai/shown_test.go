package openai

import (
	"encoding/json"
	"testing"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"role":"user", "content":"hi"}`:                                                                                 `{"role":"user", "content":"hi"}`, // the bytes stay
		`{"role":"user","content":[ {"type":"text", "text":"hi"} ]}`:                                                      `{"role":"user","content":[ {"type":"text", "text":"hi"} ]}`,
		`{"role":"assistant","content":"hi","reasoning_content":"x","thinking":{"a":[]}}`:                                 `{"role":"assistant","content":"hi"}`,
		`{"role":"assistant","content":"hi","refusal":"x","audio":{"id":"x"}}`:                                            `{"role":"assistant","content":"hi"}`,
		`{"role":"user","content":[{"type":"text","text":"hi","x":"y"},{"type":"refusal","refusal":"x"},{"type":"odd"}]}`: `{"role":"user","content":[{"type":"text","text":"hi"}]}`,
		`{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"u","x":"y"}}]}`:    `{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"u"}}]}`,
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":{"x":"y"},"detail":"low"}}]}`:                   `{"role":"user","content":[{"type":"image_url","image_url":{"detail":"low"}}]}`,
		`{"role":"user","content":[{"type":"odd"}]}`:                                                                      `{"role":"user","content":[]}`,
		`{"role":"assistant","function_call":{"name":"f","arguments":"{}","x":1}}`:                                        `{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","extra_content":{}}]}`:                                `{"role":"assistant","content":null,"tool_calls":[{"id":"c","extra_content":{}}]}`,
	} {
		if got, err := Shown([]byte(raw)); string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", raw, got, err, want)
		}
	}
}

// FuzzShown: what is left is valid, and is shown whole.
func FuzzShown(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":[{"type":"text","text":"hi","x":1},{"type":"file","file":{"file_id":"a","b":[]}},3]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Shown(raw)
		if err != nil {
			return
		}
		again, err := Shown(got)
		if !json.Valid(got) || err != nil || string(again) != string(got) {
			t.Errorf("%q: got %q, and %q, %v from it", raw, got, again, err)
		}
	})
}
