package telegram

import (
	"testing"

	"github.com/go-telegram/bot/models"
)

// TestLinksBehindWords: the address of a link stands behind its words, and the other entities stay where they belong.
func TestLinksBehindWords(t *testing.T) {
	t.Parallel()
	link := func(at, length int, url string) models.MessageEntity {
		return models.MessageEntity{Type: models.MessageEntityTypeTextLink, Offset: at, Length: length, URL: url}
	}
	me := models.MessageEntity{Type: models.MessageEntityTypeMention, Offset: 15, Length: 11}
	for name, c := range map[string]struct {
		text     string
		entities []models.MessageEntity
		want     string
	}{
		"one":                {"see this page now", []models.MessageEntity{link(4, 9, "https://a.org/x")}, "see this page (https://a.org/x) now"},
		"none":               {"see this page", nil, "see this page"},
		"two":                {"a b", []models.MessageEntity{link(0, 1, "https://a.org"), link(2, 1, "https://b.org")}, "a (https://a.org) b (https://b.org)"},
		"behind an emoji":    {"😀 dort", []models.MessageEntity{link(3, 4, "tg://user?id=1")}, "😀 dort (tg://user?id=1)"},
		"the address itself": {"https://a.org", []models.MessageEntity{link(0, 13, "https://a.org/")}, "https://a.org"},
		"without its scheme": {"a.org/x", []models.MessageEntity{link(0, 7, "https://a.org/x")}, "a.org/x"},
		"before a mention":   {"read this page @hermes_bot please", []models.MessageEntity{me, link(5, 9, "https://a.org")}, "read this page (https://a.org) please"},
		"too long":           {"ab", []models.MessageEntity{link(1, 9, "https://a.org")}, "ab"},
		"below 0":            {"ab", []models.MessageEntity{link(-1, 2, "https://a.org")}, "ab"},
		"through an emoji":   {"😀😀", []models.MessageEntity{link(1, 2, "https://a.org")}, "😀😀"},
		"without an address": {"ab", []models.MessageEntity{link(0, 2, "")}, "ab"},
		"another entity":     {"ab", []models.MessageEntity{{Type: models.MessageEntityTypeBold, Length: 2}}, "ab"},
	} {
		for form, m := range map[string]*models.Message{
			"text": {Text: c.text, Entities: c.entities}, "caption": {Caption: c.text, CaptionEntities: c.entities},
		} {
			text, entities := words(m)
			if got, _ := cutMentions(text, entities, &models.User{ID: 7, Username: "hermes_bot"}); got != c.want {
				t.Errorf("%s of a %s: got %q, want %q", name, form, got, c.want)
			}
		}
	}
	r := &reader{me: &models.User{ID: 7}}
	quote := &models.TextQuote{Text: "this page", Entities: []models.MessageEntity{link(0, 9, "https://a.org")}}
	if q := r.replied(&models.Message{Quote: quote, ReplyToMessage: &models.Message{ID: 1}}); q.Text != "this page (https://a.org)" {
		t.Errorf("a quoted part: got %q", q.Text)
	}
}
