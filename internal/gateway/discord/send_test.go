package discord_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// reasonOf is the reason of an error of sending.
func reasonOf(t *testing.T, err error) gateway.SendReason {
	t.Helper()
	failed, ok := errors.AsType[*gateway.SendError](err)
	if !ok {
		t.Fatalf("got %v (%T), want a *SendError", err, err)
	}
	return failed.Reason
}

// send is a fake without a limit of messages, and an adapter that does not run.
func send(t *testing.T, o gatewaytest.DiscordOptions) (*gatewaytest.Discord, *discord.Adapter) {
	t.Helper()
	if o.Messages == 0 {
		o.Messages = -1
	}
	d := newFake(t, o)
	return d, adapter(t, d, discord.Config{})
}

// TestBody: a message pings nobody, shows no previews, and can be sent once only.
func TestBody(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	o := out(1, guildChannel, "@everyone look at <@7>: https://example.com/")
	o.ReplyTo = "123"
	o.Buttons = []gateway.Button{{ID: "y", Label: "Yes"}}
	m, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Edit(t.Context(), m, o); err != nil {
			t.Fatal(err)
		}
	}
	for i, q := range slices.Concat(d.Requests("POST /channels/"), d.Requests("PATCH /channels/")) {
		var body map[string]json.RawMessage
		if err := json.Unmarshal(q.Body, &body); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"content": `"@everyone look at \u003c@7\u003e: https://example.com/"`, "flags": "4",
			"components": `[{"type":1,"components":[{"type":2,"style":2,"label":"Yes","custom_id":"y"}]}]`,
		}
		if i == 0 {
			want["enforce_nonce"], want["nonce"] = "true", `"`+o.ID[:25]+`"`
			want["message_reference"] = `{"message_id":"123","fail_if_not_exists":false}`
		}
		for name, text := range want {
			if got := string(body[name]); got != text {
				t.Errorf("request %d: %s: got %s, want %s", i, name, got, text)
			}
		}
		if got := string(body["allowed_mentions"]); !strings.HasPrefix(got, `{"parse":[]`) || strings.Contains(got, "true") {
			t.Errorf("request %d: allowed_mentions: got %s, want nobody", i, got)
		}
	}
}

// TestThreads: a message in a thread has its channel as the chat, and goes back to it.
func TestThreads(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	e := hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: thread, Text: "among us"})
	if e.Place != placeOf(thread) || e.Type != gateway.Channel || e.Title != "ideas" || e.Addressed {
		t.Errorf("got %+v, addressed %t", e, e.Addressed)
	}
	o := out(1, thread, "in the thread")
	o.ReplyTo = e.Message
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := d.Sent(thread); len(got) != 1 || got[0].ReplyTo != string(e.Message) {
		t.Errorf("got %+v in the thread", got)
	}
	if got := d.Sent(forum); len(got) != 0 {
		t.Errorf("got %+v in the channel", got)
	}
	if e := hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: thread, Text: "go on"}); !e.Addressed {
		t.Error("the bot takes part in the thread, but is not addressed")
	}
	if e := hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: guildChannel, Text: "to all"}); e.Addressed || e.Title != "general" || e.Place != placeOf(guildChannel) {
		t.Errorf("got %+v, addressed %t", e, e.Addressed)
	}
}

// TestMentionedInThread: the bot is addressed in a thread after it was mentioned there.
func TestMentionedInThread(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	bot := map[string]any{"id": gatewaytest.DiscordBot, "username": "hermes", "bot": true}
	for i, tt := range []struct {
		text, want string
		addressed  bool
	}{{"among us", "among us", false}, {"<@" + gatewaytest.DiscordBot + "> help", "help", true}, {"go on", "go on", true}} {
		s := gatewaytest.DiscordSaid{Channel: thread, Text: tt.text}
		if i == 1 {
			s.Raw = map[string]any{"mentions": []any{bot}}
		}
		if e := hear(t, d, ledger, s); e.Text != tt.want || e.Addressed != tt.addressed {
			t.Errorf("%q: got %q, addressed %t", tt.text, e.Text, e.Addressed)
		}
	}
}

// TestJoinedThread: the bot is addressed in a thread that it had joined before.
func TestJoinedThread(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	d.AddChannel(gatewaytest.DiscordChannel{ID: "705", Type: 12, Guild: theGuild, Parent: guildChannel, Joined: true})
	e := hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: "705", Text: "hello"})
	if !e.Addressed || e.Place.Chat != guildChannel || e.Place.Thread != "705" {
		t.Errorf("got %+v", e)
	}
}

// TestCatchUp: the newest messages of a place, or those after one, oldest first.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	var ids []string
	for range 130 {
		ids = append(ids, d.Say(gatewaytest.DiscordSaid{Channel: thread, Text: "words"}))
	}
	for after, want := range map[string][]string{"": ids[30:], ids[9]: ids[10:110], ids[128]: ids[129:], ids[129]: nil} {
		list, err := a.CatchUp(t.Context(), placeOf(thread), gateway.MessageID(after))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.ID)
			if e.Place != placeOf(thread) || e.Kind != gateway.Said {
				t.Errorf("got %+v", e)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %q: got %d messages, want %d", after, len(got), len(want))
		}
	}
	for _, bad := range []gateway.Place{{Chat: "../../users"}, {Chat: "5", Thread: "x"}, {}} {
		if _, err := a.CatchUp(t.Context(), bad, ""); reasonOf(t, err) != gateway.Refused {
			t.Errorf("%+v: got %v", bad, err)
		}
	}
}

// TestFind: a message whose sending broke off is found by its nonce or by its text, and is
// not taken for another one.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, hidden := range []bool{false, true} {
		d, a := send(t, gatewaytest.DiscordOptions{HideNonce: hidden})
		taken, lost, other := out(1, dmChannel, "the same words"), out(2, dmChannel, "other words"), out(3, dmChannel, "the same words")
		d.Fault("POST /channels/{channel}/messages", gatewaytest.DiscordFault{CutAfter: true}, gatewaytest.DiscordFault{CutBefore: true})
		for _, o := range []*gateway.Out{taken, lost} {
			if _, err := a.Send(t.Context(), o); reasonOf(t, err) != gateway.Unknown {
				t.Errorf("got %v, want it unknown", err)
			}
		}
		d.Advance(10 * time.Minute) // the nonce is forgotten
		a = adapter(t, d, discord.Config{})
		want := d.Sent(dmChannel)[0].ID
		if m, found, err := a.Find(t.Context(), taken); err != nil || !found || string(m) != want {
			t.Errorf("nonce hidden %t: got %s, %t, %v, want %s", hidden, m, found, err, want)
		}
		for _, o := range []*gateway.Out{lost, other} { // the message with these words is another's
			if !hidden {
				a = adapter(t, d, discord.Config{}) // only the nonce tells
			}
			if m, found, err := a.Find(t.Context(), o); err != nil || found {
				t.Errorf("nonce hidden %t: found %s for a message that was not sent (%v)", hidden, m, err)
			}
		}
	}
}

// TestFindShapes: without a nonce a message is found only with its buttons, its file and
// the message that it answers; an old one only by the last of these.
func TestFindShapes(t *testing.T) {
	t.Parallel()
	d, first := send(t, gatewaytest.DiscordOptions{HideNonce: true})
	asked := d.Say(said("a question"))
	o := out(1, dmChannel, "words")
	o.Buttons = []gateway.Button{{ID: "y", Label: "Yes"}}
	answer := out(2, dmChannel, "an answer")
	answer.ReplyTo = gateway.MessageID(asked)
	for _, o := range []*gateway.Out{o, answer} {
		if _, err := first.Send(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	find := func(o *gateway.Out) bool {
		_, found, err := adapter(t, d, discord.Config{}).Find(t.Context(), o)
		if err != nil {
			t.Error(err)
		}
		return found
	}
	bare, filed := *o, *o
	bare.Buttons, filed.File = nil, &gateway.File{Name: "x"}
	if !find(o) || find(&bare) || find(&filed) {
		t.Errorf("found: %t with its button, %t without, %t with a file", find(o), find(&bare), find(&filed))
	}
	elsewhere := *answer
	elsewhere.ReplyTo = "99"
	if !find(answer) || find(&elsewhere) {
		t.Errorf("found: %t as the answer, %t as the answer to another", find(answer), find(&elsewhere))
	}
	d.Advance(2 * time.Hour)
	if find(o) || !find(answer) {
		t.Errorf("after two hours: found %t and %t, want the answer only", find(o), find(answer))
	}
}

// TestNonce: within minutes a message is sent once, however often it is tried.
func TestNonce(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	o := out(1, dmChannel, "once")
	d.Fault("POST /channels/{channel}/messages", gatewaytest.DiscordFault{CutAfter: true}, gatewaytest.DiscordFault{CutAfter: true})
	for range 3 {
		_, _ = a.Send(t.Context(), o)
	}
	if got := d.Sent(dmChannel); len(got) != 1 {
		t.Errorf("got %d messages, want one", len(got))
	}
}

// TestNoRepeat: a request is made once, whatever comes of it.
func TestNoRepeat(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	for i, f := range []gatewaytest.DiscordFault{{CutBefore: true}, {CutAfter: true}, {Status: 500}, {Status: 503}, {RetryAfter: time.Second}} {
		before := len(d.Requests(posts))
		d.Fault("POST /channels/{channel}/messages", f)
		if _, err := a.Send(t.Context(), out(i, dmChannel, "x")); err == nil {
			t.Errorf("%+v: got no error", f)
		}
		if got := len(d.Requests(posts)) - before; got != 1 {
			t.Errorf("%+v: got %d requests, want 1", f, got)
		}
	}
}

// TestErrors: what Discord answers has one meaning each.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault gatewaytest.DiscordFault
		want  gateway.SendReason
	}{
		{gatewaytest.DiscordFault{Code: 10003}, gateway.Gone},
		{gatewaytest.DiscordFault{Code: 50001}, gateway.Gone},
		{gatewaytest.DiscordFault{Code: 50007}, gateway.Gone},
		{gatewaytest.DiscordFault{Code: 50013}, gateway.Refused},
		{gatewaytest.DiscordFault{Code: 10008}, gateway.Missing},
		{gatewaytest.DiscordFault{Code: 40004}, gateway.Temporary},
		{gatewaytest.DiscordFault{Code: 50083}, gateway.Missing},
		{gatewaytest.DiscordFault{Code: 50278}, gateway.Gone},
		{gatewaytest.DiscordFault{Code: 77777}, gateway.Refused},
		{gatewaytest.DiscordFault{Code: 50035, Field: "content"}, gateway.Malformed},
		{gatewaytest.DiscordFault{Code: 50035, Field: "components"}, gateway.Refused},
		{gatewaytest.DiscordFault{Status: 500}, gateway.Unknown},
		{gatewaytest.DiscordFault{Status: 502}, gateway.Unknown},
		{gatewaytest.DiscordFault{Status: 503}, gateway.Temporary},
		{gatewaytest.DiscordFault{Status: 504}, gateway.Unknown},
		{gatewaytest.DiscordFault{Status: 200}, gateway.Unknown},   // a page
		{gatewaytest.DiscordFault{Status: 401}, gateway.Temporary}, // pages of a proxy, too
		{gatewaytest.DiscordFault{Status: 403}, gateway.Temporary},
		{gatewaytest.DiscordFault{Status: 302}, gateway.Temporary},
		{gatewaytest.DiscordFault{Status: 413}, gateway.Refused},
		{gatewaytest.DiscordFault{RetryAfter: 300 * time.Millisecond}, gateway.Limited},
	} {
		d, a := send(t, gatewaytest.DiscordOptions{})
		d.Fault("POST /channels/{channel}/messages", tt.fault)
		_, err := a.Send(t.Context(), out(1, dmChannel, "our secret"))
		if got := reasonOf(t, err); got != tt.want {
			t.Errorf("%+v: got reason %d (%v), want %d", tt.fault, got, err, tt.want)
		}
		if strings.Contains(err.Error(), "our secret") || strings.Contains(err.Error(), dmChannel) {
			t.Errorf("%+v: the error tells too much: %v", tt.fault, err)
		}
	}
}

// TestReasonsOfRefusals: people are told why Discord takes a message at no time.
func TestReasonsOfRefusals(t *testing.T) {
	t.Parallel()
	for code, says := range map[int]string{
		160002: "Read Message History", 160005: "locked", 200000: "AutoMod", 240000: "link", 50083: "archived", 50278: "server", 77777: "code 77777",
	} {
		d, a := send(t, gatewaytest.DiscordOptions{})
		d.Fault("POST /channels/{channel}/messages", gatewaytest.DiscordFault{Code: code})
		_, err := a.Send(t.Context(), out(1, dmChannel, "our secret"))
		if f, ok := errors.AsType[*gateway.SendError](err); !ok || !strings.Contains(f.Text, says) {
			t.Errorf("code %d: got %v, want that it says %q", code, err, says)
		}
	}
}

// TestTokenRefusedForAnswer: the operator can mend the token, so the answer is tried again.
func TestTokenRefusedForAnswer(t *testing.T) {
	t.Parallel()
	d := newFake(t, gatewaytest.DiscordOptions{})
	a := adapter(t, d, discord.Config{Token: strings.Replace(gatewaytest.DiscordToken, ".fake.", ".other.", 1)})
	if _, err := a.Send(t.Context(), out(1, dmChannel, "an answer")); reasonOf(t, err) != gateway.Temporary {
		t.Errorf("got %v, want another try", err)
	}
}

// TestLimits: a request that Discord would refuse is not made, and the wait is told in
// fractions of a second.
func TestLimits(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{Messages: 5})
	for i := range 5 {
		if _, err := a.Send(t.Context(), out(i, dmChannel, "x")); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		_, err := a.Send(t.Context(), out(6, dmChannel, "x"))
		failed, _ := errors.AsType[*gateway.SendError](err)
		if reasonOf(t, err) != gateway.Limited || failed.All || failed.After <= 4*time.Second || failed.After > 5*time.Second {
			t.Errorf("got %+v, want a wait for this chat", failed)
		}
	}
	if n := len(d.Requests(posts)); n != 5 {
		t.Errorf("got %d requests, want 5", n)
	}
	if _, err := a.Send(t.Context(), out(7, guildChannel, "x")); err != nil {
		t.Errorf("another chat: %v", err)
	}
	d.Advance(5 * time.Second)
	if _, err := a.Send(t.Context(), out(6, dmChannel, "x")); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// TestGlobalLimit: a wait for the platform concerns all chats.
func TestGlobalLimit(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	d.Fault("POST /channels/{channel}/messages", gatewaytest.DiscordFault{RetryAfter: 1500 * time.Millisecond, Global: true})
	for i, channel := range []string{dmChannel, guildChannel} {
		_, err := a.Send(t.Context(), out(i, channel, "x"))
		failed, _ := errors.AsType[*gateway.SendError](err)
		if reasonOf(t, err) != gateway.Limited || !failed.All || failed.After <= time.Second {
			t.Errorf("got %+v, want a wait for all", failed)
		}
		if i == 0 && failed.After != 1500*time.Millisecond {
			t.Errorf("got a wait of %s, want 1.5 s", failed.After)
		}
	}
	if n := len(d.Requests("POST ")); n != 1 {
		t.Errorf("got %d requests, want 1", n)
	}
}

// TestBadPlaces: what is no id of Discord is refused without a request.
func TestBadPlaces(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	for _, at := range []gateway.Place{{Chat: "family"}, {}, {Chat: "5", Thread: "../5"}, {Chat: "5/../6"}, {Chat: strings.Repeat("9", 30)}} {
		o := out(1, dmChannel, "x")
		o.Place = at
		_, sent := a.Send(t.Context(), o)
		_, _, found := a.Find(t.Context(), o)
		for _, err := range []error{sent, found, a.Edit(t.Context(), "7", o), a.Signal(t.Context(), at, "7", gateway.Typing)} {
			if reasonOf(t, err) != gateway.Refused {
				t.Errorf("%+v: got %v", at, err)
			}
		}
	}
	if err := a.Edit(t.Context(), "../7", out(1, dmChannel, "x")); reasonOf(t, err) != gateway.Refused {
		t.Errorf("got %v", err)
	}
	if n := len(d.Requests("")); n != 0 {
		t.Errorf("got %d requests", n)
	}
}

// TestRedirect: a redirect is not followed. It would give the token to another server.
func TestRedirect(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	t.Cleanup(thief.Close)
	from := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(from.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := discord.New(discord.Config{Token: gatewaytest.DiscordToken, APIURL: from.URL, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Send(t.Context(), out(1, dmChannel, "x")); err == nil {
		t.Error("got no error")
	}
}

// TestPlain: a plain text is shown as it is, and a long one stays within the limit.
func TestPlain(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	o := out(1, dmChannel, "# 1. *a* _b_ `c` <@7> [x](y) > z\n> q\n- i\n-# s")
	o.Plain = true
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := "\\# 1. \\*a\\* \\_b\\_ \\`c\\` \\<@7> \\[x](y) > z\n\\> q\n\\- i\n\\-# s"
	if got := d.Sent(dmChannel)[0].Content; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	o = out(2, dmChannel, strings.Repeat("*", 2000))
	o.Plain = true
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// TestMarks: a mark takes the others away, also those of an earlier process.
func TestMarks(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	m := gateway.MessageID(d.Say(said("hello")))
	for i, tt := range []struct {
		mark gateway.Mark
		want string
	}{{gateway.Waits, "⏳"}, {gateway.Works, "👀"}, {gateway.Works, "👀"}, {gateway.Broke, "❌"}, {gateway.Clear, ""}, {gateway.Works, "👀"}, {gateway.Clear, ""}} {
		if i == 5 || i == 6 {
			a = adapter(t, d, discord.Config{}) // a restart
		}
		if err := a.Signal(t.Context(), placeOf(dmChannel), m, tt.mark); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
		var got []string
		for emoji := range d.Messages(dmChannel)[0].Reactions {
			got = append(got, emoji)
		}
		if strings.Join(got, "") != tt.want {
			t.Errorf("step %d: got %q, want %q", i, got, tt.want)
		}
	}
	if err := a.Signal(t.Context(), placeOf(dmChannel), "", gateway.Works); err != nil {
		t.Errorf("a command has no message: got %v", err)
	}
}
