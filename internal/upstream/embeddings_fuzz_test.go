package upstream

import "testing"

// FuzzParseVectors: whatever a server sends, what is taken for vectors has one
// length.
func FuzzParseVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[0.1,-2e3]},{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":4}}`))
	f.Add([]byte(`{"data":[{"embedding":[1e999]},{"embedding":null}]}`))
	f.Add([]byte(`{"data":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, tokens, err := parseVectors(raw, 2)
		if err != nil {
			return
		}
		if len(got) != 2 || len(got[0]) == 0 || len(got[0]) != len(got[1]) || tokens < 0 {
			t.Errorf("got %v, %d tokens", got, tokens)
		}
	})
}
