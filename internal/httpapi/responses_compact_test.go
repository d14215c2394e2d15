package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// compacted is the output of POST /v1/responses/compact, ready to be sent back.
func (w *world) compacted(t *testing.T, body string, headers ...string) string {
	t.Helper()
	got := w.call("POST", "/v1/responses/compact", body, headers...)
	var out struct{ Output []json.RawMessage }
	if err := json.Unmarshal([]byte(got.body), &out); err != nil || got.status != 200 || len(out.Output) != 1 {
		t.Fatalf("got %d %s, %v, want one item", got.status, got.body, err)
	}
	return string(out.Output[0])
}

// unsealed is the content of a compaction.
func unsealed(t *testing.T, item string) string {
	t.Helper()
	var in struct {
		Content string `json:"encrypted_content"`
	}
	if err := json.Unmarshal([]byte(item), &in); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(in.Content, "hermes1."))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sentMessages are the messages of the newest request of the model's server.
func (w *world) sentMessages(t *testing.T) (out []struct{ Role, Content string }) {
	t.Helper()
	all := w.up.Requests()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(all[len(all)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Messages
}

// history is the items of a client that keeps its conversation itself.
func history(turns int) string {
	var items []string
	for i := range turns {
		items = append(items, fmt.Sprintf(`{"role":"user","content":"Question %d. %s"},{"role":"assistant","content":"Answer %d."}`, i, strings.Repeat("Some words more. ", 12), i))
	}
	return strings.Join(items, ",")
}

// TestCompactOwnHistory: the compaction of a client's own history is shorter, quotes only
// what was said, keeps the newest turns word for word, and can be compacted again.
func TestCompactOwnHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	item := w.compacted(t, `{"model":"hermes","input":[{"role":"developer","content":"Be brief."},`+history(20)+`]}`)
	if got := w.call("POST", "/v1/responses", `{"model":"hermes","store":false,"input":[`+item+`,{"role":"user","content":"And now?"}]}`); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	sent := w.sentMessages(t)
	n := len(sent)
	if n < 10 || n > 30 || sent[n-1].Content != "And now?" || sent[n-2].Content != "Answer 19." || sent[1].Role != "user" {
		t.Fatalf("got %d messages %v, want a summary, the newest turns, and the question", n, sent)
	}
	summary := sent[1].Content
	for line := range strings.Lines(summary) {
		words, quoted := strings.CutPrefix(strings.TrimSpace(line), "- \"")
		if quoted && !strings.HasPrefix(words, "Question ") {
			t.Errorf("got the line %q, want a quotation", line)
		}
	}
	if !strings.Contains(summary, "Question 0.") || strings.Contains(summary, "Question 19.") {
		t.Errorf("got the summary %q, want the older questions", summary)
	}
	if sent[0].Role != "system" || sent[0].Content != "Be brief." {
		t.Errorf("got %v first, want the developer's message", sent[0])
	}
	again := w.compacted(t, `{"model":"hermes","input":[`+item+`,`+history(20)+`]}`)
	w.call("POST", "/v1/responses", `{"model":"hermes","store":false,"input":[`+again+`,{"role":"user","content":"And now?"}]}`)
	all := fmt.Sprint(w.sentMessages(t))
	for _, want := range []string{"[Memory:", "Be brief.", "\"Question 17.", "\"Question 4."} {
		if strings.Count(all, want) != 1 {
			t.Errorf("got %q %d times in %s, want one summary of both parts", want, strings.Count(all, want), all)
		}
	}
	if got := w.call("GET", "/api/sessions/stats", "").body; !strings.Contains(got, `"total_messages":0`) {
		t.Errorf("got %s, want nothing stored", got)
	}
}

// TestCompactSession: the compaction of a session's conversation goes on in the session,
// without a message doubled; it shows nothing once the session is gone.
func TestCompactSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "I am Alex.")
	item := w.compacted(t, `{"model":"hermes","conversation":"s"}`)
	input := `[` + item + `,{"role":"user","content":"Who am I?"}]`
	w.up.Queue(upstreamtest.Reply("Alex."))
	if got := w.call("POST", "/v1/responses", `{"model":"hermes","store":false,"input":`+input+`}`); got.status != 200 || fmt.Sprint(w.sentMessages(t)) != "[{user I am Alex.} {assistant ok} {user Who am I?}]" {
		t.Errorf("got %d %s, sent %v, want the conversation", got.status, got.body, w.sentMessages(t))
	}
	if got := w.call("POST", "/v1/responses", `{"model":"hermes","input":`+input+`}`); got.status != 200 || got.header.Get("X-Hermes-Session-Id") != "s" {
		t.Errorf("got %d %s in %s, want a turn of the session", got.status, got.body, got.header.Get("X-Hermes-Session-Id"))
	}
	more := strings.TrimSuffix(input, "]") + `,{"role":"assistant","content":"ok"},{"role":"user","content":"Thanks."}]`
	w.call("POST", "/v1/responses", `{"model":"hermes","input":`+more+`}`)
	w.call("POST", "/v1/responses", `{"model":"hermes","conversation":"s","input":`+more+`}`) // asks for another answer
	if got := w.call("GET", "/api/sessions/s/messages", "").body; strings.Count(got, `"seq"`) != 6 {
		t.Errorf("got %s, want three exchanges", got)
	}
	whole := w.compacted(t, `{"model":"hermes","conversation":"s","input":[{"role":"user","content":"Who am I?"},{"role":"assistant","content":"ok"},{"role":"user","content":"Thanks."},{"role":"assistant","content":"ok"},{"role":"user","content":"More"}]}`)
	if kept := unsealed(t, whole); !strings.Contains(kept, "More") || strings.Contains(kept, "Who am I?") {
		t.Errorf("got %s, want what the session does not have", kept)
	}
	for name, c := range map[string]struct{ body, key, code string }{
		"another session": {`{"conversation":"t","input":` + input + `}`, localKey, "session_mismatch"},
		"another owner":   {`{"input":` + input + `}`, w.key("alice"), "compaction_not_found"},
		"a changed one":   {`{"input":` + strings.Replace(input, `"hermes1.`, `"hermes1.A`, 1) + `}`, localKey, "null"},
	} {
		got := w.call("POST", "/v1/responses", c.body, "Authorization", "Bearer "+c.key)
		if got.status < 400 || !strings.Contains(got.body, c.code) {
			t.Errorf("%s: got %d %s, want %s", name, got.status, got.body, c.code)
		}
	}
	w.call("DELETE", "/api/sessions/s", "")
	if got := w.call("POST", "/v1/responses", `{"input":`+input+`}`); got.status != 404 || !strings.Contains(got.body, "compaction_not_found") {
		t.Errorf("got %d %s, want 404", got.status, got.body)
	}
}

// TestCompactNamedSession: a client that names a session and compacts its history itself
// doubles nothing, in a session that has the history and in a new one.
func TestCompactNamedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	item := w.compacted(t, `{"model":"hermes","input":[`+history(20)+`]}`)
	input := `{"model":"hermes","conversation":"s","input":[` + item + `,{"role":"user","content":"And now?"}]}`
	for _, question := range []string{"And now?", "And then?"} {
		if got := w.call("POST", "/v1/responses", strings.Replace(input, "And now?", question, 1)); got.status != 200 {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	got := w.call("GET", "/api/sessions/s/messages", "").body
	if strings.Count(got, "And now?") != 1 || strings.Count(got, "Question 12.") != 1 || strings.Count(got, "[Memory:") != 1 {
		t.Errorf("got %s, want the summary, the kept turns and one question", got)
	}
	if facts := w.call("GET", "/api/memory?session_id=s", "").body; strings.Contains(facts, "Memory:") {
		t.Errorf("got %s, want nothing learnt of the summary", facts)
	}
}

// TestCompactionByHand: a compaction that a client has made reads the session that its
// owner has, whatever number it holds; another owner gets the answer of an absent one.
func TestCompactionByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.call("POST", "/v1/chat/completions", chatBody("The word is slate.", false), "X-Hermes-Session-Id", "s")
	sealed := "hermes1." + base64.RawURLEncoding.EncodeToString([]byte(`{"session":"s","after":9223372036854775807}`))
	body := `{"store":false,"input":[{"type":"compaction","encrypted_content":"` + sealed + `"},{"role":"user","content":"Which?"}]}`
	got := w.call("POST", "/v1/responses", body)
	if diff := cmp.Diff("[{user The word is slate.} {assistant ok} {user Which?}]", fmt.Sprint(w.sentMessages(t))); diff != "" || got.status != http.StatusOK {
		t.Errorf("got %d %s", got.status, diff)
	}
	foreign := w.call("POST", "/v1/responses", body, "Authorization", "Bearer "+w.key("mallory"))
	absent := w.call("POST", "/v1/responses", strings.Replace(body, sealed, "hermes1."+base64.RawURLEncoding.EncodeToString([]byte(`{"session":"none"}`)), 1))
	if foreign.status != http.StatusNotFound || foreign.body != absent.body {
		t.Errorf("got %d %s, want %s", foreign.status, foreign.body, absent.body)
	}
}

// TestCompactionOfAnotherServer is left out, and named.
func TestCompactionOfAnotherServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	got := w.call("POST", "/v1/responses", `{"input":[{"type":"compaction","encrypted_content":"gAAAAA=="},{"role":"user","content":"hi"}]}`)
	if got.status != 200 || got.header.Get("X-Hermes-Items-Omitted") != "compaction" {
		t.Errorf("got %d %v %s, want the compaction left out", got.status, got.header, got.body)
	}
}

// TestInputTokens: the count is what the turn then sends, and nothing is stored.
func TestInputTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "We use Rust because of latency.")
	for _, body := range []string{`{"model":"hermes","conversation":"s","instructions":"Be brief.","input":"Which language do we use?"}`, `{"model":"hermes","input":[` + history(3) + `,{"role":"user","content":"x"}]}`} {
		var counted struct {
			Object string
			Tokens int `json:"input_tokens"`
		}
		got := w.call("POST", "/v1/responses/input_tokens", body)
		if err := json.Unmarshal([]byte(got.body), &counted); err != nil || got.status != 200 || counted.Object != "response.input_tokens" {
			t.Fatalf("got %d %s, %v", got.status, got.body, err)
		}
		if n := w.call("GET", "/api/sessions/stats", "").body; !strings.Contains(n, `"total_messages":2`) {
			t.Fatalf("got %s, want nothing stored", n)
		}
		var told struct {
			Hermes struct {
				Context struct {
					Sent int `json:"sent_tokens"`
				}
			}
		}
		answer := w.call("POST", "/v1/responses", strings.Replace(body, `{`, `{"store":false,`, 1), "X-Hermes-Store", "none")
		if err := json.Unmarshal([]byte(answer.body), &told); err != nil || told.Hermes.Context.Sent != counted.Tokens {
			t.Errorf("got %d counted and %d sent, %v (%s)", counted.Tokens, told.Hermes.Context.Sent, err, answer.body)
		}
	}
}
