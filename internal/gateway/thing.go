package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
)

// Thing is a part of a message that is neither words nor a file: a location, a contact, a poll.
// The model reads it in a line of its own, and memory learns nothing from it.
type Thing struct {
	// Kind is what it is, in a word or two for people: "location".
	Kind string
	// Text is what people see of it; "" for nothing. It is text of strangers.
	Text string
}

// NewThing is a thing with what people see of it, in parts; empty ones are left out.
func NewThing(kind string, parts ...string) Thing {
	return Thing{Kind: kind, Text: joined(", ", parts)}
}

// PollOf is a poll: a question, and options to choose from.
func PollOf(question string, options []string) Thing {
	return Thing{Kind: "poll", Text: joined(" ", []string{question, joined(" / ", options)})}
}

// Coordinates are a place on Earth, to about a meter.
func Coordinates(latitude, longitude float64) string {
	return fmt.Sprintf("%.5f, %.5f", latitude, longitude)
}

// joined joins the texts that are not empty.
func joined(with string, texts []string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, with)
}

// ReadPart reads a part of a platform's message that the rest does not need. It returns nil if the
// part is missing or has another form: that must not lose the message.
func ReadPart[T any](raw json.RawMessage) *T {
	var part *T
	if len(raw) == 0 || json.Unmarshal(raw, &part) != nil {
		return nil
	}
	return part
}

// maxThing is how much of a thing is shown, in characters.
const maxThing = 300

// line is the line of a thing in the transcript.
func (t *Thing) line() string {
	if t.Text == "" {
		return "[" + cite.Inside(t.Kind) + "]"
	}
	return "[" + cite.Inside(t.Kind) + ": " + cite.Inside(shortened(t.Text, maxThing)) + "]"
}

// Shown is what people see of a message that another one quotes: its words, or else a line for
// each of its things and files.
func Shown(text string, things []Thing, files []FileRef) string {
	if text != "" {
		return text
	}
	var lines []string
	for i := range things {
		lines = append(lines, things[i].line())
	}
	for i := range files {
		lines = append(lines, (&received{ref: files[i]}).line())
	}
	return strings.Join(lines, " ")
}
