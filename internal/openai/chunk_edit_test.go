package openai

import "testing"

func TestWithID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, chunk, want string }{
		{"in front", `{"id":"chatcmpl-1","choices":[]}`, `{"id":"new","choices":[]}`},
		{"elsewhere", `{"object":"x","id":"a\"b"}`, `{"object":"x","id":"new"}`},
		{"escaped in front", `{"id":"a\"b","x":1}`, `{"id":"new","x":1}`},
		{"none", `{"choices":[]}`, `{"choices":[],"id":"new"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := WithID([]byte(c.chunk), "new")
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestWithoutRole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, chunk, want string }{
		{"role and text", `{"id":"x","choices":[{"delta":{"role":"assistant","content":"a"}}]}`, `{"id":"x","choices":[{"delta":{"content":"a"}}]}`},
		{"no role", `{"id":"x","choices":[{"delta":{"content":"a"}}]}`, `{"id":"x","choices":[{"delta":{"content":"a"}}]}`},
		{"null delta", `{"choices":[{"delta":null,"role":1}]}`, `{"choices":[{"delta":null,"role":1}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := WithoutRole([]byte(c.chunk))
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestWithMember(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, object, want string }{
		{"at the end", `{"a":1} `, `{"a":1,"h":{}}`},
		{"empty", `{ }`, `{ "h":{}}`},
		{"replaced", `{"h":1,"a":2}`, `{"h":{},"a":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := WithMember([]byte(c.object), "h", []byte("{}"))
			if err != nil || string(got) != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}
