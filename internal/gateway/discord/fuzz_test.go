package discord

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// fixed is a transport that answers all requests alike.
type fixed struct {
	status int
	body   string
	header http.Header
}

// RoundTrip answers.
func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: f.status, Header: f.header, Body: io.NopCloser(strings.NewReader(f.body)), Request: r}, nil
}

// fuzzed is an adapter whose API answers all requests alike.
func fuzzed(t testing.TB, f fixed) *Adapter {
	t.Helper()
	a, err := New(Config{
		Token: "OTAwMDAwMDAwMDAwMDAwMDAx.fake.token", HTTP: &http.Client{Transport: f},
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// FuzzFrame: no frame of the gateway breaks what reads it, and its numbers are bounded.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		`{"op":10,"d":{"heartbeat_interval":41250}}`, `{"op":10,"d":{"heartbeat_interval":9223372036854775807}}`, `{"op":10,"d":{"heartbeat_interval":-1}}`,
		`{"op":0,"s":1,"t":"READY","d":{"session_id":"x","resume_gateway_url":"wss://x"}}`, `{"op":9,"d":true}`, `{"op":9,"d":null}`, `{"op":0,"s":-5}`,
		`{"op":11}`, `[]`, `null`, ``, `{"op":1e400}`, `{"op":0,"s":1,"t":"READY","d":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readFrame(text)
		if err != nil {
			return
		}
		if got.Seq < 0 {
			t.Errorf("got the number %d", got.Seq)
		}
		if d, ok := got.interval(); ok && (d < time.Millisecond || d > longestInterval) {
			t.Errorf("got the interval %s", d)
		}
		if s := got.ready(); s != nil && s.Session == "" {
			t.Error("got a session without an id")
		}
		got.resumable()
	})
}

// FuzzEvent: no payload of an event breaks what reads it. What is an event has ids of
// Discord, and only such a text becomes a part of a path.
func FuzzEvent(f *testing.F) {
	const ann = `"author":{"id":"42","username":"ann"}`
	for name, seeds := range map[string][]string{
		messageCreate: {
			`{"id":"5","channel_id":"701","content":"<@1> hi",` + ann + `}`, `{"id":"../5","channel_id":"701",` + ann + `}`,
			`{"id":"5","channel_id":"","type":19,"message_reference":{"message_id":"8"},"referenced_message":{},` + ann + `}`,
			`{"id":"5","channel_id":"7","message_reference":{"type":1},"message_snapshots":[{}],"attachments":[{"size":-1}],` + ann + `}`, `null`, `[]`,
		},
		messageUpdate:     {`{"id":"5","channel_id":"701","edited_timestamp":"x",` + ann + `}`, `{"edited_timestamp":"2026-11-25T10:01:00Z"}`},
		messageDeleteBulk: {`{"ids":["5","6"],"channel_id":"701","guild_id":"9"}`, `{"ids":["../5"],"channel_id":"701"}`, `{"ids":5}`},
		interactionCreate: {`{"id":"5","type":2,"channel_id":"7","user":{"id":"4"},"data":{"options":[{"value":[1]},{"options":[{}]}]}}`, `{"type":3,"message":null,"member":{"user":null}}`},
	} {
		for _, seed := range seeds {
			f.Add(name, []byte(seed), `{"id":"701","type":11,"parent_id":"9","member":{}}`)
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte, channel string) {
		r := &receiver{a: fuzzed(t, fixed{200, channel, http.Header{"Via": {"x"}}}), at: readPosition("")}
		list, err := r.read(t.Context(), &arrival{name: name, data: data})
		if err != nil {
			_, asks := errors.AsType[*gateway.SendError](err)
			if !asks && !errors.Is(err, errUnreadable) {
				t.Errorf("got %v", err)
			}
			return
		}
		for i := range list {
			e := &list[i]
			id, _, _ := strings.Cut(e.ID, "/")
			if !isID(id) || !isID(channelOf(e.Place)) || e.Kind == "" || e.Type == "" {
				t.Errorf("got %+v", e)
			}
		}
		for c, m := range r.at.Seen {
			if !isID(c) || !isID(m) {
				t.Errorf("the position has %q: %q", c, m)
			}
		}
	})
}

// FuzzAnswer: whatever Discord answers, sending fails with an error that tells nothing of
// the answer or the request, and no wait is without an end.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"code":50035,"message":"words","errors":{"content":{"_errors":[]}}}`, `{"code":10003,"message":"words"}`, `{"retry_after":1e300,"global":true}`,
		`{"retry_after":-1}`, `{"retry_after":"x"}`, `{"code":"x"}`, `{"errors":[]}`, `<html>words</html>`, ``, `null`, `[]`, `{"id":5}`, `{"id":"7"}`,
	} {
		for _, status := range []int{200, 204, 302, 400, 401, 403, 404, 429, 500, 502, 503} {
			f.Add(status, seed, "3")
		}
	}
	f.Fuzz(func(t *testing.T, status int, body, after string) {
		if status < 200 || status > 999 {
			return
		}
		a := fuzzed(t, fixed{status, body, http.Header{"Via": {"x"}, "Retry-After": {after}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset-After": {after}}})
		var m message
		err := a.api.do(t.Context(), rest.GetMessage.Compile(nil, "701", "5"), nil, &m)
		if err == nil {
			return
		}
		failed, ok := errors.AsType[*gateway.SendError](err)
		if !ok {
			t.Fatalf("got %v (%T)", err, err)
		}
		if failed.Text == "" || failed.After < 0 || failed.After > maxWait || (failed.Reason == gateway.Limited) != (failed.After > 0) {
			t.Errorf("got %+v", failed)
		}
		if strings.Contains(err.Error(), "words") || strings.Contains(err.Error(), "fake.token") {
			t.Errorf("the error tells too much: %v", err)
		}
	})
}

// FuzzPosition: a stored position of any form is read, and is the same when it is stored
// again.
func FuzzPosition(f *testing.F) {
	for _, seed := range []string{
		`{"session":"a","resume":"wss://x","seq":5,"seen":{"701":"8"}}`, `{"seq":-1}`, `{"seen":{"x":"5","5":"x"}}`, `{"seen":null}`, `null`, ``, `5`, `[]`, `{"seq":1e99}`,
	} {
		f.Add(seed, "701", "9")
	}
	f.Fuzz(func(t *testing.T, text, channel, m string) {
		at := readPosition(gateway.Position(text))
		if at.Seq < 0 || at.Seen == nil {
			t.Errorf("got %+v", at)
		}
		at.see(channel, m)
		stored := at.text()
		again := readPosition(stored)
		if again.text() != stored {
			t.Errorf("got %s, then %s", stored, again.text())
		}
		for c, id := range again.Seen {
			if !isID(c) || !isID(id) {
				t.Errorf("got %q: %q", c, id)
			}
		}
	})
}

// FuzzHandle: a handle is read only in the form in which it was written.
func FuzzHandle(f *testing.F) {
	for _, seed := range []string{"command 1 2 aW50", "press 1 2 a.b-c_d", "command 1 2 ../x", "command 1 2 ..", "x 1 2 y", "command 1  2 y", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, ok := parseHandle(text)
		if !ok {
			return
		}
		if h.String() != text {
			t.Errorf("%q: got %q", text, h)
		}
		if strings.ContainsAny(h.token+h.app+h.id, "/?#%\\ ") || strings.Trim(h.token, ".") == "" {
			t.Errorf("%q: got the parts %q, %q, %q", text, h.app, h.id, h.token)
		}
	})
}

// FuzzMentions: what is cut out of a text leaves a text.
func FuzzMentions(f *testing.F) {
	for _, seed := range []string{"<@1> hi", "<<@1>@1>", "a <@1>!", "<@1", "<:a:5><a:b:6>", "\n<@1>\n", "<@&91>: x", "😀<@!1>, x", "<#5> `<#5>` <@&5></a b:5>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, found := cutMentions(text, []string{"@1", "@!1", "@&91"}, &names{people: []mentioned{{user: user{ID: "1", Username: "h"}}, {user: user{ID: "2", Username: "b"}}}})
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q: got %q", text, got)
		}
		if len(got) > 2*len(text) || !found && strings.Contains(got, "<@2>") {
			t.Errorf("%q: got %q", text, got)
		}
	})
}

// FuzzPlain: a plain text stays within the limit, and all its signs stay.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"*a*", "# x", "\\", "<@1>", " - a\n> b", strings.Repeat("*", 1500)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := escape(text)
		if lengthOf(got) > max(maxLength, lengthOf(text)) {
			t.Errorf("%q: got %d signs", text, lengthOf(got))
		}
		if strings.ReplaceAll(got, `\`, "") != strings.ReplaceAll(text, `\`, "") {
			t.Errorf("%q: got %q", text, got)
		}
	})
}
