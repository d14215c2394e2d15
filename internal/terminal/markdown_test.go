package terminal

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// render sets a text that comes in pieces.
func render(style Style, width int, pieces ...string) string {
	var b strings.Builder
	md := NewMarkdown(&b, style, width)
	for _, p := range pieces {
		md.WriteString(p)
	}
	md.Close()
	return b.String()
}

// TestMarkdown sets testdata/markdown/*.txtar. A file's other sections are named
// by the style and the width, and hold what is shown, escapes as \e.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/markdown/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in := string(ar.Files[0].Data)
			for i, f := range ar.Files[1:] {
				var kind string
				var width int
				if _, err := fmt.Sscan(f.Name, &kind, &width); err != nil {
					t.Fatal(err)
				}
				shown := render(Style{rich: kind == "rich"}, width, in)
				harmless(t, shown)
				got := strings.ReplaceAll(shown, "\x1b", `\e`)
				if *update {
					ar.Files[i+1].Data = []byte(got)
				} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("%s:\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// sample is a text that exercises every kind of line.
func sample(t *testing.T) string {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/markdown/answer.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return string(ar.Files[0].Data)
}

// split cuts a text into random pieces, as a model would.
func split(r *rand.Rand, text string) []string {
	var out []string
	for text != "" {
		n := 1 + r.IntN(min(len(text), 7))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// TestMarkdownStreams cuts a text in many ways: what is shown in the end is
// always the same.
func TestMarkdownStreams(t *testing.T) {
	t.Parallel()
	text := sample(t)
	want := render(Style{rich: true}, 50, text)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		if diff := cmp.Diff(want, render(Style{rich: true}, 50, split(r, text)...)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestMarkdownFlows checks that words appear before their line is complete.
func TestMarkdownFlows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"words", "one two thr", "one two"},
		{"an item", "- one two", "• one"},
		{"behind an emphasis", "a **b** c d", "a b c"},
		{"not within one", "a **b c", "a"},
		{"a bracket that is no link", "[recall] you told me", "[recall] you told"},
		{"lines of code", "```\none\ntw", "  one\n"},
	} {
		var b strings.Builder
		md := NewMarkdown(&b, Style{rich: true}, 80)
		md.WriteString(c.in)
		got := b.String()
		for _, p := range looks(got) {
			got = strings.ReplaceAll(got, p, "")
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// fits fails if a line is wider than the terminal; lines of code may be.
func fits(t *testing.T, shown string, width int) {
	t.Helper()
	for line := range strings.Lines(shown) {
		code := strings.Contains(line, "\x1b[36m")
		for _, p := range looks(line) {
			line = strings.ReplaceAll(line, p, "")
		}
		if n := displaywidth.String(strings.TrimRight(line, "\n")); n > width && !code {
			t.Errorf("%d columns in a terminal of %d: %q", n, width, line)
		}
	}
}

func TestMarkdownFits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"answer", "wide"} {
		ar, err := txtar.ParseFile("testdata/markdown/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for width := minWidth; width < 120; width++ {
			fits(t, render(Style{rich: true}, width, string(ar.Files[0].Data)), width)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n**b", "| a |\n|---|\n| b |", "```\nx\n```", "- [x](y) `z`", "\x1b]0;t\a", "> > a", "1. b", "***a** b*", "~~~\n", "a_b_ __c__"} {
		f.Add(s, 20, int64(1))
	}
	f.Add("\u0603 ", 24, int64(245)) // a mark that Unicode joins with the blank behind it
	f.Fuzz(func(t *testing.T, text string, width int, seed int64) {
		width = min(max(width, 1), 200)
		whole := render(Style{rich: true}, width, text)
		harmless(t, whole)
		fits(t, whole, max(width, minWidth))
		if !utf8.ValidString(text) {
			return // a stream is made of whole characters
		}
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		if got := render(Style{rich: true}, width, split(r, text)...); got != whole {
			t.Errorf("in pieces: got %q, want %q", got, whole)
		}
		harmless(t, render(Style{}, width, text))
	})
}
