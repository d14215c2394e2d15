package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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
		{"marks of direction", "a\u200eb\u200fc\u061cd", "abcd"},
		{"isolates", "\u2066a\u2067b\u2068c\u2069", "\ufffda\ufffdb\ufffdc\ufffd"},
		{"soft hyphen", "Donau\u00addampfer", "Donaudampfer"},
		{"zero-width characters", "pay\u200bpal \u2060\ufeffx a\u200cb a\u200db", "pay\ufffdpal \ufffdx a\ufffdb a\ufffdb"},
		{"invisible operators", "2\u2062x", "2\ufffdx"},
		{"tags", "hi\U000E0001\U000E0068\U000E0069\U000E007F!", "hi\ufffd!"},
		{"a flag of tags", "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F!", "\U0001F3F4!"},
		{"hidden bytes", "a\ufe01\ufe02\U000E0101b", "a\ufffdb"},
		{"fillers", "a\u3164b\u115fc", "a\ufffdb\ufffdc"},
		{"a family", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Devanagari", "क्\u200dष", "क्\u200dष"},
		{"Han", "葛\U000E0100", "葛\U000E0100"},
		{"a sign before Arabic numbers", "\u0601١٢", "\u0601١٢"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// harmless fails if a text holds a character that no text may bring to a terminal,
// other than those of looks.
func harmless(t *testing.T, shown string) {
	t.Helper()
	rest := shown
	for _, p := range looks(shown) {
		rest = strings.ReplaceAll(rest, p, "")
	}
	if i := strings.IndexFunc(rest, forbidden); i >= 0 {
		t.Errorf("%q holds a control character: %q", shown, rest[i:min(len(rest), i+20)])
	}
}

// forbidden is said of characters that are never shown, wherever they stand.
func forbidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r >= 0xe0020 && r <= 0xe007f ||
		r == 0x200b || r == 0x2060 || r == 0xfeff || r == 0xad
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
	f.Add("\x1b[31mred", 3)
	f.Add("\u009b\x80", 1)
	f.Add("👨\u200d👩 \u200b\U000E0041\r\u200d", 7)
	f.Fuzz(func(t *testing.T, text string, at int) {
		clean := Clean(text)
		if i := strings.IndexFunc(clean, forbidden); i >= 0 || !utf8.ValidString(clean) {
			t.Errorf("Clean(%q) = %q", text, clean)
		}
		if again := Clean(clean); again != clean {
			t.Errorf("cleaned twice: got %q, want %q", again, clean)
		}
		if line := OneLine(text); strings.ContainsAny(line, "\n\t") || strings.ContainsFunc(line, forbidden) {
			t.Errorf("OneLine(%q) = %q", text, line)
		}
		if !utf8.ValidString(text) { // where a broken character ends is told by what follows
			return
		}
		var out strings.Builder
		w := NewWriter(&out)
		at = max(0, min(at, len(text)))
		_, _ = w.Write([]byte(text[:at]))
		_, _ = w.Write([]byte(text[at:]))
		if out.String() != clean {
			t.Errorf("written in two pieces: got %q, want %q", &out, clean)
		}
	})
}
