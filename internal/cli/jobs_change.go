package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/terminal"
)

// runRow is a run of a job in the API.
type runRow struct {
	ID            string     `json:"id"`
	DueAt         time.Time  `json:"due_at"`
	StartedAt     *time.Time `json:"started_at"`
	FinishedAt    *time.Time `json:"finished_at"`
	Late          float64    `json:"late_seconds"`
	Status        string     `json:"status"`
	Reason        *string    `json:"reason"`
	Attempts      int        `json:"attempts"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	SessionID     *string    `json:"session_id"`
	Output        *string    `json:"output"`
	Error         *string    `json:"error"`
	Delivery      *struct {
		EventID string  `json:"event_id"`
		Target  string  `json:"target"`
		State   string  `json:"state"`
		Error   *string `json:"error"`
	} `json:"delivery"`
}

// jobCommand is a command about one job, found by name or id.
func (a *app) jobCommand(use, short string, do func(*cobra.Command, *client, *jobRow) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: oneJob,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				j, err := cl.findJob(c.Context(), args[0])
				if err != nil {
					return err
				}
				return do(c, cl, &j)
			})
		},
	}
}

func (a *app) jobsRunsCommand() *cobra.Command {
	var limit int
	c := a.jobCommand("runs JOB", "Show what became of each due time, newest first", func(c *cobra.Command, cl *client, j *jobRow) error {
		path, none := jobPath(j.ID, fmt.Sprintf("/runs?limit=%d", limit)), fmt.Sprintf("It has not run yet. Next run: %s.", local(j.NextRunAt))
		return showPage(c.Context(), a, cl, path, none, a.printJobRuns)
	})
	c.Flags().IntVar(&limit, "limit", 20, "how many at most (1-200)")
	return c
}

func (a *app) printJobRuns(rows []runRow) error {
	table := [][]string{{"Due", "Status", "Late", "Delivery", "What it said"}}
	for i := range rows {
		r := &rows[i]
		table = append(table, []string{local(&r.DueAt), r.Status, (time.Duration(r.Late) * time.Second).String(), r.delivered(), r.said()})
	}
	return a.table(table)
}

// delivered is what became of the delivery of a run, with the reason why it failed or waits.
func (r *runRow) delivered() string {
	switch d := r.Delivery; {
	case d == nil:
		return "-"
	case d.Error == nil || *d.Error == "":
		return d.State
	default:
		const most = 160 // characters of a reason
		return d.State + ": " + shortened(terminal.OneLine(*d.Error), most)
	}
}

// said is a summary of a run in one line.
func (r *runRow) said() string {
	var parts []string
	for _, text := range []*string{r.Reason, r.Error, r.Output} {
		if text != nil {
			parts = append(parts, *text)
		}
	}
	const most = 80
	line := shortened(terminal.OneLine(strings.Join(parts, " ")), most)
	if r.Status == "failed" && r.NextAttemptAt != nil {
		return line + " (next attempt: " + local(r.NextAttemptAt) + ")"
	}
	return line
}

func (a *app) jobsRunCommand() *cobra.Command {
	return a.jobCommand("run JOB", "Fire a job now, outside its schedule", func(c *cobra.Command, cl *client, j *jobRow) error {
		var out struct {
			Run runRow `json:"run"`
		}
		if err := cl.call(c.Context(), http.MethodPost, jobPath(j.ID, "/run"), nil, &out); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(out.Run)
		}
		if cl.embedded != nil { // an embedded server has no model, and ends with this command
			a.say("%s is fired as soon as `hermes serve` runs.", j.Name)
			return nil
		}
		a.say("Fired %s. See: hermes jobs runs %s", j.Name, j.Name)
		return nil
	})
}

// jobsSwitchCommand pauses or resumes.
func (a *app) jobsSwitchCommand(verb, short, done string) *cobra.Command {
	return a.jobCommand(verb+" JOB", short, func(c *cobra.Command, cl *client, j *jobRow) error {
		var out jobReply
		if err := cl.call(c.Context(), http.MethodPost, jobPath(j.ID, "/"+verb), nil, &out); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(out.Job)
		}
		a.say("%s %s. Next run: %s.", done, j.Name, local(out.Job.NextRunAt))
		return nil
	})
}

func (a *app) jobsEditCommand() *cobra.Command {
	var f jobFlags
	c := a.jobCommand("edit JOB", "Change a job", func(c *cobra.Command, cl *client, j *jobRow) error {
		body := f.body(c)
		if len(body) == 0 {
			return usageError{errors.New("say what is to be different, such as --schedule \"@daily\"")}
		}
		var out jobReply
		if err := cl.call(c.Context(), http.MethodPatch, jobPath(j.ID), body, &out); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(out.Job)
		}
		a.say("Changed %s. Next run: %s.", out.Job.Name, local(out.Job.NextRunAt))
		a.tellSecret(&out.Job)
		return nil
	})
	f.declare(c, true)
	return c
}

func (a *app) jobsDeleteCommand() *cobra.Command {
	var yes bool
	c := a.jobCommand("delete JOB", "Delete a job with its runs; its session stays", func(c *cobra.Command, cl *client, j *jobRow) error {
		if err := a.confirm(c.Context(), yes, fmt.Sprintf("Delete job %s?", j.Name)); err != nil {
			return err
		}
		if err := cl.call(c.Context(), http.MethodDelete, jobPath(j.ID), nil, nil); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"id": j.ID, "deleted": true})
		}
		a.say("Deleted job %s.", j.Name)
		return nil
	})
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) jobsPreviewCommand() *cobra.Command {
	var zone string
	var count int
	c := &cobra.Command{
		Use: "preview SCHEDULE", Short: "Say when a schedule would fire, in local time",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s needs a schedule, such as \"0 9 * * 1\"", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				next, err := cl.preview(c.Context(), strings.Join(args, " "), zone, count)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(next)
				}
				for i := range next {
					a.say("%s", local(&next[i]))
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&zone, "timezone", "", "IANA time zone of the schedule (default: the server's)")
	c.Flags().IntVar(&count, "count", 5, "how many times")
	return c
}
