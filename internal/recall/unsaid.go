package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// noSecrets is said to a request to remember a secret.
const noSecrets = "I remember no passwords, keys or other secrets: when I quote that message, [secret] stands in place of the secret."

// unsayable reports whether nothing is left to quote of a fact: its words were erased.
func unsayable(f *memory.Fact) bool { return mention.Erased(f.Quote) }

// takenBack tells what the message took back; "" if it took nothing back. What a correction
// replaced is told as a change.
func (v *voice) takenBack() string {
	var lines []string
	for i := range v.ask.Learned {
		f := &v.ask.Learned[i]
		if f.Kind != memory.Retraction || f.Source.Role != session.User {
			continue
		}
		if gone := v.withdrawnBy(f); len(gone) > 0 {
			lines = append(lines, "Taken back: "+strings.Join(gone, "; ")+".")
		} else if !v.corrected(f) {
			lines = append(lines, "I found nothing to take back for "+quoted(f.Quote)+".")
		}
	}
	return strings.Join(lines, "\n")
}

// withdrawnBy quotes the statements that a fact withdrew.
func (v *voice) withdrawnBy(f *memory.Fact) (gone []string) {
	for _, link := range f.Links {
		if link.Kind != memory.Supersedes || v.ask.View == nil {
			continue
		}
		if was, known := v.ask.View.Fact(link.To); known && !unsayable(&was) {
			gone = append(gone, quoted(was.Statement))
		}
	}
	slices.Sort(gone)
	return slices.Compact(gone)
}

// corrected reports whether the message says what is so instead of what a fact takes back.
func (v *voice) corrected(f *memory.Fact) bool {
	return slices.ContainsFunc(v.ask.Reversals, func(r memory.Reversal) bool {
		return r.Now.Source.MessageID == f.Source.MessageID && r.Now.Source.Start >= f.Source.End
	})
}

// quoted is a text in quotation marks, on one line, with its secrets masked.
func quoted(text string) string {
	return `"` + strings.TrimRight(language.OneLine(clipped(secret.Mask(text))), ". ") + `"`
}

// refusedSecret is said to messages of which one tells a secret; "" for any others.
func refusedSecret(said []session.Message) string {
	if slices.ContainsFunc(said, tellsSecret) {
		return noSecrets
	}
	return ""
}

// tellsSecret reports whether a message states a secret.
func tellsSecret(m session.Message) bool {
	text := m.Content[:min(len(m.Content), maxInput)]
	return slices.ContainsFunc(language.Sentences(text), func(s language.Sentence) bool {
		sentence := text[s.Start:s.End]
		return !s.Code && !s.Quoted && !asks(sentence) && secret.In(sentence)
	})
}
