package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/terminal"
)

// hit is a conversation with matching messages in the API.
type hit struct {
	ID         string    `json:"id"`
	RootID     string    `json:"_lineage_root_id"`
	Title      *string   `json:"title"`
	Source     string    `json:"source"`
	StartedAt  time.Time `json:"started_at"`
	LastActive time.Time `json:"last_active"`
	Messages   int64     `json:"lineage_message_count"`
	Score      float64   `json:"score"`
	MatchCount int       `json:"match_count"`
	Matches    []struct {
		MessageID  int64     `json:"message_id"`
		SessionID  string    `json:"session_id"`
		Seq        int64     `json:"seq"`
		Role       string    `json:"role"`
		SaidAt     time.Time `json:"said_at"`
		Snippet    string    `json:"snippet"`
		Highlights [][2]int  `json:"highlights"`
	} `json:"matches"`
}

type hitList struct {
	Query   string `json:"query"`
	Data    []hit  `json:"data"`
	Partial bool   `json:"partial"`
}

func (a *app) sessionsSearchCommand() *cobra.Command {
	var limit int
	var source, role, sessionID, key string
	c := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find what was said, in all conversations",
		Long: `Find what was said, in all conversations.

  docker deployment         messages with both words, in any form
  '"exact phrase"'          words side by side (quote it for the shell, too)
  'docker OR kubernetes'    either; operators are written large
  'python NOT java'         the first without the second
  'deploy*'                 words that begin so

A compressed conversation counts as one and is shown by its newest id.`,
		Args: someWords("what to look for, such as docker deployment"),
		RunE: func(c *cobra.Command, args []string) error {
			q := url.Values{"q": {strings.Join(args, " ")}, "limit": {strconv.Itoa(limit)}}
			for name, value := range map[string]string{"source": source, "role": role, "session_id": sessionID, "session_key": key} {
				if value != "" {
					q.Set(name, value)
				}
			}
			return a.withClient(c, func(cl *client) error {
				var list hitList
				if err := cl.call(c.Context(), http.MethodGet, "/api/search?"+q.Encode(), nil, &list); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(list)
				}
				a.printHits(&list)
				return nil
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 10, "how many conversations at most (1-100)")
	c.Flags().StringVar(&source, "source", "", "only those that came from here, such as cli or api_server")
	c.Flags().StringVar(&role, "role", "", "only what this one said: user, assistant or tool")
	c.Flags().StringVar(&sessionID, "session", "", "only in the conversation of this session")
	c.Flags().StringVar(&key, "key", "", "only what was said under this session key")
	return c
}

// printHits prints each conversation with its best messages.
func (a *app) printHits(list *hitList) {
	if len(list.Data) == 0 {
		a.say("Nothing was said that matches %s.", list.Query)
	}
	mark := a.highlighter()
	for i := range list.Data {
		h := &list.Data[i]
		if i > 0 {
			a.say("")
		}
		title := "untitled"
		if h.Title != nil {
			title = terminal.OneLine(*h.Title)
		}
		a.painted(fmt.Sprintf("%s  %s  (%s, %s, %s)", mark(terminal.OneLine(h.ID)), title, terminal.OneLine(h.Source),
			h.LastActive.Local().Format(clock), countOf(h.MatchCount, "match", "matches")))
		for j := range h.Matches {
			m := &h.Matches[j]
			a.painted(fmt.Sprintf("  #%d %s %s: %s", m.Seq, m.SaidAt.Local().Format(clock), terminal.OneLine(m.Role),
				highlight(m.Snippet, m.Highlights, mark)))
		}
	}
	if list.Partial {
		a.say("\nThere is more that matches; only the newest was compared. Rarer words find older things.")
	}
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// highlight marks parts of a text; positions are in characters.
func highlight(text string, places [][2]int, mark func(string) string) string {
	var b strings.Builder
	runes, at := []rune(text), 0
	cut := func(part []rune) string { // cleaned, with the blanks at its ends kept
		return terminal.Clean(strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return ' '
			}
			return r
		}, string(part)))
	}
	for _, p := range places {
		from, to := max(p[0], at), min(p[1], len(runes))
		if from >= to {
			continue
		}
		b.WriteString(cut(runes[at:from]))
		b.WriteString(mark(cut(runes[from:to])))
		at = to
	}
	b.WriteString(cut(runes[at:]))
	return b.String()
}
