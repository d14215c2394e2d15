package telegram

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// entity is a part of a text that Telegram describes.
func entity(kind models.MessageEntityType, at, length int, language string) models.MessageEntity {
	return models.MessageEntity{Type: kind, Offset: at, Length: length, Language: language}
}

// TestCodeOfPeople: code that a person sends arrives as Markdown, and commands and mentions are found as without it.
func TestCodeOfPeople(t *testing.T) {
	t.Parallel()
	const pre, code = models.MessageEntityTypePre, models.MessageEntityTypeCode
	for name, c := range map[string]struct {
		text     string
		entities []models.MessageEntity
		want     string
	}{
		"a block":                {"look:\nx = 1\nok?", []models.MessageEntity{entity(pre, 6, 5, "python")}, "look:\n```python\nx = 1\n```\nok?"},
		"alone":                  {"x = 1\ny", []models.MessageEntity{entity(pre, 0, 7, "")}, "```\nx = 1\ny\n```"},
		"within a line":          {"look: x=1 ok?", []models.MessageEntity{entity(pre, 6, 3, "")}, "look: \n```\nx=1\n```\n ok?"},
		"with an end of line":    {"x\nok?", []models.MessageEntity{entity(pre, 0, 2, "")}, "```\nx\n```\nok?"},
		"with fences":            {"a\n````\nb", []models.MessageEntity{entity(pre, 0, 8, "md")}, "`````md\na\n````\nb\n`````"},
		"a language of marks":    {"x", []models.MessageEntity{entity(pre, 0, 1, "a`b")}, "```\nx\n```"},
		"a language of lines":    {"x", []models.MessageEntity{entity(pre, 0, 1, "a\nb")}, "```\nx\n```"},
		"two blocks":             {"ab", []models.MessageEntity{entity(pre, 0, 1, ""), entity(pre, 1, 1, "")}, "```\na\n```\n```\nb\n```"},
		"a span":                 {"use f(x) now", []models.MessageEntity{entity(code, 4, 4, "")}, "use `f(x)` now"},
		"a span behind an emoji": {"😀 f 😀", []models.MessageEntity{entity(code, 3, 1, "")}, "😀 `f` 😀"},
		"a span with a backtick": {"a`b", []models.MessageEntity{entity(code, 0, 3, "")}, "``a`b``"},
		"a span of a backtick":   {"`", []models.MessageEntity{entity(code, 0, 1, "")}, "`` ` ``"},
		"a span with blanks":     {" a ", []models.MessageEntity{entity(code, 0, 3, "")}, "`  a  `"},
		"spans side by side":     {"ab", []models.MessageEntity{entity(code, 0, 1, ""), entity(code, 1, 1, "")}, "`a` `b`"},
		"a span of lines":        {"a: b\nc", []models.MessageEntity{entity(code, 3, 3, "")}, "a: \n```\nb\nc\n```"},
		"behind a mention":       {"@hermes_bot f()", []models.MessageEntity{entity("mention", 0, 11, ""), entity(code, 12, 3, "")}, "`f()`"},
		"before a mention":       {"f() @hermes_bot ok", []models.MessageEntity{entity(code, 0, 3, ""), entity("mention", 4, 11, "")}, "`f()` ok"},
		"behind a link": {"a f", []models.MessageEntity{{Type: "text_link", Length: 1, URL: "https://a.org"}, entity(code, 2, 1, "")},
			"a (https://a.org) `f`"},
		"in a command":         {"/forget x", []models.MessageEntity{entity("bot_command", 0, 7, ""), entity(code, 8, 1, "")}, "/forget x"},
		"a command as code":    {"/new", []models.MessageEntity{entity(code, 0, 4, "")}, "/new"},
		"a command to the bot": {"@hermes_bot /forget x", []models.MessageEntity{entity("mention", 0, 11, ""), entity(code, 20, 1, "")}, "/forget x"},
		"a path":               {"/etc/hosts", []models.MessageEntity{entity(code, 0, 10, "")}, "`/etc/hosts`"},
		"overlapping":          {"abc", []models.MessageEntity{entity(code, 0, 2, ""), entity(pre, 1, 2, "")}, "a\n```\nbc\n```"},
		"twice":                {"ab", []models.MessageEntity{entity(code, 0, 2, ""), entity(code, 0, 2, "")}, "`ab`"},
		"too long":             {"ab", []models.MessageEntity{entity(code, 1, 9, "")}, "ab"},
		"below 0":              {"ab", []models.MessageEntity{entity(pre, -1, 2, "")}, "ab"},
		"through an emoji":     {"😀😀", []models.MessageEntity{entity(code, 1, 2, "")}, "😀😀"},
		"empty":                {"ab", []models.MessageEntity{entity(code, 1, 0, "")}, "ab"},
	} {
		r := testReader()
		for form, m := range map[string]*models.Message{
			"text": {Text: c.text, Entities: c.entities}, "caption": {Caption: c.text, CaptionEntities: c.entities},
		} {
			text, entities := r.said(m)
			if got, _ := cutMentions(text, entities, r.me); got != c.want {
				t.Errorf("%s, %s: got %q, want %q", name, form, got, c.want)
			}
		}
	}
}

// TestCodeOfOthers: code in answered, quoted and forwarded messages is Markdown, too.
func TestCodeOfOthers(t *testing.T) {
	t.Parallel()
	r, code := testReader(), []models.MessageEntity{entity(models.MessageEntityTypeCode, 5, 1, "")}
	answered := &models.Message{ID: 1, Text: "/new x", Entities: code}
	if q := r.replied(&models.Message{ReplyToMessage: answered}); q.Text != "/new `x`" {
		t.Errorf("an answered message: got %q", q.Text)
	}
	quote := &models.TextQuote{Text: "/new x", Entities: code}
	if q := r.replied(&models.Message{ReplyToMessage: answered, Quote: quote}); q.Text != "/new `x`" {
		t.Errorf("a quoted part: got %q", q.Text)
	}
	if q := r.replied(&models.Message{ExternalReply: &models.ExternalReplyInfo{}, Quote: quote}); q.Text != "/new `x`" {
		t.Errorf("a part of another chat: got %q", q.Text)
	}
	forward := &models.Message{Text: "/new x", Entities: code, ForwardOrigin: &models.MessageOrigin{}}
	if text, _ := r.said(forward); text != "/new `x`" {
		t.Errorf("a forwarded message: got %q", text)
	}
}

// FuzzCode marks parts of any text: entities cover what they covered, and a text that is code is the same code when it is read.
func FuzzCode(f *testing.F) {
	f.Add("look: `x` ok", true, "go", 6, 3, 0, 4)
	f.Add("😀 a\n```\nb\n", false, "a`b", 3, 2, 2, 5)
	f.Add("``", false, "", 0, 2, 1, 1)
	f.Fuzz(func(t *testing.T, text string, block bool, language string, at, length, at2, length2 int) {
		kind := models.MessageEntityTypeCode
		if block {
			kind = models.MessageEntityTypePre
		}
		entities := []models.MessageEntity{entity(kind, at, length, language), entity(models.MessageEntityTypeCode, at2, length2, "")}
		got, moved := withCode(text, entities)
		if utf8.ValidString(text) && (!utf8.ValidString(got) || !within(text, got)) {
			t.Errorf("%q: got %q, want the text with marks", text, got)
		}
		was, is := utf16.Encode([]rune(text)), utf16.Encode([]rune(got))
		s, now := span{at, at + length}, span{moved[0].Offset, moved[0].Offset + moved[0].Length}
		if s.in(was) && !(now.in(is) && within(cover(was, s), cover(is, now))) {
			t.Errorf("%q: got %q, where an entity has moved from %v to %v", text, got, s, now)
		}
		if text == "" || strings.ContainsFunc(text, odd) {
			return
		}
		whole, _ := withCode(text, []models.MessageEntity{entity(kind, 0, len(was), "")})
		if read := codeOf(markdown.Parse(whole)); read != strings.TrimSuffix(text, "\n") {
			t.Errorf("%q: %q is read as %q", text, whole, read)
		}
	})
}

// cover is what a span covers.
func cover(units []uint16, s span) string { return string(utf16.Decode(units[s.begin:s.end])) }

// odd reports whether a character is not shown as it is, or is no part of a line.
func odd(r rune) bool { return r == '\t' || r == utf8.RuneError || r != '\n' && !unicode.IsGraphic(r) }

// codeOf is the code of a text that is one code.
func codeOf(blocks []markdown.Block) string {
	if len(blocks) != 1 {
		return ""
	}
	if b := blocks[0]; b.Type == markdown.Code || len(b.Inlines) != 1 || b.Inlines[0].Type != markdown.CodeSpan {
		return b.Text
	}
	return blocks[0].Inlines[0].Text
}
