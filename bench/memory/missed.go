package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// missedList is one kind of what can go wrong, and how it is listed.
type missedList struct {
	kind string
	list func(io.Writer, *probe)
}

func verdictsThat(wanted func(*verdict) bool) func(io.Writer, *probe) {
	return func(w io.Writer, p *probe) {
		for i := range p.Verdicts {
			if v := &p.Verdicts[i]; wanted(v) {
				fmt.Fprintf(w, "%s %s, %s, rank %d: %s\n   gold: %s\n   %s\n", v.ID, v.Sort, v.Overlap, v.Rank, v.Asked, v.Gold,
					strings.ReplaceAll(v.Answer, "\n", "\n   "))
			}
		}
	}
}

func missedLists() []missedList {
	return []missedList{
		{"wrong", verdictsThat(isBad)},
		{"claimed", verdictsThat(invents)},
		{"denied", verdictsThat(denies)},
		{"unright", verdictsThat(fails)},
		{"unshown", verdictsThat(hides)},
		{"unfound", verdictsThat(func(v *verdict) bool { return v.Told && !v.foundBy(3) })},
		{"updates", func(w io.Writer, p *probe) {
			for _, u := range p.Updates {
				if !u.Found {
					fmt.Fprintf(w, "%s → %s %s: %s (in the block %v, older still current %v, doubtful %v)\n", u.Older, u.Newer, u.Sort, u.What, u.Shown, u.Stale, u.Doubtful)
				}
			}
		}},
		{"reversals", func(w io.Writer, p *probe) {
			for _, n := range p.Pairs {
				if n.Taken {
					fmt.Fprintf(w, "%s, %s %s: %s\n", n.A, n.B, n.Why, n.What)
				}
			}
		}},
		{"lines", func(w io.Writer, p *probe) {
			for _, l := range p.End.Lines {
				if len(l.Faults) > 0 {
					fmt.Fprintf(w, "%s %s: %q: %s\n", l.ID, l.Section, l.Text, strings.Join(l.Faults, ", "))
				}
			}
		}},
		{"noise", func(w io.Writer, p *probe) {
			fmt.Fprintf(w, "%s: hard %s; chat %s\n", p.Scope, strings.Join(p.End.HardKept, " "), strings.Join(p.End.ChatKept, " "))
		}},
		{"facts", func(w io.Writer, p *probe) {
			for _, text := range p.End.Unspoken {
				fmt.Fprintln(w, text)
			}
		}},
	}
}

func missedKinds() []string {
	var out []string
	for _, l := range missedLists() {
		out = append(out, l.kind)
	}
	return out
}

func printMissed(w io.Writer, all []*probe, kind string) error {
	lists := missedLists()
	i := slices.IndexFunc(lists, func(l missedList) bool { return l.kind == kind })
	if i < 0 {
		return fmt.Errorf("%q is none of: %s", kind, strings.Join(missedKinds(), ", "))
	}
	for _, p := range all {
		lists[i].list(w, p)
	}
	return nil
}

// printLines prints lines of the blocks, evenly spread, for a person to label.
func printLines(w io.Writer, all []*probe, count int) error {
	var lines []lineSeen
	for _, p := range all {
		lines = append(lines, p.End.Lines...)
	}
	count = min(count, len(lines))
	for i := range count {
		l := &lines[i*len(lines)/count]
		note := ""
		if l.Former {
			note = " (earlier value)"
		}
		if l.Doubtful {
			note += " (" + doubtWords + ")"
		}
		if _, err := fmt.Fprintf(w, "[ ] %s %s: %q%s\n", l.ID, l.Section, l.Text, note); err != nil {
			return err
		}
	}
	return nil
}
