package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// itemPage is what the tests read of a page of items.
type itemPage struct {
	Data []struct {
		ID      string
		Content []struct{ Text string }
	}
	LastID  string `json:"last_id"`
	HasMore bool   `json:"has_more"`
}

// items reads all items of a conversation in pages.
func (w *world) items(t *testing.T, id, order string, limit int) (texts []string) {
	t.Helper()
	after := ""
	for {
		var page itemPage
		got := w.call("GET", fmt.Sprintf("/v1/conversations/%s/items?order=%s&limit=%d%s", id, order, limit, after), "")
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 || len(page.Data) == 0 {
			t.Fatalf("got %d %s, %v, want a page with items", got.status, got.body, err)
		}
		for _, item := range page.Data {
			texts = append(texts, item.Content[0].Text)
		}
		if !page.HasMore {
			return texts
		}
		after = "&after=" + page.LastID
	}
}

// TestConversationPages: a long conversation is read whole in pages of any size, in both
// directions, without a gap and without a repetition.
func TestConversationPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	var want, messages []string
	for i := range 260 {
		role := "user"
		if i%3 > 0 || i > 120 && i < 250 { // many answers in a row: a page without a message of the user
			role = "assistant"
		}
		want = append(want, fmt.Sprintf("message %d", i))
		messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%q}`, role, want[i]))
	}
	w.call("POST", "/api/sessions/long/messages", `{"messages":[`+strings.Join(messages, ",")+`]}`)
	for _, limit := range []int{7, 100} {
		if diff := cmp.Diff(want, w.items(t, "long", "asc", limit)); diff != "" {
			t.Errorf("ascending in pages of %d (-said +listed):\n%s", limit, diff)
		}
		got := w.items(t, "long", "desc", limit)
		slices.Reverse(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("descending in pages of %d (-said +listed):\n%s", limit, diff)
		}
	}
}

// TestConversationOfAnother: another owner's conversation is as one that never was.
func TestConversationOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "I am Alex.")
	other := []string{"Authorization", "Bearer " + w.key("alice")}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "", ""}, {"POST", "", `{"metadata":{}}`}, {"DELETE", "", ""}, {"GET", "/items", ""},
		{"POST", "/items", `{"items":[{"role":"user","content":"x"}]}`}, {"GET", "/items/msg_m1_0", ""}, {"DELETE", "/items/msg_m1_0", ""},
	} {
		theirs := w.call(c.method, "/v1/conversations/s"+c.path, c.body, other...)
		none := w.call(c.method, "/v1/conversations/none"+c.path, c.body, other...)
		if theirs.status != 404 || theirs.body != none.body {
			t.Errorf("%s %s: got %d %s, want what an absent id gets: %s", c.method, c.path, theirs.status, theirs.body, none.body)
		}
	}
}

// TestConversationForgotten: metadata that names a forgotten thing loses it.
func TestConversationForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.call("POST", "/v1/conversations", `{"metadata":{"about":"Project Nightjar","n":"1"},"items":[{"role":"user","content":"Hello."}]}`, "X-Hermes-Session-Id", "c")
	if got := w.call("POST", "/api/memory/forget", `{"about":"Nightjar"}`); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	got := w.call("GET", "/v1/conversations/c", "").body
	if strings.Contains(got, "Nightjar") || !strings.Contains(got, `"n":"1"`) {
		t.Errorf("got %s, want the rest of the metadata alone", got)
	}
}

// TestConversationOfACompaction: a compaction of this server is as good as what it stands for.
// Nothing is learnt from it.
func TestConversationOfACompaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	var said []string
	for i := range 20 {
		said = append(said, fmt.Sprintf(`{"role":"user","content":"The codeword of day %d is %s%d."},{"role":"assistant","content":"Noted."}`, i, strings.Repeat("kingfisher ", 60), i))
	}
	own := w.compacted(t, `{"model":"hermes","input":[`+strings.Join(said, ",")+`]}`)
	w.chat("named", "The codeword is heron.")
	named := w.compacted(t, `{"model":"hermes","input":[{"type":"message","role":"user","content":"And the other is egret."}]}`, "X-Hermes-Session-Id", "named")
	for name, tt := range map[string]struct {
		item  string
		holds []string
	}{
		"of a history": {own, []string{"The codeword of day 0", "The codeword of day 19"}},
		"of a session": {named, []string{"The codeword is heron.", "And the other is egret."}},
	} {
		var made struct{ ID string }
		w.decode(w.call("POST", "/v1/conversations", `{"items":[`+tt.item+`]}`), &made)
		texts := strings.Join(w.items(t, made.ID, "asc", 100), "\n")
		for _, text := range tt.holds {
			if !strings.Contains(texts, text) {
				t.Errorf("%s: the conversation lacks %q: %.300s", name, text, texts)
			}
		}
	}
}

// TestInputTokensOfAResentHistory: what a response with a resent history would send is counted
// as its turn counts it.
func TestInputTokensOfAResentHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	auth := []string{"Authorization", "Bearer " + w.keyWithMemory("alice", "me")}
	say := func(path, input string) (c struct {
		Hermes struct {
			Context struct{ Sent, Tail, Naive int } `json:"context"`
		}
	}) {
		t.Helper()
		w.up.Queue(upstreamtest.Step{Text: "Noted."})
		got := w.call("POST", path, `{"model":"hermes","store":false,"input":[`+input+`]}`, auth...)
		if err := json.Unmarshal([]byte(strings.NewReplacer("_tokens", "").Replace(got.body)), &c); err != nil || got.status != 200 {
			t.Fatalf("got %d %s, %v", got.status, got.body, err)
		}
		return c
	}
	history := `{"role":"user","content":"My boat is the Whiskey, a ketch of nine metres."}`
	say("/v1/responses", history)
	history += `,{"role":"assistant","content":"**Noted.**"},{"role":"user","content":"Where is it?"}`
	counted := say("/v1/responses/input_tokens", history)
	if got := say("/v1/responses", history); got != counted || counted.Hermes.Context.Tail == 0 {
		t.Errorf("counted %+v, and the turn took %+v", counted, got)
	}
}
