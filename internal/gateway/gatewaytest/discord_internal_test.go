package gatewaytest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// discordAsk makes a request to a fake.
func discordAsk(t *testing.T, d *Discord, method, path, body string, header ...string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bot "+DiscordToken)
	q.Header.Set("User-Agent", "DiscordBot (test, 1)")
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	answer, err := d.Client(t).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestDiscordRefuses: the fake refuses what Discord refuses, and records what a good bot
// does not do.
func TestDiscordRefuses(t *testing.T) {
	t.Parallel()
	const path, post = "/channels/5/messages", "POST"
	const kind = `"allowed_mentions":{"parse":[]},"flags":4`
	button := `{"type":1,"components":[{"type":2,"style":2,"label":"Y","custom_id":"y"}]}`
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		broken             string // in what was recorded; "" for nothing
	}{
		"good":           {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,` + kind + `}`, 200, ""},
		"2000 signs":     {post, path, `{"content":"` + strings.Repeat("😀", 1000) + `","nonce":"n","enforce_nonce":true,` + kind + `}`, 200, ""},
		"2002 signs":     {post, path, `{"content":"` + strings.Repeat("😀", 1001) + `","nonce":"n","enforce_nonce":true,` + kind + `}`, 400, ""},
		"empty":          {post, path, `{"content":"","nonce":"n","enforce_nonce":true,` + kind + `}`, 400, ""},
		"a long nonce":   {post, path, `{"content":"x","nonce":"` + strings.Repeat("n", 26) + `","enforce_nonce":true,` + kind + `}`, 400, ""},
		"no nonce":       {post, path, `{"content":"x",` + kind + `}`, 200, "enforced nonce"},
		"pings":          {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,"flags":4}`, 200, "allowed_mentions"},
		"pings a role":   {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,"flags":4,"allowed_mentions":{"parse":["roles"]}}`, 200, "allowed_mentions"},
		"previews":       {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,"allowed_mentions":{"parse":[]}}`, 200, "previews"},
		"two of one id":  {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,` + kind + `,"components":[` + button + `,` + button + `]}`, 400, ""},
		"a lost answer":  {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,` + kind + `,"message_reference":{"message_id":"7"}}`, 400, ""},
		"unknown field":  {post, path, `{"content":"x","nonce":"n","enforce_nonce":true,` + kind + `,"ping":1}`, 400, ""},
		"no JSON":        {post, path, `{`, 400, ""},
		"no channel":     {post, "/channels/6/messages", `{"content":"x","nonce":"n","enforce_nonce":true,` + kind + `}`, 404, ""},
		"no route":       {post, "/guilds/5", `{}`, 404, "no route"},
		"101 messages":   {"GET", path + "?limit=101", ``, 400, ""},
		"an odd emoji":   {"PUT", path + "/1/reactions/%F0%9F%98%80/@me", ``, 404, ""},
		"no interaction": {post, "/interactions/1/x/callback", `{"type":5}`, 404, "the bot's token"},
	} {
		d := NewDiscord(t, DiscordOptions{Lenient: true})
		d.AddChannel(DiscordChannel{ID: "5", Type: 1})
		status, text := discordAsk(t, d, tt.method, tt.path, tt.body)
		if status != tt.status {
			t.Errorf("%s: got status %d (%s), want %d", name, status, text, tt.status)
		}
		broken := strings.Join(d.Broken(), "; ")
		if (broken == "") != (tt.broken == "") || !strings.Contains(broken, tt.broken) {
			t.Errorf("%s: recorded %q, want %q", name, broken, tt.broken)
		}
	}
	d := NewDiscord(t, DiscordOptions{Lenient: true})
	if status, _ := discordAsk(t, d, "GET", "/users/@me", "", "Authorization", "Bot wrong"); status != 401 {
		t.Errorf("a wrong token: got status %d", status)
	}
}

// TestDiscordLimits: five messages in five seconds are taken. The sixth is refused, and one
// within the wait is recorded.
func TestDiscordLimits(t *testing.T) {
	t.Parallel()
	d := NewDiscord(t, DiscordOptions{Lenient: true})
	d.AddChannel(DiscordChannel{ID: "5", Type: 1})
	send := func(nonce string) int {
		status, _ := discordAsk(t, d, "POST", "/channels/5/messages",
			`{"content":"x","nonce":"`+nonce+`","enforce_nonce":true,"flags":4,"allowed_mentions":{"parse":[]}}`)
		return status
	}
	for i := range 5 {
		if status := send(string(rune('a' + i))); status != 200 {
			t.Errorf("message %d: got status %d", i, status)
		}
	}
	if status := send("f"); status != 429 || len(d.Broken()) != 0 {
		t.Errorf("the sixth: got status %d, recorded %q", status, d.Broken())
	}
	if status := send("f"); status != 429 || len(d.Broken()) != 1 {
		t.Errorf("within the wait: got status %d, recorded %q", status, d.Broken())
	}
	d.Advance(5 * time.Second)
	if status := send("a"); status != 200 || len(d.Sent("5")) != 5 {
		t.Errorf("a known nonce: got status %d and %d messages, want no new one", status, len(d.Sent("5")))
	}
	d.Advance(5 * time.Minute)
	if status := send("a"); status != 200 || len(d.Sent("5")) != 6 {
		t.Errorf("a forgotten nonce: got status %d and %d messages, want a new one", status, len(d.Sent("5")))
	}
}

// discordPeer is a client of the fake's gateway.
type discordPeer struct {
	t    *testing.T
	conn *websocket.Conn
}

func dialDiscord(t *testing.T, d *Discord) *discordPeer {
	t.Helper()
	conn, answer, err := websocket.Dial(t.Context(), d.GatewayURL+"?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body != nil {
		_ = answer.Body.Close()
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	p := &discordPeer{t, conn}
	if f := p.read(); f.Op != 10 {
		t.Fatalf("got op %d, want a greeting", f.Op)
	}
	return p
}

func (p *discordPeer) write(text string) {
	p.t.Helper()
	if err := p.conn.Write(p.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

// read reads a frame; of a closed connection op is the code.
func (p *discordPeer) read() frame {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	_, text, err := p.conn.Read(ctx)
	if err != nil {
		return frame{Op: int(websocket.CloseStatus(err))}
	}
	var f frame
	if err := json.Unmarshal(text, &f); err != nil {
		p.t.Fatal(err)
	}
	return f
}

const discordHi = `{"op":2,"d":{"token":"` + DiscordToken + `","intents":37376,"properties":{"os":"x","browser":"y"}}}`

// TestDiscordGateway: a session is resumed from a number on, and refusals have their codes.
func TestDiscordGateway(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]int{
		`{"op":99}`: 4001, `[]`: 4002, `{"op":2,"d":[]}`: 4002, `{"op":1,"d":"x"}`: 4002,
		strings.Replace(discordHi, "37376", "5", 1): 4013, strings.Replace(discordHi, "fake", "fals", 1): 4004,
		`{"op":6,"d":{"token":"x","session_id":"s","seq":1}}`:                       4004,
		`{"op":6,"d":{"token":"` + DiscordToken + `","session_id":"gone","seq":1}}`: 9,
	} {
		d := NewDiscord(t, DiscordOptions{Lenient: true})
		p := dialDiscord(t, d)
		p.write(text)
		if f := p.read(); f.Op != code {
			t.Errorf("%s: got %d, want %d", text, f.Op, code)
		}
	}
	d := NewDiscord(t, DiscordOptions{})
	p := dialDiscord(t, d)
	p.write(discordHi)
	if f := p.read(); *f.Name != "READY" || *f.Seq != 1 {
		t.Errorf("got %+v", f)
	}
	d.Dispatch("A", nil)
	d.Dispatch("B", nil)
	for range 2 {
		if f := p.read(); f.Op != 0 {
			t.Errorf("got %+v, want op 0", f)
		}
	}
	p.write(discordHi) // behind the events: the refusal ends the connection
	if f := p.read(); f.Op != 4005 {
		t.Errorf("got %+v, want op 4005", f)
	}
	for seq, want := range map[int][]string{2: {"B", "RESUMED"}, 9: nil} {
		p := dialDiscord(t, d)
		text, err := json.Marshal(map[string]any{"op": 6, "d": map[string]any{"token": DiscordToken, "session_id": "session-1", "seq": seq}})
		if err != nil {
			t.Fatal(err)
		}
		p.write(string(text))
		for _, name := range want {
			if f := p.read(); f.Name == nil || *f.Name != name {
				t.Errorf("after %d: got %+v, want %s", seq, f, name)
			}
		}
		if want == nil {
			if f := p.read(); f.Op != 4007 {
				t.Errorf("after %d: got %+v, want the code 4007", seq, f)
			}
		}
	}
}
