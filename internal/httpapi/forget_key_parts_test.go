package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestForgetPartsOfKeys: a part of a word of a key or of an id deletes no session, and neither do words for kinds of
// things that stand in front of a number. A whole word does.
func TestForgetPartsOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{quiet: true, undescribed: true})
	line := func(id, key string) string {
		return strings.Replace(strings.ReplaceAll(foreignLine(key, "My cat is called Tom.", "Fine."), "chat:c", "openclaw:"+id),
			`"system":"chat","id":"c"`, fmt.Sprintf(`"system":"openclaw","id":%q`, id), 1)
	}
	w.imports(t, "", line("chatgpt-9", "annette-notes")+line("6f1adaf2-ada1-4dea-9bea-0123456789ab", "agent:main:main")+
		line("memory:7f2adaf3-ada1-4dea-9bea-0123456789ab", "me")+line("memory-1", "claude-4711")+line("bertrand", "user_42"), "imported:5 messages:10")
	for _, about := range []string{"Anne", "note", "chatgpt", "main", "agent", "memory", "Claude", "bea-0123", "Bert", "user", "conversation"} {
		got := w.call("POST", "/api/memory/forget", `{"about":"`+about+`"}`)
		if !strings.Contains(got.body, `"sessions_deleted":0`) || !strings.Contains(got.body, `"left":0`) {
			t.Errorf("%s: got %s", about, got.body)
		}
	}
	for _, about := range []string{"Ada", "dea"} { // random digits elsewhere in the files may have them
		got := w.call("POST", "/api/memory/forget", `{"about":"`+about+`"}`)
		if !strings.Contains(got.body, `"sessions_deleted":0`) {
			t.Errorf("%s: got %s", about, got.body)
		}
	}
	for _, about := range []string{"Annette", "4711", "Bertrand", "6f1adaf2-ada1-4dea-9bea-0123456789ab"} {
		got := w.call("POST", "/api/memory/forget", `{"about":"`+about+`"}`)
		if !strings.Contains(got.body, `"sessions_deleted":1,`) || !strings.Contains(got.body, `"left":0`) {
			t.Errorf("%s: got %s", about, got.body)
		}
	}
}
