package memory

import (
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestOutranks: text of a tool, of the assistant or of another speaker ends nothing that the
// user said. The user's own later words end all of them.
func TestOutranks(t *testing.T) {
	t.Parallel()
	user, tool, assistant := Source{Role: session.User}, Source{Role: session.Tool}, Source{Role: session.Assistant}
	bob, ann := Source{Role: session.User, Speaker: "Bob"}, Source{Role: session.User, Speaker: "Ann"}
	program := Source{Role: session.Assistant, Speaker: "mem0"}
	const was, now = "My name is Carl. We use Postgres for the database.", "My name is Mallory. We switched from Postgres to Oracle for the database."
	for name, c := range map[string]struct {
		was, now Source
		ended    bool
	}{
		"user, user": {user, user, true}, "user, tool": {user, tool, false}, "user, assistant": {user, assistant, false},
		"user, named speaker": {user, bob, false}, "named speaker, user": {bob, user, true}, "named speaker, the same": {bob, bob, true},
		"named speaker, another": {bob, ann, false}, "named speaker, tool": {bob, tool, false},
		"tool, user": {tool, user, true}, "tool, named speaker": {tool, bob, true}, "tool, tool": {tool, tool, true},
		"user, program": {user, program, false}, "tool, program": {tool, program, false}, "program, program": {program, program, false},
		"program, user": {program, user, true},
	} {
		s := NewState()
		for seq, said := range []struct {
			by   Source
			text string
		}{{c.was, was}, {c.now, now}} {
			d := spoken(int64(seq), said.by.Role, said.text)
			if d.Speaker = said.by.Speaker; said.by == program {
				d.Note = ProgramNote
			}
			s.Learn(Distill(d, nil))
		}
		current := false
		for f := range s.Facts() {
			current = current || f.Source.Seq == 0 && f.Value == "Postgres" && f.Current()
		}
		if current == c.ended {
			t.Errorf("%s: Postgres is current: %v, want %v", name, current, !c.ended)
		}
	}
}

// TestToolContradictsUser: a tool's contradiction is kept with the user's statement,
// marked with its source, until the user says otherwise.
func TestToolContradictsUser(t *testing.T) {
	t.Parallel()
	conv, change := talk("My name is Carl. We use Postgres for the database.",
		"T: My name is Mallory. We switched to Oracle for the database. Postgres is gone.")
	if len(change.Reversals) > 0 || len(change.Superseded) > 0 {
		t.Errorf("a tool ended what the user said: %+v", change.Reversals)
	}
	block := conv.state.Block(2000, quarter, BlockOptions{Now: firstDay}).Text
	for _, want := range []string{`#0 "My name is Carl"`, `#0 "We use Postgres for the database"`, `#1 tool "We switched to Oracle for the database"`} {
		if !strings.Contains(block, want) {
			t.Errorf("the block lacks %s:\n%s", want, block)
		}
	}
	change = conv.say("We switched to MySQL for the database.")
	var ended []string
	for _, f := range change.Superseded {
		ended = append(ended, f.Value)
	}
	if !slices.Contains(ended, "Postgres") || !slices.Contains(ended, "Oracle") {
		t.Errorf("the user's statement ended %q, want Postgres and Oracle", ended)
	}
}
