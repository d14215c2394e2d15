package slack_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// send sends a message with an id of its own.
func send(t *testing.T, r *running, o *gateway.Out) gateway.MessageID {
	t.Helper()
	if o.ID == "" {
		o.ID = fmt.Sprintf("%032x", time.Now().UnixNano())
	}
	m, err := r.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ready runs an adapter that knows who it is, and returns the place of a DM.
func ready(t *testing.T, o gatewaytest.SlackOptions) (*running, gateway.Place) {
	t.Helper()
	r := run(t, o)
	id, _ := r.Say(gatewaytest.SlackSay{Chat: r.Chat(gateway.DM, "alice"), User: r.Person("alice"), Text: "hello"})
	return r, r.event(t, id).Place
}

func TestButtons(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	buttons := []gateway.Button{{ID: strings.Repeat("a", 64), Label: "Yes"}, {ID: "b", Label: "No"}}
	for name, text := range map[string]string{
		"short": "*Sure?* &lt;b&gt; <https://example.com|here>",
		"long":  strings.Repeat("long words &amp; ", 210), // 3,150 characters of mrkdwn
		"empty": "",
	} {
		for _, plain := range []bool{false, true} {
			m := send(t, r, &gateway.Out{Place: place, Type: gateway.DM, Text: text, Plain: plain, Buttons: buttons})
			want := text
			if !plain {
				want = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
			}
			sent := r.Sent()
			got := sent[len(sent)-1]
			if got.Message != m || got.Text != want || len(got.Buttons) != 2 || got.Buttons[0] != buttons[0] {
				t.Errorf("%s, plain %t: got %+v", name, plain, got)
			}
			if err := r.Edit(t.Context(), m, &gateway.Out{Place: place, Text: "Done", Plain: plain}); err != nil {
				t.Fatal(err)
			}
			if got := r.Sent()[len(sent)-1]; got.Text != "Done" || len(got.Buttons) != 0 {
				t.Errorf("%s, plain %t: got %+v, want an edit without buttons", name, plain, got)
			}
		}
	}
}

// TestNobodyIsCalled: no text calls a whole channel, wherever it comes from.
func TestNobodyIsCalled(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	for _, plain := range []bool{false, true} {
		send(t, r, &gateway.Out{Place: place, Text: "<!channel> <!here> <!subteam^S1> <@U1> <#C1>", Plain: plain})
		m := send(t, r, &gateway.Out{Place: place, Text: "<!everyone>", Plain: plain, Buttons: []gateway.Button{{ID: "b", Label: "No"}}})
		if err := r.Edit(t.Context(), m, &gateway.Out{Place: place, Text: "<!channel>", Plain: plain}); err != nil {
			t.Error(err)
		}
	}
	if c := r.Counts(); c.Unescaped != 0 || c.Posts != 4 {
		t.Errorf("got %+v", c)
	}
}

// TestFind: a message is found that was taken although the connection broke.
func TestFind(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{ShareAfter: 1})
	chat := r.Chat(gateway.Channel, "work")
	for n, at := range []gateway.Place{place, {Platform: gateway.Slack, Account: place.Account, Chat: chat, Thread: r.Root(chat, "one")}} {
		send(t, r, &gateway.Out{ID: "another", Place: at, Text: "an answer"})
		for _, file := range []*gateway.File{nil, {Name: "answer.md", Data: []byte("# Answer")}, {Name: "../a/.x", Data: []byte("x")}} {
			o := &gateway.Out{ID: fmt.Sprintf("%031x%d", len(r.Sent()), n), Place: at, Text: "an answer", File: file}
			if _, found, err := r.Find(t.Context(), o); found || err != nil {
				t.Errorf("before it is sent: found %t, %v", found, err)
			}
			method := "chat.postMessage"
			if file != nil {
				method = "files.completeUploadExternal"
			}
			r.FailOnce(method, gatewaytest.SlackFault{CutAfter: true})
			_, err := r.Send(t.Context(), o)
			if f, ok := errors.AsType[*gateway.SendError](err); !ok || f.Reason != gateway.Unknown {
				t.Fatalf("got %v, want that nobody knows", err)
			}
			r.FailOnce("conversations.history", gatewaytest.SlackFault{})
			m, found, err := r.Find(t.Context(), o)
			if file != nil && !found { // it was not shared yet
				m, found, err = r.Find(t.Context(), o)
			}
			sent := r.Sent()
			if !found || err != nil || sent[len(sent)-1].Message != m {
				t.Errorf("%+v: found %q, %t, %v, want the newest of %d messages", file, m, found, err, len(sent))
			}
		}
	}
}

// TestSharedLate: a file that Slack has taken is sent, although its message is not in the chat for a
// while, or the chat cannot be read. Another try would show the file twice.
func TestSharedLate(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]gatewaytest.SlackFault{"late": {}, "unreadable": {Error: "missing_scope"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, place := ready(t, gatewaytest.SlackOptions{ShareAfter: 100})
			r.Fail(fault, "conversations.history")
			m, err := r.Send(t.Context(), &gateway.Out{
				ID: fmt.Sprintf("%032x", 9), Place: place, Text: "The whole answer.", File: &gateway.File{Name: "answer.md", Data: []byte("# Answer")},
			})
			if m == "" || err != nil {
				t.Errorf("got %q, %v, want that the file was sent", m, err)
			}
		})
	}
}

// TestFindAtOnce: a new adapter finds a message before it has connected.
func TestFindAtOnce(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	o := &gateway.Out{ID: fmt.Sprintf("%032x", 7), Place: place, Text: "an answer"}
	m := send(t, r, o)
	next := adapter(t, r.Slack, false)
	if found, ok, err := next.Find(t.Context(), o); found != m || !ok || err != nil {
		t.Errorf("got %q, %t, %v, want %q", found, ok, err, m)
	}
	r.Fail(gatewaytest.SlackFault{Status: 500}, "auth.test")
	unknown := adapter(t, r.Slack, false)
	if _, ok, err := unknown.Find(t.Context(), o); ok || err == nil {
		t.Errorf("nobody knows who the bot is: got %t, %v, want an error", ok, err)
	}
	r.Heal()
}

// TestFileSteps: a file whose upload fails is surely not in the chat.
func TestFileSteps(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	o := &gateway.Out{ID: "0f", Place: place, Text: strings.Repeat("many words ", 400), Buttons: []gateway.Button{{ID: "b", Label: "No"}}}
	o.File = &gateway.File{Name: "a.md", Data: []byte("a")}
	r.FailOnce("files.getUploadURLExternal", gatewaytest.SlackFault{CutAfter: true}, gatewaytest.SlackFault{Status: 500})
	for range 2 {
		if _, err := r.Send(t.Context(), o); reason(err) != gateway.Temporary {
			t.Errorf("got %v, want another try", err)
		}
	}
	r.FailOnce("files.completeUploadExternal", gatewaytest.SlackFault{Error: "channel_not_found"})
	if _, err := r.Send(t.Context(), o); reason(err) != gateway.Gone {
		t.Errorf("got %v, want that the chat is gone", err)
	}
	send(t, r, o)
	if sent := r.Sent(); len(sent) != 1 || sent[0].Text != o.Text || len(sent[0].Buttons) != 1 || sent[0].File.Name != "a.md" {
		t.Errorf("got %+v", sent)
	}
	o.File = &gateway.File{Name: "empty"}
	if _, err := r.Send(t.Context(), o); reason(err) != gateway.Refused {
		t.Errorf("an empty file: got %v", err)
	}
}

// reason is the reason of an error of sending; -1 for another error.
func reason(err error) gateway.SendReason {
	if f, ok := errors.AsType[*gateway.SendError](err); ok {
		return f.Reason
	}
	return -1
}

func TestReasons(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	for _, tt := range []struct {
		fault gatewaytest.SlackFault
		want  gateway.SendReason
	}{
		{gatewaytest.SlackFault{Error: "channel_not_found"}, gateway.Gone},
		{gatewaytest.SlackFault{Error: "is_archived"}, gateway.Gone},
		{gatewaytest.SlackFault{Error: "not_in_channel"}, gateway.Gone},
		{gatewaytest.SlackFault{Error: "msg_too_long"}, gateway.Refused},
		{gatewaytest.SlackFault{Error: "no_text"}, gateway.Refused},
		{gatewaytest.SlackFault{Error: "missing_scope"}, gateway.Refused},
		{gatewaytest.SlackFault{Error: "<b>who knows</b>"}, gateway.Refused},
		{gatewaytest.SlackFault{Error: "invalid_blocks"}, gateway.Malformed},
		{gatewaytest.SlackFault{Error: "ratelimited"}, gateway.Limited},
		{gatewaytest.SlackFault{Error: "service_unavailable"}, gateway.Temporary},
		{gatewaytest.SlackFault{Error: "invalid_auth"}, gateway.Temporary},
		{gatewaytest.SlackFault{Error: "fatal_error"}, gateway.Unknown},
		{gatewaytest.SlackFault{Status: 429}, gateway.Limited},
		{gatewaytest.SlackFault{Status: 429, RetryAfter: 3}, gateway.Limited},
		{gatewaytest.SlackFault{Status: 503}, gateway.Temporary},
		{gatewaytest.SlackFault{Status: 502}, gateway.Unknown},
		{gatewaytest.SlackFault{Status: 200}, gateway.Unknown}, // a page in place of the answer
		{gatewaytest.SlackFault{Status: 302}, gateway.Temporary},
		{gatewaytest.SlackFault{CutBefore: true}, gateway.Unknown},
	} {
		r.FailOnce("chat.postMessage", tt.fault)
		_, err := r.Send(t.Context(), &gateway.Out{ID: "1", Place: place, Text: "x"})
		f, ok := errors.AsType[*gateway.SendError](err)
		if !ok || f.Reason != tt.want || f.Text == "" || strings.ContainsAny(f.Text, "<>") {
			t.Errorf("%+v: got %v, want reason %d", tt.fault, err, tt.want)
			continue
		}
		if f.Reason == gateway.Limited && (f.After < time.Second || tt.fault.RetryAfter > 0 && f.After != 3*time.Second) {
			t.Errorf("%+v: got a wait of %s", tt.fault, f.After)
		}
	}
	if r.Counts().Posts != 0 {
		t.Error("a message was sent")
	}
}

// TestSlowAnswer: a caller that gives up does not know what became of the message.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	r.FailOnce("chat.postMessage", gatewaytest.SlackFault{Delay: time.Hour})
	ctx, cancel := timeout(t, 200*time.Millisecond)
	defer cancel()
	if _, err := r.Send(ctx, &gateway.Out{ID: "1", Place: place, Text: "x"}); reason(err) != gateway.Unknown {
		t.Errorf("got %v, want that nobody knows", err)
	}
	if _, err := r.Send(ctx, &gateway.Out{ID: "2", Place: place, Text: "x"}); reason(err) != gateway.Temporary {
		t.Errorf("nothing went out: got %v", err)
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	_, ts := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: r.Person("alice"), Text: "do it"})
	m := gateway.MessageID(ts)
	for i, tt := range []struct {
		mark gateway.Mark
		want string
	}{
		{gateway.Waits, "hourglass_flowing_sand"}, {gateway.Works, "eyes"}, {gateway.Works, "eyes"}, {gateway.Typing, "eyes"},
		{gateway.Broke, "x"}, {gateway.Works, "eyes"}, {gateway.Clear, ""}, {gateway.Clear, ""},
	} {
		if err := r.Signal(t.Context(), place, m, tt.mark); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Reactions(place.Chat, m), ","); got != tt.want {
			t.Errorf("step %d: got %q, want %q", i, got, tt.want)
		}
	}
	if err := r.Signal(t.Context(), place, "1.000001", gateway.Works); err == nil {
		t.Error("a message that is not there was marked")
	}
	// Another adapter does not know what this one has marked.
	if err := r.Signal(t.Context(), place, m, gateway.Works); err != nil {
		t.Fatal(err)
	}
	next := adapter(t, r.Slack, false)
	if err := next.Signal(t.Context(), place, m, gateway.Clear); err != nil || len(r.Reactions(place.Chat, m)) != 0 {
		t.Errorf("after a restart: got %q, %v, want none", r.Reactions(place.Chat, m), err)
	}
}

// TestDoubtfulMark: a mark that was perhaps set is taken away, and no other one.
func TestDoubtfulMark(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	_, ts := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: r.Person("alice"), Text: "do it"})
	m := gateway.MessageID(ts)
	r.FailOnce("reactions.add", gatewaytest.SlackFault{CutAfter: true})
	if err := r.Signal(t.Context(), place, m, gateway.Works); err == nil {
		t.Error("got no error of a request without an answer")
	}
	r.FailOnce("reactions.remove", gatewaytest.SlackFault{}, gatewaytest.SlackFault{Error: "internal_error"})
	if err := r.Signal(t.Context(), place, m, gateway.Clear); err != nil {
		t.Errorf("got %v, want one request", err)
	}
	if got := r.Reactions(place.Chat, m); len(got) != 0 {
		t.Errorf("got %q, want none", got)
	}
}

func TestTyping(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	place.Chat = r.Chat(gateway.Channel, "work")
	place.Thread = r.Root(place.Chat, "one")
	for i, end := range []func(){
		func() { send(t, r, &gateway.Out{Place: place, Text: "an answer"}) },
		func() { _ = r.Signal(t.Context(), place, gateway.MessageID(place.Thread), gateway.Clear) },
	} {
		if err := r.Signal(t.Context(), place, "", gateway.Typing); err != nil || r.Status(place.Chat, place.Thread) == "" {
			t.Errorf("%d: got %q, %v, want a status", i, r.Status(place.Chat, place.Thread), err)
		}
		if end(); r.Status(place.Chat, place.Thread) != "" {
			t.Errorf("%d: the status stays", i)
		}
	}
}

// TestPace: the fake's own limit, as the adapter's caller sees it.
func TestPace(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{PerSecond: 1})
	send(t, r, &gateway.Out{Place: place, Text: "one"})
	_, err := r.Send(t.Context(), &gateway.Out{ID: "2", Place: place, Text: "two"})
	if f, ok := errors.AsType[*gateway.SendError](err); !ok || f.Reason != gateway.Limited || f.After != time.Second {
		t.Errorf("got %v, want a wait of a second", err)
	}
	if c := r.Counts(); c.Posts != 1 || c.Limited != 1 || c.PerSecond != 1 {
		t.Errorf("got %+v", c)
	}
}

// TestReadingFails: why messages cannot be read is told as for sending, so that the gateway waits
// as long as Slack asks, and does not ask again for what is gone.
func TestReadingFails(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	place.Thread = r.Root(place.Chat, "one")
	for _, tt := range []struct {
		fault gatewaytest.SlackFault
		want  gateway.SendReason
	}{
		{gatewaytest.SlackFault{Error: "channel_not_found"}, gateway.Gone},
		{gatewaytest.SlackFault{Error: "thread_not_found"}, gateway.NoThread},
		{gatewaytest.SlackFault{Error: "missing_scope"}, gateway.Refused},
		{gatewaytest.SlackFault{Error: "invalid_auth"}, gateway.Temporary},
		{gatewaytest.SlackFault{Status: 502}, gateway.Unknown},
		{gatewaytest.SlackFault{CutBefore: true}, gateway.Temporary},
		{gatewaytest.SlackFault{Status: 429, RetryAfter: 3}, gateway.Limited},
	} {
		r.FailOnce("conversations.replies", tt.fault, tt.fault)
		_, err := r.CatchUp(t.Context(), place, "")
		_, _, findErr := r.Find(t.Context(), &gateway.Out{ID: "1", Place: place})
		for _, err := range []error{err, findErr} {
			f, ok := errors.AsType[*gateway.SendError](err)
			if !ok || f.Reason != tt.want || f.Text == "" || tt.fault.RetryAfter > 0 && f.After != 3*time.Second {
				t.Errorf("%+v: got %v, want reason %d", tt.fault, err, tt.want)
			}
		}
	}
}

// TestUnderInADM: the answer to a message in a thread of a DM stands in that thread, and is found there.
func TestUnderInADM(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	_, root := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: r.Person("alice"), Text: "the plan", Quiet: true})
	for _, file := range []*gateway.File{nil, {Name: "a.txt", Data: []byte("a")}} {
		o := &gateway.Out{ID: fmt.Sprintf("%032x", time.Now().UnixNano()), Place: place, Type: gateway.DM, Text: "hello", Under: gateway.MessageID(root), File: file}
		m := send(t, r, o)
		sent := r.Sent()
		if got := sent[len(sent)-1]; got.Message != m || got.Place.Thread != root {
			t.Errorf("got %+v, want it in the thread", got)
		}
		if id, found, err := r.Find(t.Context(), o); err != nil || !found || id != m {
			t.Errorf("find: got %q, %t, %v, want %q", id, found, err, m)
		}
	}
	e := r.event(t, r.Press(place.Chat, r.Person("alice"), r.Sent()[0].Message, "yes"))
	if e.Place.Thread != "" || string(e.Under) != root {
		t.Errorf("a press: got %+v, want the answer under %s", e, root)
	}
}
