package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rig is one fault and how it is brought about.
type rig struct {
	name, fault string
	want        string // the figure that is aimed for
	rounds      int    // how often, without -rounds
	run         func(ctx context.Context, b *bench, rounds int) (*tally, error)

	// bare takes the protection away; off says what is taken. The rig has to miss
	// its figure then, within bareRounds.
	bare       []change
	off        string
	bareRounds int
	// fitted is what the server must be given so that the fault can happen in it.
	fitted []change
}

// wanted reports whether a list of names, with commas between, asks for the rig. An empty list asks for all.
func (r *rig) wanted(names string) bool {
	return names == "" || slices.Contains(strings.Split(names, ","), r.name)
}

// tally is what a rig came to.
type tally struct {
	done   string   // counts of what was done
	figure string   // what was seen
	misses []string // what did not hold; none is a pass
}

// miss notes what did not hold.
func (t *tally) miss(format string, args ...any) {
	t.misses = append(t.misses, fmt.Sprintf(format, args...))
}

// missed are the first misses of different words, each with how often it came.
func (t *tally) missed() string {
	const shown = 8
	counts := make(map[string]int)
	var order []string
	for _, m := range t.misses {
		if counts[m]++; counts[m] == 1 {
			order = append(order, m)
		}
	}
	for i, m := range order {
		if n := counts[m]; n > 1 {
			order[i] = fmt.Sprintf("%s (%d times)", m, n)
		}
	}
	if len(order) > shown {
		order = append(order[:shown], fmt.Sprintf("%d more", len(order)-shown))
	}
	return strings.Join(order, "; ")
}

// bench is where rigs work.
type bench struct {
	hermes string // the program under test
	dir    string
	bare   bool          // its protection is off
	over   time.Duration // how long overload stays over capacity in one piece; 0 goes to and fro
	chats  int           // how many chats each platform has in the rig pace
	logs   string        // where logs are left in which something was missed; "" for nowhere
}

// say tells how far things are.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// home makes a directory for a server's data.
func (b *bench) home() (string, error) { return os.MkdirTemp(b.dir, "home-") }

// change is one place of the source that is built otherwise. The text to be
// replaced must be there once; without one, the file is added.
type change struct{ file, old, text string }

// overlay writes a plan of changes to the source for the Go command. The changes stay out
// of the tree, so that the product needs no switch that turns its protections off.
func (b *bench) overlay(name string, changes []change) (plan string, err error) {
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	texts := make(map[string]string)
	for _, c := range changes {
		path, err := filepath.Abs(c.file)
		if err != nil {
			return "", err
		}
		if c.old == "" {
			texts[path] = c.text
			continue
		}
		text, known := texts[path]
		if !known {
			raw, err := os.ReadFile(path)
			if err != nil {
				return "", fmt.Errorf("%w (run this at the root of the source)", err)
			}
			text = string(raw)
		}
		if n := strings.Count(text, c.old); n != 1 {
			return "", fmt.Errorf("%s has %d times what rig %s changes, not once: %q", c.file, n, name, c.old)
		}
		texts[path] = strings.Replace(text, c.old, c.text, 1)
	}
	for path, text := range texts {
		changed := filepath.Join(b.dir, fmt.Sprintf("%s-%d.go", name, len(overlay.Replace)))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return "", err
		}
		overlay.Replace[path] = changed
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	plan = filepath.Join(b.dir, name+".json")
	return plan, os.WriteFile(plan, list, 0o600)
}

// build makes a program of this source with changes.
func (b *bench) build(ctx context.Context, name string, changes []change) (string, error) {
	plan, err := b.overlay(name, changes)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(b.dir, "hermes-"+name)
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", plan, "-o", binary, "./cmd/hermes")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build for rig %s: %w\n%s", name, err, out.Bytes())
	}
	return binary, nil
}
