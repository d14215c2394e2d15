package cli

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// pairing is a person in the API.
type pairing struct {
	Platform   string     `json:"platform"`
	UserID     string     `json:"user_id"`
	Name       *string    `json:"name"`
	Status     string     `json:"status"`
	Owner      *string    `json:"owner"`
	AskedAt    time.Time  `json:"asked_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	ApprovedAt *time.Time `json:"approved_at"`
}

func (a *app) pairingCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "pairing",
		Short: "Say who may write to the bots",
		Long: `Say who may write to the bots. A stranger who writes to a bot in a private chat is
sent a code. The person who runs the server lets the stranger in with it.`,
	})
	c.AddCommand(a.pairingApproveCommand(), a.pairingListCommand(), a.pairingRevokeCommand())
	return c
}

func (a *app) pairingApproveCommand() *cobra.Command {
	var forOwner string
	c := &cobra.Command{
		Use:   "approve PLATFORM CODE",
		Short: "Let in the person who was sent a code",
		Args:  exactly(2, "hermes pairing approve telegram ABCDEFGH"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var p pairing
				in := map[string]string{"platform": strings.ToLower(args[0]), "code": args[1], "owner": forOwner}
				if err := cl.call(c.Context(), http.MethodPost, "/api/pairings", in, &p); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(p)
				}
				a.say("%s (%s) may write to the bot on %s.", *cmp.Or(p.Name, &p.UserID), p.UserID, p.Platform)
				return nil
			})
		},
	}
	c.Flags().StringVar(&forOwner, "owner", "", "whose data the person's private chats are (default: the platform's owner)")
	return c
}

func (a *app) pairingListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [PLATFORM]", Short: "List who has asked, and who was let in", Args: oneArgAtMost,
		RunE: func(c *cobra.Command, args []string) error {
			path := "/api/pairings"
			if len(args) == 1 {
				path += "?platform=" + url.QueryEscape(strings.ToLower(args[0]))
			}
			return showRows(a, c, path, "Nobody has asked.", a.printPairings)
		},
	}
}

func (a *app) printPairings(list []pairing) error {
	rows := [][]string{{"Platform", "User", "Name", "Status", "Owner", "Asked", "Approved"}}
	for i := range list {
		p := &list[i]
		rows = append(rows, []string{
			p.Platform, p.UserID, *cmp.Or(p.Name, dash()), p.Status, *cmp.Or(p.Owner, dash()), timeText(&p.AskedAt), timeText(p.ApprovedAt),
		})
	}
	return a.table(rows)
}

func (a *app) pairingRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke PLATFORM USER", Short: "Shut a person out", Args: exactly(2, "hermes pairing revoke telegram 123456789"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				q := url.Values{"platform": {strings.ToLower(args[0])}, "user_id": {args[1]}}
				var p pairing
				if err := cl.call(c.Context(), http.MethodDelete, "/api/pairings?"+q.Encode(), nil, &p); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(p)
				}
				a.say("%s may not write to the bot on %s any more.", p.UserID, p.Platform)
				return nil
			})
		},
	}
}

// exactly refuses another number of arguments, and shows an example.
func exactly(n int, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{errors.New("use it like this: " + example)}
		}
		return nil
	}
}
