package memory

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// tenor is what a message of the user is like as a whole: its shape, then the mean of its
// words' vectors. It tells a person's own report from a task, a pasted text and chat.
type tenor [numShapes + wordvec.Dim]float32

// shape is what is counted of a message.
type shape struct {
	text                                       string
	letters, foreign, digits, marks            float32
	lines, labelled, marked, sentences, firsts float32
}

// shapes are the values of a tenor that are no dimension of a vector; never written.
var shapes = [...]struct {
	name string
	of   func(*shape) float32
}{
	{"message-bytes", func(s *shape) float32 { return logOf(len(s.text)) }},
	{"message-lines", func(s *shape) float32 { return logOf(min(int(s.lines), 7)) }},
	{"labelled-lines", func(s *shape) float32 { return s.labelled / s.lines }},
	{"marked-lines", func(s *shape) float32 { return s.marked / s.lines }},
	{"marks", func(s *shape) float32 { return s.marks / (s.marks + s.letters + 1) }},
	{"digits", func(s *shape) float32 { return s.digits / (s.digits + s.letters + 1) }},
	{"other-writing", func(s *shape) float32 { return s.foreign / (s.letters + 1) }},
	{"first-person", func(s *shape) float32 { return s.firsts / (s.sentences + 1) }},
	{"quotes", func(s *shape) float32 { return oneIf(strings.ContainsAny(s.text, `"“”„«»「」`)) }},
	{"asks-anywhere", func(s *shape) float32 { return oneIf(strings.ContainsAny(s.text, "?？؟")) }},
	{"ends-asking", func(s *shape) float32 { return oneIf(endsWith(s.text, "?？؟")) }},
	{"ends-calling", func(s *shape) float32 { return oneIf(endsWith(s.text, "!！")) }},
	{"trails-off", func(s *shape) float32 {
		return oneIf(strings.Contains(s.text, "...") || strings.Contains(s.text, "…"))
	}},
	{"has-colon", func(s *shape) float32 {
		return oneIf(strings.Contains(s.text, ": ") || strings.Contains(s.text, ":\n"))
	}},
	{"opens-small", func(s *shape) float32 { r, _ := utf8.DecodeRuneInString(s.text); return oneIf(unicode.IsLower(r)) }},
}

const numShapes = 15

// tenorNames are the names of the values of a tenor.
func tenorNames() []string {
	var out []string
	for _, s := range shapes {
		out = append(out, s.name)
	}
	for i := range wordvec.Dim {
		out = append(out, fmt.Sprintf("v%02d", i))
	}
	return out
}

// tenorOf reads the tenor of a message whose sentences have their signs.
func tenorOf(text string, sentences []reading) *tenor {
	s := shape{text: strings.TrimSpace(text), sentences: float32(len(sentences))}
	s.readLetters()
	s.readLines()
	for i := range sentences {
		s.firsts += float32(b2u(sentences[i].signs.hasAny(signsOf(signI, signIWithin, signSpeaker))))
	}
	out := new(tenor)
	for i := range shapes {
		out[i] = shapes[i].of(&s)
	}
	meaning := wordvec.Of(text)
	for i := range wordvec.Dim {
		out[numShapes+i] = float32(meaning.Part(i)) / (wordvec.Unit / 8)
	}
	return out
}

func (s *shape) readLetters() {
	for _, r := range s.text {
		switch {
		case unicode.IsLetter(r):
			s.letters++
			s.foreign += float32(b2u(r >= utf8.RuneSelf))
		case unicode.IsDigit(r):
			s.digits++
		case !unicode.IsSpace(r):
			s.marks++
		}
	}
}

// readLines counts the lines, those that begin with a label ("From: …"), and those that
// begin with a mark, as quotations, lists and code do. A line that goes on with the sentence
// of the line before is none of its own.
func (s *shape) readLines() {
	open := false
	for line := range strings.Lines(s.text) {
		line = strings.TrimSpace(line)
		opening, _ := utf8.DecodeRuneInString(line)
		goesOn := open && unicode.IsLower(opening)
		open = line != "" && !endsWith(line, ".:!?;")
		if line == "" || goesOn {
			continue
		}
		s.lines++
		label, _, _ := strings.Cut(line, ":")
		s.labelled += float32(b2u(len(label) < len(line) && !strings.ContainsRune(label, ' ')))
		s.marked += float32(b2u(!unicode.IsLetter(opening)))
	}
	s.lines = max(1, s.lines)
}

func endsWith(text, marks string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && strings.ContainsRune(marks, last)
}

// logOf is the number of binary digits of n. Beyond mostCounted more makes no difference.
func logOf(n int) float32 { return float32(bits.Len(uint(min(n, mostCounted)))) }

const mostCounted = 1<<8 - 1

func oneIf(is bool) float32 { return float32(b2u(is)) }

// values are the features of a sentence of a message of the user.
func (x *distiller) values(r *reading) []float32 {
	out := x.space[:0]
	for s := range numSigns {
		out = append(out, float32(b2u(r.signs.has(s))))
	}
	out = append(out, logOf(r.stop-r.lead), logOf(min(x.said(), 15)))
	x.space = append(out, x.tenor[:]...)
	return x.space
}
