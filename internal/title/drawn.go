package title

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// openingBytes bounds the part of each message from which a title may be drawn.
const openingBytes = 16 << 10

// Sentences are the sentences of a message from which a title may be drawn. Results of
// tools have none, because they are other programs' words.
func Sentences(m *session.Message) []string {
	if m.Role != session.User && m.Role != session.Assistant {
		return nil
	}
	text := m.Content
	if len(text) > openingBytes {
		text = strings.ToValidUTF8(text[:openingBytes], "")
	}
	var out []string
	for _, s := range language.Sentences(text) {
		if piece := text[s.Start:s.End]; !mention.Erased(piece) {
			out = append(out, piece)
		}
	}
	return out
}

// Words are the stems of messages, and whether each may be shown. A word of a private
// sentence may not, even if it also occurs elsewhere.
func Words(ms []session.Message) map[string]bool {
	words := make(map[string]bool)
	for i := range ms {
		for _, s := range Sentences(&ms[i]) {
			tell := !Private(s)
			scan := language.Scan(s)
			for w, ok := scan.Next(); ok; w, ok = scan.Next() {
				told, known := words[string(w.Stem)]
				words[string(w.Stem)] = tell && (told || !known)
			}
		}
	}
	return words
}

// Drawn is a model's title if it may replace a derived one; otherwise "". A title is
// refused if it is longer or poorer than the derived one, private, or has a word that
// is not allowed.
func Drawn(proposed, derived string, words map[string]bool) string {
	title := strings.TrimSpace(proposed)
	if strings.ContainsFunc(title, unshown) {
		return ""
	}
	title = strings.Trim(strings.Join(strings.Fields(title), " "), " \"'`“”„«»*.,;:…。、")
	if n := utf8.RuneCountInString(title); n > maxLength || n > utf8.RuneCountInString(derived) {
		return ""
	}
	if !isPhrase(title) || strings.Contains(title, "://") || Private(title) {
		return ""
	}
	content := 0
	scan := language.Scan(title)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if w.Stop {
			continue
		}
		if !words[string(w.Stem)] {
			return ""
		}
		content++
	}
	if content == 0 {
		return ""
	}
	first, size := utf8.DecodeRuneInString(title)
	return string(unicode.ToUpper(first)) + title[size:]
}

// unshown reports whether a character is invisible.
func unshown(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) }

// isPhrase reports whether a title has at least two words, or an equivalent length in
// writing without spaces.
func isPhrase(title string) bool {
	unspaced := 0
	for _, r := range title {
		if language.Unspaced(r) {
			unspaced++
		}
	}
	return len(strings.Fields(title)) > 1 || unspaced > 2
}

// Loses reports whether a word of a title was in a text before a change and no longer
// is.
func Loses(title, was, now string) bool {
	words := wordsIn(session.TitleBase(title))
	left, before := wordsIn(now), wordsIn(was)
	for w := range words {
		if before[w] && !left[w] {
			return true
		}
	}
	return false
}

// wordsIn are the stems of a text's content words.
func wordsIn(text string) map[string]bool {
	words := make(map[string]bool)
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if !w.Stop {
			words[string(w.Stem)] = true
		}
	}
	return words
}
