package telegram

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
)

// A text of Telegram can have a link behind some words: the words are in the text, and the address is in an entity. Readers
// of the plain text would miss the address.

// withLinks is a text with the address of each such link in brackets behind its words, and the entities where they are now.
// Entities that do not fit the text are left alone.
func withLinks(text string, entities []models.MessageEntity) (string, []models.MessageEntity) {
	isLink := func(e models.MessageEntity) bool { return e.Type == models.MessageEntityTypeTextLink && e.URL != "" }
	if !slices.ContainsFunc(entities, isLink) {
		return text, entities
	}
	units, moved := utf16.Encode([]rune(text)), slices.Clone(entities)
	links := slices.DeleteFunc(slices.Clone(entities), func(e models.MessageEntity) bool { return !isLink(e) })
	slices.SortStableFunc(links, func(a, b models.MessageEntity) int { return cmp.Compare(b.Offset+b.Length, a.Offset+a.Length) })
	for i := range links { // from the end, so that the places before stay
		s := span{links[i].Offset, links[i].Offset + links[i].Length}
		if !s.in(units) {
			continue
		}
		address := utf16.Encode([]rune(addressBehind(string(utf16.Decode(units[s.begin:s.end])), links[i].URL)))
		units = slices.Insert(units, s.end, address...)
		for k := range moved {
			makeRoom(&moved[k], s.end, len(address))
		}
	}
	return string(utf16.Decode(units)), moved
}

// makeRoom moves an entity for a text that was inserted at a place, or has it cover the text if it reaches over the place.
func makeRoom(e *models.MessageEntity, at, length int) {
	switch {
	case e.Offset >= at:
		e.Offset += length
	case e.Offset+e.Length > at:
		e.Length += length
	}
}

// addressBehind is what is written behind the words of a link; "" if the words are the address.
func addressBehind(words, address string) string {
	same := func(scheme string) bool {
		return strings.TrimSuffix(strings.TrimPrefix(address, scheme), "/") == strings.TrimSuffix(words, "/")
	}
	if same("") || same("https://") || same("http://") {
		return ""
	}
	return " (" + address + ")"
}
