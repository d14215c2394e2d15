package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestForgetOwnWords: the words with which the program begins keys and ids are no mention. To forget one of them
// deletes no session and leaves an import whole, and the search of the home finds nothing. What was chosen behind the
// words counts.
func TestForgetOwnWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{quiet: true, undescribed: true})
	line := func(system, id, key string) string {
		in := strings.ReplaceAll(foreignLine(key, "My cat is called Tom.", "Fine."), "chat:c", system+":"+id)
		return strings.Replace(in, `"system":"chat","id":"c"`, fmt.Sprintf(`"system":%q,"id":%q`, system, id), 1)
	}
	archive := line("chatgpt", "4711-okapi", "") + line("mem0", "wombat", "agent:main:telegram:dm") + line("letta", "a1:human", "agent:main:slack:channel:C0771342") +
		line("claude", "memory:zebu", "agent:main:discord:group:8035") + line("hermes", "MEMORY.md", "me") + line("hermes", "USER.md", "me")
	w.imports(t, "", archive, "imported:6 messages:12")
	for _, word := range []string{
		"Gent", "agent", "main", "ain", "telegram", "ram", "slack", "lack", "discord", "cord", "channel", "group", "chatgpt", "GPT", "Claude", "mem0",
		"Letta", "human", "memory", "user", "md", "me", "hermes",
	} {
		got := w.call("POST", "/api/memory/forget", `{"about":"`+word+`"}`)
		if got.status != 200 || !strings.Contains(got.body, `"sessions_deleted":0`) || !strings.Contains(got.body, `"left":0`) {
			t.Errorf("%s: got %d %s", word, got.status, got.body)
		}
	}
	w.imports(t, "", archive, "unchanged:6")
	for _, id := range []string{"chatgpt:4711-okapi", "mem0:wombat", "letta:a1:human", "claude:memory:zebu", "hermes:MEMORY.md", "hermes:USER.md"} {
		if got := w.call("DELETE", "/api/sessions/"+id, ""); got.status >= 300 {
			t.Fatalf("%s: got %d %s", id, got.status, got.body)
		}
	}
	w.imports(t, "?restore=true", archive, "imported:6 messages:12") // what was forgotten leaves none out
	w.call("DELETE", "/api/sessions/mem0:wombat", "")
	w.imports(t, "", strings.ReplaceAll(archive, "wombat", "kudu"), "imported:1 unchanged:5 messages:2")
	for _, about := range []string{"okapi", "kudu", "C0771342", "8035"} {
		got := w.call("POST", "/api/memory/forget", `{"about":"`+about+`"}`)
		if !strings.Contains(got.body, `"sessions_deleted":1,`) || !strings.Contains(got.body, `"left":0`) {
			t.Errorf("%s: got %s", about, got.body)
		}
	}
}
