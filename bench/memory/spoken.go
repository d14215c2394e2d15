package main

import (
	_ "embed" // labelled messages
	"fmt"
	"strings"
	"time"
)

//go:embed testdata/plain.txt
var plainSentences string

//go:embed testdata/spoken.txt
var spokenMessages string

// labelled is a message of a user with what it is.
type labelled struct {
	scope string
	text  string
	said  time.Time
	told  bool // what the user states
	wish  bool // how the user wants answers from now on
	// asides are parts of a told message that tell nothing, in bytes.
	asides [][2]int
	weight float64
}

// plainWeights are how much a plain sentence counts that is a statement, and one that is
// none: less than one of the lives.
var plainWeights = map[bool]float64{true: 0.5, false: 1}

// spokenAt is when messages without a life around them were said.
var spokenAt = time.Date(2026, time.March, 3, 10, 0, 0, 0, time.UTC)

// labelledMessages are the messages of users in lives and in own lives, and those that have
// no life around them.
func labelledMessages(lives []life) ([]labelled, error) {
	own, err := ownLives()
	if err != nil {
		return nil, err
	}
	var out []labelled
	for _, set := range [][]life{lives, own} {
		for i := range set {
			out = append(out, set[i].labelled()...)
		}
	}
	plain, err := readLabelled("plain", plainSentences)
	if err != nil {
		return nil, err
	}
	for i := range plain {
		plain[i].weight = plainWeights[plain[i].told]
	}
	spoken, err := readLabelled("", spokenMessages)
	out = append(append(out, plain...), spoken...)
	return append(out, inOneBreath(out)...), err
}

// labelled are the messages of the user of a life.
func (l *life) labelled() []labelled {
	wishes := make(map[string]bool)
	for _, w := range append(l.Standing[:len(l.Standing):len(l.Standing)], l.Withdrawn...) {
		wishes[w.ID] = true
	}
	var out []labelled
	for i := range l.Messages {
		if m := &l.Messages[i]; m.Role == "user" {
			out = append(out, labelled{scope: l.ID, text: m.Text, said: m.Time, told: m.Statement, wish: wishes[m.ID], weight: 1})
		}
	}
	return out
}

// readLabelled reads lines as testdata/spoken.txt has them.
func readLabelled(scope, text string) ([]labelled, error) {
	var out []labelled
	for line := range strings.Lines(text) {
		mark, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch mark {
		case "", "#":
			continue
		case "==":
			scope = words
			continue
		case "+", "-", "~", "!":
		default:
			return nil, fmt.Errorf("%q is no mark of a message", mark)
		}
		m := labelled{scope: scope, text: strings.ReplaceAll(words, `\n`, "\n"), said: spokenAt, told: mark == "+" || mark == "!", wish: mark == "!", weight: 1}
		m.takeAsides()
		out = append(out, m)
	}
	return out, nil
}

// takeAsides removes the brackets around what is none of the user's own telling.
func (m *labelled) takeAsides() {
	for {
		before, rest, found := strings.Cut(m.text, "[[")
		if !found {
			return
		}
		aside, after, _ := strings.Cut(rest, "]]")
		m.text = before + aside + after
		m.asides = append(m.asides, [2]int{len(before), len(before) + len(aside)})
	}
}

// inOneBreath are messages that tell something and something else: every other told message
// with what is none of the same scope, before or behind it.
func inOneBreath(all []labelled) []labelled {
	others := make(map[string][]labelled)
	for _, m := range all {
		if !m.told {
			others[m.scope] = append(others[m.scope], m)
		}
	}
	var out []labelled
	for i, m := range all {
		other := others[m.scope]
		if !m.told || len(m.asides) > 0 || i%2 > 0 || len(other) == 0 {
			continue
		}
		aside := other[i/2%len(other)].text
		if m.weight /= 2; i%4 == 0 {
			m.asides = [][2]int{{len(m.text) + 1, len(m.text) + 1 + len(aside)}}
			m.text += "\n" + aside
		} else {
			m.asides = [][2]int{{0, len(aside)}}
			m.text = aside + "\n" + m.text
		}
		out = append(out, m)
	}
	return out
}

// isAside reports whether byte at of the text is in an aside.
func (m *labelled) isAside(at int) bool {
	for _, a := range m.asides {
		if at >= a[0] && at < a[1] {
			return true
		}
	}
	return false
}
