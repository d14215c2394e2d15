package gatewaytest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// tgTags are the tags of Telegram's HTML, and whether they take attributes.
func tgTags() map[string][]string {
	return map[string][]string{
		"b": nil, "strong": nil, "i": nil, "em": nil, "u": nil, "ins": nil, "s": nil, "strike": nil, "del": nil, "tg-spoiler": nil, "pre": nil,
		"code": {"class"}, "a": {"href"}, "span": {"class"}, "blockquote": {"expandable"},
	}
}

// tgPlain reads Telegram's HTML strictly, and returns the visible text. The errors are
// Telegram's.
func tgPlain(html string) (string, error) {
	p := &tgParser{in: html}
	for p.at < len(p.in) {
		if err := p.next(); err != nil {
			return "", tgBad("can't parse entities: " + err.Error())
		}
	}
	if n := len(p.open); n > 0 {
		return "", tgBad(fmt.Sprintf("can't parse entities: Can't find end tag corresponding to start tag %q", p.open[n-1]))
	}
	return p.out.String(), nil
}

// tgParser is a reader of Telegram's HTML.
type tgParser struct {
	in   string
	at   int
	open []string
	out  strings.Builder
}

// next reads a tag, an entity or a byte.
func (p *tgParser) next() error {
	switch p.in[p.at] {
	case '<':
		if strings.HasPrefix(p.in[p.at:], "</") {
			return p.end()
		}
		return p.start()
	case '&':
		p.entity()
	default:
		p.out.WriteByte(p.in[p.at])
		p.at++
	}
	return nil
}

// start reads a start tag.
func (p *tgParser) start() error {
	begin := p.at
	length := strings.IndexByte(p.in[begin:], '>')
	if length < 0 {
		return fmt.Errorf("Unclosed start tag at byte offset %d", begin) //nolint:staticcheck // Telegram's own words
	}
	name, attributes, _ := strings.Cut(p.in[begin+1:begin+length], " ")
	name = strings.ToLower(name)
	allowed, ok := tgTags()[name]
	if !ok {
		return fmt.Errorf("Unsupported start tag %q at byte offset %d", name, begin) //nolint:staticcheck // Telegram's own words
	}
	if attribute, _, _ := strings.Cut(attributes, "="); attributes != "" && !slices.Contains(allowed, attribute) {
		return fmt.Errorf("Unexpected attribute of tag %q at byte offset %d", name, begin) //nolint:staticcheck // in Telegram's manner
	}
	if _, value, found := strings.Cut(attributes, "="); found && !tgQuotedValue(value) {
		return fmt.Errorf("Unclosed start tag at byte offset %d", begin) //nolint:staticcheck // Telegram's own words
	}
	p.open = append(p.open, name)
	p.at += length + 1
	return nil
}

// tgQuotedValue reports whether the value of an attribute is in quotation marks.
func tgQuotedValue(value string) bool {
	return len(value) >= 2 && value[0] == '"' && strings.IndexByte(value[1:], '"') == len(value)-2
}

// end reads an end tag.
func (p *tgParser) end() error {
	begin := p.at
	length := strings.IndexByte(p.in[begin:], '>')
	if length < 0 || len(p.open) == 0 {
		return fmt.Errorf("Unexpected end tag at byte offset %d", begin) //nolint:staticcheck // Telegram's own words
	}
	name := strings.ToLower(strings.TrimSpace(p.in[begin+2 : begin+length]))
	want := p.open[len(p.open)-1]
	if name != want {
		return fmt.Errorf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, want, name) //nolint:staticcheck // Telegram's own words
	}
	p.open = p.open[:len(p.open)-1]
	p.at += length + 1
	return nil
}

// entity reads an entity. What is none is text.
func (p *tgParser) entity() {
	rest := p.in[p.at:]
	for entity, text := range map[string]string{"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": `"`} {
		if strings.HasPrefix(rest, entity) {
			p.out.WriteString(text)
			p.at += len(entity)
			return
		}
	}
	if end := strings.IndexByte(rest, ';'); end > 2 && end < 10 && rest[1] == '#' {
		digits, base := rest[2:end], 10
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		if n, err := strconv.ParseUint(digits, base, 32); err == nil && n > 0 && utf8.ValidRune(rune(n)) {
			p.out.WriteRune(rune(n))
			p.at += end + 1
			return
		}
	}
	p.out.WriteByte('&')
	p.at++
}

// tgLength counts a text as Telegram does: in units of UTF-16.
func tgLength(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
