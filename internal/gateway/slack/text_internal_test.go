package slack

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// testReader is a reader that knows one person and one channel.
func testReader() *reader {
	return &reader{
		account: "1000-2000",
		self:    identity{team: "T1", user: "U0BOT", bot: "B0BOT", name: "hermes"},
		person: func(_ context.Context, id string) person {
			if id == "U1" {
				return person{name: "Alex", zone: "Europe/Berlin"}
			}
			return person{}
		},
		chat: func(_ context.Context, id string) chat {
			if id == "C1" {
				return chat{kind: gateway.Channel, title: "work"}
			}
			return chat{kind: gateway.Channel}
		},
		first:  func(context.Context, string, string) first { return first{} },
		joined: func(string, string) bool { return false },
		join:   func(string, string) {},
		now:    time.Now,
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	r := testReader()
	for _, tt := range []struct {
		raw, want string
		mentioned bool
	}{
		{"hello", "hello", false},
		{"", "", false},
		{"a &lt;b&gt; &amp; c", "a <b> & c", false},
		{"&amp;lt; stays an escape", "&lt; stays an escape", false},
		{"&quot; &nbsp; are none", "&quot; &nbsp; are none", false},
		{"<@U0BOT> do it", "do it", true},
		{"<@U0BOT>: do it", "do it", true},
		{"<@U0BOT>, do it", "do it", true},
		{"<@U0BOT|hermes> do it", "do it", true},
		{"please <@U0BOT> do it", "please do it", true},
		{"do it <@U0BOT>", "do it", true},
		{"do it, <@U0BOT>!", "do it,!", true},
		{"<@U0BOT>", "", true},
		{"<@U0BOT> <@U0BOT> twice", "twice", true},
		{"&lt;@U0BOT&gt; only looks like one", "<@U0BOT> only looks like one", false},
		{"<@U1> and <@U2> and <@U3|carol>", "@Alex and @U2 and @carol", false},
		{"<#C1|plans> <#C1> <#C2>", "#plans #work #C2", false},
		{"<!channel> <!here> <!everyone>", "@channel @here @everyone", false},
		{"<!subteam^S1|@ops> <!subteam^S2>", "@ops @subteam^S2", false},
		{"<!date^1392734382^{date_num}|2014-02-18>", "2014-02-18", false},
		{"<https://a.example/?x=1&amp;y=2>", "https://a.example/?x=1&y=2", false},
		{"<https://a.example|the page>", "the page (https://a.example)", false},
		{"<http://a.example|a.example>", "http://a.example", false},
		{"<mailto:a@b.example|a@b.example> <tel:+49|+49>", "a@b.example +49", false},
		{"<https://a.example|x &gt; y>", "x > y (https://a.example)", false},
		{"1 < 2", "1 < 2", false},
		{"<>", "<>", false},
		{"<|x>", "<|x>", false},
		{"a <never closed", "a <never closed", false},
	} {
		if got, mentioned := r.text(t.Context(), tt.raw); got != tt.want || mentioned != tt.mentioned {
			t.Errorf("%q: got %q, %t, want %q, %t", tt.raw, got, mentioned, tt.want, tt.mentioned)
		}
	}
}

// FuzzText: what a person typed comes back, whatever it was, once Slack has escaped it; and
// no raw text brings the reader down.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"hello", "<@U0BOT> &amp; <https://a|b>", "&amp;lt;", "<!date^1|x>", "<<>>|", "\xff<@"} {
		f.Add(seed)
	}
	r := testReader()
	f.Fuzz(func(t *testing.T, typed string) {
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(typed)
		if got, mentioned := r.text(t.Context(), escaped); got != typed || mentioned {
			t.Errorf("got %q, %t, want %q", got, mentioned, typed)
		}
		if got, _ := r.text(t.Context(), typed); utf8.ValidString(typed) && !utf8.ValidString(got) {
			t.Errorf("%q: got %q", typed, got)
		}
	})
}

// FuzzEvent: an event that comes of a payload can be stored and answered, and no bot wrote it.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"event_callback","team_id":"T1","event_id":"E1","event":{"type":"message","channel":"C1","channel_type":"channel",` +
			`"user":"U1","text":"<@U0BOT> hi","ts":"1700000000.000001","thread_ts":"1600000000.000001","parent_user_id":"U0BOT"}}`,
		`{"event":{"type":"app_mention","channel":"C1","user":"U1","text":"x","ts":"1700000000.000001"}}`,
		`{"event":{"type":"message","subtype":"message_changed","channel":"D1","channel_type":"im","ts":"1700000000.000002",` +
			`"message":{"user":"U1","text":"y","ts":"1700000000.000001","edited":{}},"previous_message":{"text":"x"}}}`,
		`{"event":{"type":"channel_id_changed","old_channel_id":"C1","new_channel_id":"C2","event_ts":"1"}}`,
		`{"type":"block_actions","trigger_id":"t","user":{"id":"U1"},"channel":{"id":"D1","name":"directmessage"},` +
			`"container":{"message_ts":"1700000000.000001"},"actions":[{"type":"button","value":"v","action_ts":"1700000000.000001"}]}`,
		`{"command":"/hermes","text":"new","trigger_id":"t","user_id":"U1","channel_id":"C1","channel_name":"mpdm-a--b-1"}`,
		`{"event":[]}`, `null`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	r := testReader()
	f.Fuzz(func(t *testing.T, payload []byte) {
		var all []gateway.Event
		for _, read := range []func(context.Context, []byte) ([]gateway.Event, error){r.event, r.command, r.interaction} {
			events, err := read(t.Context(), payload)
			if err != nil && len(events) > 0 {
				t.Errorf("got events with the error %v", err)
			}
			all = append(all, events...)
		}
		for _, e := range all {
			if e.ID == "" || e.Place.Chat == "" || e.Place.Account != "1000-2000" || e.Type == "" {
				t.Errorf("got %+v", e)
			}
			if e.Kind != gateway.Moved && (e.From.ID == "" || e.From.ID == "U0BOT" && (e.Kind == gateway.Said || e.Kind == gateway.Edited)) {
				t.Errorf("got %+v from nobody", e)
			}
			if _, err := json.Marshal(e.At); err != nil {
				t.Errorf("got the time %v", err)
			}
		}
	})
}

// FuzzRequest: no body of a request brings the readers down, and what they read can be stored.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"", "%", "payload=%7B%7D", "payload=[]", "payload=%7B%22type%22%3A%22block_actions%22%2C%22trigger_id%22%3A%22t%22%2C%22user%22%3A%7B%22id%22%3A%22U1%22%7D%2C" +
			"%22channel%22%3A%7B%22id%22%3A%22D1%22%7D%2C%22actions%22%3A%5B%7B%22type%22%3A%22button%22%7D%5D%7D",
		"command=%2Fnew&text=&trigger_id=t&user_id=U1&channel_id=C1", "command=/hermes&command=/x&text=%ff;&trigger_id=t&user_id=U1&channel_id=C1",
		`{"type":"url_verification","challenge":"x"}`, `{"type":"event_callback","event":{"type":"message"}}`, `{"type":"event_callback"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, read := range map[string]readBody{"event": readEvent, "command": readCommand, "interaction": readInteraction} {
			events, challenge, err := read(t.Context(), testReader(), body)
			if challenge != "" && (name != "event" || len(events) > 0) || err != nil && len(events) > 0 {
				t.Errorf("%s: got %d events, the challenge %q, %v", name, len(events), challenge, err)
			}
			for _, e := range events {
				if e.ID == "" || e.Place.Chat == "" || e.Type == "" {
					t.Errorf("%s: got %+v", name, e)
				}
			}
		}
	})
}

// FuzzSections: a text in sections is the whole text, and each section fits.
func FuzzSections(f *testing.F) {
	for _, seed := range []string{"", "a", strings.Repeat("word ", 1500), strings.Repeat("x", 9001), strings.Repeat("😀", 3001), "\n" + strings.Repeat("y", 3000), strings.Repeat("\xff ", 3000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts := sections(text)
		if strings.Join(parts, "") != text {
			t.Errorf("got %q, want %q", parts, text)
		}
		for _, part := range parts {
			if n := utf8.RuneCountInString(part); n == 0 || n > maxSection {
				t.Errorf("got a section of %d characters", n)
			}
		}
	})
}

// TestAbilities: the gateway finds what the adapter can do besides the usual.
func TestAbilities(t *testing.T) {
	t.Parallel()
	var a gateway.Adapter = &Adapter{}
	_, caught := a.(gateway.CatchUp)
	_, finds := a.(gateway.Finder)
	_, checks := a.(gateway.Checker)
	_, reports := a.(gateway.Reporter)
	if !caught || !finds || !checks || !reports {
		t.Errorf("CatchUp %t, Find %t, Check %t, Health %t, want all", caught, finds, checks, reports)
	}
}

// TestCache: a cache stays within its bound, and forgets what is over first.
func TestCache(t *testing.T) {
	t.Parallel()
	c := newCache[int](64)
	now := time.Unix(1, 0)
	for i := range 32 {
		c.put("old"+string(rune('a'+i)), i, now, now.Add(time.Minute))
	}
	later := now.Add(time.Minute)
	if _, ok := c.get("olda", later); ok {
		t.Error("a value outlived its time")
	}
	for i := range 56 {
		c.put("new"+string(rune('a'+i)), i, later, later.Add(time.Minute))
	}
	for i := range 56 {
		if v, ok := c.get("new"+string(rune('a'+i)), later); !ok || v != i {
			t.Errorf("value %d is gone, although others were over", i)
		}
	}
	for i := range 1000 {
		c.put(string(rune('一'+i)), i, later, later.Add(time.Minute))
		if len(c.kept) > 64 {
			t.Fatalf("got %d values, want at most 64", len(c.kept))
		}
	}
	if _, ok := c.get(string(rune('一'+999)), later); !ok {
		t.Error("the newest value is gone")
	}
}

// TestBackoff: the waits double from the first to sixty times the first, with jitter.
func TestBackoff(t *testing.T) {
	t.Parallel()
	b := backoff{first: time.Second, longest: time.Minute}
	for _, most := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := b.next(); got > most*time.Second || got < most*time.Second/2 {
			t.Errorf("got %s, want between half of %d s and all of it", got, most)
		}
	}
	b.reset()
	if got := b.next(); got > time.Second {
		t.Errorf("after a long connection: got %s", got)
	}
}
