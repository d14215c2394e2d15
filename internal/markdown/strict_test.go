package markdown_test

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/markdown/markdowntest"
)

var dialects = []markdown.Dialect{
	markdown.Plain, markdown.TelegramHTML, markdown.DiscordMarkdown, markdown.SlackMrkdwn, markdown.WhatsAppText,
}

// strict parses a text of a dialect as strictly as its platform.
func strict(d markdown.Dialect, text string) error {
	if i := strings.IndexFunc(text, dangerous); i >= 0 {
		return fmt.Errorf("%q is not safe to show", text[i:min(len(text), i+8)])
	}
	switch d {
	case markdown.TelegramHTML:
		visible, err := markdowntest.TelegramText(text)
		if err != nil {
			return err
		}
		if n, m := markdown.UTF16Len(visible), d.Length(text); n != m {
			return fmt.Errorf("counted as %d, is %d", m, n)
		}
		return nil
	case markdown.DiscordMarkdown:
		return discord(text)
	case markdown.SlackMrkdwn:
		return slack(text)
	case markdown.WhatsAppText:
		return fences(text)
	}
	return nil
}

// dangerous characters are never shown.
func dangerous(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202d' || r == '\u202e'
}

// fences fails if a block of code is not closed.
func fences(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("empty")
	}
	if n := strings.Count(text, "```"); n%2 != 0 {
		return fmt.Errorf("%d fences", n)
	}
	return nil
}

// discord fails if a block of code is open, or if text outside of code mentions somebody.
func discord(text string) error {
	text = strings.ReplaceAll(text, "\\`", "'") // they begin no code
	if err := fences(text); err != nil {
		return err
	}
	plain := outsideCode(text)
	if strings.Contains(plain, "@everyone") || strings.Contains(plain, "<@") {
		return fmt.Errorf("%q mentions", plain)
	}
	return nil
}

// outsideCode is a text without what stands between equal runs of backticks.
func outsideCode(text string) string {
	var b strings.Builder
	for {
		n := strings.IndexByte(text, '`')
		if n < 0 {
			return b.String() + text
		}
		b.WriteString(text[:n])
		text = text[n:]
		rest := strings.TrimLeft(text, "`")
		mark := text[:len(text)-len(rest)]
		end := strings.Index(rest, mark)
		if end < 0 {
			return b.String() + rest
		}
		text = rest[end+len(mark):]
	}
}

// slack fails if a character is not escaped, or if something in angle brackets is no link.
func slack(text string) error {
	rest := text
	for {
		n := strings.IndexAny(rest, "<&")
		if n < 0 {
			return fences(text)
		}
		rest = rest[n:]
		if rest[0] == '&' {
			if !strings.HasPrefix(rest, "&amp;") && !strings.HasPrefix(rest, "&lt;") && !strings.HasPrefix(rest, "&gt;") {
				return fmt.Errorf("%q is not escaped", rest[:min(len(rest), 10)])
			}
			rest = rest[1:]
			continue
		}
		end := strings.IndexByte(rest, '>')
		if end < 0 || strings.ContainsAny(rest[1:end], "<\n") {
			return fmt.Errorf("%q is not escaped", rest[:min(len(rest), 10)])
		}
		href := rest[1:end]
		if !strings.HasPrefix(href, "http") && !strings.HasPrefix(href, "mailto:") && !strings.HasPrefix(href, "HTTP") || strings.Count(href, "|") > 1 {
			return fmt.Errorf("%q is no link", href)
		}
		rest = rest[end:]
	}
}
