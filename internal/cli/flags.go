package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// needsFlag refuses a flag without another one that it belongs to. To ignore the flag would do something else than was asked
// for.
func needsFlag(c *cobra.Command, flag, other string) error {
	if c.Flags().Changed(flag) && !c.Flags().Changed(other) {
		return usageError{fmt.Errorf("--%s needs --%s. See `%s --help`", flag, other, c.CommandPath())}
	}
	return nil
}

// idleWith refuses a flag that does nothing with another one.
func idleWith(c *cobra.Command, flag, other string) error {
	if c.Flags().Changed(flag) && c.Flags().Changed(other) {
		return usageError{fmt.Errorf("--%s does nothing with --%s; leave one of them out. See `%s --help`", flag, other, c.CommandPath())}
	}
	return nil
}
