package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/terminal"
)

// sessionRow is a session of the API.
type sessionRow struct {
	ID           string     `json:"id"`
	RootID       string     `json:"_lineage_root_id"`
	ParentID     optional   `json:"parent_session_id"`
	Key          optional   `json:"session_key"`
	Source       string     `json:"source"`
	Model        optional   `json:"model"`
	Title        optional   `json:"title"`
	StartedAt    time.Time  `json:"started_at"`
	EndedAt      *time.Time `json:"ended_at"`
	EndReason    optional   `json:"end_reason"`
	LastActive   time.Time  `json:"last_active"`
	Messages     int64      `json:"lineage_message_count"`
	Undone       int64      `json:"undone_message_count,omitempty"` // of the messages; 0 if it was not asked for
	InputTokens  int64      `json:"input_tokens"`
	OutputTokens int64      `json:"output_tokens"`
	Compressions int        `json:"compressions"`
	Preview      optional   `json:"preview"`
}

// said is how many messages stand, and how many were undone.
func (s *sessionRow) said() string { return standing(s.Messages, s.Undone) }

func standing(all, undone int64) string {
	out := strconv.FormatInt(all-undone, 10)
	if undone > 0 {
		out += fmt.Sprintf(" (%d undone)", undone)
	}
	return out
}

// optional is a text that is null in JSON if it is empty.
type optional string

// MarshalJSON implements json.Marshaler.
func (o optional) MarshalJSON() ([]byte, error) {
	if o == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(o))
}

func (a *app) sessionsCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use: "sessions", Short: "List, read, keep and delete past conversations",
		Long: `List, read, keep and delete past conversations.

An ID may be any id the conversation ever had. Of generated ids the beginning is
enough, as long as it is the only one.

Exit codes: 0 done, 1 failed or not confirmed, 2 wrong usage, 130 interrupted.`,
	})
	c.AddCommand(
		a.sessionsListCommand(), a.sessionsShowCommand(), a.sessionsSearchCommand(), a.sessionsRenameCommand(), a.sessionsForkCommand(),
		a.sessionsDiffCommand(), a.sessionsExportCommand(), a.sessionsImportCommand(), a.sessionsDeleteCommand(), a.sessionsPruneCommand(),
		a.sessionsStatsCommand(), a.sessionsMirrorCommand(),
	)
	return c
}

// sessionPath is the path of a session in the API.
func sessionPath(id string, more ...string) string {
	return "/api/sessions/" + url.PathEscape(id) + strings.Join(more, "")
}

// oneSession checks that the only argument is the id of a session.
func oneSession(c *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usageError{fmt.Errorf("%s needs the id of one session; `hermes sessions list` shows them", c.CommandPath())}
	}
	return nil
}

func (a *app) sessionsListCommand() *cobra.Command {
	var limit int
	var source string
	var titles bool
	c := &cobra.Command{
		Use: "list", Short: "List conversations, the newest activity first", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usageError{errors.New("--limit is a number from 1")}
			}
			q := url.Values{"include": {"undone"}}
			if source != "" {
				q.Set("source", source)
			}
			return a.withClient(c, func(cl *client) error {
				rows, err := gather(pages[json.RawMessage](c.Context(), cl, "/api/sessions", q, limit))
				if err != nil {
					return err
				}
				return printRows(a, rows, "No sessions found.", func(rows []json.RawMessage) error { return a.printSessions(rows, titles) })
			})
		},
	}
	c.Flags().StringVar(&source, "source", "", "only those that came from here, such as cli or telegram")
	c.Flags().IntVar(&limit, "limit", 20, "how many at most")
	c.Flags().BoolVar(&titles, "titles", false, "with the titles, in a column behind the others")
	return c
}

// rest is the length of the rule after the first four columns, so that the whole rule
// is as long as in the manual.
const rest = 16

// clock is the format of times.
const clock = "2006-01-02 15:04"

// The most that the table shows of a model's name and of a title, in characters.
const (
	modelColumns = 30
	titleColumns = 40
)

// printSessions prints the table. Its columns are as wide as in the manual, or as their
// widest cell. Titles are a column behind those of the manual.
func (a *app) printSessions(rows []json.RawMessage, titles bool) error {
	table, err := sessionTable(rows, titles)
	if err != nil {
		return err
	}
	widths := []int{30, 12, 30, 8}
	rule := rest
	if titles {
		widths = append(widths, len("2006-01-02 15:04 (ended)"))
		rule = titleColumns
	}
	for i := range widths {
		for _, row := range table {
			widths[i] = max(widths[i], terminal.Columns(row[i]))
		}
		rule += widths[i]
	}
	for n, row := range table {
		var line strings.Builder
		for i, w := range widths {
			space := strings.Repeat(" ", w-terminal.Columns(row[i]))
			if i == 3 && n > 0 { // numbers are aligned with the end of their heading
				line.WriteString(space + row[i] + " ")
			} else {
				line.WriteString(row[i] + space + " ")
			}
		}
		a.say("%s", block(strings.TrimRight(line.String()+row[len(row)-1], " ")))
		if n == 0 {
			a.say("%s", strings.Repeat("─", rule))
		}
	}
	return nil
}

// sessionTable is the table of sessions, with its head.
func sessionTable(rows []json.RawMessage, titles bool) ([][]string, error) {
	head := []string{"ID", "Source", "Model", "Messages", "Started"}
	if titles {
		head = append(head, "Title")
	}
	table := [][]string{head}
	for _, raw := range rows {
		var s sessionRow
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, fmt.Errorf("decode session: %w", err)
		}
		model := "-"
		if s.Model != "" {
			model = shortened(terminal.OneLine(string(s.Model)), modelColumns)
		}
		started := s.StartedAt.Local().Format(clock)
		if s.EndedAt != nil {
			started += " (ended)"
		}
		row := []string{terminal.OneLine(s.ID), terminal.OneLine(s.Source), model, s.said(), started}
		if titles {
			row = append(row, shortened(terminal.OneLine(string(s.Title)), titleColumns))
		}
		table = append(table, row)
	}
	return table, nil
}

func (a *app) sessionsStatsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Count conversations and messages", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error {
				var stats struct {
					Sessions int64 `json:"total_sessions"`
					Messages int64 `json:"total_messages"`
					Undone   int64 `json:"undone_messages"`
					Sources  []struct {
						Source   string `json:"source"`
						Sessions int64  `json:"sessions"`
					} `json:"sources"`
					Bytes int64 `json:"database_bytes"`
				}
				if err := cl.call(c.Context(), http.MethodGet, "/api/sessions/stats", nil, &stats); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(stats)
				}
				a.say("Total sessions: %d", stats.Sessions)
				a.say("Total messages: %s", standing(stats.Messages, stats.Undone))
				for _, s := range stats.Sources {
					a.say("%s: %d sessions", s.Source, s.Sessions)
				}
				a.say("Database size: %s", megabytes(stats.Bytes))
				return nil
			})
		},
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
