package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// withClient runs a command against the API.
func (a *app) withClient(c *cobra.Command, do func(*client) error) error {
	cl, err := a.connect(c.Context())
	if err != nil {
		return err
	}
	return errors.Join(do(cl), cl.close())
}

func (a *app) configCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "config", Short: "Look at the configuration"})
	show := &cobra.Command{
		Use: "show", Short: "Print every setting, its value, and where that came from", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(cfg.Rows())
			}
			rows := [][]string{{"Setting", "Value", "From", "Meaning"}}
			for _, r := range cfg.Rows() {
				rows = append(rows, []string{r.Name, r.Value, r.Source, r.Usage})
			}
			if err := a.table(rows); err != nil {
				return err
			}
			a.say("\nThe file is %s; environment and flags win over it.", cfg.File())
			return nil
		},
	}
	a.settingFlags(show)
	c.AddCommand(show)
	return c
}
