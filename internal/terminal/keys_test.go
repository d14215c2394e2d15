package terminal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// press decodes all keys of an input that comes at once.
func press(in string) []key {
	var out []key
	for b := []byte(in); len(b) > 0; {
		k, n := decode(b, false)
		if n == 0 {
			break
		}
		if b = b[n:]; k.code != keyNone {
			out = append(out, k)
		}
	}
	return out
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []key
	}{
		{"text and enter", "hé世\r", []key{{keyText, "hé世"}, {code: keyEnter}}},
		{"line feed", "a\nb", []key{{keyText, "a"}, {code: keyNewline}, {keyText, "b"}}},
		{"alt-enter", "\x1b\r", []key{{code: keyNewline}}},
		{"shift-enter of kitty and xterm", "\x1b[13;2u\x1b[27;2;13~", []key{{code: keyNewline}, {code: keyNewline}}},
		{"arrows", "\x1b[A\x1b[B\x1bOC\x1b[D", []key{{code: keyUp}, {code: keyDown}, {code: keyRight}, {code: keyLeft}}},
		{"words", "\x1b[1;5C\x1b[1;3D\x1bb\x1bf", []key{{code: keyWordRight}, {code: keyWordLeft}, {code: keyWordLeft}, {code: keyWordRight}}},
		{"home, end, delete", "\x1b[H\x1b[4~\x1b[3~\x01\x05", []key{{code: keyHome}, {code: keyEnd}, {code: keyDelete}, {code: keyHome}, {code: keyEnd}}},
		{"interrupt and end", "\x03\x04", []key{{code: keyInterrupt}, {code: keyEOF}}},
		{"escape", "\x1b", []key{{code: keyEscape}}},
		{"paste", "\x1b[200~one\r\ntwo\x1b[31m\rthree\x1b[201~x", []key{{keyPaste, "one\ntwo\x1b[31m\nthree"}, {keyText, "x"}}},
		{"paste without an end", "\x1b[200~one", nil},
		{"unknown sequences", "\x1b[99;99X\x1b[?1;2c\x1bq", nil},
		{"broken sequence", "\x1b[1\x03", []key{{code: keyInterrupt}}},
		{"bytes that are no text", "\xff\xfe", []key{{keyText, "\ufffd\ufffd"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, press(c.in), cmp.AllowUnexported(key{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDecodeWaits cuts sequences in two: no half of one may pass as text.
func TestDecodeWaits(t *testing.T) {
	t.Parallel()
	for _, whole := range []string{"\x1b[A", "\x1b[1;5C", "\x1bOC", "\x1b\r", "世", "\x1b[200~a\x1b[201~"} {
		for cut := 1; cut < len(whole); cut++ {
			if k, n := decode([]byte(whole[:cut]), true); n != 0 {
				t.Errorf("%q of %q: got key %v of %d bytes, want it to wait", whole[:cut], whole, k, n)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"a\r", "\x1b[A", "\x1b[200~x\x1b[201~", "\x1b[200~", "\x1b[27;2;13~", "\x1b\x1b\x1b[", "\xe4\xb8"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		e := newEditor(&Prompt{Mark: "> ", Leave: true})
		killed := ""
		for b := in; len(b) > 0; {
			k, n := decode(b, false)
			if n < 0 || n > len(b) {
				t.Fatalf("%q: %d bytes of %d", b, n, len(b))
			}
			if n == 0 {
				if !strings.HasPrefix(string(b), pasteStart) {
					t.Fatalf("%q is never read", b)
				}
				break
			}
			b = b[n:]
			if e.press(k, &killed) != writing {
				e.set("")
			}
			if e.at < 0 || e.at > len(e.text) {
				t.Fatalf("%q: the place is %d in %d bytes", in, e.at, len(e.text))
			}
			rows, y, _ := layout(e.Mark, e.text, e.at, 7)
			if y >= len(rows) {
				t.Fatalf("%q: the cursor is in row %d of %d", e.text, y, len(rows))
			}
			for _, r := range rows {
				if strings.ContainsFunc(r.text, forbidden) {
					t.Fatalf("%q is drawn as %q", e.text, r.text)
				}
			}
		}
	})
}
