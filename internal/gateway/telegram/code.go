package telegram

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
)

// A text of Telegram has no marks: an entity says which part of it is code. Readers of the plain text would take the code for
// words.

// withCode is a text with the code in it as Markdown writes it, and the entities where they are now. Entities that do not fit the
// text, or that overlap code, are left alone.
func withCode(text string, entities []models.MessageEntity) (string, []models.MessageEntity) {
	if !slices.ContainsFunc(entities, isCode) {
		return text, entities
	}
	t := codeMarker{units: utf16.Encode([]rune(text)), entities: slices.Clone(entities)}
	code := slices.DeleteFunc(slices.Clone(entities), func(e models.MessageEntity) bool { return !isCode(e) })
	slices.SortStableFunc(code, func(a, b models.MessageEntity) int { return cmp.Compare(b.Offset, a.Offset) })
	behind := len(t.units)
	for i := range code { // from the end, so that the places before stay
		s := span{code[i].Offset, code[i].Offset + code[i].Length}
		if !s.in(t.units) || s.end > behind {
			continue
		}
		t.mark(s, code[i].Language, code[i].Type == models.MessageEntityTypePre)
		behind = s.begin
	}
	return string(utf16.Decode(t.units)), t.entities
}

// isCode reports whether an entity says that a part of a text is code.
func isCode(e models.MessageEntity) bool {
	return e.Type == models.MessageEntityTypeCode || e.Type == models.MessageEntityTypePre
}

// codeMarker writes the marks of code into a text.
type codeMarker struct {
	units    []uint16
	entities []models.MessageEntity
}

// mark writes the marks of a part that is code. Code of several lines is a block.
func (t *codeMarker) mark(s span, language string, block bool) {
	code := string(utf16.Decode(t.units[s.begin:s.end]))
	before, after := t.spanMarks(s, code)
	if block || strings.Contains(code, "\n") {
		before, after = t.fences(s, code, language)
	}
	t.insert(s.end, after)
	t.insert(s.begin, before)
}

// fences are the lines before and behind a block of code. They are longer than what could end the block within it.
func (t *codeMarker) fences(s span, code, language string) (before, after string) {
	fence := strings.Repeat("`", max(longestTicks(code)+1, 3))
	if language = strings.TrimSpace(language); strings.ContainsFunc(language, noLanguage) {
		language = ""
	}
	before, after = fence+language+"\n", "\n"+fence
	if strings.HasSuffix(code, "\n") {
		after = fence
	}
	if s.begin > 0 && t.units[s.begin-1] != '\n' {
		before = "\n" + before
	}
	if s.end < len(t.units) && t.units[s.end] != '\n' {
		after += "\n"
	}
	return before, after
}

// noLanguage reports whether a character stands in no name of a language.
func noLanguage(r rune) bool { return r == '`' || unicode.IsControl(r) }

// spanMarks are the marks around code within a line. A blank parts them from other backticks.
func (t *codeMarker) spanMarks(s span, code string) (before, after string) {
	mark := strings.Repeat("`", longestTicks(code)+1)
	before, after = mark, mark
	if padded(code) {
		before, after = mark+" ", " "+mark
	}
	if s.begin > 0 && t.units[s.begin-1] == '`' {
		before = " " + before
	}
	if s.end < len(t.units) && t.units[s.end] == '`' {
		after += " "
	}
	return before, after
}

// padded reports whether Markdown needs blanks between code and its marks: the code has a backtick at an end, or blanks that
// Markdown would take for such ones.
func padded(code string) bool {
	blanks := strings.HasPrefix(code, " ") && strings.HasSuffix(code, " ") && strings.Trim(code, " ") != ""
	return blanks || strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`")
}

// longestTicks is the length of the longest run of backticks in a text.
func longestTicks(code string) int {
	longest, run := 0, 0
	for i := range len(code) {
		if run++; code[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// insert writes a text at a place.
func (t *codeMarker) insert(at int, text string) {
	units := utf16.Encode([]rune(text))
	t.units = slices.Insert(t.units, at, units...)
	for i := range t.entities {
		makeRoom(&t.entities[i], at, len(units))
	}
}
