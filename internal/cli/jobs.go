package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
)

// jobRow is a job of the API.
type jobRow struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Schedule      string     `json:"schedule"`
	Timezone      string     `json:"timezone"`
	Prompt        string     `json:"prompt"`
	SessionID     string     `json:"session_id"`
	SessionKey    *string    `json:"session_key"`
	Deliver       string     `json:"deliver"`
	Repeat        *int       `json:"repeat"`
	Fires         int        `json:"fires"`
	CatchUp       string     `json:"catch_up"`
	Model         *string    `json:"model"`
	Timeout       int        `json:"timeout_seconds"`
	Enabled       bool       `json:"enabled"`
	State         string     `json:"state"`
	NextRunAt     *time.Time `json:"next_run_at"`
	LastRunAt     *time.Time `json:"last_run_at"`
	LastStatus    *string    `json:"last_status"`
	WebhookSecret string     `json:"webhook_secret,omitempty"`
}

type jobReply struct {
	Job jobRow `json:"job"`
}

func (a *app) jobsCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use: "jobs", Short: "Prompts that run on a schedule",
		Long: `Prompts that run on a schedule, each as a turn of its session.

A job is fired by a running server: see 'hermes serve'. Due times at which
none ran are caught up once, late, unless --catch-up says otherwise.`,
	})
	c.AddCommand(a.jobsCreateCommand(), a.jobsListCommand(), a.jobsShowCommand(), a.jobsRunsCommand(), a.jobsRunCommand(),
		a.jobsSwitchCommand("pause", "Stop firing a job", "Paused"),
		a.jobsSwitchCommand("resume", "Let a paused job fire again, from now on", "Resumed"),
		a.jobsEditCommand(), a.jobsDeleteCommand(), a.jobsPreviewCommand())
	return c
}

// local is a time in the local time zone.
func local(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format("Mon 2006-01-02 15:04")
}

// oneJob checks the argument of commands about one job.
func oneJob(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s needs a job: its name, or its id. See `hermes jobs list`", c.CommandPath())}
	}
	return nil
}

// findJob finds a job by its name or id.
func (cl *client) findJob(ctx context.Context, name string) (jobRow, error) {
	var list page[jobRow]
	if err := cl.call(ctx, http.MethodGet, "/api/jobs", nil, &list); err != nil {
		return jobRow{}, err
	}
	for _, j := range list.Data {
		if j.ID == name || j.Name == name {
			return j, nil
		}
	}
	return jobRow{}, fault.New(fault.NotFound, "job_not_found", fmt.Sprintf("There is no job %q. See `hermes jobs list`.", name))
}

func jobPath(id string, more ...string) string {
	return "/api/jobs/" + url.PathEscape(id) + strings.Join(more, "")
}

// jobFlags are the properties of a job. Only given flags are sent.
type jobFlags struct {
	name, schedule, prompt, timezone, session, key, deliver, catchUp, model string
	repeat                                                                  int
	timeout                                                                 time.Duration
}

func (f *jobFlags) declare(c *cobra.Command, edit bool) {
	fl := c.Flags()
	if edit {
		fl.StringVar(&f.name, "name", "", "another name")
		fl.StringVar(&f.schedule, "schedule", "", "another schedule")
		fl.StringVar(&f.prompt, "prompt", "", "another prompt")
	}
	fl.StringVar(&f.timezone, "timezone", "", "IANA time zone of its local times (default: the server's)")
	fl.StringVar(&f.session, "session", "", "the session its runs are turns of (default: job:NAME)")
	fl.StringVar(&f.key, "key", "", "the session key whose memory they see")
	fl.StringVar(&f.deliver, "deliver", "", "where the answers go: local, webhook:URL, origin, or a chat such as telegram or telegram:CHAT")
	fl.StringVar(&f.catchUp, "catch-up", "", "what becomes of missed times: once, skip or all")
	fl.StringVar(&f.model, "model", "", "the model that answers")
	fl.IntVar(&f.repeat, "repeat", 0, "end after so many runs; 0 is never")
	fl.DurationVar(&f.timeout, "timeout", 0, "how long a run may take, such as 5m")
}

// body is the request body for the given flags.
func (f *jobFlags) body(c *cobra.Command) map[string]any {
	body := make(map[string]any)
	for flag, v := range map[string]struct {
		field string
		value any
	}{
		"name": {"name", f.name}, "schedule": {"schedule", f.schedule}, "prompt": {"prompt", f.prompt}, "timezone": {"timezone", f.timezone},
		"session": {"session_id", f.session}, "key": {"session_key", f.key}, "deliver": {"deliver", f.deliver},
		"catch-up": {"catch_up", f.catchUp},
		"model":    {"model", f.model}, "repeat": {"repeat", f.repeat}, "timeout": {"timeout_seconds", f.timeout.Seconds()},
	} {
		if fl := c.Flags().Lookup(flag); fl != nil && fl.Changed {
			body[v.field] = v.value
		}
	}
	return body
}

func (a *app) jobsCreateCommand() *cobra.Command {
	var f jobFlags
	var paused bool
	c := &cobra.Command{
		Use: "create NAME SCHEDULE PROMPT…", Short: "Make a job",
		Long: `Make a job.

SCHEDULE is one argument: "0 9 * * 1", "@daily", "every 30m", "every monday 9am",
"in 2h", or an instant such as 2027-01-31T09:00:00Z.`,
		Example: `  hermes jobs create weekly-report "0 9 * * 1" "Which decisions were reversed this week?"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 3 {
				return usageError{errors.New(`a job needs a name, a schedule and a prompt: hermes jobs create report "every monday 9am" "What is new?"`)}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			body := f.body(c)
			body["name"], body["schedule"], body["prompt"] = args[0], args[1], strings.Join(args[2:], " ")
			if paused {
				body["enabled"] = false
			}
			return a.withClient(c, func(cl *client) error {
				var made jobReply
				if err := cl.call(c.Context(), http.MethodPost, "/api/jobs", body, &made); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(made.Job)
				}
				a.say("Made job %s (%s). Next run: %s.", made.Job.Name, made.Job.ID, local(made.Job.NextRunAt))
				a.tellSecret(&made.Job)
				if cl.embedded != nil {
					a.tell("No server is running: jobs are fired while `hermes serve` does.")
				}
				return nil
			})
		},
	}
	f.declare(c, false)
	c.Flags().BoolVar(&paused, "paused", false, "make it without firing it yet")
	return c
}

// tellSecret prints the secret of a new webhook, which is shown once.
func (a *app) tellSecret(j *jobRow) {
	if j.WebhookSecret != "" {
		a.tell("The webhook's secret, which is not shown again: %s", j.WebhookSecret)
	}
}

func (a *app) jobsListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all jobs", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return showRows(a, c, "/api/jobs", `No jobs. Make one: hermes jobs create NAME "every monday 9am" "PROMPT"`, func(rows []jobRow) error {
				table := [][]string{{"Name", "Schedule", "State", "Next run", "Last run", "Last status"}}
				for _, j := range rows {
					status := "-"
					if j.LastStatus != nil {
						status = *j.LastStatus
					}
					table = append(table, []string{j.Name, j.Schedule, j.State, local(j.NextRunAt), local(j.LastRunAt), status})
				}
				return a.table(table)
			})
		},
	}
}

func (a *app) jobsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show JOB", Short: "Show a job and when it fires next", Args: oneJob,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				j, err := cl.findJob(c.Context(), args[0])
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(j)
				}
				return a.printJob(c.Context(), cl, &j)
			})
		},
	}
}

func (a *app) printJob(ctx context.Context, cl *client, j *jobRow) error {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	rows := [][]string{
		{"id", j.ID}, {"name", j.Name}, {"schedule", j.Schedule + " (" + j.Timezone + ")"}, {"state", j.State},
		{"session", j.SessionID}, {"session key", text(j.SessionKey)}, {"deliver", j.Deliver}, {"catch up", j.CatchUp},
		{"model", text(j.Model)}, {"timeout", (time.Duration(j.Timeout) * time.Second).String()},
		{"fired", countOf(j.Fires, "time", "times") + " by its schedule"},
		{"last run", local(j.LastRunAt) + " " + text(j.LastStatus)}, {"next run", local(j.NextRunAt)}, {"prompt", j.Prompt},
	}
	if err := a.table(rows); err != nil || j.NextRunAt == nil {
		return err
	}
	next, err := cl.preview(ctx, j.Schedule, j.Timezone, 5)
	if err != nil || strings.HasPrefix(j.Schedule, "every ") || strings.HasPrefix(j.Schedule, "in ") {
		return nil //nolint:nilerr // an interval has another anchor here, so its preview would be wrong
	}
	a.say("then")
	for _, at := range next[min(1, len(next)):] {
		a.say("  %s", local(&at))
	}
	return nil
}

// preview asks when a schedule would fire.
func (cl *client) preview(ctx context.Context, schedule, zone string, count int) ([]time.Time, error) {
	q := url.Values{"schedule": {schedule}, "count": {fmt.Sprint(count)}}
	if zone != "" {
		q.Set("timezone", zone)
	}
	var out struct {
		Next []time.Time `json:"next"`
	}
	err := cl.call(ctx, http.MethodGet, "/api/jobs/preview?"+q.Encode(), nil, &out)
	return out.Next, err
}
