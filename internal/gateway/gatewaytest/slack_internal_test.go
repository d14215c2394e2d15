package gatewaytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// ask asks a method of the fake, and returns the code of its answer; "" for success.
func (s *Slack) ask(t *testing.T, client *http.Client, token, method string, args url.Values) (code string, content map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+method, strings.NewReader(args.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(text, &content) != nil {
		return resp.Status, nil
	}
	code, _ = content["error"].(string)
	return code, content
}

// post are the arguments of a message that is as it should be.
func post(chat string, change func(url.Values)) url.Values {
	args := url.Values{"channel": {chat}, "text": {"hello"}, "unfurl_links": {"false"}, "unfurl_media": {"false"}, "parse": {"none"}}
	if change != nil {
		change(args)
	}
	return args
}

// set changes an argument.
func set(key, value string) func(url.Values) { return func(v url.Values) { v.Set(key, value) } }

// TestSlackIsStrict: the fake refuses, or notes, what the real one does not allow.
func TestSlackIsStrict(t *testing.T) {
	t.Parallel()
	button := func(id string) string {
		return `{"type":"button","action_id":"` + id + `","value":"v","text":{"type":"plain_text","text":"Yes"}}`
	}
	actions := func(buttons ...string) string {
		return `[{"type":"actions","elements":[` + strings.Join(buttons, ",") + `]}]`
	}
	for name, tt := range map[string]struct {
		change func(url.Values)
		code   string
		notes  int
	}{
		"a message":             {nil, "", 0},
		"the longest":           {set("text", strings.Repeat("&amp;", 4000)), "", 0},
		"over the limit":        {set("text", strings.Repeat("😀", 4001)), "", 1},
		"far over it":           {set("text", strings.Repeat("x", 40_001)), "msg_too_long", 0},
		"no text":               {set("text", ""), "no_text", 0},
		"a link":                {set("text", "<https://a.example|a> <mailto:a@b.example>"), "", 0},
		"a call of all":         {set("text", "<!channel>"), "", 1},
		"a mention":             {set("text", "<@U1>"), "", 1},
		"an open bracket":       {set("text", "1 < 2"), "", 1},
		"previews of links":     {set("unfurl_links", "true"), "", 1},
		"previews of media":     {func(v url.Values) { v.Del("unfurl_media") }, "", 1},
		"no such thread":        {set("thread_ts", "1.000001"), "thread_not_found", 1},
		"another chat":          {set("channel", "C0"), "channel_not_found", 0},
		"buttons":               {set("blocks", actions(button("a"), button("b"))), "", 0},
		"two of one id":         {set("blocks", actions(button("a"), button("a"))), "invalid_blocks", 1},
		"no button":             {set("blocks", actions()), "invalid_blocks", 1},
		"no list":               {set("blocks", "{}"), "invalid_blocks", 1},
		"a block of no kind":    {set("blocks", `[{"type":"x"}]`), "invalid_blocks", 1},
		"a section":             {set("blocks", `[{"type":"section","text":{"type":"mrkdwn","verbatim":true,"text":"x"}}]`), "", 0},
		"one that calls people": {set("blocks", `[{"type":"section","text":{"type":"mrkdwn","text":"@channel"}}]`), "invalid_blocks", 1},
		"a long section":        {set("blocks", `[{"type":"section","text":{"type":"mrkdwn","text":"`+strings.Repeat("x", 3001)+`"}}]`), "invalid_blocks", 1},
		"bad blocks hung on it": {set("attachments", `[{"blocks":[{"type":"section"}]}]`), "invalid_blocks", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewSlack(t, SlackOptions{})
			chat := s.Chat(gateway.Channel, "work")
			code, _ := s.ask(t, s.Client(t), SlackBotToken, "chat.postMessage", post(chat, tt.change))
			if code != tt.code || len(s.Broken()) != tt.notes {
				t.Errorf("got %q and the notes %q, want %q and %d notes", code, s.Broken(), tt.code, tt.notes)
			}
			if n := len(s.Sent()); (n == 1) != (code == "") {
				t.Errorf("got %d messages", n)
			}
		})
	}
}

// TestSlackTokens: each method wants its own token.
func TestSlackTokens(t *testing.T) {
	t.Parallel()
	s := NewSlack(t, SlackOptions{})
	client := s.Client(t)
	for _, tt := range []struct{ token, method, code string }{
		{SlackBotToken, "auth.test", ""}, {SlackAppToken, "auth.test", "invalid_auth"}, {"", "auth.test", "invalid_auth"},
		{SlackAppToken, "apps.connections.open", ""}, {SlackBotToken, "apps.connections.open", "invalid_auth"},
		{SlackBotToken, "no.such", "unknown_method"},
	} {
		if code, _ := s.ask(t, client, tt.token, tt.method, nil); code != tt.code {
			t.Errorf("%s with %q: got %q, want %q", tt.method, tt.token, code, tt.code)
		}
	}
	if len(s.Broken()) != 1 {
		t.Errorf("got %q, want the unknown method noted", s.Broken())
	}
}

// TestSlackEdits: only a message of the bot can be edited, and names are read as before.
func TestSlackEdits(t *testing.T) {
	t.Parallel()
	s := NewSlack(t, SlackOptions{PerSecond: 1})
	client, chat := s.Client(t), s.Chat(gateway.Channel, "work")
	_, sent := s.ask(t, client, SlackBotToken, "chat.postMessage", post(chat, nil))
	ts, _ := sent["ts"].(string)
	_, foreign := s.Say(SlackSay{Chat: chat, User: s.Person("Bob"), Text: "x", Quiet: true})
	for _, tt := range []struct {
		ts     string
		change func(url.Values)
		code   string
		notes  int
	}{
		{ts, nil, "", 0}, {foreign, nil, "cant_update_message", 0}, {"1.000001", nil, "message_not_found", 0}, {ts, set("parse", "full"), "", 1},
	} {
		args := post(chat, tt.change)
		args.Set("ts", tt.ts)
		before := len(s.Broken())
		if code, _ := s.ask(t, client, SlackBotToken, "chat.update", args); code != tt.code || len(s.Broken())-before != tt.notes {
			t.Errorf("%s: got %q, the notes %q", tt.ts, code, s.Broken())
		}
	}
	for range 2 { // too fast, and then within the wait
		if code, _ := s.ask(t, client, SlackBotToken, "chat.postMessage", post(chat, nil)); !strings.HasPrefix(code, "429") {
			t.Errorf("the second message in a second: got %q, want 429", code)
		}
	}
	if list := s.Broken(); len(list) != 2 || !strings.Contains(list[1], "within the wait") {
		t.Errorf("got %q, want the message within the wait noted", list)
	}
}

// socket opens a socket of the fake.
func (s *Slack) socket(t *testing.T, client *http.Client) *websocket.Conn {
	t.Helper()
	_, content := s.ask(t, client, SlackAppToken, "apps.connections.open", nil)
	address, _ := content["url"].(string)
	conn, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// TestSlackSocket: an event comes again until it is acknowledged, on another socket, too, and
// in the order of the events. A ticket is good for one socket.
func TestSlackSocket(t *testing.T) {
	t.Parallel()
	s := NewSlack(t, SlackOptions{Resend: 20 * time.Millisecond})
	client := s.Client(t)
	chat := s.Chat(gateway.DM, "alice")
	var want []string
	for _, text := range []string{"one", "two"} {
		id, _ := s.Say(SlackSay{Chat: chat, User: s.Person("alice"), Text: text})
		want = append(want, id)
	}
	var acked []string
	s.OnAck(func(id string) { acked = append(acked, id) })
	type shown struct {
		Type    string `json:"type"`
		ID      string `json:"envelope_id"`
		Attempt int    `json:"retry_attempt"`
	}
	read := func(conn *websocket.Conn) shown {
		_, text, err := conn.Read(t.Context())
		var e shown
		if err != nil || json.Unmarshal(text, &e) != nil {
			t.Fatalf("got %q, %v", text, err)
		}
		return e
	}
	conn := s.socket(t, client)
	if e := read(conn); e.Type != "hello" {
		t.Errorf("got %+v, want hello", e)
	}
	first, second := read(conn), read(conn)
	again := read(conn)
	if first.Attempt != 0 || second.ID == first.ID || again.ID != first.ID || again.Attempt != 1 {
		t.Errorf("got %+v, %+v, %+v, want the first one again", first, second, again)
	}
	_ = conn.CloseNow()
	conn = s.socket(t, client)
	read(conn)
	for seen := map[string]bool{}; len(seen) < 2; {
		e := read(conn)
		seen[e.ID] = true
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"envelope_id":"`+e.ID+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	s.AwaitAcks(t)
	if !slices.Equal(acked, want) {
		t.Errorf("acknowledged: got %q, want %q", acked, want)
	}
	ticket := strings.TrimSuffix(s.URL(), "api/") + "link?ticket=ticket00000003"
	if _, resp, err := websocket.Dial(t.Context(), ticket, &websocket.DialOptions{HTTPClient: client}); err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a ticket that was used: got %v", err)
	}
	if len(s.Broken()) != 1 {
		t.Errorf("got the notes %q, want one about the ticket", s.Broken())
	}
}

// TestSlackGivesUp: an event that is refused at all attempts is dropped, and the next one comes.
func TestSlackGivesUp(t *testing.T) {
	t.Parallel()
	s := NewSlack(t, SlackOptions{HTTP: true, Retries: []time.Duration{0, 0, 0}})
	var attempts []string
	s.Connect(map[string]http.Handler{"/platforms/slack/events": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		attempts = append(attempts, r.Header.Get("X-Slack-Retry-Num"))
		if strings.Contains(string(body), `"text":"one"`) {
			http.Error(w, "no", http.StatusServiceUnavailable)
		}
	})})
	for _, text := range []string{"one", "two"} {
		s.Say(SlackSay{Chat: s.Chat(gateway.DM, "alice"), User: s.Person("alice"), Text: text})
	}
	s.AwaitAcks(t)
	if c := s.Counts(); c.Dropped != 1 || c.Acks != 1 || !slices.Equal(attempts, []string{"", "1", "2", "3", ""}) {
		t.Errorf("got %+v with the attempts %q", c, attempts)
	}
}
