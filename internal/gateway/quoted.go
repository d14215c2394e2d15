package gateway

import (
	"fmt"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/cite"
)

// How much of another message is shown, in characters.
const (
	// maxQuote is for a message that the model has read or written before, and for each of many.
	maxQuote = 300
	// maxReplied is for a message of another person that is answered: the longest one of Telegram and WhatsApp.
	maxReplied = 4096
)

// author is who wrote another message; "" if that is not known.
func (q *Quoted) author() string {
	switch {
	case q.Mine:
		return cite.Name("you")
	case q.Name == "":
		return ""
	}
	return cite.Name(q.Name)
}

// answered is a message that is answered, as data. Of its own messages the model is shown the beginning: it has them in the
// session.
func (q *Quoted) answered() string {
	most := maxReplied
	if q.Mine {
		most = maxQuote
	}
	return "(in answer to " + quoteOf(q, most) + ")"
}

// passedOn is a message that was passed on, as data, line by line. It counts as what the person sent, and is shown as far as
// a text file is.
func (q *Quoted) passedOn() string {
	out := "[passed on"
	if name := q.author(); name != "" {
		out += ": " + cite.Inside(name)
	}
	out += "]"
	if q.Text == "" {
		return out
	}
	out += "\n" + quotedText(cut(q.Text, maxQuoted))
	if len(q.Text) > maxQuoted {
		out += "\n[cut here, after " + sizeText(maxQuoted) + "]"
	}
	return out
}

// quoteOf is another message on one line, as data, of at most so many characters.
func quoteOf(q *Quoted, most int) string {
	words := cite.Quoted(shortened(q.Text, most))
	if utf8.RuneCountInString(q.Text) > most {
		words += fmt.Sprintf(" [cut here, after %d characters]", most)
	}
	if name := q.author(); name != "" {
		return name + ": " + words
	}
	return words
}
