package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// programLine is a line with memories of a program, whose name an import has written as their speaker and into the title.
func programLine(system, title string, list ...noted) string {
	line := strings.ReplaceAll(memoryLine(list...), `"name":"mem"`, fmt.Sprintf(`"name":%q,"note":"note"`, system))
	line = strings.Replace(line, `"id":"mem:m"`, fmt.Sprintf(`"id":"%s:alexander","title":%q,"title_source":"model"`, system, title), 1)
	return strings.Replace(line, `"system":"mem","id":"m"`, fmt.Sprintf(`"system":%q,"id":"alexander"`, system), 1)
}

// TestForgetProgram: the name of a program that an import wrote as the speaker of its memories is no mention. Those
// memories go whose own words name the thing.
func TestForgetProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{quiet: true, undescribed: true})
	list := []noted{{"1", rome, 1}, {"2", "Works with Claude.", 2}, {"3", "Uses Mem0 at work.", 3}}
	archive := programLine("mem0", "Memories of mem0", list...) + programLine("claude", "Memory of Claude", list[:2]...) +
		foreignLine("me", "Where do I live?", "[recall] mem0 said on 14 November 2023: \"Lives in Rome\".\nclaude said on 14 November 2023: \"Lives in Rome\".")
	w.imports(t, "", archive, "imported:3 messages:7")
	for _, c := range []struct{ about, want string }{
		{"Alex", `"sentences_erased":0`}, {"memories", `"sentences_erased":0`},
		{"Claude", `"sentences_erased":2`}, {"mem0", `"sentences_erased":1`}, {"Mem", `"sentences_erased":0`},
	} {
		dry := w.call("POST", "/api/memory/forget", `{"about":"`+c.about+`","dry_run":true}`)
		got := w.call("POST", "/api/memory/forget", `{"about":"`+c.about+`"}`)
		whole := strings.Contains(got.body, `"sessions_deleted":0`) && strings.Contains(got.body, `"left":0`)
		if !strings.Contains(dry.body, c.want) || !strings.Contains(got.body, c.want) || !whole {
			t.Errorf("%s: got %s, before %s", c.about, got.body, dry.body)
		}
	}
	erased := func(text string) string { return "[erased]" + strings.Repeat(" ", len(text)-len("[erased]")-1) + "\n" }
	w.stands("mem0:alexander", rome, erased(list[1].text), erased(list[2].text))
	w.stands("claude:alexander", rome, erased(list[1].text))
	if got := w.call("GET", "/api/memory?session_key=me", ""); strings.Count(got.body, `"speaker":"mem0"`) != 1 || strings.Count(got.body, `"speaker":"claude"`) != 1 {
		t.Errorf("got the facts %s", got.body)
	}
	w.imports(t, "", archive, "unchanged:3")

	other := newWorld(t, options{}) // what was forgotten before an import
	other.forgets("Claude")
	other.imports(t, "", archive, "imported:3 messages:7")
	other.stands("claude:alexander", rome, erased(list[1].text))
	if got := other.export(""); !strings.Contains(got, `"name":"claude"`) || !strings.Contains(got, "Memory of Claude") {
		t.Errorf("got %s, want the speaker and the title", got)
	}
	other.states()
}

// TestForgetPersonOfProgram: a person who has the name of a program is a person.
func TestForgetPersonOfProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	body := strings.Replace(chatBody("I like tea.", false), `"role":"user"`, `"role":"user","name":"claude"`, 1)
	if got := w.call("POST", "/v1/chat/completions", body, "X-Hermes-Session-Id", "s", "X-Hermes-Session-Key", "me"); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	w.imports(t, "", programLine("claude", "Memory of Claude", noted{"1", rome, 1}), "imported:1 messages:1")
	w.forgets("Claude")
	if got := w.export(""); strings.Count(got, `"name":"claude"`) != 1 {
		t.Errorf("got %s, want the name of the program alone", got)
	}
	if got := w.call("POST", "/v1/chat/completions", chatBody("I like rum.", false), "X-Hermes-Session-Id", "t", "X-Hermes-Session-Key", "claude"); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	if got := w.call("POST", "/api/memory/forget", `{"about":"Claude"}`); !strings.Contains(got.body, `"sessions_deleted":1,`) {
		t.Errorf("got %s, want the session of the key", got.body)
	}
}
