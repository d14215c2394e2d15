package discord_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// answering is a transport that answers all requests alike.
type answering struct {
	status int
	body   string
	header http.Header
}

// RoundTrip answers.
func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	h := a.header
	if h == nil {
		h = http.Header{"Via": {"1.1 google"}}
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

// reader is an adapter whose API answers all requests alike.
func reader(t testing.TB, answer answering) *discord.Adapter {
	t.Helper()
	a, err := discord.New(discord.Config{
		Token: gatewaytest.DiscordToken, HTTP: &http.Client{Transport: answer},
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const (
	dmAnswer = `{"id":"701","type":1}`
	ann      = `"author":{"id":"42","username":"ann","global_name":"Ann"}`
	head     = `"id":"175928847299117063","channel_id":"701","timestamp":"2026-11-25T10:00:00Z",` + ann
)

func TestRead(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	base := gateway.Event{
		ID: "175928847299117063", Kind: gateway.Said, Type: gateway.DM, Message: "175928847299117063", Addressed: true, At: at,
		Place: gateway.Place{Platform: gateway.Discord, Account: gatewaytest.DiscordBot, Chat: "701"}, From: gateway.Sender{ID: "42", Name: "Ann"},
	}
	with := func(change func(e *gateway.Event)) *gateway.Event {
		e := base
		change(&e)
		return &e
	}
	for name, tt := range map[string]struct {
		event, data string
		want        *gateway.Event // nil: none
	}{
		"a text":     {"MESSAGE_CREATE", `{` + head + `,"content":"hello","type":0}`, with(func(e *gateway.Event) { e.Text = "hello" })},
		"a nick":     {"MESSAGE_CREATE", `{` + head + `,"content":"x","member":{"nick":"Annie"}}`, with(func(e *gateway.Event) { e.Text, e.From.Name = "x", "Annie" })},
		"new fields": {"MESSAGE_CREATE", `{` + head + `,"content":"x","poll":{"a":[1]},"type":0,"flags":99999999}`, with(func(e *gateway.Event) { e.Text = "x" })},
		"no time":    {"MESSAGE_CREATE", `{"id":"175928847299117063","channel_id":"701","content":"x",` + ann + `}`, with(func(e *gateway.Event) { e.Text, e.At = "x", time.Date(2016, 4, 30, 11, 18, 25, 796000000, time.UTC) })},
		"a bot":      {"MESSAGE_CREATE", `{"id":"5","channel_id":"701","content":"x","author":{"id":"43","bot":true}}`, nil},
		"a webhook":  {"MESSAGE_CREATE", `{` + head + `,"content":"x","webhook_id":"9"}`, nil},
		"a pin":      {"MESSAGE_CREATE", `{` + head + `,"content":"","type":6}`, nil},
		"a join":     {"MESSAGE_CREATE", `{` + head + `,"content":"","type":7}`, nil},
		"an edit": {"MESSAGE_UPDATE", `{` + head + `,"content":"new","edited_timestamp":"2026-11-25T10:01:00Z"}`, with(func(e *gateway.Event) {
			e.Kind, e.Text, e.ID, e.At = gateway.Edited, "new", e.ID+"/2026-11-25T10:01:00Z", at.Add(time.Minute)
		})},
		"a preview":   {"MESSAGE_UPDATE", `{` + head + `,"content":"x","edited_timestamp":null,"embeds":[{}]}`, nil},
		"half a word": {"MESSAGE_UPDATE", `{"id":"5","channel_id":"701","embeds":[{}]}`, nil},
		"an answer": {"MESSAGE_CREATE", `{` + head + `,"content":"why?","type":19,"message_reference":{"message_id":"8"},"referenced_message":{"id":"8","content":"since <@42>","mentions":[{"id":"42","username":"ann"}],"author":{"id":"` + gatewaytest.DiscordBot + `","username":"hermes","bot":true}}}`,
			with(func(e *gateway.Event) {
				e.Text, e.Replied = "why?", &gateway.Quoted{Message: "8", Name: "hermes", Text: "since @ann", Mine: true}
			})},
		"an answer to what is gone": {"MESSAGE_CREATE", `{` + head + `,"content":"why?","type":19,"message_reference":{"message_id":"8"},"referenced_message":null}`,
			with(func(e *gateway.Event) { e.Text, e.Replied = "why?", &gateway.Quoted{Message: "8"} })},
		"a forward": {"MESSAGE_CREATE", `{` + head + `,"content":"","message_reference":{"type":1,"message_id":"8"},"message_snapshots":[{"message":{"content":"of others","attachments":[{"filename":"a.png","content_type":"image/png","url":"https://cdn.discordapp.com/a","size":5}]}}]}`,
			with(func(e *gateway.Event) {
				e.Forwarded = &gateway.Quoted{Message: "8", Text: "of others"}
				e.Files = []gateway.FileRef{{Ref: "https://cdn.discordapp.com/a", Kind: gateway.Photo, Name: "a.png", Mime: "image/png", Size: 5}}
			})},
		"a voice": {"MESSAGE_CREATE", `{` + head + `,"content":"","flags":8192,"attachments":[{"filename":"v.ogg","content_type":"audio/ogg; codecs=opus","url":"https://cdn.discordapp.com/v","size":9}]}`,
			with(func(e *gateway.Event) {
				e.Files = []gateway.FileRef{{Ref: "https://cdn.discordapp.com/v", Kind: gateway.Voice, Name: "v.ogg", Mime: "audio/ogg", Size: 9}}
			})},
		"a sticker": {"MESSAGE_CREATE", `{` + head + `,"content":"","sticker_items":[{"id":"1","name":"Wave","format_type":1}]}`,
			with(func(e *gateway.Event) { e.Things = []gateway.Thing{{Kind: "sticker", Text: "Wave"}} })},
		"a poll": {"MESSAGE_CREATE", `{` + head + `,"content":"","poll":{"question":{"text":"Lunch?"},"answers":[{"answer_id":1,"poll_media":{"text":"Pizza"}},{"answer_id":2,"poll_media":{"text":"Pasta"}}]}}`,
			with(func(e *gateway.Event) { e.Things = []gateway.Thing{{Kind: "poll", Text: "Lunch? Pizza / Pasta"}} })},
		"an answer to a file": {"MESSAGE_CREATE", `{` + head + `,"content":"why?","type":19,"message_reference":{"message_id":"8"},"referenced_message":{"id":"8","content":"","attachments":[{"filename":"a.png","content_type":"image/png","size":2048}],"author":{"id":"43","username":"bo"}}}`,
			with(func(e *gateway.Event) {
				e.Text, e.Replied = "why?", &gateway.Quoted{Message: "8", Name: "bo", Text: "[photo a.png, 2 KB]"}
			})},
		"a subcommand": {"INTERACTION_CREATE", `{"id":"175928847299117063","application_id":"6","token":"aW50","type":2,"channel_id":"701","user":{"id":"42","username":"ann","global_name":"Ann"},"data":{"name":"job","options":[{"name":"run","type":1,"options":[{"name":"n","type":4,"value":3},{"name":"now","type":5,"value":true}]}]}}`,
			with(func(e *gateway.Event) {
				e.Kind, e.Message, e.Text, e.Interaction = gateway.Called, "", "/job run 3 true", "command 6 175928847299117063 aW50"
				e.At = time.Date(2016, 4, 30, 11, 18, 25, 796000000, time.UTC)
			})},
		"a ping":         {"INTERACTION_CREATE", `{"id":"5","type":1}`, nil},
		"a completion":   {"INTERACTION_CREATE", `{"id":"5","type":4,"channel_id":"701","user":{"id":"42"}}`, nil},
		"nobody's press": {"INTERACTION_CREATE", `{"id":"5","type":3,"channel_id":"701"}`, nil},
	} {
		e, ok, err := reader(t, answering{200, dmAnswer, nil}).ReadEvent(t.Context(), tt.event, []byte(tt.data))
		if err != nil || ok != (tt.want != nil) {
			t.Errorf("%s: got %t, %v", name, ok, err)
			continue
		}
		if tt.want == nil {
			continue
		}
		e.At = e.At.UTC()
		if diff := cmp.Diff(*tt.want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEmbeds: the words of embeds are a part of a message that is answered or passed on. A preview that Discord has made of a link in
// the text says nothing new.
func TestEmbeds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ content, embeds, want string }{
		"a title":           {"", `[{"type":"rich","title":"Release 2.0","description":"Breaking changes","url":"https://x.example/2"}]`, "Release 2.0 (https://x.example/2)\nBreaking changes"},
		"all parts":         {"", `[{"author":{"name":"Bo"},"title":"T","description":"for <@42>","fields":[{"name":"CPU","value":"9 %"},{"name":"-"},{"value":"only"}],"footer":{"text":"end"}}]`, "Bo\nT\nfor @ann\nCPU: 9 %\n-\nonly\nend"},
		"behind the text":   {"news", `[{"type":"rich","title":"A"},{"type":"rich","url":"https://x.example/b"}]`, "news\nA\nhttps://x.example/b"},
		"a preview":         {"see https://x.example/a", `[{"type":"article","title":"A","url":"https://x.example/a"},{"type":"link","url":"https://x.example/a"},{"type":"video","url":"https://x.example/a"}]`, "see https://x.example/a"},
		"of another link":   {"see below", `[{"type":"article","title":"A","url":"https://x.example/a"}]`, "see below\nA (https://x.example/a)"},
		"written on a link": {"see https://x.example/a", `[{"type":"rich","title":"A","url":"https://x.example/a"}]`, "see https://x.example/a\nA (https://x.example/a)"},
		"nothing in it":     {"x", `[{}]`, "x"},
		"another form":      {"x", `"zz"`, "x"},
	} {
		body := `"content":"` + tt.content + `","mentions":[{"id":"42","username":"ann"}],"embeds":` + tt.embeds
		for kind, data := range map[string]string{
			"answered":  `"type":19,"message_reference":{"message_id":"8"},"referenced_message":{"id":"8",` + body + `,"author":{"id":"43","username":"bo"}}`,
			"passed on": `"message_reference":{"type":1,"message_id":"8"},"message_snapshots":[{"message":{` + body + `}}]`,
		} {
			e, ok, err := reader(t, answering{200, dmAnswer, nil}).ReadEvent(t.Context(), "MESSAGE_CREATE", []byte(`{`+head+`,"content":"",`+data+`}`))
			if err != nil || !ok {
				t.Fatalf("%s, %s: got %t, %v", name, kind, ok, err)
			}
			got := e.Forwarded
			if kind == "answered" {
				got = e.Replied
			}
			if got == nil || got.Text != tt.want {
				t.Errorf("%s, %s: got %+v, want %q", name, kind, got, tt.want)
			}
		}
	}
}

// TestDeletedTogether: each of the messages that a moderator deletes at once is deleted, in its place.
func TestDeletedTogether(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	for _, channel := range []string{guildChannel, thread} {
		var ids []string
		for range 3 {
			ids = append(ids, hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: channel, Text: "x"}).ID)
		}
		d.Dispatch("MESSAGE_DELETE_BULK", map[string]any{"ids": ids[1:], "channel_id": channel, "guild_id": theGuild})
		hear(t, d, ledger, said("behind it"))
		want := map[string]bool{ids[0] + "/deleted": false, ids[1] + "/deleted": true, ids[2] + "/deleted": true}
		for id, gone := range want {
			if ledger.Has(id) != gone {
				t.Errorf("%s: got %t, want %t", id, !gone, gone)
			}
		}
		e := ledger.Event(t, ids[1]+"/deleted")
		if e.Kind != gateway.Deleted || string(e.Message) != ids[1] || e.Place != placeOf(channel) || e.Type != gateway.Channel {
			t.Errorf("got %+v, want the deletion of %s", e, ids[1])
		}
	}
}

// TestUnreadable: an event that cannot be read stops nothing behind it, and its words are
// not logged.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	d, ledger, log := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger(), &logged{}
	run(t, d, adapter(t, d, discord.Config{Log: log.logger()}), ledger)
	for _, data := range []any{
		map[string]any{"id": []any{}, "content": "private words"}, "private words", nil,
		map[string]any{"id": "../5", "channel_id": "701", "content": "private words", "author": map[string]any{"id": "7"}},
		map[string]any{"id": "5", "channel_id": "all", "content": "private words", "author": map[string]any{"id": "7"}},
	} {
		d.Dispatch("MESSAGE_CREATE", data)
		d.Dispatch("INTERACTION_CREATE", data)
	}
	hear(t, d, ledger, said("hello"))
	if log.count("private words") != 0 || log.count("cannot be read") == 0 {
		t.Errorf("got %d lines, %d with the words", log.count("cannot be read"), log.count("private words"))
	}
	if n := len(ledger.Events()); n != 1 {
		t.Errorf("got %d events, want one", n)
	}
}

// TestUnreadableMissed: one message that cannot be read does not keep the others of a
// channel from being fetched.
func TestUnreadableMissed(t *testing.T) {
	t.Parallel()
	d, ledger := newFake(t, gatewaytest.DiscordOptions{}), gatewaytest.NewLedger()
	r := run(t, d, adapter(t, d, discord.Config{}), ledger)
	hear(t, d, ledger, said("before"))
	r.halt(t)
	d.ForgetSessions()
	d.Say(gatewaytest.DiscordSaid{Channel: dmChannel, Raw: map[string]any{"content": []any{"?"}}})
	missed := d.Say(said("missed"))
	run(t, d, adapter(t, d, discord.Config{}), ledger)
	ledger.AwaitEvents(t, missed)
}

// TestUnknownChannel: a channel that Discord does not show is a chat all the same, and one
// that cannot be asked for at the moment is asked for again.
func TestUnknownChannel(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	e := hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: "999", Text: "hidden"})
	if e.Type != gateway.DM || e.Place != placeOf("999") {
		t.Errorf("got %+v", e)
	}
	d.Fault("GET /channels/{channel}", gatewaytest.DiscordFault{Status: 502}, gatewaytest.DiscordFault{CutBefore: true}, gatewaytest.DiscordFault{RetryAfter: 10 * time.Millisecond})
	if e := hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: thread, Text: "x"}); e.Place != placeOf(thread) {
		t.Errorf("got %+v, want the thread", e)
	}
	before := len(d.Requests("GET /channels/" + thread))
	hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: thread, Text: "x"})
	if n := len(d.Requests("GET /channels/" + thread)); n != before {
		t.Errorf("the channel was asked for again")
	}
}

// TestRoleMention: a mention of the bot's own role addresses the bot, also in a message that is
// fetched later, and one of another role does not. The roles of a guild are asked for once.
func TestRoleMention(t *testing.T) {
	t.Parallel()
	d, a, ledger := talk(t, gatewaytest.DiscordOptions{})
	mention := func(role, text string) gatewaytest.DiscordSaid {
		return gatewaytest.DiscordSaid{Channel: guildChannel, Text: "<@&" + role + "> " + text, Raw: map[string]any{"mention_roles": []string{role}}}
	}
	d.Fault("GET /guilds/{guild}/roles", gatewaytest.DiscordFault{Status: 502})
	if e := hear(t, d, ledger, mention(gatewaytest.DiscordRole, "hello")); !e.Addressed || e.Text != "hello" {
		t.Errorf("got %+v, want it addressed, without the mention", e)
	}
	asked := len(d.Requests("GET /guilds/" + theGuild + "/roles"))
	for role, name := range map[string]string{"911": "@other bot", "912": "@boosters", theGuild: "@everyone"} {
		if e := hear(t, d, ledger, mention(role, "hello")); e.Addressed || e.Text != name+" hello" {
			t.Errorf("role %s: got %+v, want it not addressed", role, e)
		}
	}
	inCode := gatewaytest.DiscordSaid{Channel: guildChannel, Text: "`<@&" + gatewaytest.DiscordRole + ">`"}
	if e := hear(t, d, ledger, inCode); e.Addressed {
		t.Errorf("got %+v, want signs in code to mention nobody", e)
	}
	if n := len(d.Requests("GET /guilds/" + theGuild + "/roles")); asked != 2 || n != asked {
		t.Errorf("the roles were asked for %d times, then %d times; want 2 and no more", asked, n-asked)
	}
	events, err := a.CatchUp(t.Context(), placeOf(guildChannel), "")
	if err != nil || len(events) == 0 || !events[0].Addressed {
		t.Errorf("fetched: got %+v, %v, want the first one addressed", events, err)
	}
	gone := gatewaytest.DiscordSaid{Channel: "999", Text: "<@&5> x", Raw: map[string]any{"mention_roles": []string{"5"}, "guild_id": "998"}}
	if e := hear(t, d, ledger, gone); e.Addressed || e.Text != "@role x" {
		t.Errorf("got %+v, want a message of a guild that Discord does not show", e)
	}
}

// TestNames: people see names of channels and roles, where a message has numbers. Only names of the same server are shown.
// A channel is asked for once, and one that cannot be asked for holds no message up.
func TestNames(t *testing.T) {
	t.Parallel()
	d, _, ledger := talk(t, gatewaytest.DiscordOptions{})
	d.AddChannel(gatewaytest.DiscordChannel{ID: "801", Guild: theGuild, Name: "news"})
	d.AddChannel(gatewaytest.DiscordChannel{ID: "802", Guild: "601", Name: "secret"})
	heard := func(text string, raw map[string]any) gateway.Event {
		t.Helper()
		return hear(t, d, ledger, gatewaytest.DiscordSaid{Channel: guildChannel, Text: text, Raw: raw})
	}
	heard("hello", nil)
	d.Fault("GET /channels/{channel}", gatewaytest.DiscordFault{Status: 502})
	for _, tt := range [][2]string{
		{"see <#801>", "see #channel"}, {"see <#801>, <#704>", "see #news, #plans"}, {"see <#801>", "see #news"}, {"<#802>", "#channel"}, {"<#803>", "#channel"}, {"<#803>", "#channel"},
	} {
		if e := heard(tt[0], nil); e.Text != tt[1] {
			t.Errorf("%q: got %q, want %q", tt[0], e.Text, tt[1])
		}
	}
	for id, most := range map[string]int{"801": 2, "802": 1, "803": 1} {
		if n := len(d.Requests("GET /channels/" + id)); n > most {
			t.Errorf("channel %s: asked %d times, want %d", id, n, most)
		}
	}
	of := map[string]any{"id": "8", "content": "ask <@&912> in <#801> or <#810>", "author": map[string]any{"id": "43"}, "mention_roles": []string{"912"},
		"mention_channels": []any{map[string]any{"id": "810", "name": "far"}}}
	const want = "ask @boosters in #news or #far"
	e := heard("why?", map[string]any{"type": 19, "message_reference": map[string]any{"message_id": "8"}, "referenced_message": of})
	if e.Replied == nil || e.Replied.Text != want {
		t.Errorf("answered: got %+v, want %q", e.Replied, want)
	}
	e = heard("", map[string]any{"message_reference": map[string]any{"type": 1, "message_id": "8"}, "message_snapshots": []any{map[string]any{"message": of}}})
	if e.Forwarded == nil || e.Forwarded.Text != want {
		t.Errorf("passed on: got %+v, want %q", e.Forwarded, want)
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	const list = `[{"id":"1","username":"hermes"},{"id":"2","username":"bob","member":{"nick":"Bobby"}}]`
	for text, want := range map[string]string{
		"<@1> hello":              "hello",
		"<@!1> hello":             "hello",
		"<@1>, do this":           "do this",
		"<@1>: do this":           "do this",
		"hey <@1>!":               "hey!",
		"hey <@1> do this":        "hey do this",
		"hey <@1>":                "hey",
		"a\n<@1> b":               "a\nb",
		"<@1>":                    "",
		"<@1><@1> x":              "x",
		"<@1> ask <@2>":           "ask @Bobby",
		"<@&91>, <@1> ask <@2>":   "ask @Bobby",
		"  <@1>   code:\n  a":     "code:\n  a",
		"<@1> <:wave:55>":         ":wave:",
		"<@1> <a:dance:55> <t:5>": ":dance: <t:5>",
	} {
		if got, found := discord.CutMentions(text, "1", list); got != want || !found {
			t.Errorf("%q: got %q, %t, want %q", text, got, found, want)
		}
	}
	for text, want := range map[string]string{
		"hello": "hello", " <@2> hi ": " @Bobby hi ", "<@3>": "<@3>", "a < b > c": "a < b > c", "<": "<", "<@1": "<@1", "<<@2>": "<@Bobby",
		"<:x y:5>": "<:x y:5>", "<#701>": "#channel", "<@&1>": "@role", "@everyone": "@everyone", "use </new:55>": "use /new", "</job run:5>": "/job run",
		"`<#701> <@&1> </new:55>`": "`<#701> <@&1> </new:55>`", "`x` <#701>": "`x` #channel", "</new>": "</new>", "</:5>": "</:5>", "<a:5>": "<a:5>", "<#x>": "<#x>",
	} {
		if got, found := discord.CutMentions(text, "1", list); got != want || found {
			t.Errorf("%q: got %q, %t, want %q and no mention", text, got, found, want)
		}
	}
}

// TestFetchLimits: files come from Discord's own hosts only, without the token, without
// redirects, and up to a size.
func TestFetchLimits(t *testing.T) {
	t.Parallel()
	d, a := send(t, gatewaytest.DiscordOptions{})
	for _, ref := range []string{
		"http://cdn.discordapp.com/a", "https://cdn.discordapp.com.evil.example/a", "https://user@cdn.discordapp.com/a", "https://evil.example/a",
		"file:///etc/passwd", "https://cdn.discordapp.com:8443/a", "", "%zz", "//cdn.discordapp.com/a",
	} {
		r, err := a.Fetch(t.Context(), gateway.FileRef{Ref: ref})
		if err == nil {
			_ = r.Close()
		}
		if fault.CodeOf(err) != "foreign_file" {
			t.Errorf("%q: got %v, want no request", ref, err)
		}
	}
	away := d.AddFile("/attachments/away", []byte("redirect:"+d.AddFile("/attachments/b", []byte("b"))))
	big := d.AddFile("/attachments/big", make([]byte, 20<<20+1))
	for _, ref := range []string{away, big} {
		if r, err := a.Fetch(t.Context(), gateway.FileRef{Ref: ref}); err == nil {
			_, err = io.Copy(io.Discard, r)
			_ = r.Close()
			if err == nil {
				t.Errorf("%q was fetched", ref)
			}
		}
	}
}
