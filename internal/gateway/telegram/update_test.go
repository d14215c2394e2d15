package telegram

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// testReader reads updates for a bot with id 7 and the name hermes_bot.
func testReader() *reader {
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	return &reader{account: "7", me: &models.User{ID: 7, IsBot: true, FirstName: "Hermes", Username: "hermes_bot"}, now: now}
}

// in is an event in a chat, at the time of the messages of these tests.
func in(chat string, kind gateway.ChatType, e gateway.Event) *gateway.Event {
	e.ID, e.Place = "5", gateway.Place{Platform: gateway.Telegram, Account: "7", Chat: chat, Thread: e.Place.Thread}
	e.Type = kind
	if e.Kind == "" {
		e.Kind = gateway.Said
	}
	if e.Message == "" {
		e.Message = "9"
	}
	if e.At.IsZero() {
		e.At = time.Unix(1_700_000_000, 0).UTC()
	}
	if e.From.ID == "" && e.Kind != gateway.Moved {
		e.From = gateway.Sender{ID: "42", Name: "Ann Lee"}
	}
	return &e
}

const (
	ann     = `"from":{"id":42,"first_name":"Ann","last_name":"Lee","username":"ann"}`
	private = `"message_id":9,"date":1700000000,"chat":{"id":42,"type":"private","first_name":"Ann"},` + ann
	group   = `"message_id":9,"date":1700000000,"chat":{"id":-100,"type":"supergroup","title":"Family"},` + ann
	mine    = `{"message_id":8,"date":1,"chat":{"id":-100,"type":"supergroup"},"from":{"id":7,"is_bot":true,"first_name":"Hermes"},"text":"an answer"}`
)

func TestRead(t *testing.T) {
	t.Parallel()
	family := func(e gateway.Event) *gateway.Event { e.Title = "Family"; return in("-100", gateway.Group, e) }
	dm := func(e gateway.Event) *gateway.Event { e.Addressed = true; return in("42", gateway.DM, e) }
	for name, tt := range map[string]struct {
		update string
		want   *gateway.Event // nil: left out
	}{
		"a DM":            {`"message":{` + private + `,"text":"hello"}`, dm(gateway.Event{Text: "hello"})},
		"a DM with 😀":     {`"message":{` + private + `,"text":"😀 @hermes_bot hi","entities":[{"type":"mention","offset":3,"length":11}]}`, dm(gateway.Event{Text: "😀 hi"})},
		"to the group":    {`"message":{` + group + `,"text":"hello"}`, family(gateway.Event{Text: "hello"})},
		"a mention":       {`"message":{` + group + `,"text":"hey @Hermes_Bot, hello","entities":[{"type":"mention","offset":4,"length":11}]}`, family(gateway.Event{Text: "hey, hello", Addressed: true})},
		"an address":      {`"message":{` + group + `,"text":"@hermes_bot: /status","entities":[{"type":"mention","offset":0,"length":11}]}`, family(gateway.Event{Text: "/status", Addressed: true})},
		"twice":           {`"message":{` + group + `,"text":"@hermes_bot, 😀 @hermes_bot!","entities":[{"type":"mention","offset":0,"length":11},{"type":"mention","offset":16,"length":11}]}`, family(gateway.Event{Text: "😀!", Addressed: true})},
		"another mention": {`"message":{` + group + `,"text":"@other hello","entities":[{"type":"mention","offset":0,"length":6}]}`, family(gateway.Event{Text: "@other hello"})},
		"no entity":       {`"message":{` + group + `,"text":"@hermes_bot hello"}`, family(gateway.Event{Text: "@hermes_bot hello"})},
		"by its name":     {`"message":{` + group + `,"text":"Hermes hello","entities":[{"type":"text_mention","offset":0,"length":6,"user":{"id":7}}]}`, family(gateway.Event{Text: "hello", Addressed: true})},
		"a command":       {`"message":{` + group + `,"text":"/new@hermes_bot now","entities":[{"type":"bot_command","offset":0,"length":15}]}`, family(gateway.Event{Text: "/new now", Addressed: true})},
		"another's":       {`"message":{` + group + `,"text":"/new@other","entities":[{"type":"bot_command","offset":0,"length":10}]}`, family(gateway.Event{Text: "/new@other"})},
		"only a mention":  {`"message":{` + group + `,"text":"@hermes_bot","entities":[{"type":"mention","offset":0,"length":11}]}`, family(gateway.Event{Addressed: true})},
		"a reply":         {`"message":{` + group + `,"text":"why?","reply_to_message":` + mine + `}`, family(gateway.Event{Text: "why?", Addressed: true, Replied: &gateway.Quoted{Message: "8", Name: "Hermes", Text: "an answer", Mine: true}})},
		"a quote":         {`"message":{` + group + `,"text":"why?","quote":{"text":"answer","position":3},"reply_to_message":` + mine + `}`, family(gateway.Event{Text: "why?", Addressed: true, Replied: &gateway.Quoted{Message: "8", Name: "Hermes", Text: "answer", Mine: true}})},
		"a topic":         {`"message":{` + group + `,"text":"x","message_thread_id":8,"is_topic_message":true,"reply_to_message":` + mine + `}`, family(gateway.Event{Text: "x", Place: gateway.Place{Thread: "8"}})},
		"no topic":        {`"message":{` + group + `,"text":"x","message_thread_id":8}`, family(gateway.Event{Text: "x"})},
		"General":         {`"message":{` + group + `,"text":"x","message_thread_id":1,"is_topic_message":true}`, family(gateway.Event{Text: "x"})},
		"a forward":       {`"message":{` + private + `,"text":"/new","forward_origin":{"type":"user","date":1,"sender_user":{"id":3,"first_name":"Bob"}}}`, dm(gateway.Event{Forwarded: &gateway.Quoted{Name: "Bob", Text: "/new"}})},
		"of a channel":    {`"message":{` + private + `,"text":"news","forward_origin":{"type":"channel","date":1,"chat":{"id":-9,"type":"channel","title":"News"},"message_id":4}}`, dm(gateway.Event{Forwarded: &gateway.Quoted{Message: "4", Name: "News", Text: "news"}})},
		"a new forward":   {`"message":{` + private + `,"text":"hi","forward_origin":{"type":"telepathy","date":1}}`, dm(gateway.Event{Forwarded: &gateway.Quoted{Text: "hi"}})},
		"an unknown gift": {`"message":{` + private + `,"text":"hi","reply_to_message":{"message_id":3,"date":1,"chat":{"id":42},"text":"look","paid_media":{"paid_media":[{"type":"hologram"}]}}}`, dm(gateway.Event{Text: "hi", Replied: &gateway.Quoted{Message: "3", Text: "look"}})},
		"a photo": {`"message":{` + private + `,"caption":"look","media_group_id":"77","photo":[{"file_id":"s","width":9,"height":9,"file_size":5},{"file_id":"l","width":90,"height":90,"file_size":500}]}`,
			dm(gateway.Event{Text: "look", Album: "77", Files: []gateway.FileRef{{Ref: "l", Kind: gateway.Photo, Mime: "image/jpeg", Size: 500}}})},
		"a voice":    {`"message":{` + private + `,"voice":{"file_id":"v","mime_type":"audio/ogg","file_size":7}}`, dm(gateway.Event{Files: []gateway.FileRef{{Ref: "v", Kind: gateway.Voice, Mime: "audio/ogg", Size: 7}}})},
		"an audio":   {`"message":{` + private + `,"audio":{"file_id":"a","file_name":"song.mp3","mime_type":"audio/mpeg","file_size":7}}`, dm(gateway.Event{Files: []gateway.FileRef{{Ref: "a", Kind: gateway.Document, Name: "song.mp3", Mime: "audio/mpeg", Size: 7}}})},
		"a document": {`"message":{` + group + `,"caption":"@hermes_bot read","caption_entities":[{"type":"mention","offset":0,"length":11}],"document":{"file_id":"d","file_name":"a.txt"}}`, family(gateway.Event{Text: "read", Addressed: true, Files: []gateway.FileRef{{Ref: "d", Kind: gateway.Document, Name: "a.txt"}}})},
		"a location": {`"message":{` + private + `,"location":{"latitude":52.5163,"longitude":13.3777}}`,
			dm(gateway.Event{Things: []gateway.Thing{{Kind: "location", Text: "52.51630, 13.37770"}}})},
		"a live location": {`"message":{` + private + `,"location":{"latitude":-1,"longitude":0.5,"live_period":900}}`,
			dm(gateway.Event{Things: []gateway.Thing{{Kind: "live location", Text: "-1.00000, 0.50000"}}})},
		"a venue": {`"message":{` + private + `,"location":{"latitude":1,"longitude":2},"venue":{"location":{"latitude":1,"longitude":2},"title":"Café Mokka","address":"Main St 1"}}`,
			dm(gateway.Event{Things: []gateway.Thing{{Kind: "location", Text: "Café Mokka, Main St 1, 1.00000, 2.00000"}}})},
		"a contact": {`"message":{` + private + `,"contact":{"phone_number":"+491","first_name":"Bob","last_name":"Ray","user_id":3}}`,
			dm(gateway.Event{Things: []gateway.Thing{{Kind: "contact", Text: "Bob Ray, +491"}}})},
		"a sent poll": {`"message":{` + private + `,"poll":{"id":"1","question":"Lunch?","options":[{"text":"Pizza"},{"text":"Pasta"}]}}`,
			dm(gateway.Event{Things: []gateway.Thing{{Kind: "poll", Text: "Lunch? Pizza / Pasta"}}})},
		"a checklist": {`"message":{` + private + `,"checklist":{"title":"Trip","tasks":[{"id":1,"text":"tickets","completion_date":9},{"id":2,"text":"socks"}]}}`,
			dm(gateway.Event{Things: []gateway.Thing{{Kind: "checklist", Text: "Trip ☑ tickets ☐ socks"}}})},
		"a reply to a photo": {`"message":{` + private + `,"text":"what is it?","reply_to_message":{"message_id":3,"date":1,"chat":{"id":42},"photo":[{"file_id":"l","width":9,"height":9}]}}`,
			dm(gateway.Event{Text: "what is it?", Replied: &gateway.Quoted{Message: "3", Text: "[photo]"}})},
		"a reply to another chat": {`"message":{` + private + `,"text":"why?","external_reply":{"origin":{"type":"user","date":1,"sender_user":{"id":3,"first_name":"Bob"}},"chat":{"id":-9,"type":"supergroup","title":"Team"},"message_id":4}}`,
			dm(gateway.Event{Text: "why?", Replied: &gateway.Quoted{Name: "Bob", Text: "[message of another chat: Team]"}})},
		"a reply to a photo of another chat": {`"message":{` + private + `,"text":"why?","external_reply":{"origin":{"type":"channel","date":1,"chat":{"id":-9,"type":"channel","title":"News"},"message_id":4},"photo":[{"file_id":"l","width":9,"height":9}]}}`,
			dm(gateway.Event{Text: "why?", Replied: &gateway.Quoted{Message: "4", Name: "News", Text: "[message of another chat] [photo]"}})},
		"a reply to a sticker of another chat": {`"message":{` + private + `,"text":"why?","external_reply":{"origin":{"type":"hidden_user","date":1,"sender_user_name":"Zoe"},"sticker":{"file_id":"s","emoji":"😀","set_name":"Cats"}}}`,
			dm(gateway.Event{Text: "why?", Replied: &gateway.Quoted{Name: "Zoe", Text: "[message of another chat] [sticker: 😀]"}})},
		"a reply to a poll of another chat": {`"message":{` + private + `,"text":"why?","external_reply":{"origin":{"type":"hidden_user","date":1,"sender_user_name":"Zoe"},"poll":{"id":"1","question":"Lunch?","options":[{"text":"Pizza"}]}}}`,
			dm(gateway.Event{Text: "why?", Replied: &gateway.Quoted{Name: "Zoe", Text: "[message of another chat] [poll: Lunch? Pizza]"}})},
		"a quote of another chat": {`"message":{` + private + `,"text":"why?","quote":{"text":"so it is","position":0},"external_reply":{"origin":{"type":"hidden_user","date":1,"sender_user_name":"Zoe"},"photo":[{"file_id":"l","width":9,"height":9}]}}`,
			dm(gateway.Event{Text: "why?", Replied: &gateway.Quoted{Name: "Zoe", Text: "so it is"}})},
		"a die":     {`"message":{` + private + `,"dice":{"emoji":"🎲","value":4}}`, dm(gateway.Event{Things: []gateway.Thing{{Kind: "dice", Text: "🎲 4"}}})},
		"a sticker": {`"message":{` + private + `,"sticker":{"file_id":"s","set_name":"Cats"}}`, dm(gateway.Event{Things: []gateway.Thing{{Kind: "sticker", Text: "Cats"}}})},
		"an edit": {`"edited_message":{` + private + `,"edit_date":1700000009,"text":"hello!"}`,
			dm(gateway.Event{Kind: gateway.Edited, Text: "hello!", At: time.Unix(1_700_000_009, 0).UTC()})},
		"a channel": {`"channel_post":{"message_id":9,"date":1700000000,"chat":{"id":-9,"type":"channel","title":"News"},"sender_chat":{"id":-9,"type":"channel","title":"News"},"author_signature":"Zoe","text":"news"}`,
			in("-9", gateway.Channel, gateway.Event{Title: "News", Text: "news", From: gateway.Sender{ID: "-9", Name: "Zoe"}})},
		"as a chat": {`"message":{"message_id":9,"date":1700000000,"chat":{"id":-100,"type":"supergroup","title":"Family"},"from":{"id":1087968824,"is_bot":true,"first_name":"Group"},"sender_chat":{"id":-100,"type":"supergroup","title":"Family"},"text":"x"}`,
			family(gateway.Event{Text: "x", From: gateway.Sender{ID: "-100", Name: "Family"}})},
		"a press": {`"callback_query":{"id":"q1",` + ann + `,"data":"yes","message":{` + group + `,"text":"Sure?"}}`,
			family(gateway.Event{Kind: gateway.Pressed, Button: "yes", Interaction: "q1", Addressed: true, At: time.Unix(1_800_000_000, 0).UTC()})},
		"an old press": {`"callback_query":{"id":"q1",` + ann + `,"data":"yes","message":{"message_id":9,"date":0,"chat":{"id":42,"type":"private"}}}`,
			dm(gateway.Event{Kind: gateway.Pressed, Button: "yes", Interaction: "q1", At: time.Unix(1_800_000_000, 0).UTC()})},
		"moved": {`"message":{` + group + `,"migrate_to_chat_id":-1000000000100}`, family(gateway.Event{Kind: gateway.Moved, MovedTo: "-1000000000100"})},
		"moved from": {`"message":{` + group + `,"migrate_from_chat_id":-42}`,
			in("-42", gateway.Group, gateway.Event{Kind: gateway.Moved, Title: "Family", MovedTo: "-100"})},
		"moved from, with an unknown gift": {`"message":{` + group + `,"migrate_from_chat_id":-42,"paid_media":{"paid_media":[{"type":"hologram"}]}}`,
			in("-42", gateway.Group, gateway.Event{Kind: gateway.Moved, Title: "Family", MovedTo: "-100"})},
		"a bot":           {`"message":{"message_id":9,"date":1,"chat":{"id":-100,"type":"group"},"from":{"id":8,"is_bot":true,"first_name":"R"},"text":"beep"}`, nil},
		"the bot":         {`"message":` + mine, nil},
		"somebody joined": {`"message":{` + group + `,"new_chat_members":[{"id":3,"first_name":"Bob"}]}`, nil},
		"a poll":          {`"poll":{"id":"1"}`, nil},
		"a lost press":    {`"callback_query":{"id":"q1",` + ann + `,"data":"yes","inline_message_id":"x"}`, nil},
	} {
		got, err := testReader().read(json.RawMessage(`{"update_id":5,` + tt.update + `}`))
		if err != nil || got.id != 5 || got.isEvent != (tt.want != nil) {
			t.Errorf("%s: got id %d, event %t, %v", name, got.id, got.isEvent, err)
			continue
		}
		if tt.want != nil {
			if diff := cmp.Diff(*tt.want, got.event); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		}
	}
}

// TestReadBroken: an update that cannot be read still has its id.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int64{
		`{"update_id":6,"message":{"message_id":"x"}}`: 6, `{"update_id":6,"message":7}`: 6, `{"update_id":-1}`: 0, `{}`: 0, `[]`: 0, `"x"`: 0, `{"update_id":"x"}`: 0,
	} {
		if got, err := testReader().read(json.RawMessage(raw)); err == nil || got.id != want || got.isEvent {
			t.Errorf("%s: got %+v, %v, want id %d and an error", raw, got, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`"message":{` + private + `,"text":"hello"}`,
		`"message":{` + group + `,"text":"@hermes_bot 😀","entities":[{"type":"mention","offset":0,"length":11}],"reply_to_message":` + mine + `}`,
		`"callback_query":{"id":"q1",` + ann + `,"data":"yes","message":{` + group + `,"text":"Sure?"}}`,
		`"message":{` + private + `,"caption":"x","photo":[{"file_id":"l","width":90,"height":90}],"forward_origin":{"type":"telepathy"}}`,
	} {
		f.Add(`{"update_id":5,` + seed + `}`)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := testReader().read(json.RawMessage(raw))
		switch {
		case err != nil && got.isEvent:
			t.Error("an update that cannot be read is an event")
		case !got.isEvent:
			return
		}
		e := got.event
		if e.ID == "" || e.Place.Chat == "" || e.Message == "" || e.Kind != gateway.Moved && e.From.ID == "" {
			t.Errorf("got %+v, want an id, a chat, a message and a sender", e)
		}
		if !utf8.ValidString(e.Text + e.From.Name + e.Title + e.Button) {
			t.Errorf("got %q, which is no UTF-8", e.Text)
		}
		if e.Forwarded != nil && e.Text != "" {
			t.Errorf("the words of a forward are the sender's: %q", e.Text)
		}
	})
}

func FuzzCutMentions(f *testing.F) {
	f.Add("@hermes_bot hi", "mention", 0, 11, "bot_command", 3, 4)
	f.Add("😀 /new@hermes_bot x 😀", "bot_command", 3, 15, "text_mention", 0, 2)
	f.Add("a\xff@hermes_bot", "mention", 2, 11, "mention", -1, 1<<62)
	f.Fuzz(func(t *testing.T, text, kind string, offset, length int, kind2 string, offset2, length2 int) {
		r := testReader()
		entities := []models.MessageEntity{
			{Type: models.MessageEntityType(kind), Offset: offset, Length: length, User: r.me},
			{Type: models.MessageEntityType(kind2), Offset: offset2, Length: length2, User: r.me},
		}
		got, mentioned := cutMentions(text, entities, r.me)
		if !mentioned {
			if got != text {
				t.Errorf("%q: got %q without a mention", text, got)
			}
			return
		}
		if !utf8.ValidString(got) || !within(got, strings.ToValidUTF8(text, "\uFFFD\uFFFD\uFFFD\uFFFD")) && utf8.ValidString(text) {
			t.Errorf("%q: got %q, want a part of it", text, got)
		}
		if len(got) >= len(text) && utf8.ValidString(text) {
			t.Errorf("%q: nothing was cut", text)
		}
	})
}

// within reports whether the characters of a text stand in another one, in order.
func within(part, whole string) bool {
	rest := []rune(whole)
	for _, r := range part {
		for len(rest) > 0 && rest[0] != r {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return false
		}
		rest = rest[1:]
	}
	return true
}

func TestVisibleLength(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]int{
		"": 0, "abc": 3, "<b>a</b> &lt;&amp;&gt;&quot;": 6, "😀": 2, `<a href="https://x">x</a>`: 1, "a < b": 5, "&copy;": 6, "ж": 1, "\xff": 1,
	} {
		if got := visibleLength(html); got != want {
			t.Errorf("%q: got %d, want %d", html, got, want)
		}
	}
}
