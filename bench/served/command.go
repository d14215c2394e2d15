package served

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Command runs hermes on a home, with more of an environment, and returns what it used. Its error
// has what the program printed.
func Command(ctx context.Context, hermes, home string, args []string, env ...string) (*os.ProcessState, error) {
	c := exec.CommandContext(ctx, hermes, args...)
	c.Env = append(append(os.Environ(), "HERMES_HOME="+home, "HERMES_PROBE=false"), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("hermes %v: %w: %s", args, err, out)
	}
	return c.ProcessState, nil
}
