package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
)

func (a *app) keysEditCommand() *cobra.Command {
	var rate, turns *int
	c := &cobra.Command{
		Use: "edit ID|NAME", Short: "Change the limits of a key",
		Long: `Change the limits of a key. They count from its next request on.

A number of 0 sets no limit; "default" goes back to the server's own
(limits.requests_per_minute, limits.concurrent_turns).`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("name one key by its id or name: hermes keys edit ID --rate N")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			in := make(map[string]*int)
			if c.Flags().Changed("rate") {
				in["requests_per_minute"] = rate
			}
			if c.Flags().Changed("concurrent") {
				in["concurrent_turns"] = turns
			}
			if len(in) == 0 {
				return usageError{errors.New("say what to change: --rate N, --concurrent N")}
			}
			return a.withClient(c, func(cl *client) error {
				var key apiKey
				if err := cl.call(c.Context(), http.MethodPatch, "/api/keys/"+url.PathEscape(args[0]), in, &key); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(key)
				}
				a.say("Key %s (%s): requests %s, turns at once %s.", key.ID, key.Name,
					limitText(key.Limits.Requests, "/min"), limitText(key.Limits.Turns, ""))
				return nil
			})
		},
	}
	c.Flags().Var(&limitFlag{at: &rate}, "rate", "requests a minute; 0: no limit; default: the server's")
	c.Flags().Var(&limitFlag{at: &turns}, "concurrent", "turns at once; 0: no limit; default: the server's")
	return c
}

// limitText is a limit as text; nil means none.
func limitText(n *int, unit string) string {
	if n == nil {
		return "no limit"
	}
	return strconv.Itoa(*n) + unit
}

// limitFlag is the value of a flag: a number, or "default", which is nil.
type limitFlag struct{ at **int }

// String implements pflag.Value.
func (f *limitFlag) String() string {
	if f.at == nil || *f.at == nil {
		return ""
	}
	return strconv.Itoa(**f.at)
}

// Set implements pflag.Value.
func (f *limitFlag) Set(text string) error {
	if text == "default" {
		*f.at = nil
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is neither a number nor \"default\"", text)
	}
	*f.at = &n
	return nil
}

// Type implements pflag.Value.
func (f *limitFlag) Type() string { return "N" }
