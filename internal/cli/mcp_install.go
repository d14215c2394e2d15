package cli

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/clientfile"
)

// installFlags are the flags of `hermes mcp install` and `uninstall`.
type installFlags struct {
	key                        string
	project, http, print, only bool
}

func (a *app) mcpInstallCommand() *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use: "install CLIENT", Short: "Put this program into an MCP client's configuration",
		Long: `Put this program into an MCP client's configuration, as the MCP server "hermes".
CLIENT is ` + strings.Join(clientfile.Names(), ", ") + `.

Only that entry changes; all other bytes of the file stay. A file that cannot be
parsed is left alone. The file before is kept with the ending .hermes.bak.

The client starts ` + "`hermes mcp`" + `, so its file has no key. With --http it calls the
running server, with the key that its environment has in HERMES_API_KEY.`,
		Args: oneClient, ValidArgs: clientfile.Names(),
		RunE: func(_ *cobra.Command, args []string) error { return a.installMCP(args[0], &f) },
	}
	c.Flags().StringVar(&f.key, "key", personKey, "session key whose memory the client gets; \"\": calls must name one")
	c.Flags().BoolVar(&f.http, "http", false, "let the client call the running server, and start nothing")
	c.Flags().BoolVar(&f.print, "print", false, "print the entry, and read or write no file")
	f.common(c)
	return c
}

func (a *app) mcpUninstallCommand() *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use: "uninstall CLIENT", Short: "Take this program out of an MCP client's configuration",
		Long: `Take this program out of an MCP client's configuration: the entry is then as it was
before hermes mcp install. All other bytes of the file stay.`,
		Args: oneClient, ValidArgs: clientfile.Names(),
		RunE: func(_ *cobra.Command, args []string) error { return a.uninstallMCP(args[0], &f) },
	}
	f.common(c)
	return c
}

func (f *installFlags) common(c *cobra.Command) {
	c.Flags().BoolVar(&f.project, "project", false, "the client's file in this directory, in place of the one of your account")
	c.Flags().BoolVar(&f.only, "dry-run", false, "print the difference, and write nothing")
}

// oneClient wants the name of a client.
func oneClient(c *cobra.Command, args []string) error {
	if len(args) == 1 {
		if _, ok := clientfile.Find(args[0]); ok {
			return nil
		}
	}
	return usageError{fmt.Errorf("name one client: %s %s", c.CommandPath(), strings.Join(clientfile.Names(), "|"))}
}

func (a *app) installMCP(name string, f *installFlags) error {
	client, _ := clientfile.Find(name) // oneClient has checked it
	if err := f.check(&client); err != nil {
		return usageError{err}
	}
	server, err := a.mcpServer(f)
	if err != nil {
		return err
	}
	if f.print {
		text, err := client.Snippet(server)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]string{"client": name, "entry": text})
		}
		a.say("%s", block(strings.TrimSuffix(text, "\n")))
		return nil
	}
	p, err := a.place()
	if err != nil {
		return err
	}
	change, err := client.Install(p, f.project, server)
	if err != nil {
		return err
	}
	done, err := a.finish(name, change, f.only)
	if err != nil || !done {
		return err
	}
	a.say("Added hermes to %s: %s", client.Title, change.File)
	if change.Replaced != "" {
		a.say("The entry \"hermes\" of another program was replaced: %s", change.Replaced)
	}
	if _, err := os.Stat(change.Backup()); err == nil {
		a.say("The file before is kept as %s", change.Backup())
	}
	if f.http {
		a.say("Set %s in the environment of %s: hermes keys create --name %s --owner local", clientfile.KeyVariable, client.Title, name)
	}
	if f.project {
		name += " --project"
	}
	a.say("Restart %s to load it. To take it out again: hermes mcp uninstall %s", client.Title, name)
	return nil
}

func (a *app) uninstallMCP(name string, f *installFlags) error {
	client, _ := clientfile.Find(name) // oneClient has checked it
	if err := f.check(&client); err != nil {
		return usageError{err}
	}
	p, err := a.place()
	if err != nil {
		return err
	}
	change, err := client.Uninstall(p, f.project)
	if err != nil {
		return err
	}
	done, err := a.finish(name, change, f.only)
	if err != nil || !done {
		return err
	}
	a.say("Took hermes out of %s: %s", client.Title, change.File)
	if change.Restored {
		a.say("The entry \"hermes\" of another program, which was there before, is back.")
	}
	return nil
}

// check refuses what a client cannot do.
func (f *installFlags) check(c *clientfile.Client) error {
	if f.project && !c.HasProject() {
		return fmt.Errorf("%s reads no file of a project; leave out --project", c.Title)
	}
	if f.http && !c.HasHTTP() {
		return fmt.Errorf("%s cannot take a key from its environment, and the key must not stand in its file; leave out --http", c.Title)
	}
	if f.key != "" {
		return checkScope("", f.key)
	}
	return nil
}

// finish shows or writes a change. done reports that something was written and the result
// is still to be told.
func (a *app) finish(name string, c *clientfile.Change, only bool) (done bool, err error) {
	if !only {
		if err := c.Write(); err != nil {
			return false, err
		}
	}
	switch {
	case a.json:
		return false, a.printJSON(map[string]any{
			"client": name, "file": c.File, "changed": !c.None() && !only, "dry_run": only, "replaced": c.Replaced, "diff": c.Diff(),
		})
	case c.None():
		a.say("Nothing to change in %s", c.File)
		return false, nil
	case only:
		a.say("%s", block(strings.TrimSuffix(c.Diff(), "\n")))
		return false, nil
	}
	return true, nil
}

// place is where the files of clients are looked for.
func (a *app) place() (clientfile.Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return clientfile.Place{}, fmt.Errorf("there is no home directory: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return clientfile.Place{}, err
	}
	return clientfile.Place{OS: runtime.GOOS, Home: home, Dir: dir, Getenv: a.process.Getenv}, nil
}

// mcpServer is what the client's entry leads to.
func (a *app) mcpServer(f *installFlags) (s clientfile.Server, err error) {
	if f.http {
		s.URL, err = a.mcpURL(f.key)
		return s, err
	}
	s.Command, err = thisProgram()
	s.Args = []string{"mcp"}
	if f.key != "" {
		s.Args = append(s.Args, "--session-key", f.key)
	}
	// The client starts the command in an environment of its own.
	if home := a.process.Getenv("HERMES_HOME"); home != "" && err == nil {
		s.HomeDir, err = filepath.Abs(home)
	}
	return s, err
}

// mcpURL is the address of the running server for MCP clients, or that of the
// configuration.
func (a *app) mcpURL(key string) (string, error) {
	cfg, err := a.load()
	if err != nil {
		return "", err
	}
	addr := cfg.Addr()
	running, err := runningServer(cfg)
	if err != nil {
		return "", err
	}
	if running != nil {
		addr = running.Address
	}
	host, port, err := net.SplitHostPort(dialable(addr))
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		host = "localhost"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/mcp"}
	if key != "" {
		return "http://" + u.Host + "/k/" + url.PathEscape(key) + u.Path, nil
	}
	return u.String(), nil
}

// thisProgram is the absolute path of this program. The path by which the shell finds it
// is preferred, because an upgrade keeps it.
func thisProgram() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	found, err := exec.LookPath("hermes")
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return program, nil
	}
	if found, err = filepath.Abs(found); err == nil && clientfile.SameProgram(found, program) {
		return found, nil
	}
	return program, nil
}
