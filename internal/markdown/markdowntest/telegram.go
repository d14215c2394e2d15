// Package markdowntest reads texts in the dialects of chat platforms as strictly as the
// platforms do, or more strictly. Tests and fake servers use it.
package markdowntest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// TelegramText parses a text in Telegram's HTML. It returns what Telegram would show, or an
// error for a text that Telegram refuses: an unknown or unbalanced tag, a character that is
// not escaped, formats that cannot be nested, no text. It refuses formats within code, which
// Telegram would drop, too.
func TelegramText(html string) (visible string, err error) {
	if !utf8.ValidString(html) {
		return "", errors.New("the text is no valid UTF-8")
	}
	p := telegramParser{rest: html}
	for p.rest != "" && err == nil {
		switch p.rest[0] {
		case '<':
			err = p.tag()
		case '&':
			err = p.entity()
		case '>':
			err = fmt.Errorf("%q: > is not escaped", clip(p.rest))
		default:
			n := strings.IndexAny(p.rest, "<>&")
			if n < 0 {
				n = len(p.rest)
			}
			p.visible.WriteString(p.rest[:n])
			p.rest = p.rest[n:]
		}
	}
	switch {
	case err != nil:
		return "", err
	case len(p.open) > 0:
		return "", fmt.Errorf("<%s> is not closed", p.open[len(p.open)-1])
	case strings.TrimSpace(p.visible.String()) == "":
		return "", errors.New("the text is empty")
	}
	return p.visible.String(), nil
}

type telegramParser struct {
	rest    string
	open    []string
	visible strings.Builder
}

func clip(s string) string { return s[:min(len(s), 40)] }

// language and address are the only attributes.
func language() *regexp.Regexp { return regexp.MustCompile(`^code class="language-[^"<>&\s]+"$`) }
func address() *regexp.Regexp {
	return regexp.MustCompile(`^a href="(https?://|mailto:)[^"<>\s]+"$`)
}

func (p *telegramParser) tag() error {
	end := strings.IndexByte(p.rest, '>')
	if end < 0 {
		return fmt.Errorf("%q: < is not escaped", clip(p.rest))
	}
	tag := p.rest[1:end]
	at := clip(p.rest)
	p.rest = p.rest[end+1:]
	if name, closing := strings.CutPrefix(tag, "/"); closing {
		if len(p.open) == 0 || p.open[len(p.open)-1] != name {
			return fmt.Errorf("%q closes what is not open: %v", at, p.open)
		}
		p.open = p.open[:len(p.open)-1]
		return nil
	}
	name, attributes, _ := strings.Cut(tag, " ")
	switch {
	case name == "a" && !address().MatchString(tag):
		return fmt.Errorf("%q is no link", at)
	case name == "code" && attributes != "" && (!language().MatchString(tag) || p.inner() != "pre"):
		return fmt.Errorf("%q names no language", at)
	case name != "a" && name != "code" && attributes != "":
		return fmt.Errorf("%q has attributes", at)
	}
	if err := p.nests(name); err != nil {
		return fmt.Errorf("%q: %w", at, err)
	}
	p.open = append(p.open, name)
	return nil
}

// inner is the innermost open tag.
func (p *telegramParser) inner() string {
	if len(p.open) == 0 {
		return ""
	}
	return p.open[len(p.open)-1]
}

// nests fails if a tag may not stand within those that are open.
func (p *telegramParser) nests(name string) error {
	within := func(names ...string) error {
		for _, open := range p.open {
			for _, n := range names {
				if open == n {
					return fmt.Errorf("<%s> within <%s>", name, n)
				}
			}
		}
		return nil
	}
	switch name {
	case "b", "i", "u", "s":
		return within("code", "pre", name)
	case "a":
		return within("code", "pre", "a")
	case "code":
		if p.inner() == "pre" {
			return nil
		}
		return within("code", "pre", "a", "b", "i", "u", "s")
	case "pre":
		return within("code", "pre", "a", "b", "i", "u", "s")
	case "blockquote":
		return within("code", "pre", "a", "b", "i", "u", "s", "blockquote")
	}
	return fmt.Errorf("<%s> is no tag of Telegram", name)
}

func (p *telegramParser) entity() error {
	for entity, char := range map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": `"`} {
		if rest, ok := strings.CutPrefix(p.rest, entity); ok {
			p.visible.WriteString(char)
			p.rest = rest
			return nil
		}
	}
	return fmt.Errorf("%q: & is not escaped", clip(p.rest))
}
