package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// fact is a fact of the API.
type fact struct {
	ID           string     `json:"id"`
	Kind         string     `json:"kind"`
	Asserted     bool       `json:"asserted"`
	Status       string     `json:"status"`
	Statement    string     `json:"statement"`
	Quote        string     `json:"quote"`
	Because      string     `json:"because,omitempty"`
	SessionID    string     `json:"session_id"`
	Seq          int64      `json:"seq"`
	Role         string     `json:"role"`
	Speaker      string     `json:"speaker,omitempty"`
	SaidAt       time.Time  `json:"said_at"`
	SupersededBy *string    `json:"superseded_by"`
	SupersededAt *time.Time `json:"superseded_at,omitempty"`
	Links        []struct {
		Kind string `json:"kind"`
		To   string `json:"to"`
	} `json:"links"`
}

// scopeFlags select the scope of memory.
type scopeFlags struct{ session, key string }

func (f *scopeFlags) declare(c *cobra.Command) {
	c.Flags().StringVar(&f.session, "session", "", "the memory of this session")
	c.Flags().StringVar(&f.key, "key", "", "the memory of this session key")
}

// query is the query of the API for the scope, with further parameters.
func (f *scopeFlags) query(more ...string) (string, error) {
	if f.session == "" && f.key == "" {
		return "", usageError{errors.New("say whose memory: --session ID or --key KEY")}
	}
	q := url.Values{}
	if f.session != "" {
		q.Set("session_id", f.session)
	}
	if f.key != "" {
		q.Set("session_key", f.key)
	}
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return "?" + q.Encode(), nil
}

func (a *app) memoryCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "memory", Short: "See and change what is remembered"})
	c.AddCommand(a.memoryListCommand(), a.memorySearchCommand(), a.memoryAddCommand(), a.memoryEditCommand(), a.memoryForgetCommand())
	return c
}

func (a *app) memoryListCommand() *cobra.Command {
	var scope scopeFlags
	var kind, asOf string
	var all bool
	c := &cobra.Command{
		Use: "list", Short: "List the facts of a session or a session key", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			include := ""
			if all {
				include = "superseded"
			}
			q, err := scope.query("kind", kind, "as_of", asOf, "include", include)
			if err != nil {
				return err
			}
			return showRows(a, c, "/api/memory"+q, nothingHere, a.printFacts)
		},
	}
	scope.declare(c)
	c.Flags().StringVar(&kind, "kind", "", "only facts of this kind, such as decision; or reversal")
	c.Flags().StringVar(&asOf, "as-of", "", "as it was known then: a day, such as 2026-11-21 with all of it, or an RFC 3339 time")
	c.Flags().BoolVar(&all, "all", false, "with facts that were replaced since")
	return c
}

// nothingHere is printed for a memory without facts.
const nothingHere = "Nothing is remembered here."

// printFacts prints one fact per line: its time, kind, words, and replacement.
func (a *app) printFacts(facts []fact) error {
	for i := range facts {
		f := &facts[i]
		if mention.Erased(f.Quote) {
			continue
		}
		state := ""
		switch {
		case f.SupersededBy != nil:
			state = "  [replaced by " + terminal.OneLine(*f.SupersededBy) + "]"
		case !f.Asserted:
			state = "  [not asserted]"
		}
		a.say("%s  %-16s %s  %s%q%s", f.ID, f.Kind, f.SaidAt.Local().Format("2006-01-02 15:04"), saidBy(f.Speaker), f.Quote, block(state))
	}
	return nil
}

// saidBy is who said what follows, where several people speak; "" for a person without a name.
func saidBy(speaker string) block {
	if speaker == "" {
		return ""
	}
	return block(terminal.OneLine(cite.Name(speaker)) + ": ")
}

func (a *app) memorySearchCommand() *cobra.Command {
	var scope scopeFlags
	var explain bool
	c := &cobra.Command{
		Use: "search QUESTION", Short: "Show what a turn asking this would be given, best first", Args: someWords("a question"),
		RunE: func(c *cobra.Command, args []string) error {
			q, err := scope.query("q", strings.Join(args, " "), "explain", map[bool]string{true: "true"}[explain])
			if err != nil {
				return err
			}
			return a.withClient(c, func(cl *client) error {
				var list struct {
					Data []struct {
						SessionID string    `json:"session_id"`
						Seq       int64     `json:"seq"`
						FactID    *string   `json:"fact_id,omitempty"`
						Role      string    `json:"role"`
						Speaker   string    `json:"speaker"`
						Quote     string    `json:"quote"`
						SaidAt    time.Time `json:"said_at"`
						Score     float64   `json:"score"`
						Reasons   []struct {
							Feature string  `json:"feature"`
							Weight  float64 `json:"weight"`
							Detail  string  `json:"detail,omitempty"`
						} `json:"reasons,omitempty"`
					} `json:"data"`
				}
				if err := cl.call(c.Context(), http.MethodGet, "/api/memory/recall"+q, nil, &list); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(list.Data)
				}
				for _, d := range list.Data {
					a.say("%7.2f  %s  %s #%d  %s%q", d.Score, d.SaidAt.Local().Format("2006-01-02"), d.Role, d.Seq, saidBy(d.Speaker), d.Quote)
					for _, r := range d.Reasons {
						a.say("         %+.2f %s %s", r.Weight, r.Feature, r.Detail)
					}
				}
				return nil
			})
		},
	}
	scope.declare(c)
	c.Flags().BoolVar(&explain, "explain", false, "say why each one ranked")
	return c
}

// someWords demands arguments.
func someWords(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{fmt.Errorf("%s needs %s. See `%s --help`", c.CommandPath(), what, c.CommandPath())}
		}
		return nil
	}
}

func (a *app) memoryAddCommand() *cobra.Command {
	var scope scopeFlags
	var kind string
	c := &cobra.Command{
		Use: "add STATEMENT", Short: "Remember a statement", Args: someWords("a statement"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.changeFact(c, &scope, http.MethodPost, "/api/memory", strings.Join(args, " "), kind)
		},
	}
	scope.declare(c)
	c.Flags().StringVar(&kind, "kind", "", "what kind of fact it is, such as preference (default: the words decide)")
	return c
}

func (a *app) memoryEditCommand() *cobra.Command {
	var scope scopeFlags
	var kind string
	c := &cobra.Command{
		Use: "edit FACT STATEMENT", Short: "Replace a fact by a new version; the old one stays in the history", Args: someWords("a fact's id and a statement"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{errors.New("give the fact's id and the new statement: hermes memory edit f_… STATEMENT")}
			}
			return a.changeFact(c, &scope, http.MethodPatch, "/api/memory/"+url.PathEscape(args[0]), strings.Join(args[1:], " "), kind)
		},
	}
	scope.declare(c)
	c.Flags().StringVar(&kind, "kind", "", "what kind of fact it is (default: the words decide)")
	return c
}

func (a *app) changeFact(c *cobra.Command, scope *scopeFlags, method, path, statement, kind string) error {
	q, err := scope.query()
	if err != nil {
		return err
	}
	return a.withClient(c, func(cl *client) error {
		var list page[fact]
		in := map[string]string{"statement": statement}
		if kind != "" {
			in["kind"] = kind
		}
		if err := cl.call(c.Context(), method, path+q, in, &list); err != nil {
			return err
		}
		return printRows(a, list.Data, nothingHere, a.printFacts)
	})
}

func (a *app) memoryForgetCommand() *cobra.Command {
	var scope scopeFlags
	c := &cobra.Command{
		Use: "forget FACT", Short: "Erase one fact, with its words in the transcript", Args: someWords("a fact's id"),
		Long: `Erase one fact, with its words in the transcript: in its message, in copies of the
message that were undone, and in forks. The rest of the messages stays.`,
		RunE: func(c *cobra.Command, args []string) error {
			q, err := scope.query()
			if err != nil {
				return err
			}
			return a.withClient(c, func(cl *client) error {
				var out map[string]any
				if err := cl.call(c.Context(), http.MethodDelete, "/api/memory/"+url.PathEscape(args[0])+q, nil, &out); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(out)
				}
				a.say("Erased %s and its words.", args[0])
				return nil
			})
		},
	}
	scope.declare(c)
	return c
}
