package gatewaytest

import (
	"strings"
	"testing"
	"time"
)

func TestTelegramHTML(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		"plain": "plain", "<b>a</b><i>b</i>": "ab", "<B>a</B>": "a", "<b><i>a</i></b>": "a", "1 &lt; 2 &amp;&amp; 3 &gt; 2 &quot;": `1 < 2 && 3 > 2 "`,
		`<a href="https://x.example/?a=1&amp;b=2">x</a>`: "x", `<pre><code class="language-go">x</code></pre>`: "x", "<blockquote expandable>a</blockquote>": "a",
		"a > b & c &unknown; &#65;&#x42; &#0;": "a > b & c &unknown; AB &#0;",
	} {
		if got, err := tgPlain(html); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", html, got, err, want)
		}
	}
	for html, want := range map[string]string{
		"a < b": "Unclosed start tag", "<script>x</script>": "Unsupported start tag", "<b>a": "Can't find end tag", "a</b>": "Unexpected end tag",
		"<b><i>a</b></i>": "Unmatched end tag", `<a href=x>a</a>`: "Unclosed start tag", `<b onclick="x">a</b>`: "Unexpected attribute", "<": "Unclosed start tag",
		"</": "Unexpected end tag", "<>": "Unsupported start tag",
	} {
		if got, err := tgPlain(html); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "can't parse entities") {
			t.Errorf("%q: got %q, %v, want %q", html, got, err, want)
		}
	}
}

func FuzzTelegramHTML(f *testing.F) {
	for _, seed := range []string{"<b>a</b>", `<a href="x">&lt;</a>`, "&#x1F600;", "</", "<b", "&#;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, html string) {
		plain, err := tgPlain(html)
		if err == nil && tgLength(plain) > tgLength(html) {
			t.Errorf("%q: got the longer %q", html, plain)
		}
	})
}

// TestTelegramLimits: some messages may come at once, then one a second, and one in three
// seconds in a group. A request within a wait is noted.
func TestTelegramLimits(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s := NewTelegram(t, TelegramOptions{Now: func() time.Time { return now }})
	for kind, every := range map[string]time.Duration{tgPrivate: time.Second, "supergroup": 3 * time.Second} {
		c := &tgChat{ID: int64(len(kind)), Type: kind}
		for i := range 40 {
			now = now.Add(every)
			if err := s.allow(c, i%2 == 0); err != nil {
				t.Errorf("%s: message %d: %v", kind, i, err)
			}
		}
		limited := s.Limited()
		now = now.Add(time.Minute)
		for range 3 {
			if err := s.allow(c, false); err != nil {
				t.Errorf("%s: three at once: %v", kind, err)
			}
		}
		if err := s.allow(c, false); err == nil || s.Limited() != limited+1 {
			t.Errorf("%s: the fourth at once: got %v", kind, err)
		}
		before := len(s.Broken())
		if err := s.allow(c, false); err == nil || len(s.Broken()) != before+1 {
			t.Errorf("%s: within the wait: got %v, noted %q", kind, err, s.Broken())
		}
	}
	now = now.Add(time.Minute)
	for i := range int64(31) {
		if err := s.allow(&tgChat{ID: 100 + i, Type: tgPrivate}, false); (err != nil) != (i == 30) {
			t.Errorf("message %d of 31 at once in 31 chats: got %v", i, err)
		}
	}
}
