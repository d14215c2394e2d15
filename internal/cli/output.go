package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// printJSON prints a value for programs.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.process.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

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
			w := tabwriter.NewWriter(a.process.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "Setting\tValue\tFrom\tMeaning")
			for _, r := range cfg.Rows() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, r.Value, r.Source, r.Usage)
			}
			fmt.Fprintf(w, "\nThe file is %s; environment and flags win over it.\n", cfg.File())
			return w.Flush()
		},
	}
	a.settingFlags(show)
	c.AddCommand(show)
	return c
}
