package curate

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/title"
)

// unname removes a title that was made from a text which has changed or is gone.
// opening says that the text belongs to the first exchange, from which a model of ours may have
// drawn the title. A title that came with an import was chosen in another program.
func unname(s *session.Session, was, now string, opening bool) bool {
	if s.Title == "" {
		return false
	}
	base := session.TitleBase(s.Title)
	derived := base == title.Make(was) && base != title.Make(now)
	drawn := opening && drawnHere(s) && title.Loses(s.Title, was, now)
	if derived || drawn {
		s.Title, s.TitleSource = "", ""
	}
	return derived || drawn
}

// drawnHere reports whether a model drew the title of a session for this program. An import says the same of the titles that
// another program has made.
func drawnHere(s *session.Session) bool {
	return s.TitleSource == session.TitleModel && s.Source != session.SourceImport
}

// untell removes the lines from a session's summary that were made from a text.
func untell(s *session.Session, text string) bool {
	changed := false
	line := "- " + language.Gist(text, compression.GistLength)
	lines := strings.Split(s.Summary, "\n")
	if kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == line }); len(kept) < len(lines) {
		s.Summary, changed = strings.Join(kept, "\n"), true
	}
	return changed
}
