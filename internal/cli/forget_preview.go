package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
)

const (
	// mostShown is how many sentences, and how many sessions, a preview of a forgetting shows.
	mostShown = 20
	// excerptSide is how many bytes of a sentence are shown at each side of the word that matches.
	excerptSide = 40
)

// printWouldGo shows a part of what a dry run found: sentences, with the word that matches, and sessions that go whole.
func (a *app) printWouldGo(f *certified) {
	if !f.DryRun {
		return
	}
	thing := mention.Of(f.About)
	parts := false
	if len(f.Samples) > 0 {
		a.say("Sentences that would go:")
	}
	shown := f.Samples[:min(len(f.Samples), mostShown)]
	for i := range shown {
		s := &shown[i]
		excerpt, inWord := excerptOf(s.Text, thing)
		parts = parts || inWord
		a.say("  %s  %s: %s", s.SessionID, s.Role, excerpt)
	}
	a.sayMore(f.SampleCount - len(shown))
	if len(f.Whole) > 0 {
		a.say("Sessions that would go whole:")
	}
	whole := f.Whole[:min(len(f.Whole), mostShown)]
	for i := range whole {
		s := &whole[i]
		line := countOf(s.Messages, "message", "messages")
		if s.Key != "" {
			line += ", key " + string(s.Key)
		}
		if s.Title != "" {
			line += ", \"" + s.Title + "\""
		}
		a.say("  %s  %s", s.SessionID, line)
	}
	a.sayMore(f.WholeCount - len(whole))
	if parts {
		a.say("Parts of words count, too: \"Tom\" is in \"tomorrow\". --word counts whole words only.")
	}
}

// sayMore says how many entries of a list are not shown.
func (a *app) sayMore(n int) {
	if n > 0 {
		a.say("  and %d more; --dry-run --json has all", n)
	}
}

// excerptOf is the part of a sentence around the first word that matches. inWord says that it matches with a part of
// the word.
func excerptOf(text string, thing *mention.Thing) (excerpt string, inWord bool) {
	spans := thing.Spans(text)
	if len(spans) == 0 {
		spans = []mention.Span{{}}
	}
	at := spans[0]
	for _, s := range spans {
		inWord = inWord || joinsWord(text, s.Start) || joinsWord(text, s.End)
	}
	start, end := beginOf(text, at.Start-excerptSide), endOf(text, at.End+excerptSide)
	excerpt = strings.Join(strings.Fields(text[start:end]), " ")
	if start > 0 {
		excerpt = "…" + excerpt
	}
	if end < len(text) {
		excerpt += "…"
	}
	return excerpt, inWord
}

// joinsWord reports whether a place of a text lies within a word.
func joinsWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	behind, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsLetter(before) && unicode.IsLetter(behind) && !language.Unspaced(before) && !language.Unspaced(behind)
}

// nearBlank is how far, in bytes, an excerpt reaches over to the next blank, so that it begins and ends with whole words.
const nearBlank = 24

// beginOf is where an excerpt begins that reaches back to a place of a text.
func beginOf(text string, at int) int {
	at = max(at, 0)
	first := max(0, at-nearBlank)
	if blank := strings.LastIndexByte(text[first:at], ' '); blank >= 0 {
		return first + blank + 1
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// endOf is where an excerpt ends that reaches on to a place of a text.
func endOf(text string, at int) int {
	at = min(at, len(text))
	if blank := strings.IndexByte(text[at:min(len(text), at+nearBlank)], ' '); blank >= 0 {
		return at + blank
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
