package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// entry is what a client did in a register.
type entry struct {
	kind kind // ask, answer, part or look
	name string
	// retried says that the client asked more than once: other turns may stand between the
	// input and its answer. answered says that there is an answer in the end.
	retried, answered bool
}

// seen is what the client was told.
type seen struct {
	known bool
	after string // the message that the model saw before the input
	place int    // where the message stands in the end
	log   string // what was read
}

// registerState is the truth about a register.
type registerState struct {
	log  string
	next int
	open string // the input whose answer must come next
	// loose says that the newest message is of a turn that was cut off: the next model may or
	// may not see it.
	loose bool
}

// registers is what a lineage must look like to clients of several servers: messages are only
// added, one turn after the other, and a read sees all that was acknowledged before.
var registers = porcupine.Model{
	Init: func() any { return registerState{} },
	Step: func(state, input, output any) (bool, any) {
		s, ok1 := state.(registerState)
		in, ok2 := input.(entry)
		out, ok3 := output.(seen)
		if !ok1 || !ok2 || !ok3 {
			return false, state
		}
		return s.step(&in, &out)
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

func (s registerState) step(in *entry, out *seen) (bool, registerState) {
	if in.kind == look {
		return out.log == s.log, s
	}
	if out.place != s.next {
		return false, s
	}
	switch in.kind {
	case ask:
		return s.asked(in, out)
	case part: // it may stand behind turns that were faster than the client noticed
		return s.open == "", s.with(in.name, "", true)
	}
	name := "n" + in.name[1:]
	if in.retried {
		return s.open == "", s.with(name, "", true)
	}
	return s.open == in.name, s.with(name, "", false)
}

// asked adds an input.
func (s registerState) asked(in *entry, out *seen) (bool, registerState) {
	switch {
	case s.open != "":
		return false, s
	case in.retried || !in.answered:
		return true, s.with(in.name, "", true)
	case out.known && !s.loose && out.after != last(s.log):
		return false, s
	}
	return true, s.with(in.name, in.name, false)
}

// with is the state after a message.
func (s registerState) with(name, open string, loose bool) registerState {
	s.log += fmt.Sprintf(" %d:%s", s.next, name)
	s.next++
	s.open, s.loose = open, loose
	return s
}
