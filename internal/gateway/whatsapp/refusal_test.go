package whatsapp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// answerOf is an error as the API writes it. Its words must not be seen.
func answerOf(code int, more string) string {
	return fmt.Sprintf(`{"error":{"message":"(#%d) our secret","type":"OAuthException","code":%d,"error_data":{"details":"our secret to 4912345"},"fbtrace_id":"A"%s}}`, code, code, more)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		reason gateway.SendReason
	}{
		"the window":        {400, answerOf(131047, ""), gateway.Closed},
		"too many to one":   {400, answerOf(131056, ""), gateway.Limited},
		"too many":          {429, answerOf(130429, ""), gateway.Limited},
		"calls":             {400, answerOf(4, ""), gateway.Limited},
		"spam":              {400, answerOf(131048, ""), gateway.Limited},
		"429 of a new kind": {429, answerOf(199999, ""), gateway.Limited},
		"not there":         {400, answerOf(131026, ""), gateway.Gone},
		"the token":         {401, answerOf(190, `,"error_subcode":463`), gateway.Temporary},
		"no code":           {401, `{"error":{"message":"x"}}`, gateway.Temporary},
		"permission":        {403, answerOf(10, ""), gateway.Temporary},
		"permission 2":      {403, answerOf(230, ""), gateway.Temporary},
		"not allowed":       {400, answerOf(131030, ""), gateway.Refused},
		"locked":            {403, answerOf(131031, ""), gateway.Refused},
		"a parameter":       {400, answerOf(131009, ""), gateway.Refused},
		"the template":      {404, answerOf(132001, ""), gateway.Refused},
		"away":              {503, answerOf(2, ""), gateway.Temporary},
		"away 2":            {500, answerOf(131016, ""), gateway.Temporary},
		"transient":         {500, answerOf(199999, `,"is_transient":true`), gateway.Temporary},
		"failed":            {500, answerOf(131000, ""), gateway.Unknown},
		"failed 2":          {500, answerOf(199999, ""), gateway.Unknown},
		"a page 200":        {200, "<html>", gateway.Unknown},
		"a page 502":        {502, "<html>", gateway.Unknown},
		"a page 503":        {503, "<html>", gateway.Temporary},
		"a page 403":        {403, "<html>", gateway.Temporary},
		"a page 413":        {413, "<html>", gateway.Refused},
		"a page 429":        {429, "", gateway.Limited},
		"a redirect":        {302, "", gateway.Temporary},
		"JSON of another":   {404, `{"detail":"Not Found"}`, gateway.Temporary},
	} {
		r := readRefusal(tt.status, "", []byte(tt.body))
		if r == nil {
			t.Errorf("%s: no refusal", name)
			continue
		}
		if v := r.verdict(); v.reason != tt.reason || v.text == "" {
			t.Errorf("%s: got reason %d, %q, want %d", name, v.reason, v.text, tt.reason)
		}
		if shown := r.Error() + r.verdict().text; strings.Contains(shown, "secret") || strings.Contains(shown, "4912345") {
			t.Errorf("%s: words of the answer are shown: %s", name, shown)
		}
	}
	if r := readRefusal(200, "", []byte(`{"messages":[{"id":"wamid.1"}]}`)); r != nil {
		t.Errorf("a good answer: got %v", r)
	}
	if r := readRefusal(429, "17", []byte("")); r.retryAfter != 17*time.Second {
		t.Errorf("got a wait of %s, want 17 s", r.retryAfter)
	}
}

// TestLateErrors: a message that failed for a reason that may pass is sent again, and no other.
func TestLateErrors(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]gateway.SendReason{
		131047: gateway.Closed, 131026: gateway.Gone, 131049: gateway.Refused, 131042: gateway.Refused, 7: gateway.Refused,
		131056: gateway.Temporary, 130429: gateway.Temporary, 131000: gateway.Temporary, 131016: gateway.Temporary, 131057: gateway.Temporary,
	} {
		if e := lateError([]wireError{{Code: code}}); e.Reason != want || e.Text == "" {
			t.Errorf("%d: got %d, %q, want %d", code, e.Reason, e.Text, want)
		}
	}
}

// TestWaits: waits double until an hour, for each chat apart, and end with a success.
func TestWaits(t *testing.T) {
	t.Parallel()
	var w waits
	for i, want := range []time.Duration{6 * time.Second, 12 * time.Second, 24 * time.Second} {
		if got := w.next("a"); got != want {
			t.Errorf("wait %d: got %s, want %s", i, got, want)
		}
	}
	if got := w.next("b"); got != firstWait {
		t.Errorf("another chat: got %s", got)
	}
	for range 20 {
		w.next("a")
	}
	if got := w.next("a"); got != longestWait {
		t.Errorf("got %s, want %s", got, longestWait)
	}
	w.over("a")
	if got := w.next("a"); got != firstWait {
		t.Errorf("after a success: got %s", got)
	}
	for i := range 2 * mostWaits {
		w.next(fmt.Sprint(i))
	}
	if len(w.by) > mostWaits {
		t.Errorf("got %d chats remembered", len(w.by))
	}
}

// TestOutcomesAreBounded: what is remembered of messages does not grow.
func TestOutcomesAreBounded(t *testing.T) {
	t.Parallel()
	o := newOutcomes()
	for i := range 3 * mostOutcomes {
		o.note([]outcome{{sent: fmt.Sprint(i), message: "m"}})
		o.forget(fmt.Sprint(i - 1))
	}
	if len(o.by) > mostOutcomes || len(o.order) > mostOutcomes {
		t.Errorf("got %d outcomes and %d names", len(o.by), len(o.order))
	}
	if _, ok, _ := o.of(fmt.Sprint(3*mostOutcomes - 1)); !ok {
		t.Error("the newest is forgotten")
	}
	failed := &gateway.SendError{Text: "x"}
	o.note([]outcome{{sent: "a", message: "m", err: failed}, {sent: "a", message: "m"}})
	if got, _, _ := o.of("a"); got.err != failed {
		t.Error("a failure was taken back")
	}
}

func FuzzReadRefusal(f *testing.F) {
	f.Add(400, "7", answerOf(131047, ""))
	f.Add(200, "", `{"messages":[{"id":"wamid.1"}]}`)
	f.Add(502, "x", "<html>")
	f.Add(200, "-1", `{"error":null}`)
	f.Add(500, "99999999999", `{"error":{"code":"x"}}`)
	f.Fuzz(func(t *testing.T, status int, after, body string) {
		r := readRefusal(status, after, []byte(body))
		if r == nil {
			if status < 200 || status > 299 {
				t.Errorf("%d: no refusal", status)
			}
			return
		}
		v := r.verdict()
		if v.text == "" || r.Error() == "" {
			t.Errorf("%d %q: got no words", status, body)
		}
		if r.retryAfter < 0 || r.retryAfter > time.Hour {
			t.Errorf("got a wait of %s", r.retryAfter)
		}
	})
}

func FuzzRecipient(f *testing.F) {
	for _, seed := range []string{"4915550001", "+4915550001", "DE.42", "US.ENT.42", "Y2FwaV9ncm91cDox00001", "", "../me", "DE.\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, chat string) {
		to, err := recipientOf(chat)
		if err != nil {
			return
		}
		if (to.to == "") == (to.userID == "") || to.to+to.userID != chat || strings.ContainsAny(chat, "\n\r /?&") {
			t.Errorf("%q: got %+v", chat, to)
		}
	})
}

func FuzzShortened(f *testing.F) {
	f.Add("hello 😀😀", 4)
	f.Add("\xff\xff", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(1, n)
		got := shortened(s, n)
		if length(got) > n || got != s && !strings.HasSuffix(got, "…") {
			t.Errorf("%q to %d: got %q", s, n, got)
		}
	})
}
