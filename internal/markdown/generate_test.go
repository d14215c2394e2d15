package markdown_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// writer writes a random text, and notes its words: each dialect has to show them.
type writer struct {
	t     *rapid.T
	n     int
	words []string
}

var awkward = []string{
	"这是一个测试", "日本語の文章。", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "👍🏽", "é̂e̋", "ก็", "नमस्ते", "한국어", "a\u0301\u0302\u0303", "𝒳𝒴", "مرحبا",
	"*", "**", "_", "__", "~~", "`", "``", "x```", "x~~~", "[", "](", ")", "![", "<b>", "</b>", "&", "&amp;", "&lt;", "&#8238;", "<!channel>",
	"@everyone", "<@123>", "#", ">", "-", "1.", "|", "\\", "\\*", "\u202e", "\u200b", "\x00", "\x1b[31m", "\t", "\u00a0", "---", "===", "||x||", "||",
	"https://example.org/a_b?c=d&e=f ", "http://localhost:9200/_a_", "https://[::1]/*b* ", "<br>", "：**", "“", "www.example.org ", "me@example.org ", "snake_case_name", "2*3*4", "$x$", "javascript:alert(1)", "\u2028", "<http://x.y>",
}

func (w *writer) pick(list ...string) string { return rapid.SampledFrom(list).Draw(w.t, "pick") }
func (w *writer) upTo(n int) int             { return rapid.IntRange(0, n).Draw(w.t, "n") }

// word is a word that stands in the text exactly once.
func (w *writer) word() string {
	w.n++
	word := fmt.Sprintf("w%dx", w.n) + strings.Repeat("ab", w.upTo(4))
	w.words = append(w.words, word)
	return word
}

// phrase is some words and awkward pieces, on one line.
func (w *writer) phrase() string {
	var parts []string
	for range 1 + w.upTo(12) {
		switch w.upTo(9) {
		case 0:
			parts = append(parts, w.pick(awkward...)+w.pick("", " "))
		case 1:
			parts = append(parts, "**"+w.word()+" "+w.word()+"**")
		case 2:
			parts = append(parts, w.pick("*", "_", "~~", "`")+w.word()+w.pick("*", "_", "~~", "`", ""))
		case 3:
			parts = append(parts, "["+w.word()+" "+w.word()+"](https://example.org/"+w.pick("", "a_b", "x(y)", "?q=<>")+")")
		case 4:
			parts = append(parts, w.word()+w.pick(". ", "! ", "? ", "。", "… "))
		default:
			parts = append(parts, w.word())
		}
	}
	return strings.Join(parts, w.pick(" ", " ", " ", ""))
}

func (w *writer) block(prefix string) string {
	switch w.upTo(9) {
	case 0:
		return prefix + strings.Repeat("#", 1+w.upTo(5)) + " " + w.phrase() + "\n"
	case 1:
		return w.fence(prefix)
	case 2:
		return w.table(prefix)
	case 3, 4:
		return w.list(prefix)
	case 5:
		return w.block(prefix + "> ")
	case 6:
		return prefix + w.pick("---", "***", "<div>", "===") + "\n"
	default:
		out := ""
		for range 1 + w.upTo(4) {
			out += prefix + w.phrase() + w.pick("", "", "  ", "\\") + "\n"
		}
		return out
	}
}

func (w *writer) fence(prefix string) string {
	mark := w.pick("```", "~~~", "````")
	out := prefix + mark + w.pick("", "go", "python", "c++", "a very long description of a block") + "\n"
	for range w.upTo(8) {
		out += prefix + w.pick("", "    ", "\t") + w.word() + " := " + w.pick("`x`", "<T>&y", "**z**", "名前", "") + w.pick("", strings.Repeat("long ", 20)) + "\n"
	}
	return out + w.pick(prefix+mark+"\n", prefix+mark+"\n", prefix+mark+"\n", "")
}

func (w *writer) table(prefix string) string {
	columns := 1 + w.upTo(3)
	row := func() string {
		out := prefix + "|"
		for range columns {
			out += " " + w.pick("", "**", "`", "~") + w.word() + w.pick("", " 数", " \\|", " 👩‍👩‍👧‍👦") + " |"
		}
		return out + "\n"
	}
	out := row() + prefix + "|" + strings.Repeat(w.pick("---|", ":-:|", "--:|"), columns) + "\n"
	for range w.upTo(8) {
		out += row()
	}
	return out
}

func (w *writer) list(prefix string) string {
	marker := w.pick("- ", "* ", "1. ", "10. ", "- [x] ", "-   ")
	pad := strings.Repeat(" ", len(strings.TrimSuffix(marker, "[x] ")))
	out := ""
	for range 1 + w.upTo(4) {
		out += prefix + marker + w.phrase() + "\n"
		if w.upTo(3) == 0 && len(prefix) < 12 {
			out += w.pick("", "\n") + w.block(prefix+pad)
		}
	}
	return out
}

// text is a random text.
func (w *writer) text() string {
	out := ""
	for range 1 + w.upTo(8) {
		out += w.block("") + w.pick("\n", "\n", "\n", "", "\n\n\n", "\r\n")
	}
	return out
}

// sample is a random text, and the words in it that every dialect has to show.
type sample struct {
	src   string
	words []string
}

func draw(t *rapid.T) (string, []string) {
	s := rapid.Custom(func(t *rapid.T) sample {
		w := &writer{t: t}
		return sample{src: w.text(), words: w.words}
	}).Draw(t, "text")
	return s.src, s.words
}
