package cli

import "github.com/spf13/cobra"

func (a *app) sessionsCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "sessions", Short: "Look through past conversations"})
	c.AddCommand(a.sessionsSearchCommand())
	return c
}
