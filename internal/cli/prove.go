package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/prove"
)

func (a *app) proveCommand() *cobra.Command {
	var only []string
	var list bool
	c := &cobra.Command{
		Use:   "prove [FILE.yaml...]",
		Short: "Check the promises on this machine",
		Long: `Play the promises of this program as scenarios: each starts a server of its own
with a temporary home, a scripted model and a clock that can be advanced. Your
data, your model and your configuration are not touched.

With files, play the scenarios in them instead; docs/prove.md has the form.

Exit codes: 0 every promise holds, 1 one does not, 2 wrong usage.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			scenarios, err := a.scenarios(args, only)
			if err != nil {
				return err
			}
			if list {
				return a.listScenarios(scenarios)
			}
			return a.prove(c.Context(), scenarios)
		},
	}
	c.Flags().StringSliceVar(&only, "only", nil, "play only the scenarios whose name contains this")
	c.Flags().BoolVar(&list, "list", false, "list the scenarios without playing them")
	return c
}

// scenarios reads what is to be played.
func (a *app) scenarios(files, only []string) ([]prove.Scenario, error) {
	var all []prove.Scenario
	var err error
	if len(files) == 0 {
		if all, err = prove.Promises(); err != nil {
			return nil, err
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, "no_scenario_file", "Cannot read "+file+".", err)
		}
		some, err := prove.Parse(file, text)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(only) == 0 {
		return all, nil
	}
	var some []prove.Scenario
	for i := range all {
		for _, part := range only {
			if strings.Contains(all[i].Name, part) {
				some = append(some, all[i])
				break
			}
		}
	}
	if len(some) == 0 {
		return nil, usageError{fmt.Errorf("no scenario is called like %q. See `hermes prove --list`", only)}
	}
	return some, nil
}

func (a *app) listScenarios(all []prove.Scenario) error {
	if a.json {
		rows := make([]map[string]string, len(all))
		for i := range all {
			rows[i] = map[string]string{"name": all[i].Name, "promise": all[i].Promise}
		}
		return a.printJSON(rows)
	}
	w := tabwriter.NewWriter(a.process.Stdout, 0, 0, 2, ' ', 0)
	for i := range all {
		fmt.Fprintf(w, "%s\t%s\n", all[i].Name, all[i].Promise)
	}
	return w.Flush()
}

// provers is how many scenarios are played at once.
const provers = 2

// prove plays scenarios, tells of each as it ends, and ends with a table.
func (a *app) prove(ctx context.Context, all []prove.Scenario) error {
	begun := time.Now()
	outcomes := make([]prove.Outcome, len(all))
	ended := make(chan int)
	var g errgroup.Group
	g.SetLimit(provers + 1)
	g.Go(func() error {
		for n := 1; n <= len(all); n++ {
			o := &outcomes[<-ended]
			if !a.json {
				fmt.Fprintf(a.process.Stderr, "%3d/%d  %s %s\n", n, len(all), mark(o), o.Name)
			}
		}
		return nil
	})
	for i := range all {
		g.Go(func() error {
			outcomes[i] = prove.Play(ctx, a.startForProof, &all[i])
			ended <- i
			return nil
		})
	}
	_ = g.Wait() // outcomes carry the failures
	return a.printProof(outcomes, time.Since(begun))
}

func mark(o *prove.Outcome) string {
	if o.Holds {
		return "✓"
	}
	return "✗"
}

// printProof prints the table, and fails if a promise does not hold.
func (a *app) printProof(outcomes []prove.Outcome, took time.Duration) error {
	broken, turns := 0, 0
	for i := range outcomes {
		turns += outcomes[i].Turns
		if !outcomes[i].Holds {
			broken++
		}
	}
	if a.json {
		if err := a.printJSON(map[string]any{
			"holds": broken == 0, "scenarios": outcomes, "turns": turns, "seconds": took.Seconds(), "version": Version(),
		}); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(a.process.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\tScenario\tPromise\tTurns\tSeconds")
		for i := range outcomes {
			o := &outcomes[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.1f\n", mark(o), o.Name, o.Promise, o.Turns, o.Seconds)
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		for i := range outcomes {
			if o := &outcomes[i]; !o.Holds {
				fmt.Fprintf(a.process.Stdout, "\n✗ %s\n  %s\n", o.Name, o.Why)
			}
		}
		fmt.Fprintf(a.process.Stdout, "\n%d of %d promises hold (%d turns, %.1f s)\n", len(outcomes)-broken, len(outcomes), turns, took.Seconds())
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d promises do not hold", broken, len(outcomes))
	}
	return nil
}
