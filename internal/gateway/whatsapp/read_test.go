package whatsapp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// testReader reads requests for the number with id 7.
func testReader() *reader {
	return &reader{account: "7", now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
}

// metadata names the number of these tests, +1 555 000.
const metadata = `"metadata":{"display_phone_number":"+1 555-000","phone_number_id":"7"}`

// hook is a request with one change.
func hook(value string) string {
	return `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{` + metadata + `,` + value + `}}]}]}`
}

// The parts of messages: who says it, and the rest.
const (
	both   = `"from":"4912345","from_user_id":"DE.42",`
	people = `"contacts":[{"profile":{"name":"Ann Lee"},"wa_id":"4912345","user_id":"DE.42"}]`
	basics = `"id":"wamid.9","timestamp":"1700000000",`
	sentID = "0123456789abcdef0123456789abcdef"
)

// said is a message of Ann with some content.
func said(content string) string {
	return people + `,"messages":[{` + both + basics + content + `}]`
}

// in is an event of Ann.
func in(e gateway.Event) gateway.Event {
	if e.ID == "" {
		e.ID = "wamid.9"
	}
	if e.Kind == "" {
		e.Kind = gateway.Said
	}
	if e.Message == "" && e.Kind != gateway.Moved {
		e.Message = "wamid.9"
	}
	if e.From.ID == "" {
		e.From = gateway.Sender{ID: "DE.42", Aliases: []string{"4912345"}, Name: "Ann Lee"}
	}
	if e.Type == "" {
		e.Type = gateway.DM
	}
	if e.Place.Chat == "" {
		e.Place.Chat = "DE.42"
	}
	if e.Type == gateway.DM && e.Sent == "" && e.Kind != gateway.Moved {
		e.Addressed = true
	}
	e.Place = gateway.Place{Platform: gateway.WhatsApp, Account: "7", Chat: e.Place.Chat}
	e.At = time.Unix(1_700_000_000, 0).UTC()
	return e
}

func TestRead(t *testing.T) {
	t.Parallel()
	family := func(e gateway.Event) []gateway.Event {
		e.Type, e.Place.Chat = gateway.Group, "group-1"
		return []gateway.Event{in(e)}
	}
	one := func(e gateway.Event) []gateway.Event { return []gateway.Event{in(e)} }
	file := func(f gateway.FileRef) []gateway.Event { return one(gateway.Event{Files: []gateway.FileRef{f}}) }
	things := func(list ...gateway.Thing) []gateway.Event { return one(gateway.Event{Things: list}) }
	const group = `"group_id":"group-1","type":"text",`
	text := func(body string) string { return `"type":"text","text":{"body":"` + body + `"}` }
	annTold := gateway.Sender{ID: "DE.42", Aliases: []string{"4912345"}} // of whom a status speaks
	for name, tt := range map[string]struct {
		value string
		want  []gateway.Event
	}{
		"a message":        {said(text("hello")), one(gateway.Event{Text: "hello"})},
		"signs":            {said(text(`\u00e9 \ud83d\ude00 <&>`)), one(gateway.Event{Text: "é 😀 <&>"})},
		"only a number":    {`"contacts":[{"profile":{"name":"Bo"},"wa_id":"4912345"}],"messages":[{"from":"4912345",` + basics + text("x") + `}]`, one(gateway.Event{Text: "x", Place: gateway.Place{Chat: "4912345"}, From: gateway.Sender{ID: "4912345", Name: "Bo"}})},
		"only a user id":   {`"contacts":[{"profile":{"username":"bo"},"user_id":"DE.42"}],"messages":[{"from_user_id":"DE.42",` + basics + text("x") + `}]`, one(gateway.Event{Text: "x", From: gateway.Sender{ID: "DE.42", Name: "bo"}})},
		"id of a contact":  {people + `,"messages":[{"from":"4912345",` + basics + text("x") + `}]`, one(gateway.Event{Text: "x"})},
		"only a contact":   {people + `,"messages":[{` + basics + text("x") + `}]`, one(gateway.Event{Text: "x"})},
		"nobody":           {`"messages":[{` + basics + text("x") + `}]`, nil},
		"the number":       {`"messages":[{"from":"1555000",` + basics + text("x") + `}]`, nil},
		"another number":   {strings.Replace(said(text("x")), `"contacts"`, `"metadata":{"phone_number_id":"8"},"contacts"`, 1), nil},
		"a number as time": {people + `,"messages":[{` + both + `"id":"wamid.9","timestamp":1700000000,` + text("x") + `}]`, one(gateway.Event{Text: "x"})},
		"to the group":     {said(group + `"text":{"body":"hello"}`), family(gateway.Event{Text: "hello"})},
		"a mention":        {said(group + `"text":{"body":"hey @1555000, hello"}`), family(gateway.Event{Text: "hey, hello", Addressed: true})},
		"an address":       {said(group + `"text":{"body":"@1555000, /status"}`), family(gateway.Event{Text: "/status", Addressed: true})},
		"another mention":  {said(group + `"text":{"body":"@15550009 hello"}`), family(gateway.Event{Text: "@15550009 hello"})},
		"only a mention":   {said(group + `"text":{"body":"@1555000"}`), family(gateway.Event{Addressed: true})},
		"no mention in DM": {said(text("@1555000 x")), one(gateway.Event{Text: "@1555000 x"})},
		"a reply":          {said(group + `"text":{"body":"why?"},"context":{"from":"1555000","id":"wamid.8"}`), family(gateway.Event{Text: "why?", Addressed: true, Replied: &gateway.Quoted{Message: "wamid.8", Mine: true}})},
		"to a person":      {said(group + `"text":{"body":"why?"},"context":{"from":"4999","id":"wamid.8"}`), family(gateway.Event{Text: "why?", Replied: &gateway.Quoted{Message: "wamid.8"}})},
		"a forward":        {said(text("/new") + `,"context":{"forwarded":true}`), one(gateway.Event{Forwarded: &gateway.Quoted{Text: "/new"}})},
		"a popular one":    {said(text("x") + `,"context":{"frequently_forwarded":true}`), one(gateway.Event{Forwarded: &gateway.Quoted{Text: "x"}})},
		"an edit":          {said(`"type":"edit","edit":{"original_message_id":"wamid.1","message":{"type":"text","text":{"body":"hello!"}}}`), one(gateway.Event{Kind: gateway.Edited, Text: "hello!", Message: "wamid.1"})},
		"a revocation":     {said(`"type":"revoke","revoke":{"original_message_id":"wamid.1"}`), nil},
		"a press":          {said(`"type":"interactive","context":{"from":"1555000","id":"wamid.8"},"interactive":{"type":"button_reply","button_reply":{"id":"yes","title":"Yes"}}`), one(gateway.Event{Kind: gateway.Pressed, Button: "yes", Message: "wamid.8"})},
		"a lost press":     {said(`"type":"interactive","interactive":{"type":"button_reply","button_reply":{"id":"yes","title":"Yes"}}`), nil},
		"a form":           {said(`"type":"interactive","context":{"id":"wamid.8"},"interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow"}}`), nil},
		"a template's":     {said(`"type":"button","button":{"payload":"p","text":"Tell me"},"context":{"from":"1555000","id":"wamid.8"}`), one(gateway.Event{Text: "Tell me", Replied: &gateway.Quoted{Message: "wamid.8", Mine: true}})},
		"a photo":          {said(`"type":"image","image":{"id":"55","mime_type":"image/jpeg","sha256":"x","caption":"look"}`), one(gateway.Event{Text: "look", Files: []gateway.FileRef{{Ref: "55", Kind: gateway.Photo, Mime: "image/jpeg"}}})},
		"a sticker":        {said(`"type":"sticker","sticker":{"id":"55","mime_type":"image/webp","animated":false}`), file(gateway.FileRef{Ref: "55", Kind: gateway.Photo, Mime: "image/webp"})},
		"a voice":          {said(`"type":"audio","audio":{"id":"55","mime_type":"audio/ogg; codecs=opus","voice":true}`), file(gateway.FileRef{Ref: "55", Kind: gateway.Voice, Mime: "audio/ogg"})},
		"a song":           {said(`"type":"audio","audio":{"id":"55","mime_type":"audio/mpeg"}`), file(gateway.FileRef{Ref: "55", Kind: gateway.Document, Mime: "audio/mpeg"})},
		"a document":       {said(`"type":"document","document":{"id":"55","mime_type":"application/pdf","filename":"a.pdf"}`), file(gateway.FileRef{Ref: "55", Kind: gateway.Document, Name: "a.pdf", Mime: "application/pdf"})},
		"a reaction":       {said(`"type":"reaction","reaction":{"message_id":"wamid.8","emoji":"👍"}`), nil},
		"unsupported":      {said(`"type":"unsupported","errors":[{"code":131051}],"unsupported":{"type":"poll_update"}`), nil},
		"not passed on":    {said(`"type":"unsupported","errors":[{"code":131051}]`), things(gateway.Thing{Kind: "a message of a kind that WhatsApp does not pass on"})},
		"a location":       {said(`"type":"location","location":{"latitude":52.5163,"longitude":13.3777,"name":"Gate","address":"Main St 1","url":"https://x"}`), things(gateway.Thing{Kind: "location", Text: "Gate, Main St 1, 52.51630, 13.37770"})},
		"an odd location":  {said(text("x") + `,"location":{"latitude":"north"},"contacts":7,"order":[]`), one(gateway.Event{Text: "x"})},
		"contacts":         {said(`"type":"contacts","contacts":[{"name":{"formatted_name":"Bob Ray","first_name":"Bob"},"phones":[{"phone":"+49 1","type":"CELL"}]},{"name":{"formatted_name":"Zoe"},"emails":[{"email":"zoe@example.org"}]}]`), things(gateway.Thing{Kind: "contact", Text: "Bob Ray, +49 1"}, gateway.Thing{Kind: "contact", Text: "Zoe, zoe@example.org"})},
		"an order":         {said(`"type":"order","order":{"catalog_id":"1","text":"soon please","product_items":[{"quantity":"1"},{"quantity":2}]}`), things(gateway.Thing{Kind: "order", Text: "soon please, 2 items"})},
		"a choice":         {said(`"type":"interactive","interactive":{"type":"list_reply","list_reply":{"id":"1","title":"Pizza","description":"x"}}`), one(gateway.Event{Text: "Pizza"})},
		"empty":            {said(text("")), nil},
		"another number now": {`"messages":[{` + both + basics + `"type":"system","system":{"type":"user_changed_number","wa_id":"4998","user_id":"DE.43","previous_user_id":"DE.42","body":"x"}}]`, []gateway.Event{
			in(gateway.Event{Kind: gateway.Moved, MovedTo: "DE.43", From: gateway.Sender{ID: "DE.42"}}),
			in(gateway.Event{ID: "wamid.9:1", Kind: gateway.Moved, MovedTo: "DE.43", Place: gateway.Place{Chat: "4912345"}, From: gateway.Sender{ID: "4912345"}}),
		}},
		"the older form":    {`"messages":[{"from":"4912345",` + basics + `"type":"system","system":{"type":"customer_changed_number","new_wa_id":"4998"}}]`, one(gateway.Event{Kind: gateway.Moved, MovedTo: "4998", Place: gateway.Place{Chat: "4912345"}, From: gateway.Sender{ID: "4912345"}})},
		"another user id":   {`"messages":[{` + basics + `"type":"system","system":{"type":"user_changed_user_id","user_id":"DE.43","previous_user_id":"DE.42"}}]`, one(gateway.Event{Kind: gateway.Moved, MovedTo: "DE.43", From: gateway.Sender{ID: "DE.42"}})},
		"a changed device":  {`"messages":[{` + both + basics + `"type":"system","system":{"type":"customer_identity_changed","wa_id":"4912345"}}]`, nil},
		"nothing has moved": {`"messages":[{` + basics + `"type":"system","system":{"type":"user_changed_number","wa_id":"","user_id":""}}]`, nil},
		"sent":              {status9("sent", ""), one(gateway.Event{ID: "wamid.9:sent", Kind: gateway.Arrived, Sent: sentID, From: annTold})},
		"delivered":         {status9("delivered", ""), one(gateway.Event{ID: "wamid.9:delivered", Kind: gateway.Arrived, Sent: sentID, From: annTold})},
		"read":              {status9("read", ""), one(gateway.Event{ID: "wamid.9:read", Kind: gateway.Arrived, Sent: sentID, From: annTold})},
		"played":            {status9("played", ""), nil},
		"failed":            {status9("failed", `{"code":131026}`), one(gateway.Event{ID: "wamid.9:failed", Kind: gateway.Failed, Sent: sentID, From: annTold, Reason: verdicts()[codeGone].text})},
		"too late":          {status9("failed", `{"code":131047}`), one(gateway.Event{ID: "wamid.9:failed", Kind: gateway.Failed, Sent: sentID, From: annTold, Reason: verdicts()[codeClosed].text, Closed: true})},
		"failed without":    {status9("failed", ""), one(gateway.Event{ID: "wamid.9:failed", Kind: gateway.Failed, Sent: sentID, From: annTold, Reason: "WhatsApp refuses the message with code 0."})},
		"of another":        {strings.ReplaceAll(status9("sent", ""), sentID, "campaign-7"), nil},
		"in a group":        {`"statuses":[{"id":"wamid.9","status":"sent","timestamp":"1700000000","recipient_id":"group-1","recipient_type":"group","biz_opaque_callback_data":"` + sentID + `"}]`, []gateway.Event{statusIn("group-1")}},
	} {
		r := testReader()
		err := r.read([]byte(hook(tt.value)))
		if err != nil || r.unreadable > 0 {
			t.Errorf("%s: got %v, %d unreadable", name, err, r.unreadable)
		}
		if diff := cmp.Diff(tt.want, r.events); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// status9 is a status of a message to Ann.
func status9(status, failure string) string {
	return `"contacts":[{"user_id":"DE.42"}],"statuses":[{"id":"wamid.9","status":"` + status + `","timestamp":"1700000000","recipient_id":"4912345",` +
		`"recipient_user_id":"DE.42","biz_opaque_callback_data":"` + sentID + `","errors":[` + failure + `]}]`
}

// statusIn is an arrival in a group.
func statusIn(group string) gateway.Event {
	e := in(gateway.Event{ID: "wamid.9:sent", Kind: gateway.Arrived, Sent: sentID, Type: gateway.Group, Place: gateway.Place{Chat: group}})
	e.From = gateway.Sender{}
	return e
}

// TestReadMany: several changes in a request keep their order, and a part that cannot be read
// does not stop the others.
func TestReadMany(t *testing.T) {
	t.Parallel()
	change := func(field, value string) string {
		return `{"field":"` + field + `","value":{` + metadata + `,` + value + `}}`
	}
	message := func(id, body string) string {
		return `{` + both + `"id":"` + id + `","timestamp":"1","type":"text","text":{"body":"` + body + `"}}`
	}
	request := `{"entry":[{"changes":[` + change("messages", people+`,"messages":[`+message("1", "a")+`,{"id":7},"x",`+message("2", "b")+`]`) + `,` +
		change("account_update", `"messages":[`+message("3", "c")+`]`) + `,{"field":"messages","value":[]}]},{"changes":[` +
		change("messages", status9("sent", "")+`,"messages":[`+message("4", "d")+`]`) + `]},{"changes":[` +
		change("messages", `"statuses":[{"id":true},{"id":"wamid.1","status":"failed","errors":[{"code":132001}]}]`) + `]}]}`
	r := testReader()
	if err := r.read([]byte(request)); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range r.events {
		ids = append(ids, e.ID)
	}
	if want := []string{"1", "2", "4", "wamid.9:sent"}; !slices.Equal(ids, want) || r.unreadable != 4 {
		t.Errorf("got %q, %d unreadable, want %q and 4", ids, r.unreadable, want)
	}
	if !slices.Equal(r.failures, []int{132001}) {
		t.Errorf("got failures %d, want that of the template", r.failures)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		said(`"type":"text","text":{"body":"hello"}`), said(`"group_id":"g","type":"text","text":{"body":"@1555000 😀"},"context":{"from":"1555000","id":"8"}`),
		said(`"type":"interactive","context":{"id":"8"},"interactive":{"button_reply":{"id":"y"}}`), status9("failed", `{"code":131047}`),
		said(`"type":"image","image":{"id":"5","caption":"x"},"context":{"forwarded":true}`),
		`"messages":[{` + both + basics + `"type":"system","system":{"type":"user_changed_number","user_id":"DE.43","previous_user_id":"DE.41"}}]`,
		said(`"type":"edit","edit":{"original_message_id":"wamid.1","message":{"text":{"body":"hello!"}}}`),
	} {
		f.Add(hook(seed))
	}
	f.Add(`{"entry":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, request string) {
		r := testReader()
		if err := r.read([]byte(request)); err != nil {
			if len(r.events) > 0 {
				t.Error("a request that cannot be read has events")
			}
			return
		}
		if !json.Valid([]byte(request)) {
			t.Error("a request that is no JSON was read")
		}
		for i := range r.events {
			checkEvent(t, &r.events[i])
		}
	})
}

// checkEvent checks what holds for every event.
func checkEvent(t *testing.T, e *gateway.Event) {
	t.Helper()
	if e.ID == "" || e.Place.Account != "7" || e.Place.Platform != gateway.WhatsApp || e.At.IsZero() {
		t.Errorf("got %+v, want an id and a place", e)
	}
	switch e.Kind {
	case gateway.Said, gateway.Edited, gateway.Pressed:
		if e.Message == "" || e.From.ID == "" || e.Place.Chat == "" {
			t.Errorf("got %+v, want a message, a sender and a chat", e)
		}
		if slices.Contains(e.From.Aliases, "") {
			t.Errorf("got %+v, with an empty alias", e.From)
		}
	case gateway.Moved:
		if e.MovedTo == "" || e.Place.Chat == "" || e.MovedTo == e.Place.Chat {
			t.Errorf("got a move from %q to %q", e.Place.Chat, e.MovedTo)
		}
	case gateway.Failed, gateway.Arrived:
		if len(e.Sent) != 32 || e.Kind == gateway.Failed && e.Reason == "" {
			t.Errorf("got %+v, want what was sent, and why it failed", e)
		}
	default:
		t.Errorf("got the kind %q", e.Kind)
	}
	if !utf8.ValidString(e.Text + e.From.Name + e.Button) {
		t.Errorf("got %q, which is no UTF-8", e.Text)
	}
	if e.Forwarded != nil && e.Text != "" {
		t.Errorf("the words of a forward are the sender's: %q", e.Text)
	}
}

func FuzzCutMention(f *testing.F) {
	f.Add("@1555000 hello", "1555000")
	f.Add("a @15550001 @1555000", "1555000")
	f.Add("@@", "")
	f.Fuzz(func(t *testing.T, text, own string) {
		own = digits(own)
		got, mentioned := cutMention(text, own)
		if !mentioned && got != text {
			t.Errorf("%q: got %q without a mention", text, got)
		}
		if mentioned && (own == "" || len(got) >= len(text)) {
			t.Errorf("%q: got %q with a mention of %q", text, got, own)
		}
	})
}
