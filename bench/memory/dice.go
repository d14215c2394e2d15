package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// list splits words at bars, or at spaces when there are none.
func split(s string) []string {
	if strings.Contains(s, "|") {
		return strings.Split(s, "|")
	}
	return strings.Fields(s)
}

// dice is a seeded source of choices: the same seed gives the same transcript.
type dice struct {
	*rand.Rand
	used map[string]bool
}

func newDice(seed uint64) *dice {
	return &dice{Rand: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)), used: map[string]bool{}}
}

func (d *dice) of(words []string) string { return words[d.IntN(len(words))] }

// fresh makes a text that was not made before, by trying again.
func (d *dice) fresh(text func() string) string {
	for range 200 {
		if s := text(); !d.used[s] {
			d.used[s] = true
			return s
		}
	}
	s := fmt.Sprintf("%s (%d)", text(), len(d.used))
	d.used[s] = true
	return s
}

// codename is a name that is unique in the transcript: "velvet otter gateway".
func (d *dice) codename() string {
	return d.fresh(func() string { return d.of(adjectives) + " " + d.of(nouns) + " " + d.of(components) })
}

// number is a number that no other item uses.
func (d *dice) number() string {
	return d.fresh(func() string { return fmt.Sprint(101 + d.IntN(98999)) })
}

// reason is why something was done; some name a place.
func (d *dice) reason() string {
	s := d.of(reasons)
	if strings.Contains(s, "%s") {
		return fmt.Sprintf(s, d.of(cities))
	}
	return s
}
