package transfer

import (
	"bytes"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
)

// The files of a home of this program look like those of other programs: its database has the tables of Hermes Agent, and
// its transcripts begin as those of OpenClaw.

// ownKind is what a file of this program is; "" for a file of another one.
func (s *sample) ownKind() string {
	const mark, at = "HRMS", 68 // the application id in a database
	switch {
	case s.sqlite() && len(s.head) >= at && bytes.HasPrefix(s.head[at:], []byte(mark)):
		return "database"
	case s.kind == "session" && s.has("mirror"):
		return "transcript"
	}
	return ""
}

// errOwn says of a file of this program how to move its sessions; nil for another file.
func (s *sample) errOwn() error {
	kind := s.ownKind()
	if kind == "" {
		return nil
	}
	return fault.New(fault.Invalid, "own_"+kind, fmt.Sprintf("%s is a %s of this program. `hermes restore FILE` restores a backup;"+
		" `hermes sessions export` and `hermes sessions import` move sessions from one home to another.", s.file.Name, kind))
}
