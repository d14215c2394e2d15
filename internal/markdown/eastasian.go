package markdown

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// CommonMark tells marks that open from marks that close by the blanks and the punctuation around them. Chinese and Japanese have
// no blanks between words: in "**标题：**内容" the second mark stands between punctuation and a letter, and would only open. The
// rules here are those of the amendment for these languages, https://github.com/tats-u/markdown-cjk-friendly: punctuation of
// these languages counts as a letter, and a letter of theirs counts as a blank next to other punctuation.

// surroundings are the characters around a run of marks.
type surroundings struct {
	before, after rune
	// selected says that before has a form of its own, which a selector behind it names.
	selected rune
}

// around is what stands around a run of marks: the source up to the run, the character before, and the line behind.
func around(source []byte, before rune, behind []byte) surroundings {
	s := surroundings{before: before, after: ' '}
	if len(behind) > 0 {
		s.after, _ = utf8.DecodeRune(behind)
	}
	if selectsText(before) && len(source) > utf8.RuneLen(before) {
		s.selected = before
		s.before, _ = utf8.DecodeLastRune(source[:len(source)-utf8.RuneLen(before)])
	}
	return s
}

// selectsText reports whether a character selects a form of the one before it that is no emoji.
func selectsText(r rune) bool { return r >= 0xfe00 && r <= 0xfe0e }

// flank decides again what a run of marks can do.
func (s surroundings) flank(run *parser.Delimiter) {
	run.CanOpen, run.CanClose = s.left(), s.right()
	if run.Char == '_' && run.CanOpen && run.CanClose { // between letters it is a part of the word
		run.CanOpen, run.CanClose = util.IsPunctRune(s.before), util.IsPunctRune(s.after)
	}
}

// left reports whether the marks stand at the beginning of what is behind them.
func (s surroundings) left() bool {
	if util.IsSpaceRune(s.after) {
		return false
	}
	return !s.otherAfter() || util.IsSpaceRune(s.before) || s.otherBefore() || s.eastBefore()
}

// right reports whether the marks stand at the end of what is before them.
func (s surroundings) right() bool {
	if util.IsSpaceRune(s.before) {
		return false
	}
	return !s.otherBefore() || util.IsSpaceRune(s.after) || s.otherAfter() || eastAsian(s.after)
}

// eastBefore reports whether a character of these languages stands before the marks.
func (s surroundings) eastBefore() bool {
	return eastAsian(s.before) || ideographicSelector(s.before) || s.wide()
}

// otherBefore and otherAfter report whether punctuation of other languages stands before or behind the marks.
func (s surroundings) otherBefore() bool { return util.IsPunctRune(s.before) && !s.eastBefore() }
func (s surroundings) otherAfter() bool  { return util.IsPunctRune(s.after) && !eastAsian(s.after) }

// wide reports whether the character before is a quotation mark in its wide form.
func (s surroundings) wide() bool {
	switch s.before {
	case '‘', '’', '“', '”':
		return s.selected == 0xfe01
	}
	return false
}

// ideographicSelector reports whether a character selects a form of a Chinese character.
func ideographicSelector(r rune) bool { return r >= 0xe0100 && r <= 0xe01ef }

// eastAsian reports whether a character belongs to the writing of Chinese, Japanese or Korean: it is wide or halfwidth, and no
// emoji, or it is Hangul.
func eastAsian(r rune) bool { return r >= 0x1100 && unicode.Is(eastAsianSigns(), r) }

// eastAsianSigns are the characters that eastAsian reports, by the blocks of Unicode.
var eastAsianSigns = sync.OnceValue(func() *unicode.RangeTable {
	return tableOf(reach{0x1100, 0x11ff}, reach{0x20a9, 0x20a9}, reach{0x2329, 0x232a}, reach{0x2630, 0x2637}, reach{0x268a, 0x268f},
		reach{0x2e80, 0x303e}, reach{0x3041, 0x3247}, reach{0x3250, 0xa4cf}, reach{0xa960, 0xa97c}, reach{0xac00, 0xd7fb},
		reach{0xf900, 0xfaff}, reach{0xfe10, 0xfe19}, reach{0xfe30, 0xfe6b}, reach{0xff01, 0xffdc}, reach{0xffe0, 0xffee},
		reach{0x16fe0, 0x18dff}, reach{0x1aff0, 0x1b2fb}, reach{0x1d300, 0x1d376}, reach{0x1f200, 0x1f200}, reach{0x1f202, 0x1f202},
		reach{0x1f210, 0x1f219}, reach{0x1f21b, 0x1f22e}, reach{0x1f230, 0x1f231}, reach{0x1f237, 0x1f237}, reach{0x1f23b, 0x1f23b},
		reach{0x1f240, 0x1f248}, reach{0x1f260, 0x1f265}, reach{0x20000, 0x3fffd})
})
