// Package pairtest holds pairs of statements, for tests and for fitting: those of which
// the second ends the first, and those that only sound alike.
package pairtest

import (
	_ "embed" // the pairs
	"strings"
)

//go:embed reversals.txt
var reversals string

//go:embed controls.txt
var controls string

//go:embed chat.txt
var chat string

//go:embed values.txt
var values string

// Person is what one person says in a chat, in pairs.
type Person struct {
	Name  string
	Pairs []Pair
	// Ends are the pairs of which the second message ends what the first says.
	Ends []bool
}

// Chats are the pairs of all people.
func Chats() []Person { return people(chat) }

// Values are pairs of short statements of what, when, where or how much one thing is. They are told on one day.
func Values() []Person { return people(values) }

func people(text string) []Person {
	var out []Person
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		mark, rest, _ := strings.Cut(line, " ")
		switch was, now, paired := strings.Cut(rest, " | "); {
		case mark == "#" && !strings.Contains(rest, " "):
			out = append(out, Person{Name: rest})
		case paired && len(out) > 0:
			p := &out[len(out)-1]
			p.Pairs, p.Ends = append(p.Pairs, Pair{Was: was, Now: now}), append(p.Ends, mark == "=")
		}
	}
	return out
}

// Pair is two statements of one person, and the reason that the second gives; "" for none.
type Pair struct{ Was, Now, Why string }

// Reversals are pairs of which the second statement ends the first.
func Reversals() []Pair { return read(reversals) }

// Controls are pairs that do not contradict each other.
func Controls() []Pair { return read(controls) }

func read(text string) []Pair {
	var out []Pair
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := append(strings.Split(line, " | "), "", "")
		out = append(out, Pair{parts[0], parts[1], parts[2]})
	}
	return out
}
