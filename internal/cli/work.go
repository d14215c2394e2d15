package cli

import (
	"cmp"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// workItem is what a model has yet to do, as the API shows it.
type workItem struct {
	SessionID     string     `json:"session_id"`
	Kind          string     `json:"kind"`
	Status        string     `json:"status"`
	Attempts      int        `json:"attempts"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	Error         string     `json:"error"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

func (a *app) workCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "work",
		Short: "Show what models have yet to do behind the turns",
		Long: `Show what the models of memory.model and memory.embeddings_model have yet to do
behind the turns: for which session, whether it waits, runs or fails, and when it
is tried next. What is done is not shown.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error {
				items, err := gather(pages[workItem](c.Context(), cl, "/api/work", nil, everything))
				if err != nil {
					return err
				}
				return printRows(a, items, "Nothing is left to do.", a.printWork)
			})
		},
	}
}

func (a *app) printWork(items []workItem) error {
	w := tabwriter.NewWriter(a.process.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Session\tKind\tStatus\tAttempts\tNext attempt\tError")
	for i := range items {
		it := &items[i]
		next := "-"
		if it.NextAttemptAt != nil {
			next = it.NextAttemptAt.Local().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", printable(it.SessionID), it.Kind, it.Status, it.Attempts, next, cmp.Or(printable(it.Error), "-"))
	}
	return w.Flush()
}
