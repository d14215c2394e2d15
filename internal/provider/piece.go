package provider

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/run"
)

// MaxPiece is the longest text that a provider is told at once, in characters.
const MaxPiece = 25_000

// MaxTold is how many pieces a provider is told in one call.
const MaxTold = 100

// Piece is a message, or a part of a long one.
type Piece struct {
	run.Said
	// Part counts the parts of a message from 1.
	Part int
}

// Mark identifies a piece: the id of the message, and behind the first part its number.
func (p *Piece) Mark() string {
	id := strconv.FormatInt(p.ID, 10)
	if p.Part > 1 {
		id += "." + strconv.Itoa(p.Part)
	}
	return id
}

// Pieces cuts long messages.
func Pieces(said []run.Said) []Piece {
	out := make([]Piece, 0, len(said))
	for i := range said {
		rest, part := said[i].Text, 0
		for rest != "" || part == 0 {
			n := cut(rest)
			part++
			p := Piece{said[i], part}
			p.Text, rest = rest[:n], rest[n:]
			out = append(out, p)
		}
	}
	return out
}

// cut is the length of the first MaxPiece characters, in bytes.
func cut(text string) int {
	if len(text) <= MaxPiece {
		return len(text)
	}
	n, at := 0, 0
	for at < len(text) && n < MaxPiece {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
		n++
	}
	return at
}

// Without leaves out the pieces whose marks a provider has, and returns the ids that it has.
func Without(pieces []Piece, marks map[string]bool) (rest []Piece, stored map[int64]bool) {
	stored = make(map[int64]bool)
	for mark := range marks {
		if id := IDOf(mark); id != 0 {
			stored[id] = true
		}
	}
	for i := range pieces {
		if !marks[pieces[i].Mark()] {
			rest = append(rest, pieces[i])
		}
	}
	return rest, stored
}

// IDOf is the id of the message that a mark is of; 0 for something else.
func IDOf(mark string) int64 {
	id, _, _ := strings.Cut(mark, ".")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
