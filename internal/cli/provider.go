package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/httpapi"
)

const pathProvider = "/api/provider"

// providerCommand shows and changes what an external memory provider has.
func (a *app) providerCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "provider", Short: "Look after the external memory provider", Args: noArgs,
		Long: `Look after the external memory provider that memory_provider.type names: a second
memory next to this one, such as Honcho. Off by default. docs/providers.md says
what it is told, and what it is never told.`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.providerStatus(), a.providerTest(), a.providerBackfill(), a.providerForget())
	return c
}

func (a *app) providerStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the provider, and what it has yet to forget", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error {
				var st httpapi.ProviderStatus
				if err := cl.call(c.Context(), http.MethodGet, pathProvider, nil, &st); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(st)
				}
				return a.printProvider(&st, cl.embedded != nil)
			})
		},
	}
}

// printProvider prints the state of the provider. alone says that no server is running, so that nothing counts requests.
func (a *app) printProvider(st *httpapi.ProviderStatus, alone bool) error {
	if st.Type == nil {
		a.say("No memory provider is configured.")
		return a.printOwed(st.Owed)
	}
	if st.Since == nil {
		a.say("%s, not in use yet. It is told what is said from the start of the next server or chat on.", *st.Place)
	} else {
		a.say("%s, in use since %s", *st.Place, localTime(st.Since))
	}
	if !st.Serves {
		a.say("It is not told what you say: memory_provider.owners does not list you.")
	}
	since := "No server is running."
	if !alone {
		since = fmt.Sprintf("Since the start of the server: %s, %s, %s told.", countOf(int(st.Asked), "question", "questions"),
			countOf(int(st.Answered), "answer", "answers"), countOf(int(st.Told), "message", "messages"))
	}
	a.say("%s A turn waits %d ms. Sent: %s.", since, st.WaitMS, st.Send)
	a.say("Sessions with something to tell: %d", st.Waiting)
	if alone && st.Waiting > 0 {
		a.say("The next server or chat tells it.")
	}
	if st.WaitsFor != nil {
		a.say("Some wait: %s", *st.WaitsFor)
	}
	if st.Problem != nil {
		a.say("The last attempt failed: %s", *st.Problem)
	}
	if st.RestsUntil != nil {
		a.say("It is left alone until %s.", localTime(st.RestsUntil))
	}
	return a.printOwed(st.Owed)
}

func localTime(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// printOwed prints what providers have not confirmed to have forgotten.
func (a *app) printOwed(list []curate.Owed) error {
	if len(list) == 0 {
		return nil
	}
	rows := [][]string{{"To forget at", "Place", "What", "Forgotten here", "Asked there", "Next attempt", "Why not yet"}}
	for i := range list {
		o := &list[i]
		what := countOf(o.Messages, "message", "messages")
		if o.Whole {
			what = "all"
		}
		asked, next := localTime(o.AskedAt), localTime(o.NextAttemptAt)
		rows = append(rows, []string{o.Provider, o.Place, what, localTime(&o.OwedAt), asked, next, cmp.Or(o.Why, "-")})
	}
	return a.table(rows)
}

func (a *app) providerTest() *cobra.Command {
	return &cobra.Command{
		Use: "test", Short: "Let the provider store, recall and delete a line", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error {
				var out httpapi.ProviderTest
				if err := cl.call(c.Context(), http.MethodPost, pathProvider+"/test", nil, &out); err != nil {
					return err
				}
				if err := a.printTest(&out); err != nil {
					return err
				}
				if !out.OK {
					return errors.New("the memory provider did not pass the test; the failed steps say why. Check memory_provider.url and memory_provider.key")
				}
				return nil
			})
		},
	}
}

func (a *app) printTest(out *httpapi.ProviderTest) error {
	if a.json {
		return a.printJSON(out)
	}
	for _, step := range out.Data {
		switch {
		case step.Problem != nil:
			a.say("%-7s failed  %4d ms  %s", step.Step, step.MS, *step.Problem)
		case step.Pending != nil:
			a.say("%-7s not yet %4d ms  %s", step.Step, step.MS, *step.Pending)
		default:
			a.say("%-7s ok      %4d ms", step.Step, step.MS)
		}
	}
	return nil
}

func (a *app) providerBackfill() *cobra.Command {
	var yes, dryRun bool
	c := &cobra.Command{
		Use: "backfill", Short: "Tell the provider what was said before it was in use",
		Long: `Tell the provider what was said before it was in use, and what was imported. It
counts first, and asks; a script says --yes. What is never told is not told either:
conversations off the record, system prompts, tools, jobs, undone messages.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error { return a.backfill(c.Context(), cl, yes, dryRun) })
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only count")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) backfill(ctx context.Context, cl *client, yes, dryRun bool) error {
	type request struct {
		DryRun bool `json:"dry_run"`
	}
	var out httpapi.ProviderBackfill
	if dryRun || !yes {
		if err := cl.call(ctx, http.MethodPost, pathProvider+"/backfill", request{true}, &out); err != nil {
			return err
		}
		if !dryRun {
			a.say("%s would be sent.", extent(&out))
			if err := a.confirm(ctx, false, "Send them?"); err != nil {
				return err
			}
		}
	}
	if !dryRun {
		if err := cl.call(ctx, http.MethodPost, pathProvider+"/backfill", request{}, &out); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(out)
	}
	switch {
	case dryRun:
		a.say("%s would be sent.", extent(&out))
	case out.Messages == 0:
		a.say("There is nothing to send.")
	case cl.embedded != nil:
		a.say("%s wait. No server is running; the next `hermes serve` sends them.", extent(&out))
	default:
		a.say("%s are sent in the background; `hermes work` shows what is left.", extent(&out))
	}
	return nil
}

// extent says how much a backfill tells.
func extent(b *httpapi.ProviderBackfill) string {
	return fmt.Sprintf("%s in %s, %s,", countOf(b.Messages, "message", "messages"), countOf(b.Sessions, "session", "sessions"),
		countOf(b.Characters, "character", "characters"))
}

func (a *app) providerForget() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "forget", Short: "Let the provider forget everything that it was told",
		Long: `Let the provider forget everything that it was told of you. Nothing is erased
here, and what was said so far is not told again. Switching the provider off does
not erase anything there.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error {
				var st httpapi.ProviderStatus
				if err := cl.call(c.Context(), http.MethodGet, pathProvider, nil, &st); err != nil {
					return err
				}
				if st.Type == nil { // what the API says of that needs no confirmation
					return cl.call(c.Context(), http.MethodPost, pathProvider+"/forget", nil, nil)
				}
				if err := a.confirm(c.Context(), yes, "Let the provider forget everything that it was told?"); err != nil {
					return err
				}
				var out curate.PassedOn
				if err := cl.call(c.Context(), http.MethodPost, pathProvider+"/forget", nil, &out); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(out)
				}
				return a.printPassed(&out)
			})
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// printPassed prints the part of a certificate about external memory providers.
func (a *app) printPassed(p *curate.PassedOn) error {
	if p == nil {
		return nil
	}
	if p.Confirmed == 0 && len(p.Left) == 0 {
		a.say("The memory provider has nothing to forget: it has nothing that it was told.")
	}
	if p.Confirmed > 0 {
		a.say("The memory provider has confirmed that %s gone there.", countOf(p.Confirmed, "message or place is", "messages or places are"))
	}
	if len(p.Left) > 0 {
		a.say("Not confirmed there; it is asked again for 30 days, and `hermes provider status` shows it:")
	}
	if err := a.printOwed(p.Left); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
