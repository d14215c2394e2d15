package telegram

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
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
	var out []uint16
	at := 0
	for _, c := range cuts {
		if c.begin < at {
			continue // entities of Telegram do not overlap
		}
		out = append(out, units[at:c.begin]...)
		at = c.end
		if follows := at < len(units) && units[at] == ' '; follows && endsBlank(out) {
			at++ // one blank is enough
		}
	}
	out = append(out, units[at:]...)
	return strings.TrimSpace(string(utf16.Decode(out))), true
}

// endsBlank reports whether a text is empty or ends with a blank or a line break.
func endsBlank(units []uint16) bool {
	if len(units) == 0 {
		return true
	}
	last := units[len(units)-1]
	return last == ' ' || last == '\n'
}

// mentionOf is the part of a text that an entity gives to the bot's name.
func mentionOf(units []uint16, e *models.MessageEntity, me *models.User) (span, bool) {
	s := span{e.Offset, e.Offset + e.Length}
	if !s.in(units) {
		return s, false
	}
	covered := string(utf16.Decode(units[s.begin:s.end]))
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
