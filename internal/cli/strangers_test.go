package cli_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// quarter is one platform of a test with all of them.
type quarter struct {
	name string
	user string // who may write
	emit func(gatewaytest.Act) gateway.MessageID
	// call calls a command that the platform itself reads; nil if there is none.
	call func(person, text string)
	sent func() []gatewaytest.Sent
}

// allPlatforms starts fakes of all platforms. The chats are alice's, and Ada may write. ahead is
// where the webhook is.
func allPlatforms(t *testing.T, ahead func() string) (list []quarter, settings string, env []string) {
	t.Helper()
	telegram := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	slack := gatewaytest.NewSlack(t, gatewaytest.SlackOptions{})
	whatsapp := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
	discord := gatewaytest.NewDiscord(t, gatewaytest.DiscordOptions{})
	emitting := func(emit func(gatewaytest.Act) (string, gateway.MessageID)) func(gatewaytest.Act) gateway.MessageID {
		return func(a gatewaytest.Act) gateway.MessageID {
			_, m := emit(a)
			return m
		}
	}
	rig := discord.Rig(nil)
	list = []quarter{
		{"telegram", "500001", emitting(func(a gatewaytest.Act) (string, gateway.MessageID) { return telegram.Emit(t, a) }), nil, telegram.Sent},
		{"slack", slack.Person("Ada"), emitting(func(a gatewaytest.Act) (string, gateway.MessageID) { return slack.Emit(t, a) }), func(person, text string) {
			slack.Command(slack.Chat(gateway.Channel, "stranger"), slack.Person(person), text, "")
		}, slack.Sent},
		{"whatsapp", whatsapp.Identity("Ada"), emitting(func(a gatewaytest.Act) (string, gateway.MessageID) { return whatsapp.Emit(t, a) }), nil, whatsapp.Sent},
		{"discord", "700001", emitting(func(a gatewaytest.Act) (string, gateway.MessageID) { return rig.Emit(t, a) }), func(person, text string) {
			discord.Call("700003", person, strings.TrimPrefix(text, "/"), "")
		}, rig.Sent},
	}
	client := newClient(t)
	whatsapp.DeliverTo(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { passOn(t, client, w, r, ahead()) }))
	urls := map[string]string{"telegram": telegram.URL, "slack": slack.URL(), "whatsapp": whatsapp.URL, "discord": discord.URL}
	var b strings.Builder
	b.WriteString("platforms:\n")
	for _, q := range list {
		home := "777"
		if q.name == "slack" {
			home = "C777" // no other id is one of a chat there
		}
		fmt.Fprintf(&b, "  %s: { api_url: %q, owner: alice, users: [%q], home: %q }\n", q.name, urls[q.name], q.user, home)
	}
	return list, b.String(), []string{
		"TELEGRAM_BOT_TOKEN=" + gatewaytest.TelegramToken, "DISCORD_BOT_TOKEN=" + gatewaytest.DiscordToken,
		"SLACK_BOT_TOKEN=" + gatewaytest.SlackBotToken, "SLACK_APP_TOKEN=" + gatewaytest.SlackAppToken,
		"WHATSAPP_CLOUD_PHONE_NUMBER_ID=" + gatewaytest.WhatsAppPhoneID, "WHATSAPP_CLOUD_ACCESS_TOKEN=" + gatewaytest.WhatsAppToken,
		"WHATSAPP_CLOUD_APP_SECRET=" + gatewaytest.WhatsAppSecret, "WHATSAPP_CLOUD_VERIFY_TOKEN=" + gatewaytest.WhatsAppVerify,
	}
}

// passOn brings a request of a platform to the server.
func passOn(t *testing.T, client *http.Client, w http.ResponseWriter, r *http.Request, addr string) {
	body, err := io.ReadAll(r.Body)
	if err != nil || addr == "" {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+addr+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header = r.Header.Clone()
	res, err := client.Do(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	_ = res.Body.Close()
	w.WriteHeader(res.StatusCode)
}

// ownTables are the tables in which a stranger must leave nothing.
func ownTables() []string {
	return []string{"sessions", "messages", "facts", "runs", "jobs", "job_runs", "deliveries", "chats", "chat_sends", "scopes"}
}

// counts are the rows of tables.
func counts(t *testing.T, db *sql.DB) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, table := range ownTables() {
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil { //nolint:gosec // names of this test
			t.Fatal(err)
		}
		out[table] = n
	}
	return out
}

// TestStrangersOnAllPlatforms: a thousand messages, presses, commands and targets of people who
// may do nothing leave no turn, no session, no delivery and no memory.
func TestStrangersOnAllPlatforms(t *testing.T) {
	t.Parallel()
	const each = 210 // events on a platform
	home := t.TempDir()
	var s *server
	addr := make(chan string, 1)
	var known string
	list, settings, env := allPlatforms(t, func() string {
		if known == "" {
			known = <-addr
		}
		return known
	})
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	addr <- s.addr
	for _, q := range list {
		q.emit(gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: "Ada", Name: "Ada", Text: "My dog is called Rex."})
		eventually(t, "an answer on "+q.name, func() bool { return len(q.sent()) == 1 })
	}
	db := database(t, home)
	settled := func(state string, n int) func() bool {
		return func() bool {
			var got int
			err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM chat_events WHERE state = ?`, state).Scan(&got)
			return err == nil && got == n
		}
	}
	eventually(t, "Ada's messages to be answered", settled("answered", len(list)))
	eventually(t, "Ada's answers to be settled", func() bool { return counts(t, db)["runs"] == len(list) })
	before := counts(t, db)
	events := 0
	for _, q := range list {
		events += intrude(&q, each)
	}
	foreign := 0
	for _, q := range list {
		for _, place := range places(q.sent()) {
			foreign += order(t, s.addr, q.name+place)
		}
	}
	eventually(t, "the events of strangers to be stored", settled("ignored", events))
	if events+foreign < 1000 {
		t.Errorf("%d events and %d targets, want a thousand", events, foreign)
	}
	s.stop()
	if after := counts(t, db); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("rows: got %v, want %v", after, before)
	}
	for _, q := range list {
		for _, m := range q.sent()[1:] {
			if !strings.Contains(m.Text, "hermes pairing approve") && m.Text != "You may not use this bot here." {
				t.Errorf("%s: a stranger was sent %q", q.name, m.Text)
			}
		}
	}
}

// intrude lets strangers do on a platform what they can, and returns how many events that
// makes.
func intrude(q *quarter, n int) int {
	ada := q.sent()[0].Message
	for i := range n {
		who := fmt.Sprint("stranger ", i%20)
		a := gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: who, Name: who, Text: "My cat is called Minka."}
		switch i % 7 {
		case 1:
			a.Text = "/new"
		case 2, 3:
			a.Type, a.Chat, a.Mention = gateway.Group, "stranger", true
		case 4: // in Ada's own chat
			a.Kind, a.Chat, a.Message, a.Button, a.Text = gateway.Pressed, "Ada", ada, "approve:0", ""
		case 5:
			if q.call != nil {
				q.call(who, "/status")
				continue
			}
			a.Text = "/status"
		case 6:
			a.Kind, a.Message, a.Type, a.Chat = gateway.Said, "", gateway.Group, "stranger"
			a.Text, a.Mention = "/forget Rex", true
		}
		q.emit(a)
	}
	return n
}

// places are targets of a platform: the home, Ada's chat, and chats that nobody has.
func places(sent []gatewaytest.Sent) []string {
	list := []string{"", ":777", ":C777", ":" + sent[0].Place.Chat, ":" + sent[0].Place.Chat + ":7"}
	for i := range 40 {
		list = append(list, fmt.Sprintf(":%d", 500_001+i))
	}
	return list
}

// order asks, as another owner, for a job that delivers to a target, which is refused.
func order(t *testing.T, addr, target string) int {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"schedule":"in 1h","prompt":"Good morning","deliver":%q}`, target, target)
	callAPI(t, addr, http.MethodPost, "/api/jobs", body, http.StatusBadRequest, nil)
	return 1
}
