package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages, which are made of the commands' own help.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Print the manual page, or write all pages into a directory",
		Long: `Print the manual page of hermes: hermes man | man -l -
With a directory, write a page for every command into it.`,
		Args: oneArgAtMost,
		RunE: func(c *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Title: "HERMES", Section: "1", Source: "hermes " + Version(), Manual: "Hermes"}
			root := c.Root()
			root.DisableAutoGenTag = true
			if len(args) == 0 {
				if err := doc.GenMan(root, header, a.out); err != nil {
					return fmt.Errorf("write the manual page: %w", err)
				}
				return nil
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	}
}
