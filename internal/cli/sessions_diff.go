package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/terminal"
)

// belief is a fact with the slot it fills.
type belief struct {
	fact
	Subject   string `json:"subject,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	Value     string `json:"value,omitempty"`
}

// slotPair are two facts with the same slot and different values.
type slotPair struct {
	A belief `json:"a"`
	B belief `json:"b"`
}

// difference is the result of comparing two conversations.
type difference struct {
	OnlyA   []belief   `json:"only_a"`
	OnlyB   []belief   `json:"only_b"`
	Differs []slotPair `json:"differs"`
	Shared  int        `json:"shared"`
}

func (a *app) sessionsDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use: "diff A B", Short: "Compare what two conversations believe", ValidArgsFunction: a.completeSession,
		Long: `Compare what two conversations believe: what only one of them holds to be so,
and what they hold different things of. Both with quotes and dates.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{fmt.Errorf("%s needs the ids of two sessions", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var sides [2][]belief
				for i, id := range args {
					var state struct {
						Facts []belief `json:"facts"`
					}
					if err := cl.call(c.Context(), http.MethodGet, sessionPath(id, "/state?scope=lineage"), nil, &state); err != nil {
						return err
					}
					sides[i] = slices.DeleteFunc(state.Facts, func(f belief) bool { return !f.Asserted || f.SupersededBy != nil })
				}
				d := compare(sides[0], sides[1])
				if a.json {
					return a.printJSON(d)
				}
				a.printDifference(&d, args[0], args[1])
				return nil
			})
		},
	}
}

// sameBelief is equal for two facts with the same statement.
func sameBelief(f *belief) string {
	return f.Kind + "\x00" + strings.ToLower(strings.TrimRight(terminal.OneLine(f.Statement), ".!"))
}

// slotOf is the slot of a fact; "" for none.
func slotOf(f *belief) string {
	if f.Subject == "" || f.Attribute == "" {
		return ""
	}
	return f.Subject + "\x00" + f.Attribute
}

// compare sorts the facts of two conversations into shared ones, conflicting ones, and
// those of one conversation only.
func compare(a, b []belief) difference {
	d := difference{OnlyA: []belief{}, OnlyB: []belief{}, Differs: []slotPair{}}
	said := make(map[string]bool, len(b))
	for i := range b {
		said[sameBelief(&b[i])] = true
	}
	both := make(map[string]bool)
	slots := make(map[string][]belief)
	for i := range a {
		switch key := sameBelief(&a[i]); {
		case said[key]:
			both[key] = true
			d.Shared++
		case slotOf(&a[i]) != "":
			slots[slotOf(&a[i])] = append(slots[slotOf(&a[i])], a[i])
		default:
			d.OnlyA = append(d.OnlyA, a[i])
		}
	}
	paired := make(map[string]bool)
	for i := range b {
		f := &b[i]
		if both[sameBelief(f)] {
			continue
		}
		others := slots[slotOf(f)] // none for a fact without a slot
		at := slices.IndexFunc(others, func(o belief) bool { return !strings.EqualFold(o.Value, f.Value) })
		if at < 0 {
			d.OnlyB = append(d.OnlyB, *f)
			continue
		}
		paired[others[at].ID] = true
		d.Differs = append(d.Differs, slotPair{others[at], *f})
	}
	for i := range a { // in the order they were said
		if f := &a[i]; !both[sameBelief(f)] && slotOf(f) != "" && !paired[f.ID] {
			d.OnlyA = append(d.OnlyA, *f)
		}
	}
	slices.SortStableFunc(d.OnlyA, func(x, y belief) int { return x.SaidAt.Compare(y.SaidAt) })
	return d
}

func (a *app) printDifference(d *difference, nameA, nameB string) {
	if len(d.OnlyA)+len(d.OnlyB)+len(d.Differs) == 0 {
		a.say("Both believe the same (%s).", countOf(d.Shared, "fact", "facts"))
		return
	}
	said := func(f *belief) string {
		return fmt.Sprintf("%s  %q", f.SaidAt.Local().Format(time.DateOnly), terminal.OneLine(f.Quote))
	}
	if len(d.Differs) > 0 {
		a.say("They differ (- %s, + %s):", nameA, nameB)
		for i := range d.Differs {
			p := &d.Differs[i]
			a.say("  %s %s", p.A.Subject, p.A.Attribute)
			a.say("    - %s", block(said(&p.A)))
			a.say("    + %s", block(said(&p.B)))
		}
	}
	for _, side := range []struct {
		sign, name string
		facts      []belief
	}{{"-", nameA, d.OnlyA}, {"+", nameB, d.OnlyB}} {
		if len(side.facts) == 0 {
			continue
		}
		a.say("Only in %s:", side.name)
		for i := range side.facts {
			a.say("  %s %s  %s", side.sign, block(said(&side.facts[i])), side.facts[i].Kind)
		}
	}
	a.say("%s shared.", countOf(d.Shared, "fact is", "facts are"))
}
