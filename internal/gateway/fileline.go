package gateway

import (
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/session"
)

// spoken is what the person says in a message: its text, and what is said in its voice
// messages. It is all that memory learns of the message. What was passed on are not the
// person's words.
func (e *Inbound) spoken(files []received) string {
	text := e.Text
	if e.Forwarded != nil {
		return text
	}
	for i := range files {
		text = strings.TrimSpace(text + "\n" + files[i].spoken)
	}
	return text
}

// withFiles is the text of a message with a line for each of its things and files, as the model
// reads it.
func (e *Inbound) withFiles(files []received) string {
	body := e.Text
	for i := range e.Things {
		body = strings.TrimSpace(body + "\n" + e.Things[i].line())
	}
	if len(files) == 0 {
		for i := range e.Files { // files are not kept on this server
			files = append(files, received{ref: e.Files[i]})
		}
	}
	for i := range files {
		body = strings.TrimSpace(body + "\n" + files[i].line() + files[i].content(e.Forwarded != nil))
	}
	return body
}

// idsOf are the ids of the files that are kept.
func idsOf(files []received) []session.FileID {
	var out []session.FileID
	for i := range files {
		if files[i].id != "" {
			out = append(out, files[i].id)
		}
	}
	return out
}

// line is the line of a file in the transcript.
func (r *received) line() string {
	parts := []string{string(r.ref.Kind)}
	if r.ref.Name != "" {
		parts[0] += " " + cite.Inside(r.ref.Name)
	}
	if size := max(r.size, r.ref.Size); size > 0 {
		parts = append(parts, sizeText(size))
	}
	if r.id != "" {
		parts = append(parts, string(r.id))
	}
	if r.missing != "" {
		parts = append(parts, "not kept: "+cite.Inside(r.missing))
	}
	if r.unheard != "" {
		parts = append(parts, "not written down: "+cite.Inside(r.unheard))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// content is what is shown behind the line of a file: what is said in it, or its text as data.
// What was passed on is data, too.
func (r *received) content(passedOn bool) string {
	switch {
	case r.text != "":
		return "\n" + quotedText(r.text)
	case r.spoken == "":
		return ""
	case passedOn:
		return "\n" + quotedText(r.spoken)
	}
	return "\n" + r.spoken
}

// quotedText is a text of a file as data. Each of its lines begins with a mark, so that none
// can be taken for a line of the prompt.
func quotedText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	text = strings.TrimRight(markdown.Clean(text), "\n")
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// sizeText is a size for people.
func sizeText(bytes int64) string {
	const kilo = 1 << 10
	switch {
	case bytes < kilo:
		return fmt.Sprintf("%d B", bytes)
	case bytes < kilo*kilo:
		return fmt.Sprintf("%d KB", bytes/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(kilo*kilo))
}
