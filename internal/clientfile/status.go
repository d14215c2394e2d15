package clientfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// State is what a client's file says about this program.
type State string

// The states of a client's file.
const (
	NoFile       State = "no_file"
	NotInstalled State = "not_installed"
	Installed    State = "installed"
	// Elsewhere means that the entry starts another program, or this one at another path.
	Elsewhere  State = "another_program"
	Unreadable State = "unreadable"
)

// Status is a row of `hermes mcp status`.
type Status struct {
	Client  string `json:"client"`
	File    string `json:"file"`
	Project bool   `json:"project"`
	State   State  `json:"state"`
	// Target is the command or the URL of the entry.
	Target string `json:"target"`
	// Error says why the file is unreadable.
	Error string `json:"error,omitempty"`
}

// Statuses are the files of all clients, and those of the working directory that exist.
// program is the path of this program.
func Statuses(p Place, program string) []Status {
	var out []Status
	for _, c := range clients() {
		out = append(out, c.status(p, false, program))
		if !c.HasProject() {
			continue
		}
		if s := c.status(p, true, program); s.State != NoFile && s.File != out[len(out)-1].File {
			out = append(out, s)
		}
	}
	return out
}

func (c *Client) status(p Place, project bool, program string) Status {
	s := Status{Client: c.Name, Project: project, File: c.files(p, project)[0], State: NoFile}
	f, err := c.open(p, project)
	if err != nil {
		s.State, s.Error = Unreadable, fault.MessageOf(err)
		return s
	}
	s.File = f.name
	if f.bytes == nil {
		return s
	}
	found, exists := lookup(f.members, c.path())
	if !exists {
		s.State = NotInstalled
		return s
	}
	server, ours := c.read(found)
	s.State, s.Target = Elsewhere, server.Command
	switch {
	case server.URL != "":
		s.Target = server.URL
		if ours {
			s.State = Installed
		}
	case ours && SameProgram(server.Command, program):
		s.State = Installed
		s.Target = strings.Join(append([]string{server.Command}, server.Args...), " ")
	}
	return s
}

// SameProgram reports whether two paths lead to the same file.
func SameProgram(one, other string) bool {
	if filepath.Clean(one) == filepath.Clean(other) {
		return true
	}
	if filepath.Base(one) == one { // a name is looked for in PATH, as clients do
		if found, err := exec.LookPath(one); err == nil {
			one = found
		}
	}
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}
