package cli

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
)

// pageLink is a link that signs in a browser.
type pageLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (a *app) pageCommand() *cobra.Command {
	var printed bool
	c := &cobra.Command{
		Use:   "page",
		Short: "Open the page of the running server in a browser, signed in",
		Long: `Open the page of the running server in a browser. The link signs in as the local
owner. It can be used once, within a minute.

--print prints the link instead, for a browser that is started elsewhere.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.openPage(c.Context(), printed) },
	}
	c.Flags().BoolVar(&printed, "print", false, "print the link and open nothing")
	return c
}

// openPage opens the page, or prints the link to it if that was asked for or nothing can
// open it.
func (a *app) openPage(ctx context.Context, printed bool) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	cl, err := liveServer(ctx, cfg)
	if err != nil {
		return err
	}
	if cl == nil {
		return fault.New(fault.Unavailable, "no_server", "No server runs here, so that there is no page. Start one: hermes serve")
	}
	link, err := newPageLink(ctx, cl)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.printJSON(link)
	case !printed && browse(ctx, a.process.Getenv("BROWSER"), link.URL) == nil:
		a.say("Opened the page in the browser: %s", pageAddress(cl.through))
	default:
		a.say("%s", link.URL)
	}
	return nil
}

// newPageLink makes a link that signs in a browser as the local owner.
func newPageLink(ctx context.Context, cl *client) (pageLink, error) {
	var made struct {
		Code      string    `json:"code"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := cl.call(ctx, http.MethodPost, "/api/page/codes", nil, &made); err != nil {
		return pageLink{}, err
	}
	return pageLink{pageAddress(cl.through) + "#/in/" + made.Code, made.ExpiresAt}, nil
}

// pageAddress is the address of a server's page. A browser keeps its sign-in for one name of
// the server, so that it is always the same name.
func pageAddress(f *serverFile) string {
	host, port, err := net.SplitHostPort(f.Address)
	if ip := net.ParseIP(host); err == nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return "http://" + net.JoinHostPort("localhost", port) + "/"
	}
	return f.base() + "/"
}

// browse opens an address in a browser: the one that is set, else the system's.
func browse(ctx context.Context, browser, address string) error {
	command := []string{browser}
	switch {
	case browser != "":
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		command = []string{"xdg-open"}
	}
	// The program goes on with the browser: only its start is waited for.
	c := exec.CommandContext(context.WithoutCancel(ctx), command[0], append(command[1:], address)...)
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.Release()
}
