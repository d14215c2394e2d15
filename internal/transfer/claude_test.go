package transfer

import (
	"strings"
	"testing"
)

// TestOddClaude: a message of Claude whose content is one block is read, and what has no kind is told in words.
func TestOddClaude(t *testing.T) {
	t.Parallel()
	in := &Input{Files: []*File{memoryFile("c.json", []byte(`[{"uuid":"c","name":"n","chat_messages":[`+
		`{"uuid":"a","sender":"human","content":{"type":"text","text":"I like corn."}},null,`+
		`{"uuid":"b","sender":"assistant","content":[{"text":"A block without a type."}]},`+
		`{"uuid":"d","text":"A message without a sender."}]}]`))}}
	got, err := readAll(t, in, Options{From: "auto"})
	for _, want := range []string{
		`user: "I like corn."`, "1 × block without a name, first in c.json", "1 × sender without a name, first in c.json",
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}
