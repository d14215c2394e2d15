package markdown

import (
	"strconv"
	"strings"
)

// Render writes blocks in a dialect. The text has what a person reads of the blocks, and
// formatting only where they have it: marks in a text are escaped or defused. What a
// dialect lacks is written in another way: headings are bold, tables are aligned text,
// quotes within quotes are part of the outer one.
func Render(blocks []Block, d Dialect) string {
	r := renderer{d: d}
	return r.blocks(blocks, "", "\n\n")
}

// renderer writes blocks. Lines of text in a list are indented; code, tables and quotes are
// not, because the dialects know them only at the beginning of a line.
type renderer struct {
	d      Dialect
	quoted bool
}

// blocks writes blocks with a separator between them. What shows nothing is left out.
func (r *renderer) blocks(list []Block, indent, between string) string {
	parts := make([]string, 0, len(list))
	for i := range list {
		if text := r.block(&list[i], indent); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, between)
}

func (r *renderer) block(b *Block, indent string) string {
	switch b.Type {
	case Paragraph:
		return indented(r.inlines(b.Inlines, 0), indent)
	case Heading:
		return indented(r.heading(b), indent)
	case List:
		return r.list(b, indent)
	case Item:
		return r.blocks(b.Blocks, indent, "\n")
	case Quote:
		return r.quote(b)
	case Code:
		return r.code(b.Language, b.Text)
	case Table:
		return r.code("", tableText(b))
	case Rule:
		return indented("———", indent)
	}
	return ""
}

// indented is a text with an indentation before each line.
func indented(text, indent string) string {
	if text == "" || indent == "" {
		return text
	}
	return indent + strings.ReplaceAll(text, "\n", "\n"+indent)
}

// heading writes a heading: a bold line, but Discord has three levels of its own.
func (r *renderer) heading(b *Block) string {
	if r.d != DiscordMarkdown || b.Level > 3 {
		return r.inlines(b.Inlines, bold)
	}
	text := strings.ReplaceAll(r.inlines(b.Inlines, 0), "\n", " ")
	if text == "" {
		return ""
	}
	return strings.Repeat("#", b.Level) + " " + text
}

func (r *renderer) list(b *Block, indent string) string {
	between := "\n"
	if !b.Tight {
		between = "\n\n"
	}
	items := make([]string, len(b.Blocks))
	for i := range b.Blocks {
		items[i] = r.item(&b.Blocks[i], r.marker(b, i), indent, between)
	}
	return strings.Join(items, between)
}

// marker is what stands before an item.
func (r *renderer) marker(list *Block, i int) string {
	mark := "• "
	switch {
	case list.Ordered:
		mark = strconv.Itoa(list.Start+i) + ". "
	case r.d == DiscordMarkdown:
		mark = "- "
	}
	if done := list.Blocks[i].Checked; done != nil && *done {
		return mark + "☑ "
	} else if done != nil {
		return mark + "☐ "
	}
	return mark
}

// item writes an item. Its first block stands behind the marker if it is text; other
// blocks begin on the next line.
func (r *renderer) item(b *Block, marker, indent, between string) string {
	pad := strings.Repeat(" ", len([]rune(marker)))
	body := r.blocks(b.Blocks, indent+pad, between)
	if body == "" {
		return indent + strings.TrimRight(marker, " ")
	}
	first := b.Blocks[0].Type
	if rest, ok := strings.CutPrefix(body, indent+pad); ok && (first == Paragraph || first == Heading) {
		return indent + marker + rest
	}
	return indent + strings.TrimRight(marker, " ") + "\n" + body
}

// quote writes a quote; one within another is part of it.
func (r *renderer) quote(b *Block) string {
	if r.quoted {
		return r.blocks(b.Blocks, "", "\n\n")
	}
	r.quoted = true
	text := r.blocks(b.Blocks, "", "\n\n")
	r.quoted = false
	switch {
	case text == "":
		return ""
	case r.d == TelegramHTML:
		return "<blockquote>" + text + "</blockquote>"
	}
	return indented(text, "> ")
}

// code writes a block of code. Only Telegram and Discord show its language.
func (r *renderer) code(language, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	switch r.d {
	case Plain:
		return text
	case TelegramHTML:
		if name := languageName(language); name != "" {
			return `<pre><code class="language-` + name + `">` + escape(text) + "</code></pre>"
		}
		return "<pre>" + escape(text) + "</pre>"
	case SlackMrkdwn:
		return "```\n" + withoutFences(escape(text)) + "\n```"
	case DiscordMarkdown:
		return "```" + languageName(language) + "\n" + withoutFences(text) + "\n```"
	}
	return "```\n" + withoutFences(text) + "\n```"
}

// languageName is the name of a language, if a dialect can name it.
func languageName(language string) string {
	for i := range len(language) {
		if c := language[i]; !isAlphanumeric(c) && !strings.ContainsRune("+#-_.", rune(c)) {
			return ""
		}
	}
	if len(language) > maxInfo {
		return ""
	}
	return language
}

// zeroWidth is a blank without width. It separates characters that would be a mark.
const zeroWidth = "\u200b"

// withoutFences separates the backticks of a text that would end a block of code.
func withoutFences(text string) string {
	for strings.Contains(text, "```") {
		text = strings.ReplaceAll(text, "```", "``"+zeroWidth+"`")
	}
	return text
}
