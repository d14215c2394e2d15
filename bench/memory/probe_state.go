package main

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
)

// blockRoom is the room of the block in tokens: what it gets in a context of 8,000.
const blockRoom = 2000

// standingSection is the heading of wishes in a block.
const standingSection = "Standing wishes"

// lineSeen is a line of the block at the end of a life, with all that is wrong with it as
// far as the set tells.
type lineSeen struct {
	Scope string `json:"scope"`
	blockLine
	Faults []string `json:"faults,omitempty"`
}

// The faults of a line. The first that applies to most is the first named.
const (
	ofHardNoise = "hard noise"
	ofChat      = "chat"
	ofReply     = "reply"
	ofSpan      = "quoted from others"
	isStaleLine = "stale"
	notVerbatim = "not verbatim"
)

// endSeen is what is measured at the end of a life.
type endSeen struct {
	Lines []lineSeen `json:"lines"`
	// HardNoise and Chat are the messages labelled so, and how many of them have an
	// asserted fact that is current.
	HardNoise   int      `json:"hard_noise"`
	HardKept    []string `json:"hard_kept"`
	Chat        int      `json:"chat"`
	ChatKept    []string `json:"chat_kept"`
	Facts       int      `json:"facts"`
	Unspoken    []string `json:"unspoken"` // facts that are no substring of their message
	Standing    int      `json:"standing"`
	StandShown  int      `json:"standing_shown"`
	Withdrawn   int      `json:"withdrawn"`
	StillWished []string `json:"still_wished"`
}

// end measures the state after the last message.
func (p *prober) end() error {
	s, err := p.state()
	if err != nil {
		return err
	}
	e := &p.out.End
	for _, l := range s.lines {
		e.Lines = append(e.Lines, lineSeen{p.life.ID, l, p.faults(&l)})
	}
	for _, n := range p.life.Noise {
		kept := slices.ContainsFunc(s.of(n.ID), func(f memory.Fact) bool { return f.Kind.Asserted() && f.Current() })
		switch {
		case n.Hard && kept:
			e.HardKept = append(e.HardKept, n.ID)
		case kept:
			e.ChatKept = append(e.ChatKept, n.ID)
		}
		if n.Hard {
			e.HardNoise++
		} else {
			e.Chat++
		}
	}
	e.Facts = len(s.facts)
	for i := range s.facts {
		if f := &s.facts[i]; !spoken(f, p.life.Messages[f.Source.Seq].Text) {
			e.Unspoken = append(e.Unspoken, p.life.Messages[f.Source.Seq].ID+": "+f.Statement)
		}
	}
	wished := func(id string) bool {
		return slices.ContainsFunc(s.lines, func(l blockLine) bool {
			return l.ID == id && l.current() && strings.HasPrefix(l.Section, standingSection)
		})
	}
	for _, w := range p.life.Standing {
		e.Standing++
		if wished(w.ID) {
			e.StandShown++
		}
	}
	for _, w := range p.life.Withdrawn {
		e.Withdrawn++
		if wished(w.ID) {
			e.StillWished = append(e.StillWished, w.ID)
		}
	}
	return nil
}

// spoken reports whether both texts of a fact are in its message.
func spoken(f *memory.Fact, message string) bool {
	return strings.Contains(message, f.Quote) && strings.Contains(message, f.Statement)
}

// faults are what is wrong with a line.
func (p *prober) faults(l *blockLine) []string {
	m := p.life.message(l.ID)
	var out []string
	for _, n := range p.life.Noise {
		if n.ID == l.ID && n.Hard {
			out = append(out, ofHardNoise)
		} else if n.ID == l.ID {
			out = append(out, ofChat)
		}
	}
	if m.Role != "user" {
		out = append(out, ofReply)
	}
	if p.quotesOthers(l) {
		out = append(out, ofSpan)
	}
	if slices.ContainsFunc(p.outdated, func(o outdatedWords) bool { return o.in(l) }) {
		out = append(out, isStaleLine)
	}
	if !strings.Contains(oneLine(m.Text), oneLine(l.Text)) {
		out = append(out, notVerbatim)
	}
	return out
}

// quotesOthers reports whether a line and a part that the user quotes from others have
// most of the shorter one in common.
func (p *prober) quotesOthers(l *blockLine) bool {
	for _, s := range p.life.NoiseSpans {
		if s.ID != l.ID {
			continue
		}
		short, long := gramsOf(l.Text), gramsOf(s.Text)
		if len(short) > len(long) {
			short, long = long, short
		}
		n := 0
		for _, g := range short {
			if slices.Contains(long, g) {
				n++
			}
		}
		if 2*n > len(short) {
			return true
		}
	}
	return false
}
