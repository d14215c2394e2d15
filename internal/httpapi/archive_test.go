package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// lived is a world with everything an export must carry: folds, tool calls,
// parts, notes, keys, an undo, receipts, a broken answer.
func lived(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, options{Budget: 700})
	for i := range 14 {
		w.clock.Advance(1)
		w.chat("long", fmt.Sprintf("Step %d: we paint wall %d in a colour that nobody likes, twice over.", i, i))
	}
	must := func(got reply, want int) {
		t.Helper()
		if got.status != want {
			t.Fatalf("got %d %s, want %d", got.status, got.body, want)
		}
	}
	for i, text := range []string{"We use Postgres for the ledger.", "My cat is called Zebra.", "We moved from Postgres to MySQL because of the licence."} {
		must(w.call("POST", "/v1/chat/completions", chatBody(text, i == 1), "X-Hermes-Session-Id", []string{"a", "b", "a"}[i], "X-Hermes-Session-Key", "team"), 200)
	}
	must(w.call("POST", "/api/sessions/b/undo", ""), 200)
	must(w.call("POST", "/api/sessions/parts/messages", `{"messages":[
		{"role":"user","content":[{"type":"text","text":"look <b>"},{"type":"image_url","image_url":{"url":"data:,x"}}],"created_at":"2020-01-02T03:04:05.678Z"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1", "type":"function","function":{"name":"f","arguments":"{\"a\": \"<&>\u2028\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"line\nbreak 名前 \u0000"},
		{"role":"assistant","content":"done","name":"Ünal"}]}`), 200)
	must(w.call("POST", "/api/memory?session_id=parts", `{"statement":"I like tea.","kind":"preference"}`), 201)
	must(w.call("POST", "/api/sessions", `{"id":"empty","source":"cli","title":"Nothing yet","system_prompt":"Be kind."}`), 201)
	must(w.call("PATCH", "/api/sessions/parts", `{"end_reason":"user_exit"}`), 200)
	return w
}

// export is what a world exports, a line for each lineage in order.
func (w *world) export(query string) string {
	w.t.Helper()
	got := w.call("GET", "/api/sessions/export"+query, "")
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/x-ndjson" {
		w.t.Fatalf("export: got %d %s", got.status, got.body)
	}
	return got.body
}

// leaver is a reader of an export that is gone with its first bytes.
type leaver struct {
	*httptest.ResponseRecorder
	leave func()
}

func (l leaver) Write(p []byte) (int, error) {
	l.leave()
	return l.ResponseRecorder.Write(p)
}

// TestExportBreaksOff: an export that ends before its end says so in its last line,
// whatever ended it.
func TestExportBreaksOff(t *testing.T) {
	t.Parallel()
	w := lived(t)
	for i := range 200 { // more than is handed over at a time
		text := strings.Repeat("x", 1000)
		if got := w.call("POST", fmt.Sprintf("/api/sessions/more%d/messages", i), `{"messages":[{"role":"user","content":"`+text+`"}]}`); got.status != http.StatusOK {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	out := leaver{httptest.NewRecorder(), leave}
	r := httptest.NewRequest("GET", w.srv.URL+"/api/sessions/export", nil).WithContext(ctx)
	r.Header.Set("Authorization", "Bearer "+localKey)
	(*w.handler.Load()).ServeHTTP(out, r)
	lines := strings.Split(strings.TrimSpace(out.Body.String()), "\n")
	if last := lines[len(lines)-1]; out.Code != http.StatusOK || !strings.HasPrefix(last, `{"error"`) {
		t.Errorf("got %d lines, the last of them %.100q", len(lines), last)
	}
}

// states are the hashes of the memory of each scope, by rebuild --verify.
func (w *world) states() string {
	w.t.Helper()
	got := w.call("POST", "/api/memory/rebuild", `{"verify":true}`)
	if got.status != http.StatusOK || strings.Contains(got.body, `"identical":false`) {
		w.t.Errorf("verify: got %d %s", got.status, got.body)
	}
	return got.body
}

// TestExportComesBack: an import into an empty store gives the same store, memory
// and receipts included (I20, I23, I33).
func TestExportComesBack(t *testing.T) {
	t.Parallel()
	w := lived(t)
	text := w.export("")
	if lines := strings.Count(text, "\n"); lines != 5 {
		t.Errorf("got %d lines, want one for each lineage:\n%s", lines, text)
	}
	other := newWorld(t, options{Budget: 700})
	// In another order, as a person may have sorted the file.
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	slices.Reverse(lines)
	lines[0] += "\n"
	got := other.call("POST", "/api/sessions/import", strings.Join(lines, ""))
	if got.status != 200 || !strings.Contains(got.body, `"imported":5,"unchanged":0,"failed":0`) {
		t.Fatalf("import: got %d %s", got.status, got.body)
	}
	if diff := cmp.Diff(strings.SplitAfter(text, "\n"), strings.SplitAfter(other.export(""), "\n")); diff != "" {
		t.Errorf("the export of the import (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(w.states(), other.states()); diff != "" {
		t.Errorf("memory (-first +again):\n%s", diff)
	}
	again := other.call("POST", "/api/sessions/import", text)
	if !strings.Contains(again.body, `"imported":0,"unchanged":5,"failed":0`) {
		t.Errorf("the same again: got %s", again.body)
	}
	for _, id := range []string{"long", "a", "b", "parts", "empty"} { // turns go on
		w.clock.Advance(1)
		if got := other.chat(id, "And on."); got.status != 200 {
			t.Errorf("a turn in %s: got %d %s", id, got.status, got.body)
		}
	}
	changed := other.call("POST", "/api/sessions/import", text)
	if !strings.Contains(changed.body, `"imported":0,"unchanged":0,"failed":5`) || !strings.Contains(changed.body, "session_exists") {
		t.Errorf("onto sessions that went on: got %s", changed.body)
	}
	other.states()
}

// TestExportKeepsReplies: an answer names its input wherever an export is imported, under
// the ids that its messages have there.
func TestExportKeepsReplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Status: http.StatusInternalServerError})
	retried := func() reply {
		return w.call("POST", "/v1/chat/completions", chatBody("N25", false), "X-Hermes-Session-Id", "s", "Idempotency-Key", "25")
	}
	if got := retried(); got.status != http.StatusInternalServerError {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	w.chat("s", "N27")
	retried()
	line := w.export("")
	if n := strings.Count(line, `"reply_to":`); n != 1 {
		t.Fatalf("got %d messages with reply_to, want one: %s", n, line)
	}
	bob := []string{"Authorization", "Bearer " + w.key("bob", owner.AllScopes()...)}
	other := newWorld(t, options{})
	for name, c := range map[string]struct {
		w    *world
		auth []string
	}{"in its store": {w, nil}, "in another store": {other, nil}, "for another owner": {w, bob}} {
		if got := c.w.call("POST", "/api/sessions/import", line, c.auth...); !strings.Contains(got.body, `"failed":0`) {
			t.Fatalf("%s: got %s", name, got.body)
		}
		ms := c.w.replies(t, "s", c.auth...)
		if len(ms) != 4 || ms[3].ReplyTo != ms[0].ID || ms[2].ReplyTo != 0 {
			t.Errorf("%s: got %+v, want the first message named by the last one", name, ms)
		}
	}
}

// answering is what a list of messages says of replies.
type answering struct {
	ID      int64 `json:"id"`
	ReplyTo int64 `json:"reply_to"`
}

func (w *world) replies(t *testing.T, id string, headers ...string) []answering {
	t.Helper()
	var list struct{ Data []answering }
	got := w.call("GET", "/api/sessions/"+id+"/messages", "", headers...)
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != http.StatusOK {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	return list.Data
}

// TestImportChecksReplies: an imported answer names an earlier message that is no answer,
// or none.
func TestImportChecksReplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for i, tt := range []struct {
		name    string
		at      int // the message that names another
		replyTo string
		want    int64 // the place that it names then; -1 for none
	}{
		{"an earlier input", 3, "101", 0},
		{"a result", 5, "105", 4},
		{"a later input", 1, "103", -1},
		{"itself", 3, "104", -1},
		{"an answer", 3, "102", -1},
		{"a message of another session", 3, "1", -1},
		{"one that never was", 3, "99", -1},
		{"an input that is no answer's", 2, "101", -1},
	} {
		id := fmt.Sprintf("s%d", i)
		var ms []string
		for k, m := range []string{
			`"role":"user","content":"one"`, `"role":"assistant","content":"answer to one","finish_reason":"stop"`, `"role":"user","content":"two"`,
			`"role":"assistant","content":"answer to two","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`,
			`"role":"tool","tool_call_id":"c","content":"result"`, `"role":"assistant","content":"answer to the result","finish_reason":"stop"`,
		} {
			m = fmt.Sprintf(`{"id":%d,%s`, 101+k, m)
			if k == tt.at {
				m += `,"reply_to":` + tt.replyTo
			}
			ms = append(ms, m+"}")
		}
		if got := w.call("POST", "/api/sessions/import", importLine(id, "", ms...)); !strings.Contains(got.body, `"imported":1`) {
			t.Fatalf("%s: got %s", tt.name, got.body)
		}
		list, want := w.replies(t, id), int64(0)
		if tt.want >= 0 {
			want = list[tt.want].ID
		}
		for k := range list {
			if k != tt.at && list[k].ReplyTo != 0 || k == tt.at && list[k].ReplyTo != want {
				t.Errorf("%s: message %d: got reply_to %d, want %d in message %d", tt.name, k, list[k].ReplyTo, want, tt.at)
			}
		}
		if got := w.chat(id, "three"); got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", tt.name, got.status, got.body)
		}
	}
	for _, n := range []string{"-1", "9007199254740993", "9223372036854775807"} {
		line := importLine("odd", "", `{"role":"user","content":"one"}`, `{"role":"assistant","content":"two","reply_to":`+n+`}`)
		if got := w.call("POST", "/api/sessions/import", line); !strings.Contains(got.body, "invalid_export") {
			t.Errorf("%s: got %s, want it refused", n, got.body)
		}
	}
}

// TestExportSelects by source and by session (I21, I22).
func TestExportSelects(t *testing.T) {
	t.Parallel()
	w := lived(t)
	for query, want := range map[string][]string{
		"?source=cli": {"empty"}, "?session_id=parts": {"parts"}, "?source=telegram": nil,
	} {
		var got []string
		for line := range strings.Lines(w.export(query)) {
			var row struct{ ID string }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			got = append(got, row.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	if got := w.call("GET", "/api/sessions/export?session_id=nonesuch", ""); got.status != http.StatusNotFound {
		t.Errorf("an absent session: got %d %s", got.status, got.body)
	}
}

// TestImportBehindMessages: members that stand behind the messages would be lost,
// as when a program has sorted them.
func TestImportBehindMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	const messages = `"messages":[{"role":"user","content":"hi"}]`
	got := w.call("POST", "/api/sessions/import",
		`{"id":"a","started_at":1700000000,`+messages+`,"title":"Lost"}`+"\n"+`{"id":"b","started_at":1700000000,`+messages+"}\n")
	if !strings.Contains(got.body, `"imported":1,"unchanged":0,"failed":1`) || !strings.Contains(got.body, `"title\" stands behind`) {
		t.Errorf("got %s", got.body)
	}
	for id, want := range map[string]int{"a": 404, "b": 200} {
		if got := w.call("GET", "/api/sessions/"+id, ""); got.status != want {
			t.Errorf("%s: got %d, want %d", id, got.status, want)
		}
	}
}

// TestDeleteNamesTheWhole: a delete that is sent twice must not take the next
// best session of that day with it.
func TestDeleteNamesTheWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.call("POST", "/api/sessions", `{"id":"20261121_101500_4f0c9a1e"}`)
	w.call("POST", "/api/sessions", `{"id":"20261121"}`)
	for _, want := range []int{200, 404} {
		if got := w.call("DELETE", "/api/sessions/20261121", ""); got.status != want {
			t.Errorf("got %d %s, want %d", got.status, got.body, want)
		}
	}
	if got := w.call("GET", "/api/sessions/20261121", ""); got.status != 200 {
		t.Errorf("the beginning of the other: got %d %s", got.status, got.body)
	}
}

// TestImportForgotten: what was forgotten does not come back by an import,
// unless that is asked for.
func TestImportForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "My cat is called Quetzal. I like tea.")
	text := w.export("")
	w.call("DELETE", "/api/sessions/s", "")
	w.chat("t", "Quetzal is a name.")
	w.call("POST", "/api/memory/forget", `{"about":"Quetzal"}`)
	if got := w.call("POST", "/api/sessions/import", text); !strings.Contains(got.body, `"imported":1`) {
		t.Fatalf("got %s", got.body)
	}
	if got := w.export(""); strings.Contains(got, "Quetzal") || !strings.Contains(got, "I like tea") {
		t.Errorf("got %s, want all but what was forgotten", got)
	}
	w.states()
	w.call("DELETE", "/api/sessions/s", "")
	w.call("POST", "/api/sessions/import?restore=true", text)
	if got := w.export(""); !strings.Contains(got, "Quetzal") {
		t.Errorf("restored: got %s", got)
	}
}

// TestImportForgottenAgain: an export is known when it is imported again, also if something was forgotten in
// it before or is left out of it.
func TestImportForgottenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "My cat is called Quetzal. I like tea.")
	whole := w.export("")
	w.call("POST", "/api/memory/forget", `{"about":"Quetzal"}`)
	other, third := newWorld(t, options{}), newWorld(t, options{})
	third.call("POST", "/api/memory/forget", `{"about":"Quetzal"}`)
	for name, c := range map[string]struct {
		to   *world
		text string
	}{"forgotten there": {other, w.export("")}, "left out here": {third, whole}} {
		if got := c.to.call("POST", "/api/sessions/import", c.text); !strings.Contains(got.body, `"imported":1`) {
			t.Errorf("%s: got %s", name, got.body)
		}
		for _, query := range []string{"", "?dry_run=true"} {
			got := c.to.call("POST", "/api/sessions/import"+query, c.text)
			if !strings.Contains(got.body, `"imported":0,"unchanged":1,"failed":0`) {
				t.Errorf("%s, again%s: got %s", name, query, got.body)
			}
		}
	}
}

// TestImportLines: a bad line is reported and keeps none of the others out.
func TestImportLines(t *testing.T) {
	t.Parallel()
	good := func(id string) string {
		return `{"id":"` + id + `","started_at":1700000000.5,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}` + "\n"
	}
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", "", `"imported":0,"unchanged":0,"failed":0,"messages":0,"errors":[]`},
		{"another program's lines", good("a") + good("b"), `"imported":2,"unchanged":0,"failed":0,"messages":4`},
		{"a bad id", `{"id":"a\tb","started_at":1,"messages":[]}` + good("b"), `"imported":1,"unchanged":0,"failed":1,"messages":2,"errors":[{"line":1,"id":"a\tb","code":"invalid_session_id"`},
		{"a bad role", `{"id":"a","started_at":1,"messages":[{"role":"user","content":"x"},{"role":"wizard","content":"x"},{"role":"user","content":"z"}]}` + good("b"), `"imported":1,"unchanged":0,"failed":1,"messages":2,"errors":[{"line":1,"id":"a","code":"unsupported_role"`},
		{"no start", `{"id":"a","messages":[]}` + good("b"), `"failed":1`},
		{"a strange session", `{"id":"a","started_at":1,"messages":[{"session_id":"z","role":"user","content":"x"}]}` + good("b"), `"code":"invalid_export"`},
		{"messages that are no list", `{"id":"a","started_at":1,"messages":{"a":[1,2]}}` + good("b"), `"imported":1,"unchanged":0,"failed":1`},
		{"a time that is none", `{"id":"a","started_at":"yesterday","messages":[]}` + good("b"), `"imported":1,"unchanged":0,"failed":1`},
		{"a broken export", good("a") + `{"error":{"message":"x"}}` + "\n", `"imported":1,"unchanged":0,"failed":1,"messages":2,"errors":[{"line":2,"code":"broken_export"`},
		{"no JSON", good("a") + "nonsense\n" + good("b"), `"imported":1,"unchanged":0,"failed":1,"messages":2,"errors":[{"line":2,"code":"invalid_json"`},
		{"cut off", good("a") + good("b")[:70], `"imported":1,"unchanged":0,"failed":1,"messages":2,"errors":[{"line":2,"id":"b","code":"invalid_json"`},
		{"a list", "[" + good("a") + "]", `"imported":0,"unchanged":0,"failed":1`},
		{"twice the same", good("a") + good("a"), `"imported":1,"unchanged":0,"failed":1`},
		{"ids of other messages", `{"id":"a","started_at":1,"messages":[{"id":9007199254740993,"role":"user","content":"x"}]}`, `"imported":1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			got := w.call("POST", "/api/sessions/import", tt.body)
			if got.status != http.StatusOK || !strings.Contains(got.body, tt.want) {
				t.Errorf("got %d %s, want %s", got.status, got.body, tt.want)
			}
			list, err := w.db.Sessions(context.Background(), owner.Local(), session.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				if list[i].EndReason == session.EndIncomplete {
					t.Errorf("%s was left half done", list[i].ID)
				}
			}
			if next := w.chat("next", "hello"); next.status != http.StatusOK {
				t.Errorf("a turn afterwards: got %d %s", next.status, next.body)
			}
			w.states()
		})
	}
}

// TestImportLargeValues: large and small values come in, in any order, and each line
// where it ends, whichever of them had to wait for room.
func TestImportLargeValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	large := strings.Repeat("large words ", 20_000)
	var text strings.Builder
	want := make(map[string][]string)
	for i, line := range [][]string{
		{large, "small"}, {"small", large, large}, {large}, {}, {"small", "small", large, "small"}, {"", large, ""}, {"small"},
	} {
		for _, prompt := range []string{"short", large} {
			id := fmt.Sprintf("s%d-%d", i, len(prompt))
			messages := []string{}
			for _, said := range line {
				messages = append(messages, fmt.Sprintf(`{"role":"user","content":%q}`, said))
			}
			fmt.Fprintf(&text, "{\"id\":%q,\"started_at\":1,\"system_prompt\":%q,\"messages\": [ %s ] }\n", id, prompt, strings.Join(messages, " , "))
			want[id] = line
		}
	}
	r := w.request("POST", "/api/sessions/import", text.String())
	r.Body, r.ContentLength = io.NopCloser(iotest.HalfReader(strings.NewReader(text.String()))), -1
	got := w.do(r)
	if !strings.Contains(got.body, fmt.Sprintf(`"imported":%d,"unchanged":0,"failed":0`, len(want))) {
		t.Fatalf("got %d %.500s", got.status, got.body)
	}
	if got = w.call("POST", "/api/sessions/import", text.String()); !strings.Contains(got.body, fmt.Sprintf(`"imported":0,"unchanged":0,"failed":%d`, len(want))) {
		t.Errorf("again: got %d %.500s, want each passed over to its end", got.status, got.body)
	}
	wrong := fmt.Sprintf(`{"id":"w","started_at":1,"messages":[{"role":5},{"role":"user","content":%q},{"a":[{"b":%q},1]}, {}]}`, large, large)
	if got = w.call("POST", "/api/sessions/import", wrong+wrong+`{"id":"next","started_at":1}`); !strings.Contains(got.body, `"imported":1,"unchanged":0,"failed":2`) {
		t.Errorf("behind wrong lines: got %d %.500s, want the next one imported", got.status, got.body)
	}
	for id, line := range want {
		ms, err := w.db.Messages(t.Context(), owner.Local(), session.ID(id), session.Range{})
		said := []string{}
		for i := range ms {
			said = append(said, ms[i].Content)
		}
		if err != nil || !slices.Equal(said, line) {
			t.Errorf("%s: got %d messages, %v, want %d", id, len(said), err, len(line))
		}
	}
}

func FuzzImport(f *testing.F) {
	log := &panicLog{}
	w := fuzzWorld(f, log)
	for _, s := range []string{
		`{"id":"a","started_at":1,"messages":[{"role":"user","content":"x"}]}`, `{"id":"a","sessions":[{"id":"a","started_at":0}],"messages":[]}`,
		`[`, `{"messages":[`, `{"error":1}`, "\xff", `{"id":"a","started_at":1,"hash":"zz","messages":[{"role":"user","tool_calls":"[]","wire":"x"}]}{`,
	} {
		f.Add(s)
	}
	serve := func(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+localKey)
		got := httptest.NewRecorder()
		(*w.handler.Load()).ServeHTTP(got, r)
		return got
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := serve(t, "POST", "/api/sessions/import", body)
		if got.Code != http.StatusOK || !json.Valid(got.Body.Bytes()) {
			t.Errorf("got %d %s", got.Code, got.Body)
		}
		if text := log.take(); text != "" {
			t.Error(text)
		}
		for line := range strings.Lines(serve(t, "GET", "/api/sessions/export", "").Body.String()) {
			var row struct {
				ID session.ID `json:"_lineage_root_id"`
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("exported %q: %v", line, err)
			}
			if err := w.db.DeleteLineage(t.Context(), owner.Local(), row.ID); err != nil {
				t.Errorf("delete %q: %v", row.ID, err)
			}
		}
	})
}

// TestETags: who has the newest need not read it again, and who has an older one
// changes nothing.
func TestETags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "We use Postgres for the ledger.")
	for _, path := range []string{"/api/sessions/s", "/api/sessions/s/messages", "/api/sessions/s/state"} {
		first := w.call("GET", path, "")
		tag := first.header.Get("ETag")
		if got := w.call("GET", path, "", "If-None-Match", `"other", W/`+tag); got.status != http.StatusNotModified || got.body != "" || tag == "" {
			t.Errorf("%s: got %d %q with its own tag %q, want 304", path, got.status, got.body, tag)
		}
		if got := w.call("GET", path, "", "If-None-Match", `"other"`); got.status != http.StatusOK {
			t.Errorf("%s: got %d with another tag, want 200", path, got.status)
		}
	}
	tag := w.call("GET", "/api/sessions/s", "").header.Get("ETag")
	got := w.call("PATCH", "/api/sessions/s", `{"title":"New"}`, "If-Match", tag)
	if got.status != http.StatusOK || got.header.Get("ETag") == tag || got.header.Get("ETag") != w.call("GET", "/api/sessions/s", "").header.Get("ETag") {
		t.Errorf("with the tag: got %d, %s", got.status, got.header.Get("ETag"))
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		body := map[string]string{"PATCH": `{"title":"Newer"}`}[method]
		if got := w.call(method, "/api/sessions/s", body, "If-Match", tag); got.status != http.StatusPreconditionFailed || !strings.Contains(got.body, "session_changed") {
			t.Errorf("%s with an old tag: got %d %s, want 412", method, got.status, got.body)
		}
	}
	if got := w.call("DELETE", "/api/sessions/s", "", "If-Match", "*"); got.status != http.StatusOK {
		t.Errorf("with any tag: got %d %s", got.status, got.body)
	}
}

// TestNamesOfRoutes: a session may have the name of a route.
func TestNamesOfRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, id := range []string{"stats", "export", "import", "prune", "mirror"} {
		w.chat(id, "hello")
		if got := w.call("PATCH", "/api/sessions/"+id, `{"title":"`+id+`"}`); got.status != 200 {
			t.Errorf("PATCH %s: got %d %s", id, got.status, got.body)
		}
		if got := w.call("GET", "/api/sessions/"+id+"/messages", ""); got.status != 200 {
			t.Errorf("messages of %s: got %d %s", id, got.status, got.body)
		}
		if got := w.call("DELETE", "/api/sessions/"+id, ""); got.status != 200 {
			t.Errorf("DELETE %s: got %d %s", id, got.status, got.body)
		}
	}
	if got := w.call("PUT", "/api/sessions/stats", ""); got.status != 405 || got.header.Get("Allow") != "DELETE, GET, PATCH" {
		t.Errorf("PUT: got %d, Allow %q", got.status, got.header.Get("Allow"))
	}
}

// TestTitleSources: who gave a title is told, kept by an export, and taken for a
// person where a line does not say so.
func TestTitleSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	line := func(id, title, source string) string {
		return `{"id":"` + id + `","started_at":1,"title":` + title + `,"title_source":` + source + `,"messages":[]}` + "\n"
	}
	got := w.call("POST", "/api/sessions/import", line("model", `"A"`, `"model"`)+line("derived", `"B"`, `"derived"`)+
		line("strange", `"C"`, `"wizard"`)+line("silent", `"D"`, "null")+line("none", "null", `"model"`))
	if !strings.Contains(got.body, `"imported":5`) {
		t.Fatalf("import: got %s", got.body)
	}
	w.chat("turn", "We use Postgres.")
	w.call("POST", "/api/sessions", `{"id":"made","title":"Made"}`)
	w.call("PATCH", "/api/sessions/model", `{"system_prompt":"Be brief."}`)
	w.call("POST", "/api/sessions/turn/fork", `{"title":"Another"}`)
	w.call("PATCH", "/api/sessions/derived", `{"title":"B"}`)
	fork := w.call("POST", "/api/sessions/turn/fork", `{}`)
	if !strings.Contains(fork.body, `"title":"We use Postgres #2","title_source":"derived"`) {
		t.Errorf("a fork: got %s", fork.body)
	}
	for id, want := range map[string]string{
		"model": `"model"`, "derived": `"person"`, "strange": `"person"`, "silent": `"person"`, "none": "null", "turn": `"derived"`, "made": `"person"`,
	} {
		if got := w.call("GET", "/api/sessions/"+id, ""); !strings.Contains(got.body, `"title_source":`+want) {
			t.Errorf("%s: got %s, want %s", id, got.body, want)
		}
	}
	if got := w.call("GET", "/api/sessions?title=Another", ""); !strings.Contains(got.body, `"title_source":"person"`) {
		t.Errorf("a fork with a title: got %s", got.body)
	}
}
