package telegram_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
)

// talk is a fake with one message of alice, and a message that answers it.
func talk(t *testing.T, a gatewaytest.Act) (*gatewaytest.Telegram, *telegram.Adapter, *gateway.Out) {
	t.Helper()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{Unlimited: true})
	ledger := gatewaytest.NewLedger()
	id, _ := s.Emit(t, a)
	ad := adapter(t, s, telegram.Config{})
	run(t, ad, ledger)
	ledger.AwaitEvents(t, id)
	e := ledger.Event(t, id)
	return s, ad, &gateway.Out{ID: strings.Repeat("0", 32), Place: e.Place, Type: e.Type, ReplyTo: e.Message, Text: "<b>yes</b>"}
}

func TestSendParams(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, gatewaytest.Act{Kind: gateway.Said, Type: gateway.Group, Chat: "forum", Thread: "plans", Name: "alice", Text: "x", Mention: true})
	o.Buttons = []gateway.Button{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}, {ID: "c", Label: "C"}}
	for _, thread := range []string{o.Place.Thread, "1", ""} { // 1 is General
		o.Place.Thread = thread
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	sent := s.Requests("sendMessage")
	if got := []string{sent[0].Params["message_thread_id"], sent[1].Params["message_thread_id"], sent[2].Params["message_thread_id"]}; got[0] == "" || got[1] != "" || got[2] != "" {
		t.Errorf("threads: got %q, want the first only", got)
	}
	for name, want := range map[string]string{
		"parse_mode": "HTML", "link_preview_options": `{"is_disabled":true}`, "text": "<b>yes</b>",
		"reply_parameters": `{"message_id":` + string(o.ReplyTo) + `,"allow_sending_without_reply":true}`,
		"reply_markup":     `{"inline_keyboard":[[{"text":"A","callback_data":"a"},{"text":"B","callback_data":"b"}],[{"text":"C","callback_data":"c"}]]}`,
	} {
		if got := sent[0].Params[name]; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	o.ReplyTo, o.Plain, o.Buttons = "999", true, nil // a message that was deleted
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests("sendMessage")[3].Params; got["parse_mode"] != "" || got["reply_markup"] != "" {
		t.Errorf("a plain message: got %v", got)
	}
}

// TestClosedTopic: the reason says what to do, for the rest of the group is open to the bot.
func TestClosedTopic(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, dm("hello"))
	s.Script("sendMessage", gatewaytest.TelegramStep{Code: 400, Description: "Bad Request: TOPIC_CLOSED"})
	_, err := a.Send(t.Context(), o)
	if failed, ok := errors.AsType[*gateway.SendError](err); !ok || !strings.Contains(failed.Text, "topic is closed") {
		t.Errorf("got %v, want it to name the closed topic", err)
	}
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	for description, tt := range map[string]struct {
		step   gatewaytest.TelegramStep
		reason gateway.SendReason
	}{
		"Bad Request: chat not found":                        {gatewaytest.TelegramStep{Code: 400}, gateway.Gone},
		"Bad Request: message thread not found":              {gatewaytest.TelegramStep{Code: 400}, gateway.NoThread},
		"Bad Request: TOPIC_DELETED":                         {gatewaytest.TelegramStep{Code: 400}, gateway.NoThread},
		"Bad Request: TOPIC_CLOSED":                          {gatewaytest.TelegramStep{Code: 400}, gateway.Refused},
		"Bad Request: message to edit not found":             {gatewaytest.TelegramStep{Code: 400}, gateway.Missing},
		"Bad Request: message can't be edited":               {gatewaytest.TelegramStep{Code: 400}, gateway.Missing},
		"Bad Request: PEER_ID_INVALID":                       {gatewaytest.TelegramStep{Code: 400}, gateway.Gone},
		"Forbidden: bot was blocked by the user":             {gatewaytest.TelegramStep{Code: 403}, gateway.Gone},
		"Forbidden: bot was kicked from the supergroup chat": {gatewaytest.TelegramStep{Code: 403}, gateway.Gone},
		"Bad Request: message is too long":                   {gatewaytest.TelegramStep{Code: 400}, gateway.Refused},
		"Bad Request: BUTTON_DATA_INVALID":                   {gatewaytest.TelegramStep{Code: 400}, gateway.Refused},
		"Unauthorized":                                       {gatewaytest.TelegramStep{Code: 401}, gateway.Temporary},
		"Bad Request: can't parse entities: Unsupported start tag \"our secret\" at byte": {gatewaytest.TelegramStep{Code: 400}, gateway.Malformed},
		"Bad Request: group chat was upgraded to a supergroup chat":                       {gatewaytest.TelegramStep{Code: 400, MigrateTo: -1009}, gateway.Elsewhere},
		"Too Many Requests: retry after 9":                                                {gatewaytest.TelegramStep{Code: 429, RetryAfter: 9}, gateway.Limited},
		"Too Many Requests":                                                               {gatewaytest.TelegramStep{Code: 429}, gateway.Limited},
		"Internal Server Error":                                                           {gatewaytest.TelegramStep{Code: 500}, gateway.Unknown},
		"Service Unavailable":                                                             {gatewaytest.TelegramStep{Code: 503}, gateway.Temporary},
		"a page 502":                                                                      {gatewaytest.TelegramPage(502), gateway.Unknown},
		"a page 503":                                                                      {gatewaytest.TelegramPage(503), gateway.Temporary},
		"a page 200":                                                                      {gatewaytest.TelegramPage(200), gateway.Unknown},
		"a page 403":                                                                      {gatewaytest.TelegramPage(403), gateway.Temporary},
		"a page 413":                                                                      {gatewaytest.TelegramPage(413), gateway.Refused},
	} {
		s, a, o := talk(t, dm("hello"))
		tt.step.Description = description
		s.Script("sendMessage", tt.step)
		_, err := a.Send(t.Context(), o)
		failed, ok := errors.AsType[*gateway.SendError](err)
		if !ok || failed.Reason != tt.reason {
			t.Errorf("%s: got %v, want reason %d", description, err, tt.reason)
			continue
		}
		if strings.Contains(err.Error(), "our secret") {
			t.Errorf("%s: the error holds words of the message: %v", description, err)
		}
		if want := max(1, tt.step.RetryAfter); failed.Reason == gateway.Limited && failed.After != time.Duration(want)*time.Second {
			t.Errorf("%s: got a wait of %s, want %d s", description, failed.After, want)
		}
		if failed.Reason == gateway.Elsewhere && failed.MovedTo != "-1009" {
			t.Errorf("%s: got %q", description, failed.MovedTo)
		}
	}
}

// TestNoRepeat: a request is sent once, whatever comes of it.
func TestNoRepeat(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, dm("hello"))
	for _, step := range []gatewaytest.TelegramStep{{Cut: true}, {CutAfter: true}, gatewaytest.TelegramPage(502), gatewaytest.TelegramWait(1)} {
		before := len(s.Requests("sendMessage"))
		s.Script("sendMessage", step)
		if _, err := a.Send(t.Context(), o); err == nil {
			t.Errorf("%+v: got no error", step)
		}
		if got := len(s.Requests("sendMessage")) - before; got != 1 {
			t.Errorf("%+v: got %d requests, want 1", step, got)
		}
	}
}

// TestProbe: a probe sends nothing, and fails while Telegram does not answer.
func TestProbe(t *testing.T) {
	t.Parallel()
	s, a, _ := talk(t, dm("hello"))
	for reason, step := range map[gateway.SendReason]gatewaytest.TelegramStep{
		gateway.Unknown: {CutAfter: true}, gateway.Temporary: gatewaytest.TelegramPage(503), gateway.Limited: gatewaytest.TelegramWait(1),
	} {
		s.Script("getMe", step)
		if failed, ok := errors.AsType[*gateway.SendError](a.Probe(t.Context())); !ok || failed.Reason != reason {
			t.Errorf("%+v: got %v, want reason %d", step, failed, reason)
		}
	}
	if err := a.Probe(t.Context()); err != nil {
		t.Errorf("got %v from a Telegram that answers", err)
	}
	if got := len(s.Requests("sendMessage")); got != 0 {
		t.Errorf("got %d messages", got)
	}
}

// TestBadPlaces: what is no id of Telegram is refused without a request.
func TestBadPlaces(t *testing.T) {
	t.Parallel()
	s, a, o := talk(t, dm("hello"))
	for _, place := range []gateway.Place{{Chat: "family"}, {Chat: ""}, {Chat: "5", Thread: "plans"}} {
		o.Place = place
		_, err := a.Send(t.Context(), o)
		if failed, ok := errors.AsType[*gateway.SendError](err); !ok || failed.Reason != gateway.Refused {
			t.Errorf("%+v: got %v, want it refused", place, err)
		}
	}
	if got := len(s.Requests("sendMessage")); got != 0 {
		t.Errorf("got %d requests", got)
	}
}

// TestRedirect: a redirect is not followed. It would give the token to another server.
func TestRedirect(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request went to another server, from %q", r.Referer())
	}))
	t.Cleanup(thief.Close)
	from := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(from.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := telegram.New(telegram.Config{Token: gatewaytest.TelegramToken, API: from.URL, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Send(t.Context(), &gateway.Out{Place: gateway.Place{Chat: "5"}, Text: "x"})
	if failed, ok := errors.AsType[*gateway.SendError](err); !ok || failed.Reason != gateway.Temporary {
		t.Errorf("got %v, want it temporary", err)
	}
}
