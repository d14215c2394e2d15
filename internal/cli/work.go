package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
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
			return a.withClient(c, func(cl *client) error { return a.showWork(c.Context(), cl) })
		},
	}
}

func (a *app) showWork(ctx context.Context, cl *client) error {
	all := []workItem{}
	for cursor, more := "", true; more; {
		var page struct {
			Data []workItem `json:"data"`
			Next string     `json:"next_cursor"`
		}
		if err := cl.call(ctx, http.MethodGet, "/api/work?limit=200&cursor="+url.QueryEscape(cursor), nil, &page); err != nil {
			return err
		}
		all = append(all, page.Data...)
		cursor, more = page.Next, page.Next != ""
	}
	if a.json {
		return a.printJSON(all)
	}
	if len(all) == 0 {
		fmt.Fprintln(a.process.Stdout, "Nothing is left to do.")
		return nil
	}
	w := tabwriter.NewWriter(a.process.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Session\tKind\tStatus\tAttempts\tNext attempt\tError")
	for i := range all {
		it := &all[i]
		next := "-"
		if it.NextAttemptAt != nil {
			next = it.NextAttemptAt.Local().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", printable(it.SessionID), it.Kind, it.Status, it.Attempts, next, cmp.Or(printable(it.Error), "-"))
	}
	return w.Flush()
}
