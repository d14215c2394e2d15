package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/lineage"
)

// cost is the cost of a session in the API.
type cost struct {
	SessionID string `json:"session_id"`
	Turns     int    `json:"turns"`
	Sent      int    `json:"sent_tokens"`
	Naive     int    `json:"naive_tokens"`
	Data      []struct {
		Turns   int             `json:"turns"`
		From    int64           `json:"from_seq"`
		To      int64           `json:"to_seq"`
		At      time.Time       `json:"at"`
		Context lineage.Context `json:"context"`
	} `json:"data"`
}

// The plot's size, in characters. A narrower terminal reduces the width.
const (
	plotWidth  = 72
	plotHeight = 12
	plotMargin = 10 // for the numbers at the left
)

func (a *app) costCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cost [SESSION]",
		Short: "Show the tokens sent to the model, compared with sending the whole history each time",
		Long: `Show the tokens that the turns of a session sent to the model, compared with a
client without memory, which sends its whole history each time. Without an
argument it shows the session used last.`,
		Args:              oneArgAtMost,
		ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error { return a.runCost(c, cl, args) })
		},
	}
}

func (a *app) runCost(c *cobra.Command, cl *client, args []string) error {
	if len(args) == 0 {
		var list struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		if err := cl.call(c.Context(), http.MethodGet, "/api/sessions?limit=1", nil, &list); err != nil {
			return err
		}
		if len(list.Data) == 0 {
			a.say("There are no sessions yet.")
			return nil
		}
		args = []string{list.Data[0].ID}
	}
	width := min(plotWidth, a.columns()-plotMargin)
	var out cost
	path := fmt.Sprintf("/api/sessions/%s/cost?points=%d", url.PathEscape(args[0]), max(width, 1))
	if err := cl.call(c.Context(), http.MethodGet, path, nil, &out); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	a.printCost(&out)
	return nil
}

func (a *app) printCost(c *cost) {
	if c.Turns == 0 {
		a.say("Session %s has no answers yet.", c.SessionID)
		return
	}
	a.say("Session %s: %s, %s tokens sent", c.SessionID, turns(c.Turns), grouped(c.Sent))
	if c.Naive > c.Sent {
		a.say("The whole history each time would have been %s: %.1f times as much.", grouped(c.Naive), float64(c.Naive)/float64(max(c.Sent, 1)))
	} else {
		a.say("The whole history each time would have been %s: memory pays off once it outgrows the budget.", grouped(c.Naive))
	}
	var client, system, memory, tail, input int
	sent, naive := make([]int, len(c.Data)), make([]int, len(c.Data))
	for i := range c.Data {
		d := &c.Data[i]
		sent[i], naive[i] = d.Context.Sent/d.Turns, d.Context.Naive/d.Turns
		client += d.Context.Client
		system += d.Context.System
		memory += d.Context.Memory
		tail += d.Context.Tail
		input += d.Context.Input
	}
	a.say("Of a turn's %s tokens: system %d, memory %d, tail %d, input %d.",
		grouped(c.Sent/c.Turns), system/c.Turns, memory/c.Turns, tail/c.Turns, input/c.Turns)
	a.say("The client's own part: %s a turn; memory added %s.", grouped(client/c.Turns), grouped((c.Sent-client)/c.Turns))
	a.say("\ntokens per turn    █ sent   · whole history\n%s", block(plot(sent, naive)))
	a.say("%*s└%s\n%*s turn 1%s", plotMargin-1, "", strings.Repeat("─", len(sent)), plotMargin-1, "", block(lastTurn(c.Turns, len(sent))))
}

// lastTurn names the last turn under the plot, aligned with the plot's end if it fits
// after the first.
func lastTurn(n, columns int) string {
	if n == 1 {
		return ""
	}
	text := fmt.Sprintf("turn %d", n)
	return fmt.Sprintf("%*s", max(columns-len("turn 1"), len(text)+1), text)
}

// plot draws one column per range: a bar for the tokens sent, a dot for the whole
// history.
func plot(sent, naive []int) string {
	top := 1
	for i := range sent {
		top = max(top, sent[i], naive[i])
	}
	level := func(n int) int { return (n*plotHeight + top - 1) / top } // rounded up, so that a small value is visible
	var b strings.Builder
	for row := plotHeight; row >= 1; row-- {
		label := ""
		if row == plotHeight || row == plotHeight/2 {
			label = grouped(top * row / plotHeight)
		}
		fmt.Fprintf(&b, "%*s│", plotMargin-1, label)
		for i := range sent {
			switch {
			case level(sent[i]) >= row:
				b.WriteString("█")
			case level(naive[i]) == row:
				b.WriteString("·")
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func turns(n int) string {
	if n == 1 {
		return "1 turn"
	}
	return grouped(n) + " turns"
}

// grouped writes a number with a comma every three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
