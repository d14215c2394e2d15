package transfer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestThoughts: thinking is what an answer begins with, between marks. What an answer says about the marks is no thinking.
func TestThoughts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		n          int
	}{
		{"<think>hm</think>\nA swift.", "A swift.", 1},
		{"<think>\nhm\n</think>\n\nA swift.", "A swift.", 1},
		{"<think>\nhm\n</think> A swift.", "A swift.", 1},
		{"<think>\nhm</think> A swift.", "A swift.", 1},
		{"<thinking>hm</thinking>\nA swift.", "A swift.", 1},
		{"<reasoning>\nhm\n</reasoning>\nA swift.", "A swift.", 1},
		{":::thinking\nhm\n:::\n\nA swift.\n\n:::artifact{title=\"T\"}\nx\n:::", "A swift.\n\n:::artifact{title=\"T\"}\nx\n:::", 1},
		{"<details type=\"reasoning\" done=\"true\" duration=\"3\">\n<summary>Thought</summary>\n> hm\n</details>\nA swift.", "A swift.", 1},
		{"<think>hm</think>\n:::thinking\r\nhm\r\n:::\r\nA swift.", "A swift.", 2},
		{"<think>\n\n</think>\n\nA swift.", "A swift.", 1},
		{"<think>\nPeople ask for </think> tags.\n</think>\nA swift.", "A swift.", 1},
		{"<think>hm</think>", "", 1},
		// an answer about the marks
		{"<think> and </think> are the marks of thinking.", "", 0},
		{"The model writes <think>hm</think>\nbefore.", "", 0},
		{"`<think>hm</think>`\nis a thought.", "", 0},
		{"```\n<think>hm</think>\n```", "", 0},
		{"A swift.\n<think>\nhm\n</think>\nEnd.", "", 0},
		// what does not end
		{"<think>hm", "", 0},
		{":::thinking\nhm", "", 0},
		{":::thinking is how LibreChat writes it\n:::", "", 0},
		{"<details type=\"reasoning\">\nhm", "", 0},
		// other elements
		{"<thinker>hm</thinker>\nA swift.", "", 0},
		{"<details>\n<summary>My list</summary>\n</details>\nA swift.", "", 0},
	} {
		want := tt.want
		if tt.n == 0 {
			want = tt.text
		}
		if got, n := withoutThoughts(tt.text); got != want || n != tt.n {
			t.Errorf("%q: got %q and %d, want %q and %d", tt.text, got, n, want, tt.n)
		}
	}
}

// FuzzThoughts: what is left of an answer is its end, and has no thinking before it.
func FuzzThoughts(f *testing.F) {
	f.Add("<think>hm</think>\nA swift.")
	f.Add(":::thinking\nhm\n:::\n<think></think><think>")
	f.Add("<details type=\"reasoning\"></details></think>")
	f.Fuzz(func(t *testing.T, text string) {
		rest, n := withoutThoughts(text)
		if n == 0 && rest != text || !strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(rest)) {
			t.Errorf("%q: got %q and %d", text, rest, n)
		}
		if again, more := withoutThoughts(rest); more > 0 {
			t.Errorf("%q: got %q, and then %q", text, rest, again)
		}
	})
}

// TestThinkingLeftOut: each format leaves thinking out and counts it, and only that of models.
func TestThinkingLeftOut(t *testing.T) {
	t.Parallel()
	const thought = "<think>secret</think>\nA swift."
	claw := `{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":%q}}`
	agent := `{"agents":[{"id":"agent-1","name":"x","agent_type":"letta_v1_agent","messages":[{"role":"assistant","content":%s,` +
		`"created_at":"2025-04-01T10:02:00Z"}]}],"blocks":[]}`
	for name, tt := range map[string]struct{ file, text string }{
		"Open WebUI": {"c.json", webuiTexts(thought, 1)},
		"LibreChat":  {"c.json", libreTexts(":::thinking\nsecret\n:::\n\nA swift.", 1)},
		"OpenClaw":   {"s.jsonl", fmt.Sprintf(claw, thought)},
		"JSON lines": {"m.jsonl", `{"session":"s","role":"assistant","content":"<think>secret</think>\nA swift."}`},
		"JSON lines, a part": {
			"m.jsonl", `{"session":"s","role":"assistant","content":[{"type":"reasoning","text":"secret"},{"type":"text","text":"A swift."}]}`,
		},
		"JSON lines, a member":         {"m.jsonl", `{"session":"s","role":"assistant","content":"A swift.","reasoning_content":"secret"}`},
		"Letta, native":                {"a.af", fmt.Sprintf(agent, `[{"type":"reasoning","reasoning":"secret","is_native":true},{"type":"text","text":"A swift."}]`)},
		"Letta, redacted":              {"a.af", fmt.Sprintf(agent, `[{"type":"redacted_reasoning","data":"secret"},{"type":"text","text":"A swift."}]`)},
		"Hermes Agent, a transcript":   {"sessions/x.jsonl", `{"role":"assistant","content":"A swift.","reasoning":"secret"}`},
		"ChatGPT, a model of a person": {"c.json", `[{"id":"g","mapping":{"a":{"message":{"id":"a","author":{"role":"assistant"},"content":{"content_type":"text","parts":["<think>secret</think>\nA swift."]}}}}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, &Input{Files: []*File{memoryFile(tt.file, []byte(tt.text))}}, Options{From: "auto"})
			if err != nil || !strings.Contains(got, `"A swift."`) || !strings.Contains(got, "1 × thinking") || strings.Contains(got, "secret") {
				t.Errorf("got %s, %v", got, err)
			}
			if strings.Contains(got, "not understood") {
				t.Errorf("got %s, want all understood", got)
			}
		})
	}
	person := `{"session":"s","role":"user","content":"<think>mine</think>\nA swift."}`
	memory := `{"results":[{"id":7,"memory":"<think>mine</think>\nA swift.","user_id":8,"created_at":"2025-03-01"}]}`
	for name, text := range map[string]string{"m.jsonl": person, "m.json": memory} {
		got, err := readAll(t, &Input{Files: []*File{memoryFile(name, []byte(text))}}, Options{From: "auto"})
		if err != nil || !strings.Contains(got, "<think>mine</think>") {
			t.Errorf("%s: got %s, %v, want all words", name, got, err)
		}
	}
}

// TestThinkingEarlier: a line says how earlier versions read an answer, so that what they stored is known.
func TestThinkingEarlier(t *testing.T) {
	t.Parallel()
	code := "So:\n```html\n<details type=\"tool_calls\" done=\"true\">\n</details>\n```\nEnd."
	for _, tt := range []struct {
		name, text string
		now        string
		earlier    []Message
	}{
		{"thinking", "<think>hm</think>\nA swift.", "A swift.", []Message{{ID: "b", Text: "<think>hm</think>\nA swift."}}},
		{"only thinking", "<think>hm</think>", "", []Message{{ID: "b", Text: "<think>hm</think>"}}},
		{"an element in code", code, code, []Message{{ID: "b", Text: "So:\n```html"}, {ID: "b#1", Text: "[tool: {}]"}, {ID: "b#2", Text: "```\nEnd."}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := headOf(t, memoryFile("c.json", []byte(webuiTexts(tt.text, 1)))).Origin
			var now, earlier marking
			now.mark(&Message{ID: "a", Role: roleUser, Text: "Hello."})
			earlier.mark(&Message{ID: "a", Role: roleUser, Text: "Hello."})
			if tt.now != "" {
				now.mark(&Message{ID: "b", Role: roleAssistant, Text: tt.now})
			}
			for _, m := range tt.earlier {
				m.Role = roleAssistant
				earlier.mark(&m)
			}
			if !bytes.Equal(got.Marks, now.marks) || !bytes.Equal(got.Texts, now.texts) {
				t.Errorf("now: got %x and %x, want %x and %x", got.Marks, got.Texts, now.marks, now.texts)
			}
			if got.Earlier == nil || !bytes.Equal(got.Earlier.Marks, earlier.marks) || !bytes.Equal(got.Earlier.Texts, earlier.texts) {
				t.Errorf("earlier: got %+v, want %x and %x", got.Earlier, earlier.marks, earlier.texts)
			}
		})
	}
}
