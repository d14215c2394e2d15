package run

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// openingReach is how many messages the first exchange may have.
	openingReach = 32
	// openingBytes is how much of each message a title may be drawn from.
	openingBytes = 16 << 10
)

// Opening is the first exchange of a lineage without the sentences that say
// something private: what a model may be shown to name it. It is empty if the
// title was not derived from that exchange. due is false while there is no
// exchange, and when the title is not a derived one.
func (r *Runner) Opening(ctx context.Context, o owner.Owner, root session.ID) (ms []session.Message, due bool, err error) {
	tip, err := r.sessions.Tip(ctx, o, root)
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", err)
	}
	if tip.TitleSource != session.TitleDerived {
		return nil, false, nil
	}
	ms, err = r.opening(ctx, o, root)
	if err != nil || !derivedFrom(&tip, ms) {
		return nil, len(ms) > 0, err
	}
	shown := make([]session.Message, 0, len(ms))
	for i := range ms {
		m := ms[i]
		var open []string
		for _, s := range sentencesOf(&m) {
			if !isPrivate(s) {
				open = append(open, s)
			}
		}
		if m.Content = strings.Join(open, " "); m.Content != "" {
			shown = append(shown, m)
		}
	}
	return shown, true, nil
}

// Retitle gives a lineage the title that a model proposed in place of the one
// that was derived, if it says nothing that the first exchange does not say, and
// nothing private. The lineage counts as asked about, whatever was proposed.
func (r *Runner) Retitle(ctx context.Context, o owner.Owner, task Task, proposed string) (named bool, err error) {
	err = r.study(ctx, o, task, func(l *lineage, s *Study) error {
		if !l.exists || l.tip.TitleSource != session.TitleDerived {
			return nil // if it has lost its title, a model is asked for the next
		}
		ms, err := r.opening(ctx, o, task.Root) // anew: it may have been erased since
		if err != nil || len(ms) == 0 {
			return err
		}
		if s.Marks.Titled = true; !derivedFrom(&l.tip, ms) {
			return nil
		}
		derived := session.TitleBase(l.tip.Title)
		title := drawnTitle(proposed, derived, wordsOf(ms))
		if title == "" || title == derived {
			return nil
		}
		erasures, err := r.quotes.Erasures(ctx, o)
		if err != nil {
			return fmt.Errorf("read erasures: %w", err)
		}
		if _, n := memory.RedactErased(o, title, erasures); n > 0 {
			return nil
		}
		s.Title, named = title, true
		l.loaded = false // it is read back with the next turn, in its free form
		return nil
	})
	return named && err == nil, err
}

// opening reads the first exchange that stands: up to the first answer behind a
// text that makes a title.
func (r *Runner) opening(ctx context.Context, o owner.Owner, root session.ID) ([]session.Message, error) {
	ms, err := r.sessions.Messages(ctx, o, root, session.Range{Limit: openingReach, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("read first messages: %w", err)
	}
	said := false
	for i := range ms {
		switch m := &ms[i]; m.Role {
		case session.User:
			said = said || makeTitle(m.Content) != ""
		case session.Assistant:
			if said && strings.TrimSpace(m.Content) != "" {
				return ms[:i+1], nil
			}
		}
	}
	return nil, nil
}

// openingEnd is the first Seq behind the first exchange; 0 without one.
func (r *Runner) openingEnd(ctx context.Context, o owner.Owner, root session.ID) (int64, error) {
	ms, err := r.opening(ctx, o, root)
	if err != nil || len(ms) == 0 {
		return 0, err
	}
	return ms[len(ms)-1].Seq + 1, nil
}

// derivedFrom reports whether a session has the title that its first exchange
// makes. One that goes on after a reset has another's.
func derivedFrom(s *session.Session, ms []session.Message) bool {
	return s.TitleSource == session.TitleDerived && len(ms) > 0 && session.TitleBase(s.Title) == session.TitleBase(titleOf(nil, ms))
}

// sentencesOf are the sentences of a message that a title may be drawn from.
// Results of tools are others' words.
func sentencesOf(m *session.Message) []string {
	if m.Role != session.User && m.Role != session.Assistant {
		return nil
	}
	text := m.Content
	if len(text) > openingBytes {
		text = strings.ToValidUTF8(text[:openingBytes], "")
	}
	var out []string
	for _, s := range language.Sentences(text) {
		if piece := text[s.Start:s.End]; !memory.Erased(piece) {
			out = append(out, piece)
		}
	}
	return out
}

// wordsOf are the words of messages, stemmed, and whether they may be told: one
// that stands in a private sentence may not, wherever else it stands.
func wordsOf(ms []session.Message) map[string]bool {
	words := make(map[string]bool)
	for i := range ms {
		for _, s := range sentencesOf(&ms[i]) {
			tell := !isPrivate(s)
			scan := language.Scan(s)
			for w, ok := scan.Next(); ok; w, ok = scan.Next() {
				told, known := words[string(w.Stem)]
				words[string(w.Stem)] = tell && (told || !known)
			}
		}
	}
	return words
}

// drawnTitle is a model's title as it may stand in place of a derived one; ""
// if it may not: if it is longer or poorer, or private, or has a word beside
// those that may be told.
func drawnTitle(proposed, derived string, words map[string]bool) string {
	title := strings.TrimSpace(proposed)
	if strings.ContainsFunc(title, func(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) }) {
		return ""
	}
	title = strings.Trim(strings.Join(strings.Fields(title), " "), " \"'`“”„«»*.,;:…。、")
	if n := utf8.RuneCountInString(title); n > maxTitle || n > utf8.RuneCountInString(derived) {
		return ""
	}
	if !isPhrase(title) || strings.Contains(title, "://") || isPrivate(title) {
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

// isPhrase reports whether a title has two words, or as much in a writing
// without spaces.
func isPhrase(title string) bool {
	unspaced := 0
	for _, r := range title {
		if language.Unspaced(r) {
			unspaced++
		}
	}
	return len(strings.Fields(title)) > 1 || unspaced > 2
}

// loses reports whether a word of a title stands in a text that now reads
// otherwise, and not in what it reads now.
func loses(title, was, now string) bool {
	words := wordsIn(session.TitleBase(title))
	left, before := wordsIn(now), wordsIn(was)
	for w := range words {
		if before[w] && !left[w] {
			return true
		}
	}
	return false
}

// wordsIn are the stems of a text's words that say something on their own.
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
