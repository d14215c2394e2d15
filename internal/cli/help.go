package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// group makes a command that only has subcommands: alone it shows its help, and an
// unknown subcommand is an error.
func group(c *cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return noCommand(c, args[0])
	}
	return c
}

// noCommand refuses an unknown subcommand.
func noCommand(c *cobra.Command, name string) error {
	hint := ""
	if close := c.SuggestionsFor(name); len(close) > 0 {
		hint = fmt.Sprintf(" Did you mean %q?", close[0])
	}
	return usageError{fmt.Errorf("there is no command \"%s %s\".%s See `%s --help`", c.CommandPath(), name, hint, c.CommandPath())}
}

// strictHelp makes help of an unknown command an error. cobra would show the help of
// its group and succeed.
func (a *app) strictHelp(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if rest := c.Flags().Args(); c.HasSubCommands() && len(rest) > 0 {
			a.unknown = noCommand(c, rest[0])
			return
		}
		show(c, args)
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command",
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			of, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range of.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err != nil {
				return usageError{err}
			}
			if of.HasSubCommands() && len(rest) > 0 {
				return noCommand(of, rest[0])
			}
			of.InitDefaultHelpFlag() // as cobra does for --help
			return of.Help()
		},
	})
}
