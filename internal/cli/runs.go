package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/terminal"
)

// turnRow is a run of the API.
type turnRow struct {
	RunID     string  `json:"run_id"`
	Kind      string  `json:"kind"`
	Status    string  `json:"status"`
	SessionID string  `json:"session_id"`
	Model     *string `json:"model"`
	Output    *string `json:"output"`
	Attempts  int     `json:"attempts"`
	OnRestart string  `json:"on_restart"`
	Error     *struct {
		Message string `json:"message"`
		Code    string `json:"code"`
	} `json:"error"`
	Approvals  []approvalRow `json:"approvals"`
	CreatedAt  time.Time     `json:"created_at"`
	StartedAt  *time.Time    `json:"started_at"`
	FinishedAt *time.Time    `json:"finished_at"`
}

// approvalRow is a tool call that waits for approval.
type approvalRow struct {
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments any       `json:"arguments"`
	Deadline  time.Time `json:"deadline"`
}

func (a *app) runsCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use: "runs", Short: "Turns that go on without their client",
		Long: `Turns that go on without their client: those of POST /v1/runs, and chat
completions with X-Hermes-Detach.

They are carried out by a running server: see 'hermes serve'.`,
	})
	c.AddCommand(a.runsListCommand(), a.runsShowCommand(), a.runsFollowCommand(), a.runsStopCommand(),
		a.runsDecideCommand("approve", "Let a tool's call run that waits for approval", true),
		a.runsDecideCommand("deny", "Refuse a tool's call that waits for approval", false))
	return c
}

// oneTurn checks the argument of commands about one run.
func oneTurn(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s needs the id of a run. See `hermes runs list`", c.CommandPath())}
	}
	return nil
}

func turnPath(id string, more ...string) string {
	return "/v1/runs/" + url.PathEscape(id) + strings.Join(more, "")
}

func (a *app) runsListCommand() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "list", Short: "List runs, newest first", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return showRows(a, c, fmt.Sprintf("/v1/runs?limit=%d", limit), "No runs. POST /v1/runs begins one.", func(rows []turnRow) error {
				table := [][]string{{"Run", "Status", "Session", "Begun", "What it said"}}
				for i := range rows {
					r := &rows[i]
					table = append(table, []string{r.RunID, r.Status, r.SessionID, local(r.StartedAt), r.said()})
				}
				return a.table(table)
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many at most (1-100)")
	return c
}

// said is a run's answer, or its error, in one line.
func (r *turnRow) said() string {
	const most = 60
	text := "-"
	switch {
	case r.Error != nil:
		text = r.Error.Message
	case r.Output != nil:
		text = *r.Output
	}
	return shortened(terminal.OneLine(text), most)
}

func (a *app) runsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show a run, what it said, and what waits for approval", Args: oneTurn,
		RunE: func(c *cobra.Command, args []string) error {
			return a.turnCall(c, http.MethodGet, turnPath(args[0]), nil)
		},
	}
}

func (a *app) runsStopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop RUN", Short: "End a run early; the answer so far is kept", Args: oneTurn,
		RunE: func(c *cobra.Command, args []string) error {
			return a.turnCall(c, http.MethodPost, turnPath(args[0], "/stop"), nil)
		},
	}
}

func (a *app) runsDecideCommand(use, short string, approve bool) *cobra.Command {
	return &cobra.Command{
		Use: use + " RUN [CALL]", Short: short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError{errors.New(c.CommandPath() + " needs the id of a run, and the call's if several wait. See `hermes runs show RUN`")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			body := map[string]any{"approve": approve}
			if len(args) == 2 {
				body["call_id"] = args[1]
			}
			return a.turnCall(c, http.MethodPost, turnPath(args[0], "/approval"), body)
		},
	}
}

// turnCall makes a request whose answer is a run, and prints the run.
func (a *app) turnCall(c *cobra.Command, method, path string, body any) error {
	return a.withClient(c, func(cl *client) error {
		var r turnRow
		if err := cl.call(c.Context(), method, path, body, &r); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(r)
		}
		return a.printTurn(&r)
	})
}

func (a *app) printTurn(r *turnRow) error {
	rows := [][]string{
		{"id", r.RunID}, {"status", r.Status}, {"session", r.SessionID}, {"begun", local(r.StartedAt)}, {"ended", local(r.FinishedAt)},
		{"attempts", fmt.Sprint(r.Attempts)}, {"on restart", r.OnRestart},
	}
	if r.Model != nil {
		rows = append(rows, []string{"model", *r.Model})
	}
	if r.Error != nil {
		rows = append(rows, []string{"error", r.Error.Message})
	}
	for _, call := range r.Approvals {
		rows = append(rows, []string{"waits", fmt.Sprintf("%s: %s %v, until %s", call.CallID, call.Name, call.Arguments, local(&call.Deadline))})
	}
	if err := a.table(rows); err != nil {
		return err
	}
	if r.Output != nil && *r.Output != "" {
		a.say("\n%s", block(*r.Output))
	}
	return nil
}
