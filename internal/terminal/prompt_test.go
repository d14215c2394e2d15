package terminal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write types into a prompt and returns its editor.
func write(p *Prompt, in string) *editor {
	e := newEditor(p)
	killed := ""
	for _, k := range press(in) {
		e.press(k, &killed)
	}
	return e
}

func TestEdit(t *testing.T) {
	t.Parallel()
	const left, back = "\x1b[D", "\x7f"
	for _, c := range []struct{ name, in, want string }{ // | is the cursor
		{"typing", "hello", "hello|"},
		{"in the middle", "helo" + left + "l", "hell|o"},
		{"one character is one, whatever it is made of", "a👨‍👩‍👧" + back, "a|"},
		{"over a wide one", "日本" + left + "x", "日x|本"},
		{"backslash goes on", "one\\\rtwo", "one\ntwo|"},
		{"alt-enter goes on", "one\x1b\rtwo", "one\ntwo|"},
		{"paste", "\x1b[200~a\rb\x1b[201~", "a\nb|"},
		{"start and end of a line", "one\ntwo\x01>\x05<", "one\n>two<|"},
		{"kill and yank", "one two\x17\x01\x19", "two|one "},
		{"kill to the end", "one two\x1bb\x0b", "one |"},
		{"kill to the start", "one two\x1bb\x15", "|two"},
		{"next word", "one two\x01\x1bd", "| two"},
		{"delete in front", "abc\x01\x04", "|bc"},
		{"up and down", "long line\nab\x1b[Ax\x1b[By", "loxng line\naby|"},
		{"backspace joins lines", "a\nb\x01" + back, "a|b"},
		{"interrupt empties", "abc\x03", "|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := write(&Prompt{Leave: true}, c.in)
			if got := e.text[:e.at] + "|" + e.text[e.at:]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLeave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		leave    bool
		want     verdict
	}{
		{"first interrupt asks", "\x03", true, writing},
		{"second one leaves", "\x03\x03", true, left},
		{"a key between them takes it back", "\x03a\x7f\x03", true, writing},
		{"emptying is none", "abc\x03\x03", true, writing},
		{"emptying, then two", "abc\x03\x03\x03", true, left},
		{"end of input", "\x04", true, left},
		{"a question is left at once", "\x03", false, left},
		{"enter sends", "a\r", true, sent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, killed, got := newEditor(&Prompt{Leave: c.leave}), "", writing
			for _, k := range press(c.in) {
				got = e.press(k, &killed)
			}
			if got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	complete := func(text string) []Choice {
		var out []Choice
		for _, name := range []string{"/state", "/status", "/new"} {
			if strings.HasPrefix(text, "/") && strings.HasPrefix(name, text) && name != text {
				out = append(out, Choice{Text: name})
			}
		}
		return out
	}
	for _, c := range []struct {
		name, in, want string
		offered        int
	}{
		{"the only one", "/n\t", "/new", 0},
		{"what they share", "/s\t", "/stat", 2},
		{"one after the other", "/s\t\t", "/state", 2},
		{"and round", "/s\t\t\t\t", "/state", 2},
		{"backwards", "/s\t\x1b[Z", "/status", 2},
		{"nothing to complete", "hello\t", "hello", 0},
		{"escape takes the offer away", "/s\x1b", "/s", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := write(&Prompt{Complete: complete}, c.in)
			if e.text != c.want || len(e.choices) != c.offered {
				t.Errorf("got %q with %d choices, want %q with %d", e.text, len(e.choices), c.want, c.offered)
			}
		})
	}
}

func TestWalkHistory(t *testing.T) {
	t.Parallel()
	h, err := OpenHistory(filepath.Join(t.TempDir(), "h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "two\nlines"} {
		if err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	const up, down = "\x1b[A", "\x1b[B"
	for _, c := range []struct{ name, in, want string }{
		{"up", up, "two\nlines"},
		{"up through the lines of one", up + up + up, "first"},
		{"no further", up + up + up + up, "first"},
		{"back to what was being written", "draft" + up + down, "draft"},
	} {
		if got := write(&Prompt{History: h}, c.in).text; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		at, width  int
		want       []string
		y, x       int
	}{
		{"empty", "", 0, 10, []string{"> "}, 0, 2},
		{"wrapped", "abcdefgh", 8, 6, []string{"> abcd", "  efgh", "  "}, 2, 2},
		{"wide characters are not cut", "日本語", 9, 7, []string{"> 日本", "  語"}, 1, 4},
		{"lines", "a\n\nb", 2, 10, []string{"> a", "  ", "  b"}, 1, 2},
		{"controls are visible", "a\x1b[31m\tb", 0, 40, []string{"> a␛[31m    b"}, 0, 2},
		{"narrower than the mark", "abc", 3, 3, []string{"abc", ""}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows, y, x := layout("> ", c.text, c.at, c.width)
			var got []string
			for _, r := range rows {
				got = append(got, r.text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || y != c.y || x != c.x {
				t.Errorf("cursor %d,%d, want %d,%d\n%s", y, x, c.y, c.x, diff)
			}
		})
	}
}
