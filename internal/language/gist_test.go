package language

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGist(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"short", 160, "short"},
		{"  two\n\tlines ", 160, "two lines"},
		{"exactly ten", 11, "exactly ten"},
		{"one two three four", 12, "one two…"},
		{"unbreakablewordthatislong", 12, "unbreakablew…"},
		{strings.Repeat("ü", 20), 13, "üüüüüü…"},
		{"", 160, ""},
		{" \n ", 160, ""},
	} {
		if got := Gist(c.in, c.limit); got != c.want {
			t.Errorf("Gist(%q, %d): got %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func FuzzGist(f *testing.F) {
	f.Add("hello world", 5)
	f.Add(strings.Repeat("ü ", 100), 160)
	f.Add("\xff\xff\xff", 1)
	f.Add(strings.Repeat(" ", 1000), 10)
	f.Add("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 7)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(0, min(limit, 1<<20))
		g := Gist(text, limit)
		if len(strings.TrimSuffix(g, "…")) > limit {
			t.Errorf("Gist(%q, %d): got %d bytes", text, limit, len(g))
		}
		if utf8.ValidString(text) && !utf8.ValidString(g) {
			t.Errorf("Gist(%q, %d): got %q, half a character", text, limit, g)
		}
		if strings.ContainsAny(g, "\n\r") {
			t.Errorf("Gist(%q, %d): got %q, want one line", text, limit, g)
		}
		line := strings.Join(strings.Fields(text), " ")
		if !strings.HasPrefix(line, strings.TrimSuffix(g, "…")) && !strings.HasSuffix(text, "…") {
			t.Errorf("Gist(%q, %d): got %q, want the beginning", text, limit, g)
		}
		if len(line) <= limit && len(text) <= limit && g != line {
			t.Errorf("Gist(%q, %d): got %q, want all of it", text, limit, g)
		}
	})
}

// TestPlainSpaced: a text that passes is what joining its words gives.
func TestPlainSpaced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, " ": false, "one": true, "one two, three.": true, "one  two": false, " one": false, "one ": false,
		"one\ntwo": false, "one\ttwo": false, "naïve": false, "one\u00a0two": false,
	} {
		got := plainSpaced(text)
		if got != want || got && text != strings.Join(strings.Fields(text), " ") {
			t.Errorf("plainSpaced(%q): got %v, want %v", text, got, want)
		}
	}
}
