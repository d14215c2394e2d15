package curate

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/title"
)

// unname takes a title away that was made of a text which now reads otherwise,
// or is gone. opening says that the text is of the first exchange, of which a
// model may have drawn the title.
func unname(s *session.Session, was, now string, opening bool) bool {
	if s.Title == "" {
		return false
	}
	base := session.TitleBase(s.Title)
	derived := base == title.Make(was) && base != title.Make(now)
	drawn := opening && s.TitleSource == session.TitleModel && title.Loses(s.Title, was, now)
	if derived || drawn {
		s.Title, s.TitleSource = "", ""
	}
	return derived || drawn
}

// untell takes what was made of a text out of a session's summary.
func untell(s *session.Session, text string) bool {
	changed := false
	line := "- " + language.Gist(text, compression.GistLength)
	lines := strings.Split(s.Summary, "\n")
	if kept := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == line }); len(kept) < len(lines) {
		s.Summary, changed = strings.Join(kept, "\n"), true
	}
	return changed
}
