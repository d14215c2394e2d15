package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// responseEvent is what the tests read of an event of a response.
type responseEvent struct {
	Type     string
	Number   int `json:"sequence_number"`
	Response *struct {
		ID, Status string
		Output     []struct{ Type, ID string }
	}
	raw string
}

// openResponse starts a stream of a response's events.
func (w *world) openResponse(t *testing.T, method, path, body string, headers ...string) *reading {
	t.Helper()
	return w.openLines(t, w.request(method, path, body, headers...))
}

// event is the next event, false at the end.
func (s *reading) event() (e responseEvent, ok bool) {
	s.t.Helper()
	for {
		line, more := s.line()
		if !more {
			return e, false
		}
		if data, is := strings.CutPrefix(line, "data: "); is {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				s.t.Fatalf("%s: %v", data, err)
			}
			e.raw = data
			return e, true
		}
	}
}

// events are at most n events, all of them for -1.
func (s *reading) events(n int) (out []responseEvent) {
	s.t.Helper()
	for n < 0 || len(out) < n {
		e, ok := s.event()
		if !ok {
			return out
		}
		out = append(out, e)
	}
	return out
}

func raws(events []responseEvent) (out []string) {
	for _, e := range events {
		out = append(out, e.raw)
	}
	return out
}

// richAnswer is a reply with everything that makes events.
func richAnswer(*upstreamtest.Request) upstreamtest.Step {
	return upstreamtest.Step{
		Reasoning: "Hm.", Chunks: []string{"It ", "rains ", "in ", "Oslo", "."}, Between: time.Millisecond,
		ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city":"Oslo"}`}, {ID: "call_2", Name: "weather", Arguments: `{"city":"Lima"}`}},
	}
}

// TestResponseCutAnywhere: a stream that is cut off behind any of its events and
// resumed misses none and repeats none, and is the same whenever it is told.
func TestResponseCutAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{answer: richAnswer})
	for cut := 1; ; cut++ {
		first := w.openResponse(t, "POST", "/v1/responses", `{"stream":true,"input":"Weather?"}`)
		got := first.events(cut)
		first.close() // the client is gone; the turn goes on
		if len(got) == 0 || got[0].Response == nil {
			t.Fatalf("cut behind %d: got %v, want events", cut, got)
		}
		path := "/v1/responses/" + got[0].Response.ID + "?stream=true"
		rest := w.openResponse(t, "GET", fmt.Sprintf("%s&starting_after=%d", path, got[len(got)-1].Number), "").events(-1)
		whole := w.openResponse(t, "GET", path, "").events(-1)
		if diff := cmp.Diff(raws(whole), raws(append(got, rest...))); diff != "" {
			t.Fatalf("cut behind %d (-whole +pieces):\n%s", cut, diff)
		}
		for i, e := range whole {
			if e.Number != i {
				t.Fatalf("got number %d at %d: %s", e.Number, i, e.raw)
			}
		}
		last := whole[len(whole)-1]
		if last.Type != "response.completed" || len(last.Response.Output) != 4 {
			t.Fatalf("got %s, want a response of four items", last.raw)
		}
		if cut >= len(whole) {
			if cut < 12 {
				t.Errorf("got only %d events to cut behind", cut)
			}
			return
		}
	}
}

// TestResponseOverRestart: what a stopped server had not finished is answered by
// the next one, and a stream goes on there behind what its client has.
func TestResponseOverRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"It "}, Hang: true}, upstreamtest.Step{Chunks: []string{"It ", "rains."}})
	first := w.openResponse(t, "POST", "/v1/responses", `{"stream":true,"conversation":"s","input":"Weather?"}`)
	got := first.events(5) // up to the first delta
	first.close()
	w.restart()
	path := "/v1/responses/" + got[0].Response.ID
	rest := w.openResponse(t, "GET", fmt.Sprintf("%s?stream=true&starting_after=%d", path, got[len(got)-1].Number), "").events(-1)
	all := append(got, rest...)
	for i, e := range all {
		if e.Number != i {
			t.Fatalf("got number %d at %d: %s", e.Number, i, e.raw)
		}
	}
	last := all[len(all)-1]
	if last.Type != "response.completed" || len(last.Response.Output) != 1 || !strings.Contains(last.raw, `"text":"It rains."`) {
		t.Errorf("got %s, want the whole answer and nothing else", last.raw)
	}
	if transcript := w.call("GET", "/api/sessions/s/messages", "").body; strings.Count(transcript, `"role":"user"`) != 1 || strings.Count(transcript, `"finish_reason":"stop"`) != 1 {
		t.Errorf("got %s, want one message and one whole answer", transcript)
	}
	if got := w.call("GET", path, "").body; strings.Count(got, `"type":"message"`) != 1 || !strings.Contains(got, `"id":"`+last.Response.Output[0].ID+`"`) {
		t.Errorf("got %s, want the item that the stream told", got)
	}
}

// TestResponseBehindAnotherTurn: a response that is answered after a restart, behind
// another turn of its session, has its own input and output only. So has its receipt.
func TestResponseBehindAnotherTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{RunsWait: true})
	w.leave = carryOn(w.live)
	w.up.Queue(upstreamtest.Step{Chunks: []string{"A"}, Hang: true}, upstreamtest.Step{Text: "A27"}, upstreamtest.Step{Text: "A25"})
	first := w.openResponse(t, "POST", "/v1/responses", `{"stream":true,"conversation":"s","input":"N25"}`)
	got := first.events(5) // up to the first delta
	first.close()
	w.restart()
	w.chat("s", "N27")
	w.finishRuns()
	path := "/v1/responses/" + got[0].Response.ID
	body := w.call("GET", path, "").body
	if !strings.Contains(body, `"text":"A25"`) || strings.Contains(body, "A27") {
		t.Errorf("got %s, want the answer A25 alone", body)
	}
	items := w.call("GET", path+"/input_items", "").body
	if !strings.Contains(items, "N25") || strings.Contains(items, "N27") {
		t.Errorf("got %s, want the input N25 alone", items)
	}
	var told struct {
		Hermes struct {
			ReceiptID string `json:"receipt_id"`
		}
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil || told.Hermes.ReceiptID == "" {
		t.Fatalf("got %s, %v, want a receipt", body, err)
	}
	if got := w.call("GET", "/api/receipts/"+told.Hermes.ReceiptID, "").body; !strings.Contains(got, `"content":"N25"`) || strings.Contains(got, "27\"") {
		t.Errorf("got %s, want what was sent for N25", got)
	}
}

// TestResponseUnstoredIsCancelled: an unstored response ends with its client, because no
// client can ask for it later.
func TestResponseUnstoredIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"It "}, Hang: true})
	s := w.openResponse(t, "POST", "/v1/responses", `{"stream":true,"store":false,"input":"Weather?"}`)
	s.events(5)
	s.close()
	select {
	case <-w.up.Left():
	case <-time.After(soon):
		t.Error("the model is still asked")
	}
}

// TestResponseInTheBackground: it is answered at once, can be looked at, and is
// cancelled once and for all.
func TestResponseInTheBackground(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"It "}, Hang: true})
	var made struct{ ID, Status string }
	if err := json.Unmarshal([]byte(w.call("POST", "/v1/responses", `{"background":true,"conversation":"s","input":"Weather?"}`).body), &made); err != nil {
		t.Fatal(err)
	}
	if made.Status != "queued" && made.Status != "in_progress" {
		t.Errorf("got status %q, want one of a response under way", made.Status)
	}
	path := "/v1/responses/" + made.ID
	follower := w.openResponse(t, "GET", path+"?stream=true", "")
	follower.events(5)
	if got := w.call("POST", "/v1/responses", `{"previous_response_id":"`+made.ID+`","input":"x"}`); got.status != http.StatusBadRequest || !strings.Contains(got.body, "previous_response_not_over") {
		t.Errorf("go on from it: got %d %s, want 400", got.status, got.body)
	}
	for range 2 {
		if got := w.call("POST", path+"/cancel", ""); got.status != 200 || !strings.Contains(got.body, `"status":"cancelled"`) {
			t.Errorf("got %d %s, want it cancelled", got.status, got.body)
		}
	}
	rest := follower.events(-1)
	if last := rest[len(rest)-1]; last.Type != "response.incomplete" || last.Response.Status != "cancelled" {
		t.Errorf("the stream ends with %s", last.raw)
	}
	if got := w.call("GET", path, ""); !strings.Contains(got.body, `"status":"cancelled"`) || !strings.Contains(got.body, `"text":"It "`) {
		t.Errorf("got %s, want the part that was said", got.body)
	}
	if got := w.call("GET", "/api/sessions/s/messages", "").body; !strings.Contains(got, `"finish_reason":"cancelled"`) {
		t.Errorf("got %s, want the part kept and marked", got)
	}
}

// TestResponseBreaksOff: a failure is told as the official clients raise it, and
// is there when the response is looked at again.
func TestResponseBreaksOff(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"true", "false"} {
		w := newWorld(t, options{})
		w.up.Queue(upstreamtest.Step{Chunks: []string{"It ", "rains"}, Cut: true, CutAfter: 1})
		events := w.openResponse(t, "POST", "/v1/responses", `{"stream":true,"store":`+stored+`,"conversation":"s","input":"Weather?"}`).events(-1)
		n := len(events)
		if n < 3 || events[n-2].Type != "error" || events[n-1].Type != "response.failed" || events[n-1].Response.Status != "failed" {
			t.Fatalf("stored %s: got %v, want an error and a failed response", stored, raws(events))
		}
		got := w.call("GET", "/v1/responses/"+events[0].Response.ID, "")
		if want := map[string]int{"true": 200, "false": 404}[stored]; got.status != want || want == 200 && !strings.Contains(got.body, `"status":"failed"`) {
			t.Errorf("stored %s: got %d %s", stored, got.status, got.body)
		}
	}
}

// TestResponseRepeated: equal requests with one Idempotency-Key are one response.
func TestResponseRepeated(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"input":"Weather?"}`, `{"input":"Weather?","stream":true}`, `{"input":"Weather?","store":false,"conversation":"s"}`, `{"input":"Weather?","store":false,"conversation":"s","stream":true}`,
	} {
		w := newWorld(t, options{})
		first := w.call("POST", "/v1/responses", body, "Idempotency-Key", "k")
		again := w.call("POST", "/v1/responses", body, "Idempotency-Key", "k")
		if diff := cmp.Diff(first.body, again.body); diff != "" || first.status != 200 || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: got %d, replayed %q (-first +again):\n%s", body, again.status, again.header.Get("Idempotency-Replayed"), diff)
		}
		if n := len(w.up.Requests()); n != 1 {
			t.Errorf("%s: got %d calls of the model, want one", body, n)
		}
		if got := w.call("POST", "/v1/responses", strings.Replace(body, "Weather", "Time", 1), "Idempotency-Key", "k"); got.status != http.StatusConflict {
			t.Errorf("%s: another body: got %d %s, want 409", body, got.status, got.body)
		}
	}
}

// TestResponseReferences: a client that keeps its history by item ids gets what
// these stand for to the model.
func TestResponseReferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{answer: richAnswer})
	events := w.openResponse(t, "POST", "/v1/responses", `{"stream":true,"input":"Weather?"}`).events(-1)
	var input []string
	for _, it := range events[len(events)-1].Response.Output {
		input = append(input, `{"type":"item_reference","id":"`+it.ID+`"}`)
	}
	body := `{"store":false,"input":[{"role":"user","content":"Weather?"},` + strings.Join(input, ",") +
		`,{"type":"function_call_output","call_id":"call_1","output":"rain"},{"type":"function_call_output","call_id":"call_2","output":"sun"}]}`
	if got := w.call("POST", "/v1/responses", body); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	const want = `"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":"It rains in Oslo.","tool_calls":[` +
		`{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}},` +
		`{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Lima\"}"}}]},` +
		`{"role":"tool","tool_call_id":"call_1","content":"rain"},{"role":"tool","tool_call_id":"call_2","content":"sun"}]`
	if sent := string(w.up.Last().Body); !strings.Contains(sent, want) {
		t.Errorf("sent %s, want %s", sent, want)
	}
}

// TestInputItemPages: pages together are the whole input, in both orders.
func TestInputItemPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	var made struct{ ID string }
	got := w.call("POST", "/v1/responses", `{"input":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"user","content":[{"type":"input_text","text":"three"},`+
		`{"type":"input_image","image_url":"data:image/png;base64,eA==","detail":"low"}]}]}`)
	if err := json.Unmarshal([]byte(got.body), &made); err != nil {
		t.Fatal(err)
	}
	list := func(query string) (texts []string) {
		for after := ""; ; {
			var page struct {
				Data []struct {
					ID      string
					Content []struct{ Text string }
				}
				HasMore bool   `json:"has_more"`
				LastID  string `json:"last_id"`
			}
			if err := json.Unmarshal([]byte(w.call("GET", "/v1/responses/"+made.ID+"/input_items?limit=1"+query+after, "").body), &page); err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Data {
				texts = append(texts, it.Content[0].Text)
			}
			if !page.HasMore {
				return texts
			}
			after = "&after=" + page.LastID
		}
	}
	if diff := cmp.Diff([]string{"one", "two", "three"}, list("&order=asc")); diff != "" {
		t.Errorf("oldest first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"three", "two", "one"}, list("")); diff != "" {
		t.Errorf("newest first (-want +got):\n%s", diff)
	}
	all := w.call("GET", "/v1/responses/"+made.ID+"/input_items?order=asc", "").body
	if !strings.Contains(all, `{"type":"input_image","image_url":"data:image/png;base64,eA==","detail":"low"}`) {
		t.Errorf("got %s, want the image", all)
	}
	for _, query := range []string{"order=up", "after=msg_1", "limit=0"} {
		if got := w.call("GET", "/v1/responses/"+made.ID+"/input_items?"+query, ""); got.status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", query, got.status)
		}
	}
}

// TestResponseOfADeletedSession: nothing of it is left.
func TestResponseOfADeletedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for name, gone := range map[string]func() reply{
		"deleted":   func() reply { return w.call("DELETE", "/api/sessions/deleted", "") },
		"forgotten": func() reply { return w.call("POST", "/api/memory/forget", `{"about":"zebra"}`) },
	} {
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(w.call("POST", "/v1/responses", `{"conversation":"`+name+`","input":"My zebra is striped."}`).body), &made); err != nil {
			t.Fatal(err)
		}
		if got := gone(); got.status != 200 {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
		for _, path := range []string{"", "?stream=true", "/input_items"} {
			if got := w.call("GET", "/v1/responses/"+made.ID+path, ""); strings.Contains(strings.ToLower(got.body), "zebra") {
				t.Errorf("%s: GET %s: got %d %s, want nothing of it", name, path, got.status, got.body)
			}
		}
		if got := w.call("POST", "/v1/responses", `{"previous_response_id":"`+made.ID+`","input":"x"}`); name == "deleted" && got.status != http.StatusNotFound {
			t.Errorf("%s: go on from it: got %d %s, want 404", name, got.status, got.body)
		}
	}
}
