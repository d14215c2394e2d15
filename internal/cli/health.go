package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
)

// healthPatience is how long `hermes health` waits for the server's answer.
const healthPatience = 3 * time.Second

// health is the answer of `hermes health` for programs.
type health struct {
	Status string `json:"status"`
	Server string `json:"server"`
}

func (a *app) healthCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "health", Short: "Ask the running server whether it takes requests", Args: noArgs,
		Long: `Ask the running server whether it takes requests, without a key. The exit code is 0 if
it does and 1 if it does not, for health checks of containers and of service managers.

The server is the one of HERMES_HOME, or the one at the configured address.`,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			return a.checkHealth(c.Context(), serverOf(cfg))
		},
	}
	a.settingFlags(c)
	return c
}

// serverOf is the server that runs on a home; if there is none, the one that the
// configuration says. Whether the home can be read does not matter for the latter.
func serverOf(cfg *config.Config) *serverFile {
	if cfg.AddrChosen() {
		return &serverFile{Address: dialable(cfg.Addr())}
	}
	if file, err := runningServer(cfg); err == nil && file != nil {
		return file
	}
	return &serverFile{Address: dialable(cfg.Addr())}
}

// checkHealth fails unless a server of this program takes requests.
func (a *app) checkHealth(ctx context.Context, at *serverFile) error {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.base()+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	transport := at.transport()
	transport.DisableKeepAlives = true
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return unheard(at.base(), err)
	}
	defer func() { _ = res.Body.Close() }()
	var body struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
	}
	err = json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<16)).Decode(&body)
	switch {
	case err != nil || body.Status == "":
		return fault.New(fault.Unavailable, "server_foreign",
			fmt.Sprintf("Another program answers at %s, with status %d. Say where the server is: hermes health --addr HOST:PORT", at.base(), res.StatusCode))
	case res.StatusCode != http.StatusOK:
		return fault.New(fault.Unavailable, "server_not_ready",
			"The server at "+at.base()+" takes no requests now: "+reasonOr(body.Reason)+". Its log has the cause; `hermes doctor` looks for it.")
	}
	if a.json {
		return a.printJSON(health{Status: body.Status, Server: at.base()})
	}
	a.say("%s %s", body.Status, at.base())
	return nil
}

// unheard explains why there is no answer to a request for the health.
func unheard(base string, err error) error {
	const where = "say where the server is: hermes health --addr HOST:PORT"
	call, dialled := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.Unavailable, "server_unreachable",
			"The server at "+base+" did not answer within "+healthPatience.String()+
				". Its log may have the cause. If it is another program, "+where, err)
	case dialled && call.Op == "dial":
		return fault.Wrap(fault.Unavailable, "server_unreachable",
			"No server answers at "+base+". Start it with `hermes serve`, or "+where, err)
	}
	return fault.Wrap(fault.Unavailable, "server_foreign", "What answers at "+base+" does not speak HTTP, so it is another program. Choose another address, or "+where, err)
}

func reasonOr(code string) string {
	if code == "" {
		return "it is starting or stopping"
	}
	return code
}
