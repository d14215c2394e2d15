package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/lineage"
)

// whyCommand resolves a receipt.
func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "why RECEIPT", Short: "Show what a reply was given: facts, quotes, messages", Args: someWords("a receipt's id, such as r_06gv…"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var r receipt
				if err := cl.call(c.Context(), http.MethodGet, "/api/receipts/"+url.PathEscape(args[0]), nil, &r); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(r)
				}
				a.printReceipt(&r)
				return nil
			})
		},
	}
}

// receipt is a receipt of the API.
type receipt struct {
	ID        string            `json:"id"`
	SessionID string            `json:"session_id"`
	At        time.Time         `json:"at"`
	Model     string            `json:"model"`
	Responder string            `json:"responder"`
	Answer    message           `json:"answer"`
	Facts     []fact            `json:"facts"`
	Recalled  []message         `json:"recalled"`
	Sent      []message         `json:"sent"`
	Context   lineage.Context   `json:"context"`
	External  *lineage.External `json:"external_memory,omitempty"`
	// The texts that were sent besides the messages.
	System   string          `json:"system,omitempty"`
	Offered  json.RawMessage `json:"tool_definitions,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty"`
}

// message is a message of the API; a recalled one has a quote.
type message struct {
	Seq       int64     `json:"seq"`
	Role      string    `json:"role"`
	Content   string    `json:"content,omitempty"`
	Quote     string    `json:"quote,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	SaidAt    time.Time `json:"said_at"`
}

func (a *app) printReceipt(r *receipt) {
	a.say("%s  answered %s by %s (%s) in session %s", r.ID, r.At.Local().Format("2006-01-02 15:04:05"), r.Responder, r.Model, r.SessionID)
	a.say("  %q", shorten(r.Answer.Content))
	c := &r.Context
	a.say("\nSent %d tokens (system %d, memory %d, tail %d, input %d); without memory it would have been %d.",
		c.Sent, c.System, c.Memory, c.Tail, c.Input, c.Naive)
	a.say("The client's own part was %d; memory added %d, with a budget of %d.", c.Client, c.Sent-c.Client, c.Budget)
	a.say("\nFacts it was given:")
	for i := range r.Facts {
		f := &r.Facts[i]
		a.say("  %s  %s said on %s, turn %d of %s: %q", f.ID, f.Role, f.SaidAt.Local().Format("2006-01-02 15:04"), f.Seq, f.SessionID,
			shorten(f.Quote))
	}
	if len(r.Facts) == 0 {
		a.say("  none, except the messages in the prompt")
	}
	if len(r.Recalled) > 0 {
		a.say("\nOlder messages quoted to it:")
		for _, m := range r.Recalled {
			a.say("  #%d %s, %s: %q", m.Seq, m.Role, m.SaidAt.Local().Format("2006-01-02 15:04"), shorten(m.Quote))
		}
	}
	if r.External != nil {
		a.say("\nWhat the memory provider %s added:", r.External.Provider)
		for _, line := range r.External.Lines {
			a.say("  %s", shorten(line))
		}
	}
	if len(r.Sent) > 0 {
		first, last := &r.Sent[0], &r.Sent[len(r.Sent)-1]
		a.say("\nSent word for word: messages #%d to #%d, the last one %q", first.Seq, last.Seq, shorten(last.Content))
	}
	for _, part := range []struct{ name, text string }{
		{"System prompt", r.System}, {"Tools offered", string(r.Offered)}, {"Settings", string(r.Settings)},
	} {
		if part.text != "" {
			a.say("\n%s: %q", part.name, part.text)
		}
	}
}

// timelineCommand shows the history of a topic.
func (a *app) timelineCommand() *cobra.Command {
	var topic string
	c := &cobra.Command{
		Use: "timeline SESSION", Short: "Show decisions, reasons and reversals in order", Args: someWords("a session's id"),
		ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			path := "/api/sessions/" + url.PathEscape(args[0]) + "/timeline?topic=" + url.QueryEscape(topic)
			return showRows(a, c, path, "Nothing to show: no such decision, event, reason or change was told here.", a.printTimeline)
		},
	}
	c.Flags().StringVar(&topic, "topic", "", "only what speaks of this")
	return c
}

func (a *app) printTimeline(facts []fact) error {
	byID := make(map[string]*fact, len(facts))
	for i := range facts {
		byID[facts[i].ID] = &facts[i]
	}
	for i := range facts {
		f := &facts[i]
		a.say("%s  %-11s %q", f.SaidAt.Local().Format("2006-01-02 15:04"), f.Kind, shorten(f.Quote))
		if f.Because != "" {
			a.say("                              because: %s", shorten(f.Because))
		}
		for _, l := range f.Links {
			words, shown := map[string]string{"supersedes": "reverses", "perhaps": "perhaps reverses"}[l.Kind]
			if was := byID[l.To]; was != nil && shown {
				a.say("                              %s: %q (%s)", words, shorten(was.Quote), was.SaidAt.Local().Format("2006-01-02 15:04"))
			}
		}
	}
	return nil
}

// sessionState is the state of a session's scope.
type sessionState struct {
	SessionID string `json:"session_id"`
	Version   int64  `json:"version"`
	Hash      string `json:"state_hash"`
	Facts     []fact `json:"facts"`
	Budget    struct {
		Tokens int `json:"tokens"`
		Used   int `json:"used"`
	} `json:"budget"`
	Next string `json:"next"`
}

// stateCommand shows the state of a session's scope.
func (a *app) stateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "state SESSION", Short: "Show what is known in a session, and what a model would be shown", Args: someWords("a session's id"),
		ValidArgsFunction: a.completeSession,
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var s sessionState
				if err := cl.call(c.Context(), http.MethodGet, "/api/sessions/"+url.PathEscape(args[0])+"/state", nil, &s); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(s)
				}
				a.printState(&s)
				return nil
			})
		},
	}
}

func (a *app) printState(s *sessionState) {
	a.say("Session %s: %d messages distilled into %d facts", s.SessionID, s.Version, len(s.Facts))
	a.say("State hash %s", s.Hash)
	a.say("Memory block, %d of %d tokens:\n\n%s", s.Budget.Used, s.Budget.Tokens, block(s.Next))
}

func (a *app) rebuildIndex(ctx context.Context, cl *client) error {
	var out struct {
		Rebuilt bool `json:"rebuilt"`
	}
	if err := cl.call(ctx, http.MethodPost, "/api/search/rebuild", nil, &out); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	a.say("The text index is new.")
	return nil
}

// rebuildCommand distils everything again.
func (a *app) rebuildCommand() *cobra.Command {
	var verify, index bool
	c := &cobra.Command{
		Use: "rebuild", Short: "Rebuild derived data from the messages", Args: noArgs,
		Long: `Distil all facts again from the messages, or, with --verify, only compare them with
the stored ones. With --index, rebuild the text index of the search instead.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if index && verify {
				return usageError{errors.New("--index rebuilds the text index; it has nothing to --verify")}
			}
			return a.withClient(c, func(cl *client) error {
				if index {
					return a.rebuildIndex(c.Context(), cl)
				}
				return a.rebuildFacts(c.Context(), cl, verify)
			})
		},
	}
	c.Flags().BoolVar(&verify, "verify", false, "only compare, change nothing")
	c.Flags().BoolVar(&index, "index", false, "rebuild the text index, not the facts")
	return c
}

// compared says how the stored facts of a scope compare with those distilled again.
func compared(d *httpapi.RebuiltScope) string {
	if d.Identical {
		return "identical"
	}
	return fmt.Sprintf("DIFFERENT: stored %d facts, hash %.12s", d.Stored, d.StoredHash)
}

// rebuildFacts distils all facts again, or only compares them, and prints each scope.
// Facts that differ are an error only of a comparison: a rebuild has replaced them.
func (a *app) rebuildFacts(ctx context.Context, cl *client, verify bool) error {
	var out httpapi.Rebuilt
	if err := cl.call(ctx, http.MethodPost, "/api/memory/rebuild", map[string]bool{"verify": verify}, &out); err != nil {
		return err
	}
	differs := error(nil)
	if verify && !out.Identical {
		differs = fault.New(fault.Conflict, "facts_differ", "The stored facts differ from what the messages say; `hermes rebuild` replaces them.")
	}
	if a.json {
		return errors.Join(a.printJSON(out), differs)
	}
	for i := range out.Data {
		d := &out.Data[i]
		a.say("%-40s %6d messages %6d facts  %.12s  %s", string(d.Root)+string(d.Key), d.Messages, d.Facts, d.Hash, compared(d))
	}
	return differs
}
