package transfer

import (
	"slices"
	"strings"
	"testing"
)

// libreOf and claudeOf are a conversation of a user.
func libreOf(user string) string {
	return `{"conversationId":"l-` + user + `","title":"t","user":"` + user + `","messages":[{"messageId":"m","isCreatedByUser":true,"text":"I am ` + user + `."}]}`
}

func claudeOf(user string) string {
	return `{"uuid":"c-` + user + `","name":"t","account":{"uuid":"` + user + `"},"chat_messages":[{"uuid":"m","sender":"human","text":"I am ` + user + `."}]}`
}

// gptOf is a conversation of ChatGPT with the instructions of its user, who stands in another file.
func gptOf(user string) string {
	return `[{"id":"g-` + user + `","mapping":{"i":{"message":{"id":"i","author":{"role":"user"},"content":{"content_type":"user_editable_context",` +
		`"user_profile":"Profile of ` + user + `."}}},"a":{"parent":"i","message":{"id":"a","author":{"role":"user"},"create_time":1730000000,` +
		`"content":{"content_type":"text","parts":["I am ` + user + `."]}}}},"current_node":"a"}]`
}

// TestUsers: an input with several users is refused until one is named, and then only what is theirs is taken.
func TestUsers(t *testing.T) {
	t.Parallel()
	gpt := map[string]string{
		"ann.zip:conversations.json": gptOf("ann"), "ann.zip:user.json": `{"id":"ann","email":"a@example.com"}`,
		"bob/conversations.json": gptOf("bob"), "bob/user.json": `{"id":"bob"}`,
	}
	for name, files := range map[string]map[string]string{
		"ChatGPT": gpt, "LibreChat": {"1.json": libreOf("ann"), "2.json": libreOf("bob")}, "Claude": {"c.json": "[" + claudeOf("ann") + "," + claudeOf("bob") + "]"},
		"Mem0": {"m.json": `[{"id":"1","memory":"I am ann.","user_id":"ann"},{"id":"2","memory":"I am bob.","user_id":"bob"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(t, inputOf(files), Options{From: "auto"})
			if err == nil || !strings.Contains(err.Error(), "belongs to 2 users: ann, bob. Name one with --user.") {
				t.Errorf("got %v", err)
			}
			got, err := readAll(t, inputOf(files), Options{From: "auto", User: "ann"})
			if strings.Contains(got, "user.json") { // it was read
				t.Errorf("got %s", got)
			}
			if err != nil || !strings.Contains(got, "I am ann.") || strings.Contains(got, "bob.\"") || !strings.Contains(got, "of another user, first in") {
				t.Errorf("got %s, %v", got, err)
			}
			_, err = readAll(t, inputOf(files), Options{From: "auto", User: "eve"})
			if err == nil || !strings.Contains(err.Error(), `nothing that belongs to the user "eve". Its users are: ann, bob.`) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// inputOf is an input of files by their names.
func inputOf(files map[string]string) *Input {
	in := &Input{}
	for name, text := range files {
		in.Files = append(in.Files, memoryFile(name, []byte(text)))
	}
	slices.SortFunc(in.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	return in
}

// TestUnknownUsers: what names no user is told in words.
func TestUnknownUsers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, user string
		files      map[string]string
		want       string
	}{
		{"one is unknown", "", map[string]string{"1.json": libreOf("ann"), "2.json": libreOf("")}, "2 users: ann, one that the input does not name. Name one"},
		{"all are", "ann", map[string]string{"2.json": libreOf("")}, "does not say whose it is. Import it without --user."},
		{"a format without users", "ann", map[string]string{"m.jsonl": `{"session":"s","role":"user","content":"x"}`}, "does not say whose it is."},
		{"an export in parts", "ann", map[string]string{"0.zip:user.json": `{"id":"ann"}`, "1.zip:conversations.json": gptOf("ann")}, "chatgpt:g-ann "},
		{"a directory deeper", "ann", map[string]string{
			"a/user.json": `{"id":"ann"}`, "a/b/c.json": gptOf("ann"), "b/user.json": `{"id":"bob"}`, "b/c.json": gptOf("bob"),
		}, "chatgpt:g-ann "},
		{"what cannot be read", "ann", map[string]string{"c.json": `[{"uuid":"c","chat_messages":[NaN]}]`}, "failed: c.json"},
		{"a user in the messages", "ann", map[string]string{"1.json": strings.NewReplacer(`"user":"ann"`, `"a":1`, `"messageId":"m"`, `"messageId":"m","user":"ann"`).Replace(libreOf("ann"))}, "librechat:l-ann "},
		{"instructions", "ann", map[string]string{"user.json": `{"id":"ann"}`, "c.json": gptOf("ann")}, "chatgpt:custom-instructions:ann "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, inputOf(tt.files), Options{From: "auto", User: tt.user})
			if err != nil {
				got += err.Error()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestClaudeMemory: the memory of an account is one session, whatever its file and its archive are called.
func TestClaudeMemory(t *testing.T) {
	t.Parallel()
	named, plain := `[{"conversations_memory":"Bakes bread.","account_uuid":"ann"}]`, `[{"conversations_memory":"Bakes bread."}]`
	for _, tt := range []struct{ file, text, want string }{
		{"memories.json", named, "claude:memory:ann "}, {"cl-next-month.zip:memories.json", named, "claude:memory:ann "},
		{"old.zip:memories.json", plain, "claude:memory:bob "}, {"elsewhere/memories.json", plain, "claude:memory "},
	} {
		got, err := readAll(t, inputOf(map[string]string{tt.file: tt.text, "old.zip:users.json": `[{"uuid":"bob"}]`, "x/users.json": `[{"uuid":"eve"}]`}), Options{From: "auto"})
		if err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, %v, want %s", tt.file, got, err, tt.want)
		}
	}
}

// FuzzAccounts: any text may be the file of an account, and any name its place.
func FuzzAccounts(f *testing.F) {
	f.Add("a.zip:user.json", `{"id":"ann"}`)
	f.Add("/user.json", `[{"uuid":"ann"}]`)
	f.Add("user.json", `[{"uuid":1},{"uuid":2}]`)
	f.Fuzz(func(t *testing.T, name, text string) {
		file := memoryFile(name, []byte(text))
		in := &reading{others: []*File{file, memoryFile("user.json", []byte(`{"id":"bob"}`))}}
		if got := in.readAccounts("user.json").of(file); got == "" {
			t.Errorf("%q: got no user; the directory at the top has one", name)
		}
	})
}

// TestSharedCopy: the copy that Open WebUI makes of a chat to share it belongs to no user.
func TestSharedCopy(t *testing.T) {
	t.Parallel()
	chat := func(id, user string) string {
		return `{"id":"` + id + `","user_id":"` + user + `","title":"t","chat":{"messages":[{"id":"1","role":"user","content":"I am ` + id + `.","timestamp":1717232401}]}}`
	}
	in := &Input{Files: []*File{memoryFile("chat-export.json", []byte("["+chat("w1", "ada")+","+chat("w2", "shared-w1")+"]"))}}
	got, err := readAll(t, in, Options{From: "auto"})
	if err != nil || !strings.Contains(got, `"I am w1."`) || strings.Contains(got, `"I am w2."`) || !strings.Contains(got, "1 × shared copy of a conversation") {
		t.Errorf("got %s, %v", got, err)
	}
}
