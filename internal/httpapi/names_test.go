package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// resender is a client that keeps its history and sends all of it each time.
type resender struct {
	w       *world
	headers []string
	path    string
	members string // of the body, each followed by a comma
	history []map[string]string
	window  int // how many messages it sends; 0 for all
}

func (c *resender) says(text string) reply {
	c.w.t.Helper()
	c.history = append(c.history, map[string]string{"role": "user", "content": text})
	return c.ask()
}

// ask sends the history and keeps the answer.
func (c *resender) ask() reply {
	c.w.t.Helper()
	sent := c.history
	if c.window > 0 && len(sent) > c.window {
		sent = sent[len(sent)-c.window:]
	}
	ms, _ := json.Marshal(sent)
	answer := fmt.Sprintf("Answer %d to %d messages.", len(c.w.up.Requests()), len(c.history))
	c.w.up.Queue(upstreamtest.Step{Text: answer})
	path := c.path
	if path == "" {
		path = "/v1/chat/completions"
	}
	got := c.w.call("POST", path, `{"model":"hermes",`+c.members+`"messages":`+string(ms)+`}`, c.headers...)
	if got.status != http.StatusOK {
		c.w.t.Fatalf("got %d %s", got.status, got.body)
	}
	c.history = append(c.history, map[string]string{"role": "assistant", "content": answer})
	return got
}

// sessions counts the sessions of a key's owner, and the messages that stand in them.
func (w *world) sessions(headers ...string) (sessions, messages int) {
	w.t.Helper()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	w.decode(w.call("GET", "/api/sessions", "", headers...), &list)
	for _, s := range list.Data {
		var ms struct {
			Data []struct {
				Undone *string `json:"undone_at"`
			} `json:"data"`
		}
		w.decode(w.call("GET", "/api/sessions/"+s.ID+"/messages?limit=200", "", headers...), &ms)
		for _, m := range ms.Data {
			if m.Undone == nil {
				messages++
			}
		}
	}
	return len(list.Data), messages
}

func (w *world) decode(got reply, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(got.body), into); err != nil || got.status != http.StatusOK {
		w.t.Fatalf("got %d %s: %v", got.status, got.body, err)
	}
}

// TestResentHistory: a client that can set only a URL and a key has one session for each
// chat, however often it sends its history.
func TestResentHistory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		memory string
		path   string
	}{{name: "without memory"}, {name: "with the key's memory", memory: "me"}, {name: "with memory by its URL", path: "/k/me/v1/chat/completions"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", tt.memory)}
			c := &resender{w: w, headers: auth, path: tt.path}
			first := ""
			for i := range 6 {
				id := c.says(fmt.Sprintf("Message %d.", i)).header.Get("X-Hermes-Session-Id")
				if first == "" {
					first = id
				}
				if id != first {
					t.Errorf("turn %d: got session %s, want %s", i, id, first)
				}
			}
			if s, m := w.sessions(auth...); s != 1 || m != 12 {
				t.Errorf("after six turns: got %d sessions with %d messages, want 1 with 12", s, m)
			}
			c.history = c.history[:len(c.history)-1] // regenerate
			c.ask()
			if s, m := w.sessions(auth...); s != 1 || m != 12 {
				t.Errorf("after another answer: got %d sessions with %d messages, want 1 with 12", s, m)
			}
			c.history = c.history[:8] // edit the fifth message
			c.says("Another fifth message.")
			if s, m := w.sessions(auth...); s != 1 || m != 10 {
				t.Errorf("after an edit: got %d sessions with %d messages, want 1 with 10", s, m)
			}
			second := &resender{w: w, headers: auth, path: tt.path}
			second.says("Message 0.")
			second.says("Another chat.")
			if s, m := w.sessions(auth...); s != 2 || m != 14 {
				t.Errorf("after a second chat: got %d sessions with %d messages, want 2 with 14", s, m)
			}
			// A conversation is not known by its beginning: clients send the same words first.
			for _, text := range []string{"What is the first?", "What is the second?"} {
				c := &resender{w: w, headers: auth, path: tt.path, history: []map[string]string{{"role": "user", "content": "Here is what I work on."}}}
				c.says(text)
			}
			if s, m := w.sessions(auth...); s != 4 || m != 20 {
				t.Errorf("after two chats with the same beginning: got %d sessions with %d messages, want 4 with 20", s, m)
			}
			// Another owner with the same history gets nothing of it.
			other := []string{"Authorization", "Bearer " + w.keyWithMemory("bob", tt.memory)}
			thief := &resender{w: w, headers: other, path: tt.path, history: append([]map[string]string{}, c.history...)}
			if id := thief.says("And now?").header.Get("X-Hermes-Session-Id"); id == first {
				t.Error("another owner's request continued the session")
			}
		})
	}
}

// keyWithMemory is a key of its own owner with a session key for requests that name none.
func (w *world) keyWithMemory(name, memory string) string {
	w.t.Helper()
	got := w.call("POST", "/api/keys", fmt.Sprintf(`{"name":%q,"session_key":%q}`, name, memory))
	var key struct {
		Key    string  `json:"key"`
		Memory *string `json:"session_key"`
	}
	if err := json.Unmarshal([]byte(got.body), &key); err != nil || got.status != http.StatusCreated || (key.Memory != nil) != (memory != "") {
		w.t.Fatalf("got %d %s", got.status, got.body)
	}
	return key.Key
}

// TestMemoryOfAKey: what was told in one chat through a key is known in another one.
func TestMemoryOfAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", "me")}
	(&resender{w: w, headers: auth}).says("My sister is called Wilhelmina.")
	(&resender{w: w, headers: auth}).says("What is my sister called?")
	if sent := string(w.up.Last().Body); !strings.Contains(sent, "Wilhelmina") {
		t.Errorf("got the prompt %s, want the sister's name", sent)
	}
	other := append(auth, "X-Hermes-Session-Key", "work") // the header takes precedence
	(&resender{w: w, headers: other}).says("What is my sister called?")
	if sent := string(w.up.Last().Body); strings.Contains(sent, "Wilhelmina") {
		t.Error("another session key got the key's memory")
	}
	bad := w.call("POST", "/api/keys", `{"name":"bad","session_key":"a\nb"}`)
	if bad.status != http.StatusBadRequest || !strings.Contains(bad.body, "invalid_session_key") {
		t.Errorf("a key with a line break: got %d %s", bad.status, bad.body)
	}
}

// TestNames is the table of what names a session and a session key, and in which order.
func TestNames(t *testing.T) {
	t.Parallel()
	const uuid = "0199d3c4-7a11-7c3e-9b1f-2f8f1f0f9a01"
	for _, tt := range []struct {
		name, members string
		headers       []string
		id, key       string
	}{
		{"nothing", ``, nil, "", ""},
		{"Open WebUI", ``, []string{"X-OpenWebUI-Chat-Id", "c1", "X-OpenWebUI-User-Id", "u1"}, "c1", "user:u1"},
		{"our headers first", `"user":"x","metadata":{"session_id":"y"},`,
			[]string{"X-OpenWebUI-Chat-Id", "c1", "X-OpenWebUI-User-Id", "u1", "X-Hermes-Session-Id", "s1", "X-Hermes-Session-Key", "k1"}, "s1", "k1"},
		{"the session's header alone", `"user":"x",`, []string{"X-Hermes-Session-Id", "s2"}, "s2", ""},
		{"metadata", `"metadata":{"conversation_id":"y","user_id":"z"},`, nil, "y", "user:z"},
		{"user before metadata", `"metadata":{"chat_id":"y","user_id":"z"},"user":"x",`, nil, "y", "user:x"},
		{"safety identifier", `"safety_identifier":"h4sh",`, nil, "", "user:h4sh"},
		{"a conversation as cache key", `"prompt_cache_key":"` + uuid + `",`, nil, uuid, ""},
		{"an app as cache key", `"prompt_cache_key":"my-support-bot-v1",`, nil, "", ""},
		{"templates that were not filled in", `"user":"{{USER_ID}}","metadata":{"chat_id":"${id}"},`, nil, "", ""},
		{"values that name nothing", `"user":7,"metadata":{"session_id":"a\nb","user_id":null},"prompt_cache_key":[],`, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			c := &resender{w: w, headers: tt.headers, members: tt.members}
			got := c.says("Hello.")
			if id := got.header.Get("X-Hermes-Session-Id"); tt.id != "" && id != tt.id || tt.id == "" && !strings.HasPrefix(id, "20260301_") {
				t.Errorf("got session %q, want %q", id, tt.id)
			}
			var s struct {
				Key *string `json:"session_key"`
			}
			w.decode(w.call("GET", "/api/sessions/"+got.header.Get("X-Hermes-Session-Id"), ""), &s)
			if key := deref(s.Key); key != tt.key {
				t.Errorf("got session key %q, want %q", key, tt.key)
			}
		})
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestWindow: a client that sends only its newest messages stays in its session, if no
// other session has the same exchange.
func TestWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", "me")}
	expect := func(what string, sessions, messages int) {
		t.Helper()
		if s, m := w.sessions(auth...); s != sessions || m != messages {
			t.Errorf("%s: got %d sessions with %d messages, want %d with %d", what, s, m, sessions, messages)
		}
	}
	c := &resender{w: w, headers: auth, window: 5}
	for i := range 10 {
		c.says(fmt.Sprintf("This is message %d of our long conversation.", i))
	}
	expect("after ten turns", 1, 20)
	c.history = c.history[:len(c.history)-1]
	c.ask()
	expect("after another answer", 1, 20)
	c.history = c.history[:16]
	c.says("Another ninth message of our long conversation.")
	expect("after an edit", 1, 18)
	c.says("One more message of our long conversation.")
	expect("after the next turn", 1, 20)
	// Short words are said in many conversations.
	short := &resender{w: w, headers: auth, window: 3}
	for range 3 {
		short.history = append(short.history, map[string]string{"role": "user", "content": "ok"}, map[string]string{"role": "assistant", "content": "Fine."})
	}
	short.says("thanks")
	expect("after a window of short words", 2, 24)
}

// TestGreeting: characters of a front end greet first, and in all chats in the same words.
func TestGreeting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", "me")}
	for range 2 {
		c := &resender{w: w, headers: auth, history: []map[string]string{{"role": "assistant", "content": "Who goes there, at this hour of the night?"}}}
		c.says("A friend.")
		c.says("Open the door.")
	}
	if s, m := w.sessions(auth...); s != 2 || m != 10 {
		t.Errorf("got %d sessions with %d messages, want 2 with 10", s, m)
	}
}

// TestUnfilledTemplates: a template that a front end did not fill in would merge the
// sessions of all its users.
func TestUnfilledTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, header := range []string{"X-Hermes-Session-Id", "X-Hermes-Session-Key", "X-OpenWebUI-Chat-Id", "X-OpenWebUI-User-Id", "X-Hermes-Task"} {
		for _, value := range []string{"{{CHAT_ID}}", "user:{{ user.id }}", "${chatId}", "<session-id>", "chat-<your id>", "{user_id}", "undefined", "null", "[object Object]"} {
			got := w.call("POST", "/v1/chat/completions", chatBody("Hello.", false), header, value)
			template := strings.TrimPrefix(strings.TrimPrefix(value, "user:"), "chat-")
			if got.status != http.StatusBadRequest || !strings.Contains(got.body, "unfilled_template") || !strings.Contains(jsonText(got.body), template) {
				t.Errorf("%s: %s: got %d %s, want 400 that quotes the template", header, value, got.status, got.body)
			}
		}
		for _, value := range []string{"a{b}", "nullable", "x<y", "a>b", "$5", "user:42", "{}", "größe<3"} {
			if got := w.call("POST", "/v1/chat/completions", chatBody("Hello.", false), header, value); got.status != http.StatusOK {
				t.Errorf("%s: %s: got %d %s, want 200", header, value, got.status, got.body)
			}
		}
	}
}

// jsonText is the message of an error.
func jsonText(body string) string {
	var e struct {
		Error struct{ Message string }
	}
	_ = json.Unmarshal([]byte(body), &e)
	return e.Error.Message
}

// TestKeyInPath: /k/NAME serves the API with a session key, and nothing else.
func TestKeyInPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for path, want := range map[string]string{
		"/k/me/v1/chat/completions": "me", "/k/repo%3Aacme%2Fbackend/v1/chat/completions": "repo:acme/backend", "/k/%C3%BC/v1/chat/completions": "ü",
	} {
		got := w.call("POST", path, chatBody("Hello.", false))
		if got.status != http.StatusOK || got.header.Get("X-Hermes-Session-Key") != want {
			t.Errorf("%s: got %d, key %q, want %q", path, got.status, got.header.Get("X-Hermes-Session-Key"), want)
		}
	}
	if got := w.call("GET", "/k/me/v1/models", ""); got.status != http.StatusOK {
		t.Errorf("models: got %d %s", got.status, got.body)
	}
	for path, want := range map[string]int{
		"/k//v1/models": http.StatusBadRequest, "/k/%20/v1/chat/completions": http.StatusBadRequest, "/k/%E2%80%8B%C2%A0/v1/chat/completions": http.StatusBadRequest, "/k/me": http.StatusNotFound, "/k/a%0Ab/v1/chat/completions": http.StatusBadRequest,
		"/k/%7B%7BUSER%7D%7D/v1/chat/completions": http.StatusBadRequest,
	} {
		if got := w.call("POST", path, chatBody("Hello.", false)); got.status != want {
			t.Errorf("%s: got %d %s, want %d", path, got.status, got.body, want)
		}
	}
	if got := w.call("GET", "/k/%20/v1/models", ""); got.status != http.StatusBadRequest || !strings.Contains(jsonText(got.body), "no visible character") || !strings.Contains(jsonText(got.body), "base URL") {
		t.Errorf("an empty name: got %d %s, want 400 that says where it stands", got.status, got.body)
	}
	free := newWorld(t, options{NoAuth: true})
	if got := free.call("POST", "/k/me/v1/chat/completions", chatBody("Hello.", false), "Authorization", ""); got.status != http.StatusForbidden {
		t.Errorf("without a key: got %d %s, want 403", got.status, got.body)
	}
}

// TestResentForgetting: a client that sends a history with a forgotten thing again stays in
// its session, and does not bring the thing back.
func TestResentForgetting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", "me")}
	c := &resender{w: w, headers: auth}
	c.says("My boat is called Whiskeyboat.")
	c.says("My horse is called Bello.")
	if got := w.call("POST", "/api/memory/forget", `{"about":"Whiskeyboat"}`, auth...); got.status != http.StatusOK {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	c.says("How are you?")
	if sent := string(w.up.Last().Body); strings.Contains(sent, "Whiskeyboat") {
		t.Errorf("the model was sent the forgotten thing: %s", sent)
	}
	if s, m := w.sessions(auth...); s != 1 || m != 6 {
		t.Errorf("got %d sessions with %d messages, want 1 with 6", s, m)
	}
	(&resender{w: w, headers: auth}).says("What is my boat called?")
	if sent := string(w.up.Last().Body); strings.Contains(sent, "Whiskeyboat") {
		t.Errorf("a new chat was sent the forgotten thing: %s", sent)
	}
}
