package terminal

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"text", "Grüße, 世界 👋\tx\n", "Grüße, 世界 👋\tx\n"},
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"clipboard", "\x1b]52;c;cm0gLXJm\a", "␛]52;c;cm0gLXJm␇"},
		{"one-byte sequence", "a\u009b31mb", "a\ufffd31mb"},
		{"raw byte", "a\x9bb", "a\ufffdb"},
		{"delete and backspace", "ab\x7f\b", "ab␡␈"},
		{"line ends", "a\r\nb\rc", "a\nbc"},
		{"turned direction", "safe\u202egpj.exe", "safe\ufffdgpj.exe"},
		{"line separator", "a\u2028b", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// harmless fails if a text holds a control character other than those of looks
// and line feeds.
func harmless(t *testing.T, shown string) {
	t.Helper()
	rest := shown
	for _, p := range looks(shown) {
		rest = strings.ReplaceAll(rest, p, "")
	}
	if i := strings.IndexFunc(rest, unsafe); i >= 0 {
		t.Errorf("%q holds a control character: %q", shown, rest[i:min(len(rest), i+20)])
	}
}

// looks are the sequences of a Style in a text, as Paint writes them.
func looks(text string) []string {
	var out []string
	for _, part := range strings.Split(text, "\x1b[")[1:] {
		if n := strings.IndexByte(part, 'm'); n >= 0 && strings.Trim(part[:n], "0123456789;") == "" {
			out = append(out, "\x1b["+part[:n+1])
		}
	}
	return out
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mred")
	f.Add("\u009b\x80")
	f.Fuzz(func(t *testing.T, text string) {
		clean := Clean(text)
		if i := strings.IndexFunc(clean, unsafe); i >= 0 {
			t.Errorf("Clean(%q) = %q", text, clean)
		}
		if again := Clean(clean); again != clean {
			t.Errorf("cleaned twice: got %q, want %q", again, clean)
		}
	})
}
