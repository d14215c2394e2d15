package openai

import (
	"encoding/json"
	"testing"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``: "", `{}`: "", `[]`: "", `{"a":1`: "", `{"messages":[{"temperature":1}],"model":"m","stream":true,"tools":[]}`: "",
		`{"temperature":0.2,"messages":[],"stop":["a","b"], "user" : "x"}`:  `{"temperature":0.2,"stop":["a","b"],"user":"x"}`,
		`{"response_format":{"type":"json_schema"},"seed":null,"na\"me":1}`: `{"response_format":{"type":"json_schema"},"na\"me":1}`,
	} {
		if got := string(Settings([]byte(body))); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
}

// FuzzSettings: what comes out is an object of members that went in.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"temperature":0.2,"messages":[],"stop":["a"]}`))
	f.Add([]byte(`{"\ud800":1}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		out := Settings(body)
		if out == nil {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(out, &members); err != nil || len(members) == 0 {
			t.Fatalf("%q became %q: %v", body, out, err)
		}
		for name := range members {
			if framed(name) {
				t.Errorf("%q kept %q", body, name)
			}
		}
	})
}
