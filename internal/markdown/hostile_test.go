package markdown_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// hostile are texts that take parsers quadratic time or memory, by name.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"quotes":           fill(">"),
		"quoted lines":     fill("> > > > > > > > > > > > a\n"),
		"brackets":         fill("["),
		"closed brackets":  strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"links":            fill("[a](b"),
		"titles":           fill(`[a](b "`),
		"titles in round":  fill("[a](b ("),
		"angles":           fill("[a](<b"),
		"images":           fill("![["),
		"stars":            fill("*a "),
		"stars and lines":  strings.Repeat("*a ", size/6) + strings.Repeat("b_ ", size/6),
		"nested emphasis":  strings.Repeat("*a **a ", size/14) + strings.Repeat("a** a*", size/14),
		"waves":            fill("a~b~~"),
		"ticks":            ticks(size),
		"unclosed ticks":   fill("a ``b` "),
		"addresses":        fill("_a"),
		"round addresses":  fill("(http://a.b/"),
		"plain addresses":  fill("http://a"),
		"bare schemes":     fill("http:"),
		"no hosts":         fill("http://."),
		"half a host":      fill("http://["),
		"marks, addresses": strings.Repeat("*a ", size/6) + strings.Repeat("http://a ", size/18),
		"entities behind":  fill("http://a;;;;;;;; "),
		"address of marks": "http://a/" + fill("*_"),
		"address of round": "http://a/" + fill("(["),
		"address of words": "http://a/" + fill("中"),
		"address and refs": "http://a/" + fill("&a;"),
		"breaks":           fill("<br>"),
		"east":             fill("中**"),
		"mail":             fill("a@a.a_"),
		"angle addresses":  fill("<a:"),
		"lists":            fill("- "),
		"list of lists":    fill("- - - - - - - - - - a\n"),
		"blank list":       "- - - - - - - - a\n" + fill("\n"),
		"deep list":        deep(size),
		"wide table":       table(size),
		"short rows":       "|" + strings.Repeat("a|", 2000) + "\n|" + strings.Repeat("-|", 2000) + "\n" + fill("a\n"),
		"bars":             fill("|"),
		"headings":         fill("#\n"),
		"fences":           fill("```\n"),
		"unclosed fence":   "```go\n" + fill("a\n"),
		"definitions":      fill("[a]: b\n"),
		"entities":         fill("&#8238;"),
		"backslashes":      fill(`\`),
		"rules":            fill("- - -\n"),
		"one word":         fill("a"),
		"one character":    "a" + fill("\u0301"),
		"invisible":        fill("\u200b"),
		"blank":            fill("\n"),
		"html":             fill("<!--"),
		"setext":           fill("a\n=\n"),
		"carriage returns": fill("\r"),
		"invalid":          fill("\xff"),
		"long address":     "[a](https://b/" + fill("c") + ")",
		"long description": "```" + fill("a") + "\nb",
		"fence in list":    fill("- ```\n"),
		"nested quotes":    strings.Repeat("> ", 100_000/2) + "a\n" + strings.Repeat("> ", 100_000/2),
		"emoji":            fill("👩‍👩‍👧‍👦"),
	}
}

func ticks(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		b.WriteString(strings.Repeat("`", n) + "a")
	}
	return b.String()
}

func deep(size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(strings.Repeat("  ", n) + "- a\n")
	}
	return b.String()
}

func table(size int) string {
	columns := size / 8
	return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat("|", size/2)
}

var hostileSize = flag.Int("hostile", 50_000, "how long the texts of TestHostile are, in bytes")

// TestHostile parses, renders and splits texts of 50 kB. A quadratic step would take
// minutes, far beyond the time of a test.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, src := range hostile(*hostileSize) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blocks := markdown.Parse(src)
			for _, d := range dialects {
				text := markdown.Render(blocks, d)
				if err := strict(d, text); err != nil && strings.TrimSpace(text) != "" {
					t.Errorf("dialect %d: %v", d, err)
				}
			}
			parts := markdown.Split(src, 4096, markdown.TelegramHTML.Length, markdown.TelegramHTML)
			raw := ""
			for _, p := range parts {
				raw += p.Raw
			}
			if len(parts) > 0 && raw != src {
				t.Error("the source is not restored")
			}
		})
	}
}
