package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/clientfile"
)

func (a *app) mcpStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show which MCP clients have this program in their configuration", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.place()
			if err != nil {
				return err
			}
			program, err := thisProgram()
			if err != nil {
				return err
			}
			list := clientfile.Statuses(p, program)
			if a.json {
				return a.printJSON(list)
			}
			return a.printStatuses(list, program)
		},
	}
}

func (a *app) printStatuses(list []clientfile.Status, program string) error {
	rows := [][]string{{"Client", "State", "File", "Starts"}}
	elsewhere := false
	for _, s := range list {
		client := s.Client
		if s.Project {
			client += " (project)"
		}
		rows = append(rows, []string{client, strings.ReplaceAll(string(s.State), "_", " "), s.File, s.Target})
		elsewhere = elsewhere || s.State == clientfile.Elsewhere
	}
	if err := a.table(rows); err != nil {
		return err
	}
	for _, s := range list {
		if s.Error != "" {
			a.say("\n%s", s.Error)
		}
	}
	if elsewhere {
		a.say("\nThis program is %s. To make a client start it: hermes mcp install CLIENT", program)
	}
	return nil
}
