package transfer

import (
	"strings"
	"testing"
)

// TestRepaired: the copy that OpenClaw keeps of a transcript before it repairs it is no other conversation.
func TestRepaired(t *testing.T) {
	t.Parallel()
	text := `{"type":"session","id":"s1","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"A heron."}}` + "\n"
	in := &Input{Files: []*File{
		memoryFile("agents/main/sessions/s1.jsonl", []byte(text)),
		memoryFile("agents/main/sessions/s1.jsonl.bak-4711-1767323046000", []byte(text+`{"type":"mess`)),
	}}
	got, err := readAll(t, in, Options{From: "auto"})
	if err != nil || strings.Count(got, "A heron.") != 1 || !strings.Contains(got, "1 × copy of a transcript from before a repair") {
		t.Errorf("got %s, %v, want the conversation once", got, err)
	}
}
