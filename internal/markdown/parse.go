package markdown

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Formatting is read in the first bytes and lines of a text; what follows is one
// paragraph. No answer of a model is that long.
const (
	maxFormatted = 1 << 20
	maxLines     = 50_000
)

// Parse makes nodes of Markdown: CommonMark with the tables, strikethrough, autolinks and
// task lists of GitHub, with marks next to Chinese, Japanese and Korean text (eastasian.go), and
// with the tag of a line break, the one part of HTML that is read. There are no link reference definitions and no footnotes, so a
// block never depends on a later one. Any text can be parsed, in time that grows with its
// length. Control characters, and marks of direction that deceive, are made visible; see
// tame.go.
func Parse(src string) []Block {
	src = strings.ToValidUTF8(src, "\ufffd")
	if strings.ContainsRune(src, '\r') {
		src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	}
	src = balanced(src)
	head, tail := cutFormatted(src)
	source := []byte(head)
	root := grammar().Parse(text.NewReader(source))
	c := converter{source: source}
	blocks := c.blocks(root)
	if strings.TrimSpace(tail) != "" {
		blocks = append(blocks, Block{Type: Paragraph, Inlines: []Inline{{Type: Text, Text: tame(strings.Trim(tail, "\n"))}}})
	}
	return blocks
}

// cutFormatted divides a text, after a line if possible, into the part with formatting and
// the rest.
func cutFormatted(src string) (head, tail string) {
	end := min(len(src), maxFormatted)
	if end < len(src) {
		if n := strings.LastIndexByte(src[:end], '\n'); n > 0 {
			end = n + 1
		} else {
			end = runeStart(src, end)
		}
	}
	if strings.Count(src[:end], "\n") > maxLines {
		n := 0
		for range maxLines {
			n += strings.IndexByte(src[n:], '\n') + 1
		}
		end = n
	}
	return src[:end], src[end:]
}

// grammar is the parser; it is made once, and safe for concurrent use.
var grammar = sync.OnceValue(func() parser.Parser {
	b := bounds{key: parser.NewContextKey()}
	nothing := regexp.MustCompile(`^[^\x00-\x{10ffff}]`) // addresses with a scheme are those of plainAddresses
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(codeSpans{parser.NewCodeSpanParser(), b}, 100),
			util.Prioritized(brackets{parser.NewLinkParser(), b}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(breakTags{}, 300),
			util.Prioritized(plainAddresses{}, 400),
			util.Prioritized(marks{parser.NewEmphasisParser(), b}, 500),
			util.Prioritized(marks{extension.NewStrikethroughParser(), b}, 500),
			util.Prioritized(addresses{extension.NewLinkifyParser(extension.WithLinkifyURLRegexp(nothing)), b}, 999),
		),
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)),
	)
})
