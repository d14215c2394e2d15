package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// shownMessage is what the tests read of a message in a transcript.
type shownMessage struct {
	Seq       int
	Role      string
	Content   string
	Length    int    `json:"content_length"`
	ReceiptID string `json:"receipt_id"`
	Responder string
	Note      string
	Context   *struct {
		Sent int `json:"sent_tokens"`
	}
	Nodes []markdown.Block
}

// shown reads a page of a transcript.
func (w *world) shown(query string) (ms []shownMessage, more bool) {
	w.t.Helper()
	var list struct {
		Data []shownMessage
		More bool `json:"has_more"`
	}
	got := w.call("GET", "/api/sessions/s/messages?"+query, "")
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != http.StatusOK {
		w.t.Fatalf("%s: got %d %s, %v", query, got.status, got.body, err)
	}
	return list.Data, list.More
}

// TestShownMessages: a transcript says what an answer cost and where its receipt is, is cut
// as asked, and is read backwards.
func TestShownMessages(t *testing.T) {
	t.Parallel()
	answer := "# Täa\n\n**ok** <script>x</script>"
	w := newWorld(t, options{answer: func(*upstreamtest.Request) upstreamtest.Step { return upstreamtest.Step{Text: answer} }})
	for range 3 {
		w.chat("s", "We use *Rust* because of latency.")
	}
	ms, _ := w.shown("format=nodes&content_limit=4")
	said, answered := ms[0], ms[1]
	if said.Content != "We u" || said.Length != 33 || said.ReceiptID != "" || said.Context != nil {
		t.Errorf("what was said: got %+v", said)
	}
	if answered.Content != "# Tä" || answered.Length != 32 || answered.ReceiptID == "" || answered.Responder != "upstream" || answered.Context == nil || answered.Context.Sent == 0 {
		t.Errorf("the answer: got %+v", answered)
	}
	if got := w.call("GET", "/api/receipts/"+answered.ReceiptID+"?format=nodes", ""); got.status != http.StatusOK || strings.Count(got.body, `"nodes":[{"type":"heading"`) == 0 {
		t.Errorf("the receipt: got %d %s", got.status, got.body)
	}
	ms, _ = w.shown("format=nodes&from=1&limit=1")
	if diff := cmp.Diff(markdown.Parse(answer), ms[0].Nodes); diff != "" || ms[0].Length != 0 {
		t.Errorf("nodes, whole: got length %d and (-want +got):\n%s", ms[0].Length, diff)
	}
	for query, want := range map[string]string{"before=4&limit=2": "[2 3] true", "before=2&limit=5": "[0 1] false", "before=1": "[0] false", "before=99&limit=1": "[5] true", "before=4&from=1": "[1 2 3] false"} {
		ms, more := w.shown(query)
		var seqs []string
		for _, m := range ms {
			seqs = append(seqs, strconv.Itoa(m.Seq))
		}
		if got := "[" + strings.Join(seqs, " ") + "] " + strconv.FormatBool(more); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	for query, code := range map[string]string{"before=x": "invalid_before", "before=0": "invalid_before", "content_limit=0": "invalid_content_limit", "format=html": "invalid_format"} {
		if got := w.call("GET", "/api/sessions/s/messages?"+query, ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, code) {
			t.Errorf("%s: got %d %s, want 400 %s", query, got.status, got.body, code)
		}
	}
	one := w.call("GET", "/api/sessions/s/messages/1?format=nodes", "")
	if one.status != http.StatusOK || !strings.Contains(one.body, `"object":"hermes.message"`) || !strings.Contains(one.body, `"nodes":[`) || !strings.Contains(one.body, answered.ReceiptID) {
		t.Errorf("one message: got %d %s", one.status, one.body)
	}
	for _, seq := range []string{"6", "-1", "x", "99999999999999999999"} {
		if got := w.call("GET", "/api/sessions/s/messages/"+seq, ""); got.status != http.StatusNotFound || !strings.Contains(got.body, "message_not_found") {
			t.Errorf("message %s: got %d %s, want 404", seq, got.status, got.body)
		}
	}
}

// page draws the answer of a run as a reader of nodes does.
type drawn struct {
	nodes map[int][]markdown.Block
	texts map[int]string
	end   []markdown.Block
	last  int // the region that was told last
}

func (d *drawn) take(t *testing.T, e sse) {
	t.Helper()
	var data struct {
		Content string
		Blocks  []struct {
			Block        int
			Nodes        []markdown.Block
			Text, Append string
		}
		Nodes []markdown.Block
	}
	if err := json.Unmarshal([]byte(e.data), &data); err != nil {
		t.Fatalf("%s: %v", e.data, err)
	}
	switch {
	case e.name == "run.started":
		*d = drawn{nodes: make(map[int][]markdown.Block), texts: make(map[int]string)}
	case data.Nodes != nil:
		d.end = data.Nodes
	}
	if data.Content != "" {
		t.Errorf("got text for a reader of nodes: %s", e.data)
	}
	for _, b := range data.Blocks {
		if b.Block < d.last {
			t.Errorf("region %d was told again after %d", b.Block, d.last)
		}
		d.last = b.Block
		if b.Nodes != nil {
			d.nodes[b.Block] = b.Nodes
			delete(d.texts, b.Block)
			continue
		}
		delete(d.nodes, b.Block)
		d.texts[b.Block] = b.Text + d.texts[b.Block]
		if b.Text == "" {
			d.texts[b.Block] += b.Append
		}
	}
}

// all are the nodes of all regions, in order.
func (d *drawn) all() (out []markdown.Block) {
	for i := range 1000 {
		out = append(out, d.nodes[i]...)
	}
	return out
}

// TestRunNodes: the regions of a run, as they are told, are the answer, also for a reader who
// goes on after any event.
func TestRunNodes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("- an item of a long list with *some* words\n\n", 600)
	answer := "# Title\n\nSome **words**.\n\n" + long + "```go\nx := 1\n\ny := 2\n```\n\nThe end of\nit"
	var chunks []string
	for i := 0; i < len(answer); i += 500 {
		chunks = append(chunks, answer[i:min(i+500, len(answer))])
	}
	w := newWorld(t, options{answer: func(*upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Step{Text: answer, Chunks: chunks}
	}})
	run := w.run("s", "Tell me.")
	events := w.readEvents(t.Context(), run+"/events?format=nodes#", "", 0)
	want := markdown.Parse(answer)
	var d drawn
	for i, e := range events {
		d.take(t, e)
		if e.name != "message.delta" {
			continue
		}
		again := d.clone()
		for _, later := range w.readEvents(t.Context(), run+"/events?format=nodes#", e.id, 0) {
			again.take(t, later)
		}
		if diff := cmp.Diff(want, again.all()); diff != "" || len(again.texts) > 0 {
			t.Fatalf("after event %d (%s), with %d texts left (-want +got):\n%s", i, e.id, len(again.texts), diff)
		}
	}
	if diff := cmp.Diff(want, d.all()); diff != "" || len(d.texts) > 0 {
		t.Errorf("with %d texts left (-want +got):\n%s", len(d.texts), diff)
	}
	if diff := cmp.Diff(want, d.end); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
	if n := len(events); n > 12 {
		t.Errorf("got %d events of a run that is over, want few", n)
	}
}

func (d *drawn) clone() *drawn {
	out := &drawn{nodes: make(map[int][]markdown.Block), texts: make(map[int]string), last: d.last}
	for i, nodes := range d.nodes {
		out.nodes[i] = nodes
	}
	for i, text := range d.texts {
		out.texts[i] = text
	}
	return out
}
