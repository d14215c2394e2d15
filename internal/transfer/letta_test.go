package transfer

import (
	"fmt"
	"strings"
	"testing"
)

// lettaAgentFile is a file with one agent, which says some things.
func lettaAgentFile(name string, said ...string) []byte {
	var messages strings.Builder
	messages.WriteString(`{"id":"message-0","role":"system","content":"You are an agent. It is ` + fmt.Sprint(len(said)) + `."}`)
	for i, text := range said {
		fmt.Fprintf(&messages, `,{"id":"message-%d","role":"user","content":%q,"created_at":"2025-04-04T10:00:%02dZ"}`, i+1, text, i)
	}
	return []byte(`{"agents":[{"id":"agent-0","name":"` + name + `","agent_type":"letta_v1_agent","messages":[` + messages.String() +
		`],"block_ids":["block-0"]}],"blocks":[{"id":"block-0","label":"human","value":"Talks to ` + name + `."}]}`)
}

// lettaIDs are the sessions of files, and their text.
func lettaIDs(t *testing.T, inMemory int, files ...[]byte) (ids []string, got string) {
	t.Helper()
	in := &Input{}
	for i, f := range files {
		in.Files = append(in.Files, memoryFile(fmt.Sprintf("%d.af", i), f))
	}
	got, err := readAll(t, in, Options{From: "auto", inMemory: inMemory})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got) {
		if id, _, ok := strings.Cut(line, " key="); ok {
			ids = append(ids, id)
		}
	}
	return ids, got
}

// TestLettaIdentity: the ids of two files are about different agents, and an agent that has grown is the same one.
func TestLettaIdentity(t *testing.T) {
	t.Parallel()
	for _, inMemory := range []int{0, 1} {
		ids, got := lettaIDs(t, inMemory, lettaAgentFile("Nova", "I live in Turin."), lettaAgentFile("Chef", "I cook."))
		if len(ids) != 4 || !strings.Contains(got, "Turin") || !strings.Contains(got, "I cook.") || !strings.Contains(got, "Talks to Nova.") {
			t.Errorf("got %q: %s", ids, got)
		}
		again, got := lettaIDs(t, inMemory, lettaAgentFile("Nova", "I live in Turin.", "I own a vineyard."), lettaAgentFile("Nova", "I live in Turin."))
		if len(again) < 2 || again[0] != ids[0] || again[1] != ids[1] || !strings.Contains(got, "2 × older or equal copy of a conversation") {
			t.Errorf("got %q, want %q: %s", again, ids, got)
		}
	}
}

// TestLettaMarks: the marks of messages do not depend on the numbers that a file gives them.
func TestLettaMarks(t *testing.T) {
	t.Parallel()
	one := lettaMessage{ID: "message-3", Role: roleUser, Text: "Hello."}
	two := lettaMessage{ID: "message-7", Role: roleUser, Text: "Hello."}
	if one.identity() != two.identity() {
		t.Errorf("got %q and %q", one.identity(), two.identity())
	}
	for id, want := range map[string]bool{
		"": true, "agent-0": true, "message-17": true, "agent-": false, "m0": false, "agent-0b1c2d3e-0000-4000-8000-000000000001": false, "12": false,
	} {
		if got := numbered(id); got != want {
			t.Errorf("%q: got %t", id, got)
		}
	}
}

// TestLettaLooseBlocks: a block that belongs to no agent of the file is counted.
func TestLettaLooseBlocks(t *testing.T) {
	t.Parallel()
	in := &Input{Files: []*File{memoryFile("a.af", []byte(`{"agents":[{"id":"agent-x","block_ids":["b1"],`+
		`"messages":[{"id":"m","role":"user","content":"I like rye."}]}],`+
		`"blocks":[{"id":"b1","label":"human","value":"Likes rice."},{"id":"b2","label":"human","value":"Likes oats."}]}`))}}
	got, err := readAll(t, in, Options{From: "auto"})
	for _, want := range []string{`assistant(letta)(note): "Likes rice."`, "1 × block of no agent, first in a.af"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}
