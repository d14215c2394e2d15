package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
)

// platform is a bot in the API.
type platform struct {
	Platform  string     `json:"platform"`
	Account   string     `json:"account"`
	Owner     string     `json:"owner"`
	State     string     `json:"state"`
	Reason    *string    `json:"reason"`
	Since     *time.Time `json:"since"`
	Users     int        `json:"users"`
	Home      *string    `json:"home"`
	Events    int        `json:"waiting_events"`
	Sends     int        `json:"waiting_messages"`
	LastEvent *time.Time `json:"last_event_at"`
}

func (a *app) platformsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "platforms",
		Short: "Show the bots on chat platforms",
		Long: `Show the bots on chat platforms: the state of each, who may write, and what waits.
A platform is switched on by its token, such as TELEGRAM_BOT_TOKEN, and served by
` + "`hermes serve`" + `.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error { return a.showPlatforms(c.Context(), cl) })
		},
	}
	c.AddCommand(a.platformsCheckCommand(), a.platformsEventsCommand(), a.slackManifestCommand())
	return c
}

// noPlatform is shown if no token is set.
const noPlatform = "No platform is configured. Set a token, such as TELEGRAM_BOT_TOKEN; docs/platforms.md has the steps."

// showPlatforms shows the bots. Without a running server none of them is connected, whatever its adapter says: the server of
// this process reads the data, and serves no platform.
func (a *app) showPlatforms(ctx context.Context, cl *client) error {
	var p page[platform]
	if err := cl.call(ctx, http.MethodGet, "/api/platforms", nil, &p); err != nil {
		return err
	}
	if cl.embedded != nil {
		reason := "No server is running: `hermes serve` serves the platforms."
		for i := range p.Data {
			p.Data[i].State, p.Data[i].Reason, p.Data[i].Since = "stopped", &reason, nil
		}
	}
	return printRows(a, p.Data, noPlatform, a.printPlatforms)
}

func (a *app) printPlatforms(list []platform) error {
	rows := [][]string{{"Platform", "Bot", "State", "Since", "Users", "Home", "Waiting", "Last event", "Reason"}}
	for i := range list {
		p := &list[i]
		rows = append(rows, []string{
			p.Platform, p.Account, p.State, timeText(p.Since), strconv.Itoa(p.Users), *cmp.Or(p.Home, dash()),
			strconv.Itoa(p.Events) + " in, " + strconv.Itoa(p.Sends) + " out", timeText(p.LastEvent), *cmp.Or(p.Reason, dash()),
		})
	}
	return a.table(rows)
}

// dash stands for nothing in a table.
func dash() *string {
	text := "-"
	return &text
}

// timeText is a time in a table.
func timeText(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// chatEvent is an event of a platform in the API.
type chatEvent struct {
	Platform   string    `json:"platform"`
	EventID    string    `json:"event_id"`
	Kind       string    `json:"kind"`
	ChatID     string    `json:"chat_id"`
	ThreadID   *string   `json:"thread_id"`
	UserID     string    `json:"user_id"`
	Status     string    `json:"status"`
	Reason     *string   `json:"reason"`
	RunID      *string   `json:"run_id"`
	ReceivedAt time.Time `json:"received_at"`
}

func (a *app) platformsEventsCommand() *cobra.Command {
	var name, status string
	var limit int
	c := &cobra.Command{
		Use:   "events",
		Short: "Show what became of the newest messages, without their texts",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			q := url.Values{"limit": {strconv.Itoa(limit)}}
			for key, value := range map[string]string{"platform": name, "status": status} {
				if value != "" {
					q.Set(key, value)
				}
			}
			return showRows(a, c, "/api/platforms/events?"+q.Encode(), "No event has come.", a.printChatEvents)
		},
	}
	c.Flags().StringVar(&name, "platform", "", "only those of this platform")
	c.Flags().StringVar(&status, "status", "", "only those with this status: waiting, taken, answered, command, ignored, failed")
	c.Flags().IntVar(&limit, "limit", 50, "how many, at most 200")
	return c
}

func (a *app) printChatEvents(list []chatEvent) error {
	rows := [][]string{{"Time", "Platform", "Event", "Kind", "Chat", "User", "Status", "Reason", "Run"}}
	for i := range list {
		e := &list[i]
		chat := e.ChatID
		if e.ThreadID != nil {
			chat += ":" + *e.ThreadID
		}
		rows = append(rows, []string{
			timeText(&e.ReceivedAt), e.Platform, e.EventID, e.Kind, chat, e.UserID, e.Status, *cmp.Or(e.Reason, dash()), *cmp.Or(e.RunID, dash()),
		})
	}
	return a.table(rows)
}

// checkedPlatform is what a platform says of a bot.
type checkedPlatform struct {
	Platform gateway.Platform `json:"platform"`
	Account  string           `json:"account,omitempty"`
	Name     string           `json:"name,omitempty"`
	Missing  []string         `json:"missing"`
	Error    string           `json:"error,omitempty"`
}

func (a *app) platformsCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Ask each platform who the bot is, and name what is not set up",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			bots, err := botsOf(cfg, a.newLogger(cfg))
			if err != nil {
				return err
			}
			list := make([]checkedPlatform, len(bots))
			for i, b := range bots {
				list[i] = checkPlatform(c.Context(), b)
			}
			return printRows(a, list, noPlatform, a.printChecked)
		},
	}
}

// checkPlatform asks a platform who the bot is.
func checkPlatform(ctx context.Context, b *gateway.Bot) checkedPlatform {
	out := checkedPlatform{Platform: b.Adapter.Platform(), Account: b.Account, Missing: []string{}}
	asks, ok := b.Adapter.(gateway.Checker)
	if !ok {
		return out
	}
	said, err := asks.Check(ctx)
	if err != nil {
		out.Error = cmp.Or(fault.MessageOf(err), err.Error())
		return out
	}
	out.Name, out.Missing = said.Name, append(out.Missing, said.Missing...)
	if said.Account != "" {
		out.Account = said.Account
	}
	if len(b.Users) == 0 {
		out.Missing = append(out.Missing, "nobody may write yet. Write to the bot, and let yourself in with the code that it answers: hermes pairing approve")
	}
	return out
}

func (a *app) printChecked(list []checkedPlatform) error {
	failed := false
	for i := range list {
		c := &list[i]
		if c.Error != "" {
			failed = true
			a.say("%s: %s", c.Platform, c.Error)
			continue
		}
		a.say("%s: the bot is %s (%s).", c.Platform, cmp.Or(c.Name, "unnamed"), c.Account)
		for _, m := range c.Missing {
			a.say("  - %s", m)
		}
	}
	if failed {
		return errors.New("a platform did not answer as it should; the lines above have the reasons")
	}
	return nil
}

func (a *app) slackManifestCommand() *cobra.Command {
	var base string
	c := &cobra.Command{
		Use:   "slack-manifest",
		Short: "Print the manifest of the Slack app: its scopes, events and commands",
		Long: `Print the manifest from which Slack makes the app: its scopes, events and commands.
At https://api.slack.com/apps choose Create New App, From a manifest, and paste it. The
app receives messages over Socket Mode. With --http, Slack sends them to this server.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("http") && !isBaseURL(base) {
				return usageError{errors.New("--http takes the public address of this server: https:// and a host, such as https://hermes.example.org")}
			}
			if _, err := a.out.Write(slack.Manifest(gateway.CommandList(), base == "", base)); err != nil {
				return fmt.Errorf("print: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&base, "http", "", "public address of this server, such as https://hermes.example.org (default: Socket Mode)")
	return c
}

// isBaseURL reports whether a text is an address to which Slack can send requests.
func isBaseURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.RawQuery+u.Fragment == ""
}
