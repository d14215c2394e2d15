package upstream

import (
	"encoding/json"
	"testing"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestCacheMarksInASession: marks reach what goes through unchanged, wherever it stands in the
// prompt of a session. Other instructions have none.
func TestCacheMarksInASession(t *testing.T) {
	t.Parallel()
	const body = `{"model":"c1","max_tokens":9,"system":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},{"type":"text","text":"B"}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"same","cache_control":{"type":"ephemeral"}}]}]}`
	in, err := anthropic.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	say := func(role session.Role, text string) session.Message {
		return session.Message{Role: role, Content: text}
	}
	const mark = `,"cache_control":{"type":"ephemeral"}}`
	for name, tt := range map[string]struct{ system, want string }{
		"behind the session's prompt": {"Stored.\n\nA\n\nB", `[{"type":"text","text":"Stored.\n\nA"` + mark + `,{"type":"text","text":"\n\nB"}]`},
		"alone":                       {"A\n\nB", `[{"type":"text","text":"A"` + mark + `,{"type":"text","text":"\n\nB"}]`},
		"other instructions":          {"A\n\nC", `"A\n\nC"`},
		"none":                        {"x", `"x"`},
	} {
		prompt := &run.Prompt{Extras: in.Extras(), Messages: []session.Message{
			say(session.System, tt.system), say(session.User, "same"), say(session.Assistant, "yes"), say(session.User, "[Memory: x]"), say(session.User, "same"),
		}}
		sent, err := messagesRequest(prompt, "c1")
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			System   json.RawMessage
			Messages json.RawMessage
		}
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatal(err)
		}
		if string(got.System) != tt.want {
			t.Errorf("%s: got system %s, want %s", name, got.System, tt.want)
		}
		const turns = `[{"role":"user","content":[{"type":"text","text":"same"}]},{"role":"assistant","content":[{"type":"text","text":"yes"}]},` +
			`{"role":"user","content":[{"type":"text","text":"[Memory: x]"},{"type":"text","text":"same"` + mark + `]}]`
		if string(got.Messages) != turns {
			t.Errorf("%s: got messages %s, want %s", name, got.Messages, turns)
		}
	}
}
