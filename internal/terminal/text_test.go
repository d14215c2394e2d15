//go:build unix

package terminal

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/creack/pty"
)

// TestTextBreaksBetweenWords: a text of any origin is broken between words, and
// what goes on stands under where its line began.
func TestTextBreaksBetweenWords(t *testing.T) {
	t.Parallel()
	const said = "/forget THING      erase everything about a thing, with proof\n" +
		"  The upstream model server could not be reached within the time that was set.\n\n" +
		"an-endless-word-that-is-wider-than-any-line-of-this-terminal-could-be 分词分词分词分词分词分词分词\n"
	for _, width := range []int{20, 33, 40, 79} {
		for _, piece := range []int{len(said), 7} {
			t.Run(fmt.Sprint(width, piece), func(t *testing.T) {
				t.Parallel()
				d := sit(t, "xterm")
				if err := pty.Setsize(d.keys, &pty.Winsize{Rows: 24, Cols: uint16(width)}); err != nil {
					t.Fatal(err)
				}
				text := d.Text()
				if piece == len(said) {
					_, _ = io.WriteString(text, said)
				} else {
					for line := range strings.Lines(said) {
						for _, word := range strings.SplitAfter(line, " ") {
							_, _ = io.WriteString(text, word)
						}
					}
				}
				_, _ = io.WriteString(text, "END\n")
				d.sees("END")
				d.mu.Lock()
				shown := strings.ReplaceAll(d.out.String(), bracketedPaste, "")
				d.mu.Unlock()
				for _, line := range strings.Split(shown, "\r\n") {
					if n := displaywidth.String(line); n >= width {
						t.Errorf("%d columns of %d: %q", n, width, line)
					}
				}
				for _, word := range strings.Fields(said) {
					if word[0] < 0x80 && displaywidth.String(word) < width-3 && !strings.Contains(shown, word) {
						t.Errorf("%q is cut in\n%s", word, shown)
					}
				}
				if width == 40 && !strings.Contains(shown, "\r\n  ") {
					t.Errorf("what goes on does not stand under its line:\n%s", shown)
				}
			})
		}
	}
}

// TestClipBetweenWords: a line that is cut ends with a whole word where it can.
func TestClipBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"go on with another session", 40, "go on with another session"},
		{"go on with another session", 16, "go on with…"},
		{"go on with another session", 19, "go on with another…"},
		{"anticonstitutionally", 8, "anticon…"},
		{"a anticonstitutionally", 12, "a anticonst…"},
		{"分词 分词 分词", 9, "分词…"},
	} {
		if got := clip(c.text, c.width); got != c.want || displaywidth.String(got) > c.width {
			t.Errorf("%q in %d columns: got %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
