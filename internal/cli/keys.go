package cli

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/owner"
)

// apiKey is a key of the API.
type apiKey struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Owner    string   `json:"owner"`
	Scopes   []string `json:"scopes"`
	Memory   *string  `json:"session_key"`
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
		Scopes   []string `json:"scopes"`
		Memory   string   `json:"session_key,omitempty"`
		Requests *int     `json:"requests_per_minute,omitempty"`
		Turns    *int     `json:"concurrent_turns,omitempty"`
	}
	c := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Make a key and print it once",
		Long: `Make a key and print it once; only its hash is kept. A key has data of its own and
sees no earlier data, unless --owner names the owner whose data it opens.
Conversations through the development key, API_SERVER_KEY and this terminal
belong to the owner "local": --owner local shares them.

With --memory, clients that can set only a URL and a key have a memory: all their
conversations share the memory of that session key. The terminal's is "me".`,
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
				a.say("%s", key.Key)
				a.tell("Key %s of owner %q. It is not shown again. The development key is no longer accepted.", key.ID, key.Owner)
				if key.Memory != nil {
					a.tell("Its conversations share the memory of the session key %q.", *key.Memory)
				}
				if key.Owner != owner.LocalID {
					a.tell("Owner %q sees nothing that was told to the development key or this terminal: that belongs to the owner %q.\n"+
						"A key that shares it: hermes keys create --name NAME --owner %s", key.Owner, owner.LocalID, owner.LocalID)
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&in.Name, "name", "", "what to call the key")
	c.Flags().StringVar(&in.Owner, "owner", "", "whose data it opens (default: an owner of its own, named after the key)")
	c.Flags().StringSliceVar(&in.Scopes, "scopes", nil, "what it may be used for (default: everything but admin)")
	c.Flags().StringVar(&in.Memory, "memory", "", "session key of its requests that name none, for clients that cannot send headers")
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
	rows := [][]string{{"ID", "Name", "Owner", "Memory", "Created", "State", "Rate", "Concurrent", "Scopes"}}
	for _, k := range keys {
		state := "valid"
		if k.RevokedAt != nil {
			state = "revoked " + k.RevokedAt.Local().Format("2006-01-02 15:04")
		}
		rows = append(rows, []string{
			k.ID, k.Name, k.Owner, *cmp.Or(k.Memory, new(string)), k.CreatedAt.Local().Format(clock), state,
			limitText(k.Limits.Requests, "/min"), limitText(k.Limits.Turns, ""), strings.Join(k.Scopes, " "),
		})
	}
	return a.table(rows)
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
				a.say("Revoked key %s (%s).", key.ID, key.Name)
				return nil
			})
		},
	}
}
