package slack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
)

var errStore = errors.New("the store refuses")

// storm sends events, each one to five times and in disorder, while sockets break and one of
// so many commits fails. At each acknowledgement the event is stored.
func storm(t *testing.T, events, failing int, o gatewaytest.SlackOptions) {
	r := run(t, o)
	var early, commits atomic.Int64
	r.ledger.FailBy(func() error {
		if commits.Add(1)%int64(failing) == 0 {
			return errStore
		}
		return nil
	})
	r.OnAck(func(id string) {
		if !r.ledger.Has(id) {
			early.Add(1)
		}
	})
	chat, alice := r.Chat(gateway.DM, "alice"), r.Person("alice")
	ids := make([]string, events)
	var again []string
	for i := range ids {
		ids[i], _ = r.Say(gatewaytest.SlackSay{Chat: chat, User: alice, Text: fmt.Sprint(i)})
		again = append(again, slices.Repeat([]string{ids[i]}, rand.IntN(5))...)
		if i%(events/4) == 0 {
			r.Cut()
		}
	}
	rand.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	r.Again(again...)
	r.AwaitAcks(t)
	c := r.Counts()
	if len(r.ledger.Events()) != events || early.Load() != 0 || c.Acks < events+len(again) {
		t.Errorf("got %d events of %d, %d early acknowledgements of %d", len(r.ledger.Events()), events, early.Load(), c.Acks)
	}
	all, failed := r.ledger.Commits()
	t.Logf("%d acknowledgements, %d before the commit; %d commits, %d of them failed", c.Acks, early.Load(), all, failed)
	if failed == 0 {
		t.Error("no commit failed")
	}
}

func TestStormOverSocket(t *testing.T) {
	t.Parallel()
	storm(t, 10_000, 50, gatewaytest.SlackOptions{Resend: 500 * time.Millisecond, InFlight: 128})
}

func TestStormOverHTTP(t *testing.T) {
	t.Parallel()
	storm(t, 1000, 7, gatewaytest.SlackOptions{HTTP: true, Retries: []time.Duration{0, time.Millisecond, 5 * time.Millisecond}})
}

// TestMentionIsOneEvent: Slack tells of a mention twice.
func TestMentionIsOneEvent(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	var ids []string
	for _, kind := range []gateway.ChatType{gateway.Channel, gateway.Group} {
		for i := range 10 {
			id, _ := r.Say(gatewaytest.SlackSay{Chat: r.Chat(kind, "work"), User: r.Person("Bob"), Text: fmt.Sprintf("<@%s> go %d", gatewaytest.SlackBotUser, i)})
			ids = append(ids, id)
		}
	}
	r.ledger.AwaitEvents(t, ids...)
	if list := r.ledger.Events(); len(list) != 20 {
		t.Errorf("got %d events, want 20", len(list))
	}
	for i, id := range ids {
		e := r.ledger.Event(t, id)
		want := []gateway.ChatType{gateway.Channel, gateway.Group}[i/10]
		if !e.Addressed || e.Type != want || e.Title != "work" || e.From.Zone != "Europe/Berlin" || e.Text != fmt.Sprintf("go %d", i%10) {
			t.Errorf("got %+v, want a %s", e, want)
		}
	}
}

// TestOneMessageOfTwoTeams: a channel of two workspaces tells a message in the name of either.
func TestOneMessageOfTwoTeams(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	for _, kind := range []string{"message", "app_mention"} {
		for _, team := range []string{"T0OTHER", gatewaytest.SlackTeam} {
			got := deliver(t, r, "events_api", fmt.Sprintf(`{"type":"event_callback","team_id":%q,"event_id":"Ev%[2]s%[1]s","event":{"type":%[2]q,
				"team":%[1]q,"channel":"C1","user":"U1","ts":"1700000000.000001","text":"<@U0BOT> go"}}`, team, kind))
			first := kind == "message" && team == "T0OTHER"
			if first && (len(got) != 1 || got[0].ID != "T0TEAM:C1:1700000000.000001") || !first && len(got) != 0 {
				t.Errorf("%s of %s: got %+v", kind, team, got)
			}
		}
	}
}

// TestFirstMessageOfThread: a message with answers stays where it is, although Slack then
// lets it name itself as its thread.
func TestFirstMessageOfThread(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	chat, bob := r.Chat(gateway.Channel, "work"), r.Person("Bob")
	id, root := r.Say(gatewaytest.SlackSay{Chat: chat, User: bob, Text: "<@" + gatewaytest.SlackBotUser + "> one"})
	first := r.event(t, id)
	begun := send(t, r, &gateway.Out{Place: first.Place, Text: "Sure?", Buttons: []gateway.Button{{ID: "yes", Label: "Yes"}}})
	for _, thread := range []string{root, string(begun)} {
		id, _ := r.Say(gatewaytest.SlackSay{Chat: chat, User: bob, Thread: thread, Text: "an answer"})
		if e := r.event(t, id); e.Place.Thread != thread {
			t.Errorf("an answer: got %+v", e.Place)
		}
	}
	if e := r.event(t, r.Change(chat, root, "two")); e.Kind != gateway.Edited || e.Place != first.Place || e.Replied != nil {
		t.Errorf("an edit: got %+v, want it in %+v", e, first.Place)
	}
	if e := r.event(t, r.Press(chat, bob, begun, "yes")); e.Kind != gateway.Pressed || e.Place != first.Place || e.From.Name != "Bob" || e.Button != "yes" {
		t.Errorf("a press: got %+v, want it in %+v", e, first.Place)
	}
	list, err := r.CatchUp(t.Context(), first.Place, "")
	if err != nil || len(list) != 1 || list[0].ID != first.ID || list[0].Place != first.Place {
		t.Errorf("caught up: got %+v, %v", list, err)
	}
}

// TestQuotedFirstMessage: the first message of a thread is quoted where the conversation does
// not hold it, whoever wrote it.
func TestQuotedFirstMessage(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	dm, work, bob := r.Chat(gateway.DM, "Bob"), r.Chat(gateway.Channel, "work"), r.Person("Bob")
	_, alert := r.Say(gatewaytest.SlackSay{Chat: work, Robot: true, Text: "disk &lt;full&gt;", Quiet: true})
	say := func(chat, thread, text string) *gateway.Quoted {
		id, _ := r.Say(gatewaytest.SlackSay{Chat: chat, User: bob, Thread: thread, Text: text})
		e := r.event(t, id)
		if e.Replied == nil || string(e.Replied.Message) != thread {
			t.Fatalf("got %+v, want the thread's first message", e.Replied)
		}
		if chat == dm && (e.Place.Thread != "" || string(e.Under) != thread) {
			t.Errorf("got %+v, want a DM without threads, and the answer under %s", e, thread)
		}
		return e.Replied
	}
	if q := say(work, alert, "aha"); q.Text != "" {
		t.Errorf("not for the bot: got %+v", q)
	}
	mention := "<@" + gatewaytest.SlackBotUser + "> what is that?"
	if q := say(work, alert, mention); q.Text != "disk <full>" || q.Name != "Robot" || q.Mine {
		t.Errorf("the first mention: got %+v", q)
	}
	if q := say(work, alert, mention); q.Text != "" {
		t.Errorf("the second mention: got %+v, want no words, for the conversation holds them", q)
	}
	id, root := r.Say(gatewaytest.SlackSay{Chat: dm, User: bob, Text: "buy milk"})
	answer := send(t, r, &gateway.Out{Place: r.event(t, id).Place, Text: "I noted &amp; stored it"})
	if q := say(dm, root, "and bread"); q.Text != "buy milk" || q.Name != "Bob" || q.Mine {
		t.Errorf("in a DM: got %+v", q)
	}
	if q := say(dm, string(answer), "where?"); q.Text != "I noted & stored it" || !q.Mine {
		t.Errorf("a DM's answer: got %+v", q)
	}
	long := strings.Repeat("ä", 4096)
	_, report := r.Say(gatewaytest.SlackSay{Chat: work, Robot: true, Text: long + "!", Quiet: true})
	if q := say(work, report, mention); q.Text != long+"!" {
		t.Errorf("a long first message: got %d bytes, want %d", len(q.Text), len(long)+1)
	}
	r.Fail(gatewaytest.SlackFault{Status: 502}, "conversations.replies")
	_, other := r.Say(gatewaytest.SlackSay{Chat: dm, User: bob, Text: "unseen", Quiet: true})
	if q := say(dm, other, "again"); q.Text != "" {
		t.Errorf("Slack does not answer: got %+v", q)
	}
	r.Heal()
}

// TestBotCommands: Slack knows no slash commands in threads, so "!" stands for the slash.
// The adapter leaves the text as it is.
func TestBotCommands(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	chat, bob := r.Chat(gateway.Channel, "work"), r.Person("Bob")
	root := r.Root(chat, "one")
	for _, text := range []string{"<@" + gatewaytest.SlackBotUser + "> !new", "!new", "!resume 2"} {
		id, _ := r.Say(gatewaytest.SlackSay{Chat: chat, User: bob, Thread: root, Text: text})
		want := text[strings.Index(text, "!"):]
		if e := r.event(t, id); e.Kind != gateway.Said || e.Text != want || !e.Addressed || e.Place.Thread != root {
			t.Errorf("%s: got %+v, want %q in the thread", text, e, want)
		}
	}
}

// TestThreads: the bot hears a thread in which it was mentioned, in which it has written, or
// which it has begun, and no other.
func TestThreads(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	chat, bob := r.Chat(gateway.Channel, "work"), r.Person("Bob")
	say := func(thread, text string) gateway.Event {
		id, _ := r.Say(gatewaytest.SlackSay{Chat: chat, User: bob, Thread: thread, Text: text})
		return r.event(t, id)
	}
	mentioned, written, other := r.Root(chat, "one"), r.Root(chat, "two"), r.Root(chat, "three")
	if e := say(mentioned, "hello"); e.Addressed || e.Place.Thread != mentioned {
		t.Errorf("before the mention: got %+v", e)
	}
	say(mentioned, "<@"+gatewaytest.SlackBotUser+"> hello")
	if e := say(mentioned, "go on"); !e.Addressed {
		t.Error("the thread of a mention is not heard")
	}
	id, _ := r.Say(gatewaytest.SlackSay{Chat: chat, User: r.Person("Carol"), Thread: mentioned, Text: "me, too"})
	if e := r.event(t, id); e.Addressed {
		t.Error("a mention has opened the thread for others, before the bot has written there")
	}
	place := gateway.Place{Platform: gateway.Slack, Account: gatewaytest.SlackAccount, Chat: chat}
	place.Thread = mentioned
	send(t, r, &gateway.Out{Place: place, Text: "hello Bob"})
	id, _ = r.Say(gatewaytest.SlackSay{Chat: chat, User: r.Person("Carol"), Thread: mentioned, Text: "me, too"})
	if e := r.event(t, id); !e.Addressed {
		t.Error("the thread of an answer is not heard")
	}
	place.Thread = written
	send(t, r, &gateway.Out{Place: place, Text: "here"})
	if e := say(written, "!new"); !e.Addressed || e.Text != "!new" {
		t.Errorf("the thread of an answer: got %+v", e)
	}
	place.Thread = ""
	begun := send(t, r, &gateway.Out{Place: place, Text: "the news"})
	if e := say(string(begun), "what news?"); !e.Addressed || e.Replied == nil || !e.Replied.Mine {
		t.Errorf("the bot's own thread: got %+v", e)
	}
	if e := say(other, "hello"); e.Addressed {
		t.Error("a thread of others is heard")
	}
}

// deliver sends a payload whose events the test does not know, and returns what came of it.
func deliver(t *testing.T, r *running, kind, payload string) []gateway.Event {
	t.Helper()
	before := len(r.ledger.Events())
	r.Deliver(kind, json.RawMessage(payload))
	id, _ := r.Say(gatewaytest.SlackSay{Chat: r.Chat(gateway.DM, "fence"), User: r.Person("fence"), Text: "fence"})
	r.ledger.AwaitEvents(t, id)
	list := r.ledger.Events()
	return list[before : len(list)-1]
}

// TestOtherEvents: what is no message of a person is no event, and is acknowledged.
func TestOtherEvents(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	event := func(inner string) string {
		return `{"type":"event_callback","team_id":"T0TEAM","event_id":"Ev1","event":` + inner + `}`
	}
	for name, payload := range map[string]string{
		"an array":                  `[1]`,
		"no event":                  `{"type":"event_callback"}`,
		"an event of another shape": event(`{"type":"message","ts":7}`),
		"a reaction":                event(`{"type":"reaction_added","user":"U1","item":{"channel":"C1","ts":"1.000001"}}`),
		"a renamed channel":         event(`{"type":"channel_rename","channel":{"id":"C1"}}`),
		"a message without an id":   event(`{"type":"message","channel":"C1","user":"U1","text":"x"}`),
		"a message without a user":  event(`{"type":"message","channel":"C1","ts":"1700000000.000001","text":"x"}`),
		"a bot":                     event(`{"type":"message","channel":"C1","user":"U1","bot_id":"B1","ts":"1700000000.000002","text":"x"}`),
		"Slackbot":                  event(`{"type":"message","channel":"D1","channel_type":"im","user":"USLACKBOT","ts":"1700000000.000003","text":"x"}`),
		"somebody joined":           event(`{"type":"message","subtype":"channel_join","channel":"C1","user":"U1","ts":"1700000000.000004","text":"x"}`),
		"a deletion":                event(`{"type":"message","subtype":"message_deleted","channel":"C1","ts":"1700000000.000005","previous_message":{"text":"x"}}`),
		"a preview of a link": event(`{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000000.000006",
			"message":{"user":"U1","text":"x","ts":"1700000000.000001"},"previous_message":{"user":"U1","text":"x"}}`),
		"a preview after an edit": event(`{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000000.000007",
			"message":{"user":"U1","text":"x","ts":"1700000000.000001","edited":{"user":"U1","ts":"1700000000.000002"}},"previous_message":{"user":"U1","text":"x"}}`),
		"a change that nobody made": event(`{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000000.000009",
			"message":{"user":"U1","text":"y","ts":"1700000000.000001"}}`),
		"another such change": event(`{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000000.000010",
			"message":{"user":"U1","text":"y","ts":"1700000000.000001","edited":null},"previous_message":{"user":"U1","text":"x"}}`),
		"an edit of a bot": event(`{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000000.000008",
			"message":{"user":"U1","bot_id":"B1","text":"y","ts":"1700000000.000001","edited":{"user":"U1"}},"previous_message":{"user":"U1","text":"x"}}`),
	} {
		if got := deliver(t, r, "events_api", payload); len(got) != 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	for _, payload := range []string{`{}`, `[]`, `{"type":"view_submission","user":{"id":"U1"}}`,
		`{"type":"block_actions","trigger_id":"t1","channel":{"id":"D1"},"actions":[{"type":"button","value":"v"}]}`,
		`{"type":"block_actions","trigger_id":"t2","user":{"id":"U1"},"actions":[{"type":"button","value":"v"}]}`,
		`{"type":"block_actions","user":{"id":"U1"},"channel":{"id":"D1"},"actions":[{"type":"button","value":"v"}]}`,
		`{"type":"block_actions","trigger_id":"t3","user":{"id":"U1"},"channel":{"id":"D1"},"actions":[{"type":"datepicker"}]}`,
	} {
		if got := deliver(t, r, "interactive", payload); len(got) != 0 {
			t.Errorf("%s: got %+v", payload, got)
		}
	}
	if got := deliver(t, r, "slash_commands", `{"command":"/new"}`); len(got) != 0 {
		t.Errorf("a command without an id: got %+v", got)
	}
	r.AwaitAcks(t)
}

func TestPartsOfMessages(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	got := deliver(t, r, "events_api", `{"type":"event_callback","team_id":"T0TEAM","event":{
		"type":"message","subtype":"file_share","channel":"C1","channel_type":"group","user":"U1","ts":"1700000000.000001","text":"see",
		"blocks":[{"type":"unheard of","elements":7}],
		"files":[7,
			{"id":"F1","name":"a.m4a","mimetype":"audio/mp4","size":3,"url_private_download":"https://files.slack.com/a","mode":"hosted"},
			{"id":"F2","name":"b.png","mimetype":"image/png","size":-1,"url_private":"https://files.slack.com/b"},
			{"id":"F3","name":"c.doc","file_access":"check_file_info"},
			{"id":"F4","name":"d","mode":"external","url_private":"https://elsewhere.example/d"},
			{"id":"F5","mode":"tombstone"}],
		"attachments":[{"title":"a link"},{"is_share":true,"author_name":"Carol","text":"her &lt;words&gt;","ts":"1600000000.000100"}]}}`)
	if len(got) != 1 {
		t.Fatalf("got %d events, want 1", len(got))
	}
	e := got[0]
	want := []gateway.FileRef{
		{Ref: "https://files.slack.com/a", Kind: gateway.Voice, Name: "a.m4a", Mime: "audio/mp4", Size: 3},
		{Ref: "https://files.slack.com/b", Kind: gateway.Photo, Name: "b.png", Mime: "image/png"},
		{Ref: "file:F3", Kind: gateway.Document, Name: "c.doc"},
	}
	if !slices.Equal(e.Files, want) || e.Type != gateway.Channel || e.ID != "T0TEAM:C1:1700000000.000001" {
		t.Errorf("got %+v", e)
	}
	if want := []gateway.Thing{{Kind: "file elsewhere", Text: "d https://elsewhere.example/d"}}; !slices.Equal(e.Things, want) {
		t.Errorf("things: got %+v", e.Things)
	}
	if f := e.Forwarded; f == nil || f.Name != "Carol" || f.Text != "her <words>" || f.Message != "1600000000.000100" {
		t.Errorf("forwarded: got %+v", f)
	}
	if at := time.Unix(1700000000, 1000); !e.At.Equal(at) {
		t.Errorf("got the time %s, want %s", e.At, at)
	}
	got = deliver(t, r, "events_api", `{"type":"event_callback","team_id":"T0TEAM","event_id":"Ev9","event":{
		"type":"channel_id_changed","old_channel_id":"G1","new_channel_id":"C9","event_ts":"1700000001.000000"}}`)
	if len(got) != 1 || got[0].Kind != gateway.Moved || got[0].Place.Chat != "G1" || got[0].MovedTo != "C9" || got[0].ID != "moved:Ev9" {
		t.Errorf("moved: got %+v", got)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, overHTTP := range []bool{false, true} {
		r := run(t, gatewaytest.SlackOptions{HTTP: overHTTP, Retries: slices.Repeat([]time.Duration{time.Millisecond}, 1000)})
		for _, tt := range []struct{ command, text, want string }{
			{"/new", "", "/new"},
			{"/resume", " the &lt;plan&gt; ", "/resume the <plan>"},
			{"/hermes-status", "", "/status"},
			{"/hermes", "", "/help"},
			{"/hermes", "resume 2", "/resume 2"},
			{"/hermes", "/undo", "/undo"},
		} {
			for kind, chat := range map[gateway.ChatType]string{gateway.DM: r.Chat(gateway.DM, "alice"), gateway.Channel: r.Chat(gateway.Channel, "work")} {
				e := r.event(t, r.Command(chat, r.Person("alice"), tt.command, tt.text))
				if e.Kind != gateway.Called || e.Text != tt.want || e.Type != kind || e.Place.Chat != chat || e.From.Name != "alice" || !e.Addressed {
					t.Errorf("%s %s: got %+v, want %q in a %s", tt.command, tt.text, e, tt.want, kind)
				}
			}
		}
	}
}

// TestCommandBetweenPeople: a command may be given where two people talk, without the bot. That is not
// the person's private chat with the bot, whose memory it must not take.
func TestCommandBetweenPeople(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	r.Deliver("slash_commands", map[string]any{
		"channel_id": "D0FOREIGN", "channel_name": "directmessage", "user_id": r.Person("alice"), "command": "/new", "trigger_id": "t1",
	}, "t1")
	if e := r.event(t, "t1"); e.Type != gateway.Group || e.Place.Chat != "D0FOREIGN" {
		t.Errorf("got %+v, want a group", e)
	}
}

// TestNew: a missing secret is told before anything starts.
func TestNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]slack.Config{
		"nothing":           {},
		"no bot token":      {AppToken: "xapp-1"},
		"another bot token": {BotToken: "xapp-1", AppToken: "xapp-1"},
		"a user's token":    {BotToken: "xoxp-1-2-a", AppToken: "xapp-1"},
		"another app token": {BotToken: "xoxb-1", AppToken: "xoxb-1"},
		"a header in it":    {BotToken: "xoxb-1\r\nX: y", AppToken: "xapp-1"},
		"no other secret":   {BotToken: "xoxb-1"},
		"a blank secret":    {BotToken: "xoxb-1", SigningSecret: " \t\n"},
		"a blank app token": {BotToken: "xoxb-1", AppToken: " "},
		"a token in clear":  {BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: "http://slack.example/api/"},
		"no URL":            {BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: "slack.com"},
	} {
		if _, err := slack.New(c); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v, want it to be refused", name, err)
		}
	}
	accounts := map[string]string{}
	for _, token := range []string{"xoxb-12-34-abc", "xoxb-12-34-def", "xoxb-12-35-abc", "xoxe.xoxb-1-abc", "xoxb-abc"} {
		a, err := slack.New(slack.Config{BotToken: token, AppToken: "xapp-1-A1-2-b"})
		if err != nil {
			t.Fatal(err)
		}
		accounts[a.Account()] = token
	}
	if len(accounts) != 4 || accounts["12-34"] != "xoxb-12-34-def" {
		t.Errorf("got the accounts %q, want one for each bot", accounts)
	}
	a, err := slack.New(slack.Config{BotToken: "xoxb-1", SigningSecret: "s"})
	if err != nil || len(a.Webhooks()) != 3 || a.Platform() != gateway.Slack || a.Health().State != "stopped" {
		t.Errorf("got %+v, %v", a, err)
	}
	if a, err := slack.New(slack.Config{BotToken: "xoxb-1", AppToken: "xapp-1"}); err != nil || a.Webhooks() != nil {
		t.Errorf("Socket Mode has webhooks: %v", err)
	}
}
