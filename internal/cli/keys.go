package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// apiKey is a key as the API shows it.
type apiKey struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Owner    string   `json:"owner"`
	Scopes   []string `json:"scopes"`
	Requests *int     `json:"requests_per_minute"`
	Turns    *int     `json:"concurrent_turns"`
	Limits   struct {
		Requests *int `json:"requests_per_minute"`
		Turns    *int `json:"concurrent_turns"`
	} `json:"limits"`
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Key       string     `json:"key,omitempty"`
}

func (a *app) keysCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "keys", Short: "Make, list, limit and revoke API keys"})
	c.AddCommand(a.keysCreateCommand(), a.keysListCommand(), a.keysEditCommand(), a.keysRevokeCommand())
	return c
}

func (a *app) keysCreateCommand() *cobra.Command {
	var in struct {
		Name     string   `json:"name"`
		Owner    string   `json:"owner,omitempty"`
		Scopes   []string `json:"scopes,omitempty"`
		Requests *int     `json:"requests_per_minute,omitempty"`
		Turns    *int     `json:"concurrent_turns,omitempty"`
	}
	c := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Make a key and print it once",
		Long: `Make a key and print it once; only its hash is kept. Every key has data of its
own, unless --owner gives it somebody else's.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.Name == "" {
				return usageError{errors.New("name the key: hermes keys create --name NAME")}
			}
			return a.withClient(c, func(cl *client) error {
				var key apiKey
				if err := cl.call(c.Context(), http.MethodPost, "/api/keys", in, &key); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(key)
				}
				fmt.Fprintln(a.process.Stdout, key.Key)
				fmt.Fprintf(a.process.Stderr, "Key %s of owner %q. It is not shown again. The development key is no longer accepted.\n", key.ID, key.Owner)
				return nil
			})
		},
	}
	c.Flags().StringVar(&in.Name, "name", "", "what to call the key")
	c.Flags().StringVar(&in.Owner, "owner", "", "whose data it opens (default: an owner of its own, named after the key)")
	c.Flags().StringSliceVar(&in.Scopes, "scopes", nil, "what it may be used for (default: everything but admin)")
	c.Flags().Var(&limitFlag{at: &in.Requests}, "rate", "requests a minute; 0: no limit (default: the server's)")
	c.Flags().Var(&limitFlag{at: &in.Turns}, "concurrent", "turns at once; 0: no limit (default: the server's)")
	return c
}

func (a *app) keysListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all keys", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return showRows(a, c, "/api/keys", "No keys. Make one: hermes keys create --name NAME", a.printKeys)
		},
	}
}

func (a *app) printKeys(keys []apiKey) error {
	w := tabwriter.NewWriter(a.process.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tName\tOwner\tCreated\tState\tRate\tConcurrent\tScopes")
	for _, k := range keys {
		state := "valid"
		if k.RevokedAt != nil {
			state = "revoked " + k.RevokedAt.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, k.Owner, k.CreatedAt.Local().Format("2006-01-02 15:04"), state,
			limitText(k.Limits.Requests, "/min"), limitText(k.Limits.Turns, ""), strings.Join(k.Scopes, " "))
	}
	return w.Flush()
}

func (a *app) keysRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID|NAME", Short: "Make a key invalid from now on",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("name one key by its id or name: hermes keys revoke ID")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.withClient(c, func(cl *client) error {
				var key apiKey
				if err := cl.call(c.Context(), http.MethodDelete, "/api/keys/"+url.PathEscape(args[0]), nil, &key); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(key)
				}
				fmt.Fprintf(a.process.Stdout, "Revoked key %s (%s).\n", key.ID, key.Name)
				return nil
			})
		},
	}
}
