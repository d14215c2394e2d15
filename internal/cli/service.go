package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/service"
)

// serviceFlags are the flags of `hermes service`.
type serviceFlags struct{ system, only bool }

func (a *app) serviceCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use: "service", Short: "Have the operating system run the server",
		Long: `Have the operating system start the server and keep it running: a unit of systemd on
Linux, an agent of launchd on macOS. Without --system the service belongs to your
account. Removing the service leaves all data and settings.`,
	})
	c.AddCommand(a.serviceInstallCommand(), a.serviceUninstallCommand(), a.serviceStatusCommand())
	return c
}

func (a *app) serviceInstallCommand() *cobra.Command {
	var f serviceFlags
	c := &cobra.Command{
		Use: "install", Short: "Install and start the service", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.installService(c.Context(), &f) },
	}
	f.define(c)
	return c
}

func (a *app) serviceUninstallCommand() *cobra.Command {
	var f serviceFlags
	c := &cobra.Command{
		Use: "uninstall", Short: "Stop and remove the service; the data stays", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.uninstallService(c.Context(), &f) },
	}
	f.define(c)
	return c
}

func (a *app) serviceStatusCommand() *cobra.Command {
	var f serviceFlags
	c := &cobra.Command{
		Use: "status", Short: "Say whether the service is installed and runs", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.showService(c.Context(), &f) },
	}
	c.Flags().BoolVar(&f.system, "system", false, "the service of the machine, with an account of its own")
	return c
}

func (f *serviceFlags) define(c *cobra.Command) {
	c.Flags().BoolVar(&f.system, "system", false, "a service of the machine, with an account of its own; needs root")
	c.Flags().BoolVar(&f.only, "dry-run", false, "print the files and commands, and change nothing")
}

// servicePlace is where the service of this account or machine is.
func (a *app) servicePlace(f *serviceFlags) (service.Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return service.Place{}, fmt.Errorf("there is no home directory: %w", err)
	}
	settings := a.process.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(settings) {
		settings = filepath.Join(home, ".config")
	}
	return service.Place{OS: runtime.GOOS, Home: home, Config: settings, UID: os.Getuid(), System: f.system, Root: os.DirFS("/")}, nil
}

func (a *app) installService(ctx context.Context, f *serviceFlags) error {
	at, err := a.servicePlace(f)
	if err != nil {
		return err
	}
	var s service.Server
	if s.Program, err = thisProgram(); err != nil {
		return err
	}
	if home := a.process.Getenv("HERMES_HOME"); home != "" && !f.system {
		if s.HomeDir, err = filepath.Abs(home); err != nil {
			return err
		}
	}
	plan, err := service.Install(at, s, newToken)
	if err != nil {
		return err
	}
	if f.only {
		if err := service.Own(plan.Files); err != nil {
			return err
		}
		return a.printPlan(&plan, true)
	}
	written, err := service.Write(plan.Files)
	if err != nil {
		return err
	}
	for _, command := range plan.Commands {
		if err := runManager(ctx, command, "\n"+service.Remedy(at)); err != nil {
			return undoInstall(ctx, at, written, err)
		}
	}
	return a.tellPlan("installed", &plan)
}

// undoInstall undoes an installation that a command of the service manager has failed, and adds the outcome to the error. A
// service that was installed before is not stopped: its files are as they were.
func undoInstall(ctx context.Context, at service.Place, written *service.Written, failed error) error {
	ctx = context.WithoutCancel(ctx) // an interrupted installation is undone, too
	plan, err := service.Uninstall(at)
	if err != nil {
		return errors.Join(failed, err, written.Undo())
	}
	outcome := "The files of the service are as they were before."
	if written.First() {
		outcome = "The files that were written are removed again: the service is not installed."
		_ = runManager(ctx, plan.Commands[0], "") // the manager may not know the service yet
	}
	if err := written.Undo(); err != nil {
		outcome = "The installation could not be undone: " + err.Error() + "."
	}
	for _, command := range plan.Commands[1:] {
		_ = runManager(ctx, command, "") // what has failed is told already
	}
	return fault.Wrap(fault.KindOf(failed), fault.CodeOf(failed), fault.MessageOf(failed)+"\n"+outcome, failed)
}

func (a *app) uninstallService(ctx context.Context, f *serviceFlags) error {
	at, err := a.servicePlace(f)
	if err != nil {
		return err
	}
	plan, err := service.Uninstall(at)
	if err != nil {
		return err
	}
	if there, err := service.Installed(plan.Files[0].Name); err != nil {
		return err
	} else if !there {
		says := "The service is not installed."
		if unit := service.Packaged(at); unit != "" {
			says += " A package has brought " + unit + ": the service goes with the package. To stop it: sudo systemctl disable --now hermes"
		}
		return a.sayUnlessJSON(says)
	}
	if f.only {
		return a.printPlan(&plan, false)
	}
	// A service that was stopped by hand, or has no manager, is removed all the same.
	failed := []error{runManager(ctx, plan.Commands[0], "")}
	if err := service.Remove(plan.Files); err != nil {
		return err
	}
	for _, command := range plan.Commands[1:] {
		failed = append(failed, runManager(ctx, command, ""))
	}
	for _, err := range failed {
		if err != nil {
			fmt.Fprintln(a.err, fault.MessageOf(err))
		}
	}
	return a.tellPlan("removed", &plan)
}

// sayUnlessJSON says a sentence to people.
func (a *app) sayUnlessJSON(sentence string) error {
	if a.json {
		return a.printJSON(map[string]bool{"installed": false})
	}
	a.say("%s", sentence)
	return nil
}

// tellPlan says what was done.
func (a *app) tellPlan(done string, plan *service.Plan) error {
	if a.json {
		return a.printJSON(map[string]any{"service": done, "file": plan.Files[len(plan.Files)-1].Name})
	}
	a.say("The service is %s.", done)
	for _, hint := range plan.Hints {
		a.say("%s", hint)
	}
	return nil
}

// printPlan prints the steps of a plan in the order in which they are done.
func (a *app) printPlan(plan *service.Plan, write bool) error {
	if a.json {
		files := make(map[string]string)
		for _, f := range plan.Files {
			files[f.Name] = f.Body
		}
		return a.printJSON(map[string]any{"files": files, "commands": plan.Commands, "dry_run": true})
	}
	commands := plan.Commands
	if !write { // the service is stopped while its files are there
		a.say("%s", strings.Join(commands[0], " "))
		commands = commands[1:]
	}
	for _, f := range plan.Files {
		if write {
			a.say("# %s\n%s", f.Name, block(strings.TrimSuffix(f.Body, "\n")))
			continue
		}
		a.say("rm %s", f.Name)
	}
	for _, command := range commands {
		a.say("%s", strings.Join(command, " "))
	}
	return nil
}

// runManager runs a command of the service manager. What it prints is in the error, before
// the remedy.
func runManager(ctx context.Context, command []string, remedy string) error {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, "service_manager_absent",
			"The program "+command[0]+" is not on this machine. Have its init system run: hermes serve", err)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "service_manager_failed",
			fmt.Sprintf("%s failed: %v\n%s%s", strings.Join(command, " "), err, bytes.TrimSpace(out), remedy), err)
	}
	return nil
}

// serviceState is the answer of `hermes service status` for programs.
type serviceState struct {
	File      string `json:"file"`
	Installed bool   `json:"installed"`
	Running   bool   `json:"running"`
}

func (a *app) showService(ctx context.Context, f *serviceFlags) error {
	at, err := a.servicePlace(f)
	if err != nil {
		return err
	}
	file, command, err := service.Look(at)
	if err != nil {
		return err
	}
	state := serviceState{File: file}
	whose := file
	switch state.Installed, err = service.Installed(file); {
	case err != nil:
		whose = "no: " + fault.MessageOf(err)
	case !state.Installed && service.Packaged(at) != "":
		state.File, state.Installed = service.Packaged(at), true
		whose = state.File + ", of a package"
	case !state.Installed:
		whose = "no"
	}
	state.Running = exec.CommandContext(ctx, command[0], command[1:]...).Run() == nil
	if a.json {
		return a.printJSON(state)
	}
	a.say("%-10s %s", "installed", whose)
	a.say("%-10s %s", "running", says(state.Running, "yes", "no"))
	return nil
}

// says is the one text or the other.
func says(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
