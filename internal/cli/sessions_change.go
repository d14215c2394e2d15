package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

// titled describes a session by its title and id.
func titled(s *sessionRow) string {
	if s.Title == "" {
		return s.ID
	}
	return fmt.Sprintf("%s (%s)", s.ID, s.Title)
}

func (a *app) sessionsDeleteCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete ID", Short: "Delete a conversation with everything learnt from it", Args: oneSession, ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var s sessionRow
				if err := cl.call(c.Context(), http.MethodGet, sessionPath(args[0]), nil, &s); err != nil {
					return err
				}
				question := fmt.Sprintf("Delete session %s with %s?", titled(&s), countOf(int(s.Messages), "message", "messages"))
				if err := a.confirm(c.Context(), yes, question); err != nil {
					return err
				}
				if err := cl.call(c.Context(), http.MethodDelete, sessionPath(s.ID), nil, nil); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(map[string]any{"id": s.ID, "deleted": true})
				}
				a.say("Deleted session %s.", s.ID)
				return nil
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// pruneRequest is the request to the API.
type pruneRequest struct {
	OlderThan int    `json:"older_than_days"`
	Source    string `json:"source,omitempty"`
	Limit     int    `json:"limit,omitempty"`
	DryRun    bool   `json:"dry_run"`
}

type pruneReply struct {
	DryRun   bool `json:"dry_run"`
	Sessions int  `json:"sessions"`
	Messages int  `json:"messages"`
	Left     int  `json:"left"`
}

func (a *app) sessionsPruneCommand() *cobra.Command {
	var yes bool
	var in pruneRequest
	c := &cobra.Command{
		Use: "prune", Short: "Delete ended conversations that have not been used for long",
		Long: `Delete ended conversations that have not been used for long.

The age of a conversation is that of its newest message. One that has not been
ended is never pruned. To keep a copy, run 'hermes sessions export' first.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.OlderThan < 0 {
				return usageError{errors.New("--older-than is a number of days")}
			}
			return a.withClient(c, func(cl *client) error { return a.prune(c, cl, in, yes) })
		},
	}
	c.Flags().IntVar(&in.OlderThan, "older-than", 90, "the least age, in days")
	c.Flags().StringVar(&in.Source, "source", "", "only those that came from here, such as telegram")
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "only count them")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// pruneBatch is how many conversations one call deletes.
const pruneBatch = 50

func (a *app) prune(c *cobra.Command, cl *client, in pruneRequest, yes bool) error {
	call := func(in pruneRequest) (out pruneReply, err error) {
		err = cl.call(c.Context(), http.MethodPost, "/api/sessions/prune", in, &out)
		return out, err
	}
	count := in
	count.DryRun = true
	total, err := call(count)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s (%s) older than %s", countOf(total.Sessions, "ended session", "ended sessions"),
		countOf(total.Messages, "message", "messages"), countOf(in.OlderThan, "day", "days"))
	if in.DryRun || total.Sessions == 0 {
		if a.json {
			return a.printJSON(pruneReply{DryRun: in.DryRun, Sessions: total.Sessions, Messages: total.Messages})
		}
		a.say("There are %s.", what)
		return nil
	}
	if err := a.confirm(c.Context(), yes, "Delete "+what+"?"); err != nil {
		return err
	}
	in.Limit = pruneBatch
	p := a.newProgress()
	defer p.done()
	var done pruneReply
	for {
		got, err := call(in)
		if err != nil {
			return err
		}
		done.Sessions += got.Sessions
		done.Messages += got.Messages
		if got.Left == 0 || got.Sessions == 0 {
			break
		}
		p.tell("pruned %d of %d sessions", done.Sessions, total.Sessions)
	}
	p.done()
	if a.json {
		return a.printJSON(done)
	}
	a.say("Pruned %s.", countOf(done.Sessions, "session", "sessions"))
	return nil
}

func (a *app) sessionsRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename ID TITLE…", Short: "Give a conversation another title", ValidArgsFunction: a.completeSession,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{fmt.Errorf("%s needs the id of a session and its new title", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var s sessionRow
				in := map[string]string{"title": strings.Join(args[1:], " ")}
				if err := cl.call(c.Context(), http.MethodPatch, sessionPath(args[0]), in, &s); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(s)
				}
				a.say("Renamed session %s.", titled(&s))
				return nil
			})
		},
	}
}

func (a *app) sessionsForkCommand() *cobra.Command {
	var in struct {
		MessageID int64  `json:"message_id,omitempty"`
		Title     string `json:"title,omitempty"`
	}
	c := &cobra.Command{
		Use: "fork ID", Short: "Copy a conversation into a new one", Args: oneSession, ValidArgsFunction: a.completeSession,
		Long: `Copy a conversation, or its beginning, into a new one.

Without a session key, the copy has a memory of its own, learnt from the copied
messages. With a session key, the copy has the same key, as other conversations
of a person do: what is said in the copy is learnt by the memory of the key, and
what was copied is not learnt twice.

Prints the new id. The ids of messages are shown by 'hermes sessions show'.`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var s sessionRow
				if err := cl.call(c.Context(), http.MethodPost, sessionPath(args[0], "/fork"), in, &s); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(s)
				}
				a.say("%s", s.ID)
				return nil
			})
		},
	}
	c.Flags().Int64Var(&in.MessageID, "message", 0, "the last message to copy, by its id; all without it")
	c.Flags().StringVar(&in.Title, "title", "", "the title of the new conversation")
	return c
}
