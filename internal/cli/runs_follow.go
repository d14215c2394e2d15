package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
)

// runEvent is an event of a run, with the fields that are shown.
type runEvent struct {
	Type      string `json:"type"`
	Content   string `json:"content"`
	Name      string `json:"name"`
	CallID    string `json:"call_id"`
	Arguments any    `json:"arguments"`
	Attempt   int    `json:"attempt"`
	OK        bool   `json:"ok"`
	Reason    string `json:"reason"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (a *app) runsFollowCommand() *cobra.Command {
	var after int64
	c := &cobra.Command{
		Use: "follow RUN", Short: "Show what a run says, as it comes", Args: oneTurn,
		Long: `Show what a run says, as it comes, up to its end. With --json, each event is a
line of JSON; --after continues after the event of a number.`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error { return a.followTurn(c, cl, args[0], after) })
		},
	}
	c.Flags().Int64Var(&after, "after", 0, "continue after the event of this number")
	return c
}

// followTurn prints the events of a run. Without a server there are no new ones.
func (a *app) followTurn(c *cobra.Command, cl *client, id string, after int64) error {
	var r turnRow
	if err := cl.call(c.Context(), http.MethodGet, turnPath(id), nil, &r); err != nil {
		return err
	}
	if cl.embedded != nil && r.FinishedAt == nil {
		return fault.New(fault.Unavailable, "no_server", "No server is running, so the run does not go on. Start one: hermes serve")
	}
	in, err := cl.stream(c.Context(), http.MethodGet, turnPath(id, fmt.Sprintf("/events?after=%d", after)), nil)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return a.printEvents(in)
}

// printEvents prints a stream of events until its last one.
func (a *app) printEvents(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if a.json {
				_, _ = jsonWriter{a.raw}.Write([]byte(data)) // a failed write has no one to report it to
			} else {
				var e runEvent
				if json.Unmarshal([]byte(data), &e) == nil {
					a.printEvent(&e)
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fault.Wrap(fault.Unavailable, "connection_lost", "The connection to the server was lost. The run continues: follow it again.", err)
		}
	}
}

// printEvent prints the answer to standard output, and all other events to standard
// error.
func (a *app) printEvent(e *runEvent) {
	switch e.Type {
	case "run.started":
		if e.Attempt > 1 {
			a.tell("— started again —")
		}
	case "message.delta":
		fmt.Fprint(a.out, e.Content)
	case "tool.started":
		a.tell("%s %s", e.Name, fmt.Sprint(e.Arguments))
	case "approval.request":
		a.tell("waits for approval: %s %s (%s)", e.Name, fmt.Sprint(e.Arguments), e.CallID)
	case "approval.resolved":
		a.tell("%s: %s", e.CallID, e.Reason)
	case "run.completed":
		fmt.Fprintln(a.out)
	case "run.failed", "run.cancelled", "run.interrupted":
		fmt.Fprintln(a.out)
		if e.Error != nil {
			a.tell("%s", e.Error.Message)
		}
	}
}
