package cli

import (
	"net/http"

	"github.com/spf13/cobra"
)

func (a *app) sessionsMirrorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "mirror", Short: "Write the transcripts to files again",
		Long: `Compare the transcripts in the directory sessions of HERMES_HOME with the
database, and mend them. The server keeps them up to date by itself; this helps
if somebody has changed or deleted files.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withClient(c, func(cl *client) error {
				var out struct {
					Sessions int   `json:"sessions"`
					Messages int64 `json:"messages"`
				}
				if err := cl.call(c.Context(), http.MethodPost, "/api/sessions/mirror", nil, &out); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(out)
				}
				a.say("Mirrored %s with %s.", countOf(out.Sessions, "session", "sessions"), countOf(int(out.Messages), "message", "messages"))
				return nil
			})
		},
	}
}
