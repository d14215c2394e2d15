package telegram

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// span is a part of a text, in units of UTF-16.
type span struct{ begin, end int }

// cutMentions takes the mentions of the bot out of a text, and reports whether there were
// any. Of a command for the bot, /cmd@bot, the command stays. Entities that do not fit the
// text are left alone.
func cutMentions(text string, entities []models.MessageEntity, me *models.User) (string, bool) {
	if len(entities) == 0 {
		return text, false
	}
	units := utf16.Encode([]rune(text))
	var cuts []span
	for i := range entities {
		if s, ok := mentionOf(units, &entities[i], me); ok {
			cuts = append(cuts, s)
		}
	}
	if len(cuts) == 0 {
		return text, false
	}
	slices.SortFunc(cuts, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
	at := 0
	cuts = slices.DeleteFunc(cuts, func(s span) bool {
		if s.begin < at {
			return true // entities of Telegram do not overlap
		}
		at = s.end
		return false
	})
	out := decoded(units[:cuts[0].begin])
	for i := range cuts {
		end := len(units)
		if i+1 < len(cuts) {
			end = cuts[i+1].begin
		}
		before, after := gateway.WithoutMention(out, decoded(units[cuts[i].end:end]))
		out = before + after
	}
	return strings.TrimSpace(out), true
}

func decoded(units []uint16) string { return string(utf16.Decode(units)) }

// mentionOf is the part of a text that an entity gives to the bot's name.
func mentionOf(units []uint16, e *models.MessageEntity, me *models.User) (span, bool) {
	s := span{e.Offset, e.Offset + e.Length}
	if !s.in(units) {
		return s, false
	}
	covered := decoded(units[s.begin:s.end])
	switch e.Type {
	case models.MessageEntityTypeMention:
		return s, named(strings.TrimPrefix(covered, "@"), me)
	case models.MessageEntityTypeTextMention:
		return s, e.User != nil && e.User.ID == me.ID
	case models.MessageEntityTypeBotCommand:
		command, name, found := strings.Cut(covered, "@")
		s.begin += len(utf16.Encode([]rune(command)))
		return s, found && named(name, me)
	}
	return s, false
}

// in reports whether a span is a part of a text, and cuts no character in two.
func (s span) in(units []uint16) bool {
	if s.begin < 0 || s.begin >= s.end || s.end > len(units) {
		return false
	}
	return !splitsPair(units, s.begin) && !splitsPair(units, s.end)
}

// named reports whether a user name is the bot's.
func named(name string, me *models.User) bool {
	return me.Username != "" && strings.EqualFold(name, me.Username)
}

// splitsPair reports whether a position is inside a pair that makes one character.
func splitsPair(units []uint16, at int) bool {
	return at > 0 && at < len(units) && utf16.IsSurrogate(rune(units[at-1])) && utf16.IsSurrogate(rune(units[at])) && units[at] >= 0xDC00
}
