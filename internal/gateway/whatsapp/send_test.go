package whatsapp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
)

// talk is a fake with one message of a person, and a message that answers it.
func talk(t *testing.T, o gatewaytest.WhatsAppOptions, act gatewaytest.Act) (*gatewaytest.WhatsApp, *whatsapp.Adapter, *gatewaytest.Ledger, *gateway.Out) {
	t.Helper()
	o.Unlimited = true
	s := gatewaytest.NewWhatsApp(t, o)
	ledger := gatewaytest.NewLedger()
	id, _ := s.Emit(t, act)
	a := adapter(t, s, whatsapp.Config{Template: whatsapp.Template{Name: gatewaytest.WhatsAppTemplate}})
	begin(t, a, ledger)
	s.DeliverTo(a.Webhook())
	ledger.AwaitEvents(t, id)
	e := ledger.Event(t, id)
	return s, a, ledger, &gateway.Out{ID: strings.Repeat("0", 31) + "1", Place: e.Place, Type: e.Type, ReplyTo: e.Message, Text: "*yes*"}
}

// reasonOf is why a message was not sent.
func reasonOf(t *testing.T, err error) *gateway.SendError {
	t.Helper()
	failed, ok := errors.AsType[*gateway.SendError](err)
	if !ok {
		t.Fatalf("got %v (%T), want a *SendError", err, err)
	}
	return failed
}

// TestSendBodies: what is asked of WhatsApp, letter for letter.
func TestSendBodies(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	number := *o
	number.Place.Chat, number.ReplyTo = "491555000001", ""
	pressed := *o
	pressed.Buttons = []gateway.Button{{ID: "y", Label: "Yes, and with a long label"}, {ID: "n", Label: "No"}}
	long := pressed
	long.Text = strings.Repeat("x", 1025)
	for _, m := range []*gateway.Out{o, &number, &pressed, &long} {
		if _, err := a.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Edit(t.Context(), o.ReplyTo, &pressed); err != nil {
		t.Fatal(err)
	}
	reply, id := `"context":{"message_id":"`+string(o.ReplyTo)+`"}`, `"biz_opaque_callback_data":"`+o.ID+`",`
	const individual = `{"messaging_product":"whatsapp","recipient_type":"individual",`
	person := individual + `"recipient":"` + o.Place.Chat + `",`
	press := `"interactive":{"type":"button","body":{"text":"*yes*"},"action":{"buttons":[{"type":"reply","reply":{"id":"y","title":"Yes, and with a lon…"}},` +
		`{"type":"reply","reply":{"id":"n","title":"No"}}]}}}`
	for i, want := range []string{
		person + `"type":"text",` + id + reply + `,"text":{"body":"*yes*","preview_url":false}}`,
		individual + `"to":"491555000001","type":"text",` + id + `"text":{"body":"*yes*","preview_url":false}}`,
		person + `"type":"interactive",` + id + reply + `,` + press,
		person + `"type":"text",` + id + reply + `,"text":{"body":"` + long.Text + `","preview_url":false}}`,
		person + `"type":"interactive",` + reply + `,` + press,
	} {
		if got := string(s.Requests("send")[i].Body); got != want {
			t.Errorf("message %d:\n got %s\nwant %s", i, got, want)
		}
	}
}

// TestSendFile: a file is uploaded, and a long text under it is cut: the file has all of it.
func TestSendFile(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	o.File, o.Text = &gateway.File{Name: "answer.md", Data: []byte("# All of it\n")}, strings.Repeat("ж", 3000)
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 1 || sent[0].File.Name != "answer.md" || string(sent[0].File.Data) != "# All of it\n" || sent[0].Text != strings.Repeat("ж", 1023)+"…" {
		t.Errorf("got %+v", sent)
	}
	if got := s.Requests("upload")[0].Mime; got != "text/plain" {
		t.Errorf("got the type %q", got)
	}
	for step, want := range map[gatewaytest.WhatsAppStep]gateway.SendReason{
		{CutAfter: true}: gateway.Temporary, gatewaytest.WhatsAppPage(502): gateway.Temporary, {Code: 131053}: gateway.Refused,
		{Code: 131056}: gateway.Limited,
	} {
		s.Script("upload", step)
		_, err := a.Send(t.Context(), o)
		if got := reasonOf(t, err); got.Reason != want {
			t.Errorf("an upload that meets %+v: got %v, want reason %d", step, err, want)
		}
	}
	o.File.Data = make([]byte, 20<<20+1)
	if _, err := a.Send(t.Context(), o); reasonOf(t, err).Reason != gateway.Refused {
		t.Errorf("21 MB: got %v", err)
	}
	if got := len(s.Sent()); got != 1 {
		t.Errorf("got %d messages, want 1", got)
	}
}

// TestWindow: outside the window only the template goes out, and the text after the person's
// next message.
func TestWindow(t *testing.T) {
	t.Parallel()
	s, a, ledger, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	s.CloseWindow("alice")
	_, err := a.Send(t.Context(), o)
	if got := reasonOf(t, err); got.Reason != gateway.Closed || !strings.Contains(got.Text, "24 hours") {
		t.Errorf("got %v, want it closed", err)
	}
	if err := a.Open(t.Context(), o.Place); err != nil || s.Templates() != 1 {
		t.Errorf("got %v, %d templates, want one", err, s.Templates())
	}
	id, _ := s.Emit(t, dm("yes?"))
	ledger.AwaitEvents(t, id)
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Error(err)
	}
	s.Script("template", gatewaytest.WhatsAppStep{Code: 132001})
	if got := reasonOf(t, a.Open(t.Context(), o.Place)); got.Reason != gateway.Refused || !strings.Contains(got.Text, "template") {
		t.Errorf("a template that does not exist: got %v", got)
	}
	without := adapter(t, s, whatsapp.Config{})
	if got := reasonOf(t, without.Open(t.Context(), o.Place)); got.Reason != gateway.Refused || !strings.Contains(got.Text, "template.name") {
		t.Errorf("without a template: got %v, want a reason that names the setting", got)
	}
}

// TestLateWindow: WhatsApp takes the message, and says later that it came too late.
func TestLateWindow(t *testing.T) {
	t.Parallel()
	s, a, ledger, o := talk(t, gatewaytest.WhatsAppOptions{LateRefusals: true}, dm("hello"))
	s.CloseWindow("alice")
	m, err := a.Send(t.Context(), o)
	if err != nil && reasonOf(t, err).Reason == gateway.Closed {
		m = gateway.MessageID(strings.TrimSuffix(failedID(ledger), ":failed")) // the status was faster
	} else if err != nil {
		t.Fatal(err)
	}
	ledger.AwaitEvents(t, string(m)+":failed")
	e := ledger.Event(t, string(m)+":failed")
	if e.Kind != gateway.Failed || !e.Closed || e.Sent != o.ID || e.Message != m || e.Place != o.Place || !strings.Contains(e.Reason, "24 hours") {
		t.Errorf("got %+v", e)
	}
	if _, found, err := a.Find(t.Context(), o); found || reasonOf(t, err).Reason != gateway.Closed {
		t.Errorf("found: got %t, %v, want it closed", found, err)
	}
}

// failedID is the id of the newest event that says that a message failed.
func failedID(ledger *gatewaytest.Ledger) string {
	id := ""
	for _, e := range ledger.Events() {
		if e.Kind == gateway.Failed {
			id = e.ID
		}
	}
	return id
}

// TestFailsBeforeTheAnswer: a status that is faster than the answer of the request counts.
func TestFailsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	var h http.Handler
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			gatewaytest.WhatsAppPost(h, []byte(`{"entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"`+gatewaytest.WhatsAppPhoneID+`"},`+
				`"statuses":[{"id":"wamid.1","status":"failed","recipient_user_id":"DE.1","biz_opaque_callback_data":"`+strings.Repeat("0", 32)+`","errors":[{"code":131026}]}]}}]}]}`))
		}
		_, _ = w.Write([]byte(`{"messages":[{"id":"wamid.1"}]}`))
	}))
	t.Cleanup(api.Close)
	a, ledger := plain(t, api.URL), gatewaytest.NewLedger()
	h = a.Webhook()
	begin(t, a, ledger)
	for a.Health().State != "webhook" {
		<-time.After(time.Millisecond)
	}
	_, err := a.Send(t.Context(), &gateway.Out{ID: strings.Repeat("0", 32), Place: gateway.Place{Chat: "DE.1"}, Text: "x"})
	if err == nil || reasonOf(t, err).Reason != gateway.Gone {
		t.Errorf("got %v, want it gone", err)
	}
}

// TestFindFailed: a message of an interrupted request that failed for a reason that may pass is sent
// again. It does not stay in doubt, and is not given up.
func TestFindFailed(t *testing.T) {
	t.Parallel()
	_, a, ledger, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	failed := func(code int) string {
		return fmt.Sprintf(`{"entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"`+gatewaytest.WhatsAppPhoneID+`"},`+
			`"statuses":[{"id":"wamid.%d","status":"failed","recipient_id":"4912345","biz_opaque_callback_data":"%s","errors":[{"code":%d}]}]}}]}]}`, code, o.ID, code)
	}
	for code, want := range map[int]bool{131000: true, 131049: false} {
		gatewaytest.WhatsAppPost(a.Webhook(), []byte(failed(code)))
		if e := ledger.Event(t, fmt.Sprintf("wamid.%d:failed", code)); e.Kind != gateway.Failed || e.Passing != want {
			t.Errorf("%d: got %+v, want passing: %t", code, e, want)
		}
		if _, found, err := a.Find(t.Context(), o); found || (err == nil) != want {
			t.Errorf("%d: found: got %t, %v", code, found, err)
		}
	}
}

// plain is an adapter for a server of a test.
func plain(t *testing.T, url string) *whatsapp.Adapter {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	cfg := config()
	cfg.API, cfg.HTTP = url, &http.Client{Transport: transport}
	a, err := whatsapp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a.Hasten()
}

// TestFind: a message whose sending broke off is found by its status. Without one it was
// not taken, as far as anybody can know.
func TestFind(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	s.Script("text", gatewaytest.WhatsAppStep{CutAfter: true})
	if _, err := a.Send(t.Context(), o); reasonOf(t, err).Reason != gateway.Unknown {
		t.Fatalf("got %v, want it unknown", err)
	}
	m, found, err := a.Find(t.Context(), o)
	if err != nil || !found || m != s.Sent()[0].Message {
		t.Errorf("got %s, %t, %v, want message %s", m, found, err, s.Sent()[0].Message)
	}
	other := *o
	other.ID = strings.Repeat("f", 32)
	s.Script("text", gatewaytest.WhatsAppStep{Cut: true})
	if _, err := a.Send(t.Context(), &other); reasonOf(t, err).Reason != gateway.Unknown {
		t.Fatalf("got %v, want it unknown", err)
	}
	if m, found, err := a.Find(t.Context(), &other); m != "" || found || err != nil {
		t.Errorf("nothing was taken: got %s, %t, %v", m, found, err)
	}
}

// TestPairLimit: the waits after 131056 double, and end with a message that is taken.
func TestPairLimit(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	pair := gatewaytest.WhatsAppStep{Code: 131056}
	s.Script("text", pair, pair, pair, gatewaytest.WhatsAppStep{}, pair, gatewaytest.WhatsAppStep{Code: 130429})
	for i, want := range []time.Duration{6, 12, 24, 0, 6} {
		_, err := a.Send(t.Context(), o)
		if want == 0 {
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got := reasonOf(t, err); got.Reason != gateway.Limited || got.After != want*time.Second || got.All {
			t.Errorf("try %d: got %+v, want a wait of %d s for the chat", i, got, want)
		}
	}
	if _, err := a.Send(t.Context(), o); !reasonOf(t, err).All {
		t.Errorf("130429: got %v, want the whole number to wait", err)
	}
}

// TestTokenRefused: the reason is clear, and is shown until the token is taken again. The message
// is kept for a token that is taken.
func TestTokenRefused(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
	s.Emit(t, dm("hello"))
	a, o := adapter(t, s, whatsapp.Config{}), &gateway.Out{Place: gateway.Place{Chat: s.Identity("alice")}, Text: "x"}
	s.SetBadToken(true)
	_, err := a.Send(t.Context(), o)
	if got := reasonOf(t, err); got.Reason != gateway.Temporary || !strings.Contains(got.Text, "access token") {
		t.Errorf("got %v", err)
	}
	if got := a.Health(); !strings.Contains(got.Reason, "access token") {
		t.Errorf("got %+v, want the reason", got)
	}
	s.SetBadToken(false)
	if _, err := a.Send(t.Context(), o); err != nil || strings.Contains(a.Health().Reason, "access token") {
		t.Errorf("got %v, %+v", err, a.Health())
	}
}

// TestNoRepeat: a request is sent once, whatever comes of it.
func TestNoRepeat(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	for _, step := range []gatewaytest.WhatsAppStep{{Cut: true}, {CutAfter: true}, gatewaytest.WhatsAppPage(502), {Code: 131056}, {Code: 2}} {
		before := len(s.Requests("text"))
		s.Script("text", step)
		if _, err := a.Send(t.Context(), o); err == nil {
			t.Errorf("%+v: got no error", step)
		}
		if got := len(s.Requests("text")) - before; got != 1 {
			t.Errorf("%+v: got %d requests, want 1", step, got)
		}
	}
}

// TestBadPlaces: what is no id of WhatsApp is refused without a request.
func TestBadPlaces(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	for _, chat := range []string{"", "family", "../me", "DE.\n", "me/permissions?x=1"} {
		o.Place.Chat = chat
		if _, err := a.Send(t.Context(), o); reasonOf(t, err).Reason != gateway.Refused {
			t.Errorf("%q: got %v, want it refused", chat, err)
		}
	}
	if got := len(s.Requests("send")); got != 0 {
		t.Errorf("got %d requests", got)
	}
}

// TestGroup: a group gets no buttons, and is named as a group.
func TestGroup(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, gatewaytest.Act{Kind: gateway.Said, Type: gateway.Group, Chat: "family", Name: "alice", Text: "x", Mention: true})
	o.Buttons = []gateway.Button{{ID: "y", Label: "Yes"}}
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Kind string `json:"recipient_type"`
		To   string `json:"to"`
	}
	if err := json.Unmarshal(s.Requests("send")[0].Body, &m); err != nil || m.Kind != "group" || m.To != o.Place.Chat {
		t.Errorf("got %+v, %v", m, err)
	}
}

// TestRedirect: a redirect is not followed. It would give the token to another server.
func TestRedirect(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request went to another server") }))
	t.Cleanup(thief.Close)
	from := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(from.Close)
	_, err := plain(t, from.URL).Send(t.Context(), &gateway.Out{Place: gateway.Place{Chat: "DE.5"}, Text: "x"})
	if reasonOf(t, err).Reason != gateway.Temporary {
		t.Errorf("got %v, want it temporary", err)
	}
}

// TestRenumber: a person with another number is one event, and is then written to there.
func TestRenumber(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]gatewaytest.WhatsAppOptions{"both": {}, "numbers": {NoUserIDs: true}, "user ids": {NoNumbers: true}} {
		s, a, ledger, out := talk(t, o, dm("hello"))
		id := s.Renumber("alice")
		ledger.AwaitEvents(t, id)
		e := ledger.Event(t, id)
		if e.Kind != gateway.Moved || e.Place != out.Place || e.MovedTo != s.Identity("alice") {
			t.Errorf("%s: got %+v, want a move from %s to %s", name, e, out.Place.Chat, s.Identity("alice"))
		}
		_, err := a.Send(t.Context(), out)
		if reasonOf(t, err).Reason != gateway.Gone {
			t.Errorf("%s: to the old id: got %v, want it gone", name, err)
		}
		out.Place.Chat = e.MovedTo
		if _, err := a.Send(t.Context(), out); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParallelFinds: many wait for statuses at once.
func TestParallelFinds(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	var work sync.WaitGroup
	for i := range 16 {
		one := *o
		one.ID = strings.Repeat("0", 30) + string("0123456789abcdef"[i]) + "a"
		work.Go(func() {
			s.Script("text", gatewaytest.WhatsAppStep{})
			if _, err := a.Send(t.Context(), &one); err != nil {
				t.Error(err)
			}
			if _, found, err := a.Find(t.Context(), &one); !found || err != nil {
				t.Errorf("got %t, %v", found, err)
			}
		})
	}
	work.Wait()
}
