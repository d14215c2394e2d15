package discord_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

const (
	callbacks = "POST /interactions/"
	posts     = "POST /channels/" + dmChannel + "/messages"
)

// call lets a person call a command, and returns a message that answers it.
func call(t *testing.T, d *gatewaytest.Discord, ledger *gatewaytest.Ledger, name, value string) *gateway.Out {
	t.Helper()
	id := d.Call(dmChannel, "7", name, value)
	ledger.AwaitEvents(t, id)
	e := ledger.Event(t, id)
	o := out(1, dmChannel, "an answer")
	o.Interaction = e.Interaction
	return o
}

// original is the message in the place of "is thinking…".
func original(t *testing.T, d *gatewaytest.Discord) gatewaytest.DiscordMessage {
	t.Helper()
	sent := d.Sent(dmChannel)
	if len(sent) == 0 {
		t.Fatal("no command was deferred")
	}
	return sent[0]
}

// TestCalled: a command is an event, with its argument as it is.
func TestCalled(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	for _, tt := range []struct{ name, value, want string }{{"new", "", "/new"}, {"resume", "the  trip, 2", "/resume the  trip, 2"}} {
		for _, channel := range []string{dmChannel, guildChannel, thread} {
			id := d.Call(channel, "7", tt.name, tt.value)
			ledger.AwaitEvents(t, id)
			e := ledger.Event(t, id)
			if e.Kind != gateway.Called || e.Text != tt.want || !e.Addressed || e.From.ID != "7" || e.From.Name != "Alex" || e.Place != placeOf(channel) {
				t.Errorf("got %+v, want %s in %s", e, tt.want, channel)
			}
		}
	}
}

// TestDeferral: a command is deferred after it is stored, once, and its answer takes the
// place of "is thinking…".
func TestDeferral(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	hold := make(chan struct{})
	ledger.FailBy(func() error {
		if n := len(d.Requests(callbacks)); n != 0 {
			t.Errorf("%d requests to defer before the commit", n)
		}
		<-hold
		return nil
	})
	id := d.Call(dmChannel, "7", "status", "")
	close(hold)
	ledger.AwaitEvents(t, id)
	ledger.FailBy(nil)
	o := out(1, dmChannel, "all is well")
	o.Interaction = ledger.Event(t, id).Interaction
	m, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	got := original(t, d)
	if len(d.Sent(dmChannel)) != 1 || got.ID != string(m) || got.Content != "all is well" {
		t.Errorf("got %+v as %s", d.Sent(dmChannel), m)
	}
	o.Text = "all is very well"
	if err := a.Edit(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if got := original(t, d); got.Content != o.Text {
		t.Errorf("got %q, want the edited text", got.Content)
	}
	if n := len(d.Requests(posts)); n != 0 {
		t.Errorf("%d messages were posted", n)
	}
	if n := len(d.Requests(callbacks)); n != 1 {
		t.Errorf("the command was deferred %d times", n)
	}
}

// TestAnswerWaitsForDeferral: an answer that is ready at once does not come before the
// acknowledgement, which would leave "is thinking…" behind.
func TestAnswerWaitsForDeferral(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	d.Fault("POST /interactions/{id}/{token}/callback", gatewaytest.DiscordFault{Delay: 200 * time.Millisecond})
	o := call(t, d, ledger, "status", "")
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	await(t, d, "the command is deferred", func() bool { return len(d.Requests(callbacks)) == 1 })
	if sent := d.Sent(dmChannel); len(sent) != 1 || sent[0].Content != o.Text {
		t.Errorf("got %+v, want one message", sent)
	}
}

// TestDeferralIsRepeated: an acknowledgement that failed is tried again.
func TestDeferralIsRepeated(t *testing.T) {
	t.Parallel()
	for _, fault := range []gatewaytest.DiscordFault{{CutBefore: true}, {CutAfter: true}, {Status: 502}, {Status: 503}} {
		d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
		d.Fault("POST /interactions/{id}/{token}/callback", fault)
		o := call(t, d, ledger, "status", "")
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if sent := d.Sent(dmChannel); len(sent) != 1 || sent[0].Content != o.Text {
			t.Errorf("%+v: got %+v, want one message", fault, sent)
		}
		if n := len(d.Requests(posts)); n != 0 {
			t.Errorf("%+v: the answer is a message beside the command", fault)
		}
	}
}

// TestNoDeferral: a command that could not be deferred is answered by a message.
func TestNoDeferral(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	d.Fault("POST /interactions/{id}/{token}/callback", gatewaytest.DiscordFault{Code: 10062})
	o := call(t, d, ledger, "status", "")
	m, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Text = "edited"
	if err := a.Edit(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if sent := d.Sent(dmChannel); len(sent) != 1 || sent[0].ID != string(m) || sent[0].Content != "edited" {
		t.Errorf("got %+v, want one message", sent)
	}
}

// TestLateAnswer: fifteen minutes after a command it is answered by a message, and an
// answer that stands is edited as any message.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	o := call(t, d, ledger, "status", "")
	m, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	late := call(t, d, ledger, "why", "")
	await(t, d, "the second command is deferred", func() bool { return len(d.Sent(dmChannel)) == 2 })
	d.Advance(14 * time.Minute)
	o.Text = "still in time"
	if err := a.Edit(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if n := len(d.Requests("PATCH /channels/")); n != 0 {
		t.Errorf("%d edits of a message within fifteen minutes", n)
	}
	d.Advance(2 * time.Minute)
	webhooks := func() int { return len(d.Requests("PATCH /webhooks/")) + len(d.Requests("GET /webhooks/")) }
	before := webhooks()
	o.Text = "edited later"
	if err := a.Edit(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if got := original(t, d); got.Content != o.Text {
		t.Errorf("got %q, want it edited", got.Content)
	}
	late.ID, late.Text = strings.Repeat("b", 32), "a late answer"
	m, err = a.Send(t.Context(), late)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Sent(dmChannel); got[len(got)-1].ID != string(m) || len(d.Requests(posts)) != 1 {
		t.Errorf("got %+v, want a message of its own", got)
	}
	if n := webhooks() - before; n != 0 {
		t.Errorf("%d requests for a command that takes no more answers", n)
	}
}

// TestAnswerInDoubt: an answer whose connection broke is found, and is not sent twice.
func TestAnswerInDoubt(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	o := call(t, d, ledger, "status", "")
	await(t, d, "the command is deferred", func() bool { return len(d.Sent(dmChannel)) == 1 })
	d.Fault("PATCH /webhooks/{app}/{token}/messages/{message}", gatewaytest.DiscordFault{CutAfter: true})
	_, err := a.Send(t.Context(), o)
	if got := reasonOf(t, err); got != gateway.Unknown {
		t.Fatalf("got reason %d, want it unknown", got)
	}
	want := gateway.MessageID(original(t, d).ID)
	if m, found, err := a.Find(t.Context(), o); err != nil || !found || m != want {
		t.Errorf("find: got %s, %t, %v, want %s", m, found, err, want)
	}
	if m, err := a.Send(t.Context(), o); err != nil || m != want {
		t.Errorf("send again: got %s, %v, want %s", m, err, want)
	}
	if n := len(d.Sent(dmChannel)); n != 1 {
		t.Errorf("got %d messages", n)
	}
}

// TestAnswerInArchivedThread: where "is thinking…" cannot be changed any more, because its thread
// was archived, the answer is a message of its own, and so is the last text of one that stands.
func TestAnswerInArchivedThread(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	o := call(t, d, ledger, "status", "")
	for _, edits := range []string{"PATCH /webhooks/{app}/{token}/messages/{message}", "PATCH /channels/{channel}/messages/{message}"} {
		d.Always(edits, gatewaytest.DiscordFault{Code: 50083})
	}
	m, err := a.Send(t.Context(), o)
	if err != nil || len(d.Requests(posts)) != 1 {
		t.Errorf("got %v and %d messages, want one", err, len(d.Requests(posts)))
	}
	if err := a.Edit(t.Context(), m, o); reasonOf(t, err) != gateway.Missing {
		t.Errorf("an edit: got %v, want that another message is sent", err)
	}
}

// TestTwoAnswers: the second message for one command is a message of its own.
func TestTwoAnswers(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	o := call(t, d, ledger, "status", "")
	second := *o
	second.ID, second.Text = strings.Repeat("c", 32), "more"
	for _, o := range []*gateway.Out{o, &second} {
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Sent(dmChannel); len(got) != 2 || got[0].Content != o.Text || got[1].Content != "more" {
		t.Errorf("got %+v", got)
	}
}

// TestAnswerWithFile: an answer to a command can bring a file.
func TestAnswerWithFile(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	o := call(t, d, ledger, "status", "")
	o.File = &gateway.File{Name: "answer.md", Data: []byte("# All of it")}
	if _, err := a.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := d.Sent(dmChannel); len(got) != 1 || string(got[0].Files["answer.md"]) != "# All of it" {
		t.Errorf("got %+v", got)
	}
}

// TestPress: a press is acknowledged without a message, and its message is edited.
func TestPress(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	hear(t, d, ledger, said("hello"))
	o := out(1, dmChannel, "Sure?")
	o.Buttons = []gateway.Button{{ID: strings.Repeat("y", 64), Label: "Yes"}, {ID: "n", Label: "No"}}
	m, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	id := d.Press(dmChannel, "7", string(m), o.Buttons[0].ID)
	ledger.AwaitEvents(t, id)
	e := ledger.Event(t, id)
	if e.Kind != gateway.Pressed || e.Button != o.Buttons[0].ID || e.Message != m {
		t.Errorf("got %+v", e)
	}
	await(t, d, "the press is acknowledged", func() bool { return len(d.Requests(callbacks)) == 1 })
	var body struct{ Type int }
	if q := d.Requests(callbacks)[0]; json.Unmarshal(q.Body, &body) != nil || body.Type != 6 || q.Status != 204 {
		t.Errorf("got %s, status %d, want type 6", q.Body, q.Status)
	}
	o.Text, o.Buttons, o.Interaction = "Done.", nil, e.Interaction
	if err := a.Edit(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if got := d.Sent(dmChannel); len(got) != 1 || got[0].Content != "Done." || len(got[0].Buttons) != 0 {
		t.Errorf("got %+v, want the buttons gone", got)
	}
}

// TestCommands: the commands are written if others are registered, and only then.
func TestCommands(t *testing.T) {
	t.Parallel()
	d := newFake(t, gatewaytest.DiscordOptions{})
	a := adapter(t, d, discord.Config{})
	list := []gateway.CommandInfo{
		{Name: "resume", Usage: "Go back", Args: "n or title"}, {Name: "new", Usage: "Begin"},
		{Name: "bad name", Usage: "x"}, {Name: "long", Usage: strings.Repeat("ж", 300)}, {Name: "bare"},
	}
	puts := func() int { return len(d.Requests("PUT /applications/")) }
	for i, want := range []int{1, 1, 2, 2} {
		if i == 2 {
			list[1].Usage = "Begin a new session"
		}
		if err := a.Commands(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		if got := puts(); got != want {
			t.Errorf("call %d: got %d requests to write, want %d", i, got, want)
		}
	}
	var got []struct {
		Name, Description string
		Options           []struct {
			Name string
			Type int
		}
	}
	if err := json.Unmarshal(d.Requests("PUT /applications/")[1].Body, &got); err != nil || len(got) != 4 {
		t.Fatalf("got %+v, %v, want four commands", got, err)
	}
	if got[0].Name != "bare" || got[2].Description != "Begin a new session" || len(got[3].Options) != 1 || got[3].Options[0].Type != 3 {
		t.Errorf("got %+v", got)
	}
	// What differs only in fields that the adapter does not set is left alone.
	d.SetCommands(`{"id":"5","type":1,"name":"new","description":"Begin a new session","nsfw":true,"options":[]}`)
	if err := a.Commands(t.Context(), list[1:2]); err != nil || puts() != 2 {
		t.Errorf("got %d requests, %v, want none more", puts(), err)
	}
}
