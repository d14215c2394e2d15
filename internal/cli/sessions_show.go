package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// spoken is a message of the API.
type spoken struct {
	ID         int64           `json:"id"`
	SessionID  string          `json:"session_id"`
	Seq        int64           `json:"seq"`
	Role       string          `json:"role"`
	Name       string          `json:"name,omitempty"`
	Content    string          `json:"content"`
	ToolCalls  json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	ToolName   string          `json:"tool_name,omitempty"`
	ReplyTo    int64           `json:"reply_to,omitempty"`
	CreatedAt  time.Time       `json:"created_at"`
	UndoneAt   *time.Time      `json:"undone_at,omitempty"`
}

// calls are the tool calls of a message with their arguments.
func (m *spoken) calls() []string {
	var calls []struct {
		Function struct{ Name, Arguments string }
	}
	_ = json.Unmarshal(m.ToolCalls, &calls) // calls in another form are not shown
	var out []string
	for _, c := range calls {
		out = append(out, fmt.Sprintf("→ %s %s", c.Function.Name, c.Function.Arguments))
	}
	return out
}

func (a *app) sessionsShowCommand() *cobra.Command {
	var limit int
	var undone bool
	c := &cobra.Command{
		Use: "show ID", Short: "Show a conversation and its newest messages", Args: oneSession, ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 0 {
				return usageError{errors.New("--limit is a number from 0")}
			}
			return a.withClient(c, func(cl *client) error {
				var s sessionRow
				if err := cl.call(c.Context(), http.MethodGet, sessionPath(args[0], "?include=undone"), nil, &s); err != nil {
					return err
				}
				ms, err := newestMessages(c, cl, s.ID, limit, undone)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(map[string]any{"session": s, "messages": ms})
				}
				a.printSession(&s)
				for i := range ms {
					a.printSpoken(&ms[i])
				}
				return nil
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many messages at most")
	c.Flags().BoolVar(&undone, "undone", false, "also those that were taken back")
	return c
}

// newestMessages reads the newest messages, oldest first.
func newestMessages(c *cobra.Command, cl *client, id string, limit int, undone bool) ([]spoken, error) {
	if limit == 0 {
		return []spoken{}, nil
	}
	include := ""
	if undone {
		include = "&include=undone"
	}
	const most = 1000 // a page
	var page struct {
		Data     []spoken `json:"data"`
		HasMore  bool     `json:"has_more"`
		NextFrom *int64   `json:"next_from"`
	}
	if limit <= most {
		err := cl.call(c.Context(), http.MethodGet, sessionPath(id, "/messages?order=latest&limit="+strconv.Itoa(limit)+include), nil, &page)
		return page.Data, err
	}
	var all []spoken
	for from := int64(0); ; from = *page.NextFrom {
		page.Data, page.NextFrom = nil, nil
		path := fmt.Sprintf("/messages?limit=%d&from=%d%s", most, from, include)
		if err := cl.call(c.Context(), http.MethodGet, sessionPath(id, path), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if page.NextFrom == nil {
			break
		}
	}
	return all[max(0, len(all)-limit):], nil
}

// printSession prints the properties of a conversation, one per line.
func (a *app) printSession(s *sessionRow) {
	line := func(name, format string, args ...any) {
		a.say("%-10s %s", name, fmt.Sprintf(format, args...))
	}
	line("ID", "%s", s.ID)
	if s.Title != "" {
		line("Title", "%s", string(s.Title))
	}
	line("Source", "%s", s.Source)
	if s.Model != "" {
		line("Model", "%s", s.Model)
	}
	if s.Key != "" {
		line("Key", "%s", s.Key)
	}
	line("Started", "%s", s.StartedAt.Local().Format(clock))
	if s.EndedAt != nil {
		reason := ""
		if s.EndReason != "" {
			reason = " (" + string(s.EndReason) + ")"
		}
		line("Ended", "%s%s", s.EndedAt.Local().Format(clock), reason)
	}
	line("Messages", "%s", s.said())
	line("Tokens", "%d in, %d out", s.InputTokens, s.OutputTokens)
	if s.RootID != s.ID {
		line("Began as", "%s, compressed %s", s.RootID, countOf(s.Compressions, "time", "times"))
	} else if s.ParentID != "" {
		line("Follows", "%s", s.ParentID)
	}
}

// printSpoken prints one message with its id, which `fork` accepts.
func (a *app) printSpoken(m *spoken) {
	who := m.Role
	if m.Name != "" {
		who = m.Name
	}
	if m.ToolName != "" {
		who += " " + m.ToolName
	}
	mark := ""
	if m.ReplyTo != 0 {
		mark = fmt.Sprintf(" (answers [%d])", m.ReplyTo)
	}
	if m.UndoneAt != nil {
		mark += " (undone)"
	}
	a.say("\n[%d] %s %s%s", m.ID, m.CreatedAt.Local().Format(clock), who, block(mark))
	calls := m.calls()
	if m.Content != "" || len(calls) == 0 {
		for line := range strings.SplitSeq(m.Content, "\n") {
			a.say("%s", block(strings.TrimRight(line, " \r")))
		}
	}
	for _, call := range calls {
		a.say("%s", call)
	}
}
