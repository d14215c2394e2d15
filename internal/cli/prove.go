package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/prove"
	"github.com/hermes-memory/hermes/internal/recovery"
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

// scenarios reads the scenarios to run.
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
	rows := make([][]string, len(all))
	for i := range all {
		rows[i] = []string{all[i].Name, all[i].Promise}
	}
	return a.table(rows)
}

// provers is how many scenarios run concurrently.
const provers = 2

// prove runs scenarios, reports each as it ends, and prints a table at the end.
func (a *app) prove(ctx context.Context, all []prove.Scenario) error {
	begun := time.Now()
	outcomes := make([]prove.Outcome, len(all))
	ended := make(chan int)
	var g errgroup.Group
	g.SetLimit(provers + 1)
	g.Go(recovery.Task(func() error {
		for n := 1; n <= len(all); n++ {
			o := &outcomes[<-ended]
			if !a.json {
				a.tell("%3d/%d  %s %s", n, len(all), mark(o), o.Name)
			}
		}
		return nil
	}))
	for i := range all {
		g.Go(recovery.Task(func() error {
			defer func() { ended <- i }()
			outcomes[i] = prove.Play(ctx, a.startForProof, &all[i])
			return nil
		}))
	}
	if err := g.Wait(); err != nil { // a defect of the prover: failures of scenarios are in outcomes
		return err
	}
	return a.printProof(outcomes, time.Since(begun))
}

func mark(o *prove.Outcome) string {
	if o.Holds {
		return "✓"
	}
	return "✗"
}

// printProof prints the table, and fails if a promise is broken.
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
		rows := [][]string{{"", "Scenario", "Promise", "Turns", "Seconds"}}
		for i := range outcomes {
			o := &outcomes[i]
			rows = append(rows, []string{mark(o), o.Name, o.Promise, strconv.Itoa(o.Turns), fmt.Sprintf("%.1f", o.Seconds)})
		}
		if err := a.table(rows); err != nil {
			return err
		}
		for i := range outcomes {
			if o := &outcomes[i]; !o.Holds {
				a.say("\n✗ %s\n  %s", o.Name, block(o.Why))
			}
		}
		a.say("\n%d of %d promises hold (%d turns, %.1f s)", len(outcomes)-broken, len(outcomes), turns, took.Seconds())
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d promises do not hold", broken, len(outcomes))
	}
	return nil
}
