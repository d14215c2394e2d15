package markdown_test

import (
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestSplitProperties splits random texts: no part is over the limit, empty, refused or cut
// within a character; no block of code is open; the source is restored.
func TestSplitProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, splitProperty)
}

func splitProperty(t *rapid.T) {
	src, words := draw(t)
	d := rapid.SampledFrom(dialects).Draw(t, "dialect")
	limit := rapid.SampledFrom([]int{60, 200, 500, 2000, 4096}).Draw(t, "limit")
	parts := markdown.Split(src, limit, d.Length, d)
	checkParts(t, src, parts, limit, d)
	shown, raw := "", ""
	for _, p := range parts {
		shown += p.Text + "\n"
		raw += p.Raw + "\n"
	}
	for _, word := range words {
		if strings.Contains(raw, word) && !strings.Contains(shown, word) && !describes(src, word) {
			t.Fatalf("%q is missing in %q", word, shown)
		}
	}
}

// describes reports whether a word stands behind the marks that begin a block of code. It
// describes the block, and is not shown.
func describes(src, word string) bool {
	for line := range strings.Lines(src) {
		line = strings.TrimLeft(line, " \t>-*+0123456789.[]x")
		fence := strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "```")
		if fence && strings.Contains(line, word) {
			return true
		}
	}
	return false
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkParts fails if parts are not what Split promises.
func checkParts(t fataler, src string, parts []markdown.Part, limit int, d markdown.Dialect) {
	t.Helper()
	raw := ""
	boundary := boundaries(src)
	for i, p := range parts {
		if n := d.Length(p.Text); n > limit {
			t.Fatalf("part %d counts %d of %d: %q", i, n, limit, p.Text)
		}
		if strings.TrimSpace(p.Text) == "" {
			t.Fatalf("part %d is empty: %q", i, p.Raw)
		}
		if err := strict(d, p.Text); err != nil && !p.Plain {
			t.Fatalf("part %d is refused: %v: %q", i, err, p.Text)
		}
		raw += p.Raw
		if !boundary[len(raw)] {
			t.Fatalf("part %d ends within a character: %q", i, p.Raw)
		}
		if p.Plain {
			continue
		}
		body, opened := strings.CutPrefix(p.Source, p.Opened)
		body, closed := strings.CutSuffix(body, p.Closed)
		piece := bare(p.Raw)
		if i == len(parts)-1 { // with what shows nothing at the end of the text
			piece = piece[:min(len(piece), len(bare(body)))]
		}
		if !opened || !closed || bare(body) != piece {
			t.Fatalf("part %d has the source %q for %q", i, p.Source, p.Raw)
		}
		if again := markdown.Render(markdown.Parse(p.Source), d); again != p.Text {
			t.Fatalf("part %d: its source is %q, its text %q", i, again, p.Text)
		}
	}
	if raw != src && len(parts) > 0 {
		t.Fatalf("restored %q, was %q", raw, src)
	}
}

// boundaries are the positions between the characters of a text.
func boundaries(text string) map[int]bool {
	out := map[int]bool{0: true}
	for it := graphemes.FromString(text); it.Next(); {
		out[it.End()] = true
	}
	return out
}

// bare is a text without blanks.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

// TestSplitterProperties adds a text piece by piece: the parts are always the same, and the
// open part fits and is a beginning of what follows.
func TestSplitterProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src, _ := draw(t)
		d := rapid.SampledFrom(dialects).Draw(t, "dialect")
		limit := rapid.SampledFrom([]int{5, 60, 200, 1000}).Draw(t, "limit")
		once := markdown.NewSplitter(limit, d.Length, d)
		whole := append(once.Add(src), once.Finish()...)
		s := markdown.NewSplitter(limit, d.Length, d)
		var parts []markdown.Part
		for rest := []rune(src); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 200)).Draw(t, "piece")
			parts = append(parts, s.Add(string(rest[:n]))...)
			rest = rest[n:]
			same(t, src, parts, whole[:min(len(parts), len(whole))])
			if open, ok := s.Open(); ok && d.Length(open.Text) > limit && !open.Plain {
				t.Fatalf("the open part counts %d of %d: %q", d.Length(open.Text), limit, open.Text)
			}
		}
		parts = append(parts, s.Finish()...)
		same(t, src, parts, whole)
	})
}

// same fails if parts are not those expected.
func same(t fataler, src string, got, want []markdown.Part) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Fatalf("%d parts, want %d, of %q", len(got), len(want), src)
		}
		if got[i] != want[i] {
			t.Fatalf("part %d is %+v, want %+v, of %q", i, got[i], want[i], src)
		}
	}
}

// TestRenderProperties renders random texts whole: each dialect is accepted, and shows every
// word.
func TestRenderProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src, words := draw(t)
		blocks := markdown.Parse(src)
		for _, d := range dialects {
			text := markdown.Render(blocks, d)
			if err := strict(d, text); err != nil && strings.TrimSpace(markdown.Render(blocks, markdown.Plain)) != "" {
				t.Fatalf("dialect %d: %v: %q", d, err, text)
			}
			for _, word := range words {
				if !strings.Contains(text, word) && !describes(src, word) {
					t.Fatalf("dialect %d: %q is missing in %q", d, word, text)
				}
			}
		}
	})
}
