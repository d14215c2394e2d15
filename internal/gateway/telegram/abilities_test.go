package telegram_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
)

// The abilities of the adapter.
var (
	_ gateway.Adapter   = (*telegram.Adapter)(nil)
	_ gateway.Commander = (*telegram.Adapter)(nil)
	_ gateway.Drafter   = (*telegram.Adapter)(nil)
	_ gateway.Prober    = (*telegram.Adapter)(nil)
	_ gateway.Checker   = (*telegram.Adapter)(nil)
	_ gateway.Reporter  = (*telegram.Adapter)(nil)
)

// TestCommands: commands are written once for private chats and once for groups, and then
// only if they change.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	a := adapter(t, s, telegram.Config{})
	list := []gateway.CommandInfo{{Name: "new", Usage: "Begin"}, {Name: "resume", Usage: "Go back", Args: "n"}, {Name: "Bad-Name"}, {Name: "x", Usage: strings.Repeat("ж", 300)}}
	for i, want := range []int{2, 2, 4} {
		if i == 2 {
			list = list[:2]
		}
		if err := a.Commands(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		if got := len(s.Requests("setMyCommands")); got != want {
			t.Errorf("call %d: got %d requests to write, want %d", i, got, want)
		}
	}
	last := s.Requests("setMyCommands")[3].Params
	if last["scope"] != `{"type":"all_group_chats"}` || last["commands"] != `[{"command":"new","description":"Begin"},{"command":"resume","description":"Go back (n)"}]` {
		t.Errorf("got %v", last)
	}
}

// TestPressIsAnswered: a press is answered, and an edit takes the buttons away.
func TestPressIsAnswered(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, dm("hello"))
	o.Buttons = []gateway.Button{{ID: "y", Label: "Yes"}}
	m, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	s.Script("answerCallbackQuery", gatewaytest.TelegramStep{Hold: answered})
	s.Emit(t, gatewaytest.Act{Kind: gateway.Pressed, Type: gateway.DM, Chat: "alice", Name: "alice", Message: m, Button: "y"})
	close(answered)
	for len(s.Answered()) == 0 {
		if err := a.Signal(t.Context(), o.Place, m, gateway.Typing); err != nil { // a request of its own, to wait for
			t.Fatal(err)
		}
	}
	if err := a.Edit(t.Context(), m, &gateway.Out{Place: o.Place, Text: "done"}); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent(); len(sent[0].Buttons) != 0 || sent[0].Text != "done" {
		t.Errorf("got %+v, want the buttons gone", sent[0])
	}
}

// TestReactions: marks are emoji that Telegram takes.
func TestReactions(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, dm("hello"))
	for _, mark := range []gateway.Mark{gateway.Typing, gateway.Waits, gateway.Works, gateway.Broke, gateway.Clear} {
		if err := a.Signal(t.Context(), o.Place, o.ReplyTo, mark); err != nil {
			t.Errorf("mark %d: %v", mark, err)
		}
	}
	var got []string
	for _, signal := range s.Signals() {
		got = append(got, signal.Sign)
	}
	if want := []string{"typing", "👌", "👀", "💔", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := a.Signal(t.Context(), o.Place, "", gateway.Works); err == nil {
		t.Error("a reaction to no message: got no error")
	}
}

// TestDraft: drafts are shown in private chats only.
func TestDraft(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, dm("hello"))
	for _, text := range []string{"so", "so far"} {
		o.Text = text
		if err := a.Draft(t.Context(), 77, o); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Drafts(); len(got) != 2 || got[1].Text != "so far" || got[0].ID != "77" || got[1].ID != "77" {
		t.Errorf("got %+v", got)
	}
	o.Type = gateway.Group
	if failed, ok := errors.AsType[*gateway.SendError](a.Draft(t.Context(), 77, o)); !ok || failed.Reason != gateway.Refused {
		t.Errorf("in a group: got %v, want it refused", failed)
	}
}

// TestCheck: privacy mode is named with the way out.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, private := range []bool{false, true} {
		s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{Private: private})
		c, err := adapter(t, s, telegram.Config{}).Check(t.Context())
		if err != nil || c.Name != "@"+gatewaytest.TelegramBotName || c.Account != "7700123" {
			t.Errorf("got %+v, %v", c, err)
		}
		if named := len(c.Missing) == 1 && strings.Contains(c.Missing[0], "/setprivacy"); named != private {
			t.Errorf("privacy mode %t: got %q", private, c.Missing)
		}
	}
}

// TestCheckWebhook: what keeps Telegram from delivering is named.
func TestCheckWebhook(t *testing.T) {
	t.Parallel()
	own := telegram.Config{WebhookURL: webhookURL, WebhookSecret: webhookSecret}
	for name, tt := range map[string]struct {
		cfg          telegram.Config
		url, failure string
		says         string // "" if nothing is missing
	}{
		"polling":                      {telegram.Config{}, "", "", ""},
		"polling, a webhook elsewhere": {telegram.Config{}, "https://other.example/secret", "", "other.example,"},
		"not yet":                      {own, "", "", "when it starts"},
		"elsewhere":                    {own, "https://other.example/secret", "", "other.example,"},
		"own":                          {own, webhookURL, "", ""},
		"not reached":                  {own, webhookURL, "Connection timed out", "3 updates wait. Telegram says: Connection timed out"},
	} {
		s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
		s.SetWebhook(tt.url, tt.failure)
		c, err := adapter(t, s, tt.cfg).Check(t.Context())
		said := strings.Join(c.Missing, "; ")
		if err != nil || (said == "") != (tt.says == "") || !strings.Contains(said, tt.says) || strings.Contains(said, "/secret") {
			t.Errorf("%s: got %q, %v, want %q", name, said, err, tt.says)
		}
	}
}

// TestCheckFails: a refused token is told from a platform that is away, with what to do.
func TestCheckFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step gatewaytest.TelegramStep
		kind fault.Kind
		says string
	}{
		"token": {gatewaytest.TelegramStep{Code: 401}, fault.Unauthenticated, "TELEGRAM_BOT_TOKEN"},
		"form":  {gatewaytest.TelegramStep{Code: 404}, fault.Unauthenticated, "TELEGRAM_BOT_TOKEN"},
		"page":  {gatewaytest.TelegramStep{Code: 502, Page: true}, fault.Unavailable, "code 502"},
		"away":  {gatewaytest.TelegramStep{Cut: true}, fault.Unavailable, "HTTPS_PROXY"},
	} {
		s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
		s.Always("getMe", c.step)
		_, err := adapter(t, s, telegram.Config{}).Check(t.Context())
		if fault.KindOf(err) != c.kind || !strings.Contains(fault.MessageOf(err), c.says) {
			t.Errorf("%s: got %v: %q, want %v with %q", name, fault.KindOf(err), fault.MessageOf(err), c.kind, c.says)
		}
	}
}

// TestMoved: a group that becomes a supergroup is one event, and sending to the old group
// names the new one.
func TestMoved(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, gatewaytest.Act{Kind: gateway.Said, Type: gateway.Group, Chat: "family", Name: "alice", Text: "x"})
	chat, err := strconv.ParseInt(o.Place.Chat, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	to := s.Migrate(chat)
	_, err = a.Send(t.Context(), o)
	if failed, ok := errors.AsType[*gateway.SendError](err); !ok || failed.Reason != gateway.Elsewhere || failed.MovedTo != to {
		t.Errorf("got %v, want it elsewhere, in %s", err, to)
	}
}

// TestFetchLimits: a file over 20 MB, a path elsewhere and a redirect are refused.
func TestFetchLimits(t *testing.T) {
	t.Parallel()
	path, size := "documents/a.txt", 3
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/getFile"):
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte("huge")) {
				w.WriteHeader(400)
				_, _ = io.WriteString(w, `{"ok":false,"error_code":400,"description":"Bad Request: file is too big"}`)
				return
			}
			_, _ = io.WriteString(w, `{"ok":true,"result":{"file_id":"f","file_unique_id":"u","file_path":"`+path+`"}}`)
		case strings.HasSuffix(r.URL.Path, "moved"):
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/elsewhere"):
			t.Error("the redirect was followed")
		default:
			for range size { // in chunks, without a length
				_, _ = w.Write(make([]byte, 1<<20))
			}
		}
	}))
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := telegram.New(telegram.Config{Token: gatewaytest.TelegramToken, API: server.URL, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(ref string) (int, error) {
		r, err := a.Fetch(t.Context(), gateway.FileRef{Ref: ref})
		if err != nil {
			return 0, err
		}
		defer func() { _ = r.Close() }()
		data, err := io.ReadAll(r)
		return len(data), err
	}
	if n, err := fetch("f"); err != nil || n != size<<20 {
		t.Errorf("got %d bytes, %v, want %d MiB", n, err, size)
	}
	if _, err := fetch("huge"); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("a file that Telegram calls too big: got %v", err)
	}
	size = 21
	if _, err := fetch("f"); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("a file of 21 MiB: got %v", err)
	}
	for _, path = range []string{"../secret", "a/../../b", "/etc/passwd", "a//b", ""} {
		if _, err := fetch("f"); fault.CodeOf(err) != "invalid_file_path" {
			t.Errorf("%q: got %v, want it refused", path, err)
		}
	}
	path = "moved"
	if _, err := fetch("f"); err == nil || strings.Contains(err.Error(), gatewaytest.TelegramToken) {
		t.Errorf("a redirect: got %v, want an error without the token", err)
	}
}
