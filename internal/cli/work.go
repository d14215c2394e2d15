package cli

import (
	"cmp"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// workItem is a queued task in the API.
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
		Short: "Show the queue of background work on memory",
		Long: `Show the queued tasks of memory.model and memory.embeddings_model: the session,
whether the task waits, runs or fails, and when it is tried next. Finished tasks
are not shown.`,
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
	rows := [][]string{{"Session", "Kind", "Status", "Attempts", "Next attempt", "Error"}}
	for i := range items {
		it := &items[i]
		next := "-"
		if it.NextAttemptAt != nil {
			next = it.NextAttemptAt.Local().Format("2006-01-02 15:04:05")
		}
		rows = append(rows, []string{it.SessionID, it.Kind, it.Status, strconv.Itoa(it.Attempts), next, cmp.Or(it.Error, "-")})
	}
	return a.table(rows)
}
