// Package service installs this program as a service of the operating system: what files
// are written, and which commands are run. It runs no command itself, and it touches no
// data of the program.
package service

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// The names of the service.
const (
	unitName = "hermes.service"
	label    = "io.github.hermes-memory.hermes"
	account  = "hermes"
)

// Mark is in every file that is written here, so that files of other origin are left alone.
const Mark = "Made by `hermes service install`"

// Place is where a service is installed.
type Place struct {
	// OS is the operating system, as runtime.GOOS has it.
	OS string
	// Home is the user's home directory, and Config the one for settings of programs.
	Home, Config string
	// UID is the number of the account.
	UID int
	// System is a service of the machine, with an account of its own. Otherwise the
	// service belongs to the user.
	System bool
	// Root holds the files of the machine.
	Root fs.FS
}

// has reports whether the machine has a file, by its absolute path.
func (p *Place) has(name string) bool {
	if p.Root == nil {
		return false
	}
	_, err := fs.Stat(p.Root, strings.TrimPrefix(name, "/"))
	return err == nil
}

// Server is what the service runs.
type Server struct {
	// Program is the absolute path of this program.
	Program string
	// HomeDir is the value of HERMES_HOME; "" sets none. A service of the machine has a
	// directory of its own.
	HomeDir string
}

// File is a file of a service.
type File struct {
	Name string
	Mode fs.FileMode
	Body string
	// Secret is a file for settings. It is made once, and is never changed or removed.
	Secret bool
	// Under is a directory above the file. A removal also removes the directories between
	// the two that it leaves empty. "" removes none.
	Under string
}

// Plan are the steps of an installation or a removal.
type Plan struct {
	Files    []File
	Commands [][]string
	// Hints say what else a person may want to do.
	Hints []string
}

// Install is how the server becomes a service. random makes the key of a service of the
// machine.
func Install(p Place, s Server, random func() string) (Plan, error) {
	if _, _, err := Look(p); err != nil {
		return Plan{}, unsupported(p, s.Program)
	}
	if err := checkPaths(s.Program, s.HomeDir); err != nil {
		return Plan{}, err
	}
	switch {
	case p.OS == "darwin":
		return installAgent(p, s), nil
	case Packaged(p) != "":
		return Plan{}, fault.New(fault.Conflict, "service_packaged", "A package has brought the service already: "+packagedUnit+
			". Start it: sudo systemctl enable --now hermes")
	case p.System:
		return installSystem(s, random), checkSeen(s.Program)
	}
	return installUser(p, s), nil
}

// Uninstall is how the service ends. Its files are removed before the last command.
func Uninstall(p Place) (Plan, error) {
	switch {
	case p.OS == "darwin" && !p.System:
		return Plan{
			Files:    []File{{Name: agentFile(p), Under: path.Join(p.Home, "Library")}},
			Commands: [][]string{{"launchctl", "bootout", domain(p) + "/" + label}},
		}, nil
	case p.OS == "linux" && p.System:
		return Plan{
			Files:    []File{{Name: systemUnit}, {Name: sysusersFile, Under: "/etc"}},
			Commands: [][]string{{"systemctl", "disable", "--now", unitName}, {"systemctl", "daemon-reload"}},
			Hints: []string{
				"The data in " + stateDir + ", the settings in " + environmentFile + " and the account " + account + " stay.",
			},
		}, nil
	case p.OS == "linux":
		return Plan{
			Files:    []File{{Name: userUnit(p), Under: settingsRoot(p)}},
			Commands: [][]string{{"systemctl", "--user", "disable", "--now", unitName}, {"systemctl", "--user", "daemon-reload"}},
		}, nil
	}
	return Plan{}, unsupported(p, "hermes")
}

// Packaged is the unit of a service of the machine that a package has brought; "" for none.
func Packaged(p Place) string {
	if p.OS == "linux" && p.System && p.has(packagedUnit) {
		return packagedUnit
	}
	return ""
}

// Look is how the state of the service is found out: its file, and a command that succeeds
// if it runs.
func Look(p Place) (file string, command []string, err error) {
	switch {
	case p.OS == "darwin" && !p.System:
		return agentFile(p), []string{"launchctl", "print", domain(p) + "/" + label}, nil
	case p.OS == "linux" && p.System:
		return systemUnit, []string{"systemctl", "is-active", unitName}, nil
	case p.OS == "linux":
		return userUnit(p), []string{"systemctl", "--user", "is-active", unitName}, nil
	}
	return "", nil, unsupported(p, "hermes")
}

// Remedy is what to do after the service manager refused a command.
func Remedy(p Place) string {
	switch {
	case p.OS != "linux":
	case !p.has("/run/systemd/system"):
		return "systemd does not run this machine. Have its init system run: hermes serve"
	case !p.System && !p.has(path.Join("/run/user", strconv.Itoa(p.UID), "systemd")):
		return "No service manager runs for this account. Log in as the account itself, not by su or sudo, and run the command again. " +
			"`sudo loginctl enable-linger ACCOUNT` keeps a manager running. A service of the machine needs none: sudo hermes service install --system"
	}
	return "Correct that and run the command again."
}

// unsupported says what to do where no service is installed.
func unsupported(p Place, program string) error {
	says := "Services of " + p.OS + " are not installed by this program. Have the init system run: hermes serve"
	switch {
	case p.OS == "windows":
		says = "On Windows a task starts the server at each logon. Make it with: " +
			`schtasks /Create /TN Hermes /SC ONLOGON /RL LIMITED /TR "\"` + program + `\" serve"` +
			" and remove it with: schtasks /Delete /TN Hermes"
	case p.OS == "darwin":
		says = "On macOS the service belongs to an account. Leave out --system."
	}
	return fault.New(fault.Invalid, "service_unsupported", says)
}

// checkPaths refuses paths that the files of services cannot have.
func checkPaths(paths ...string) error {
	for _, one := range paths {
		for _, r := range one {
			if r < ' ' || r == 0x7f {
				return fault.New(fault.Invalid, "service_path",
					fmt.Sprintf("The path %q has a control character, which no file of a service can have. Rename it.", one))
			}
		}
	}
	if len(paths) > 0 && !path.IsAbs(paths[0]) {
		return fault.New(fault.Invalid, "service_path", fmt.Sprintf("The path of this program, %q, is not absolute.", paths[0]))
	}
	return nil
}

// unseen are the directories that the unit of a service of the machine hides from its program.
func unseen() []string { return []string{"/home", "/root", "/run/user", "/tmp", "/var/tmp"} }

// checkSeen refuses a program that its own unit could not start.
func checkSeen(program string) error {
	at, err := filepath.EvalSymlinks(program)
	if err != nil {
		at = program
	}
	for _, dir := range unseen() {
		if strings.HasPrefix(program, dir+"/") || strings.HasPrefix(at, dir+"/") {
			return fault.New(fault.Invalid, "service_path", fmt.Sprintf("A service of the machine sees nothing in %s, where this program is. "+
				"Move it, and install the service with the moved one: sudo mv %s /usr/local/bin/hermes && sudo /usr/local/bin/hermes service install --system",
				dir, at))
		}
	}
	return nil
}
