package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// kind is what a client did. A turn is two: its input is stored, and its answer;
// between them no other client may write, but all may read.
type kind int

const (
	ask kind = iota
	answer
	again // the same request was told the same answer
	add
	undo
	look
	fork
	part // of an answer that was cut off
)

// kindNames are the kinds as the table has them.
var kindNames = [...]string{"inputs", "answers", "replays", "appends", "undos", "reads", "forks", "parts"}

// said is what a client asked for.
type said struct {
	kind  kind
	name  string   // of a turn's input
	names []string // of appended messages
}

// saw is what a client got to see of it.
type saw struct {
	known  bool   // an answer came
	absent bool   // there was no such session
	after  string // the message that the turn's model saw before the input
	place  int    // where a turn's message stands in the end, undone or not
	from   int    // the place of the first appended message
	log    string // what was read
	count  int    // messages taken back
	name   string // of the first of them
}

// agrees reports whether an answer says what is true, or never came.
func (s *saw) agrees(says bool) bool { return !s.known || says }

// transcript is the whole truth about a session: the messages that stand, each as
// " place:name", the next place, the input that has no answer yet, and what each turn
// was told.
type transcript struct {
	log  string
	next int
	open string
	done string
}

// transcripts is what a session must look like to its clients: as if they had come
// one after the other.
var transcripts = porcupine.Model{
	Init: func() any { return transcript{} },
	Step: func(state, input, output any) (bool, any) {
		s, ok1 := state.(transcript)
		in, ok2 := input.(said)
		out, ok3 := output.(saw)
		if !ok1 || !ok2 || !ok3 {
			return false, state
		}
		return s.step(&in, &out)
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

// step reports whether a client may have seen this, and what the session is then.
func (s transcript) step(in *said, out *saw) (bool, transcript) {
	switch in.kind {
	case look, fork:
		if out.absent {
			return s.next == 0, s
		}
		if in.kind == fork {
			return out.agrees(unplaced(out.log) == unplaced(s.log)), s
		}
		return out.agrees(out.log == s.log), s
	case ask:
		if s.open != "" || out.place != s.next || !out.agrees(out.after == last(s.log)) {
			return false, s
		}
		s.put(in.name)
		s.open = in.name
		return true, s
	case answer:
		if s.open != in.name || out.place != s.next {
			return false, s
		}
		s.put("n" + in.name[1:])
		s.open, s.done = "", s.done+" "+in.name+"="+out.after
		return true, s
	case again:
		return strings.Contains(s.done+" ", " "+in.name+"="+out.after+" "), s
	case add:
		if s.open != "" {
			return false, s
		}
		if !out.agrees(out.from == s.next) {
			return false, s
		}
		for _, name := range in.names {
			s.put(name)
		}
		return true, s
	case undo:
		return s.undo(out)
	}
	return false, s
}

func (s *transcript) put(name string) {
	s.log += fmt.Sprintf(" %d:%s", s.next, name)
	s.next++
}

// undo takes back the newest message of a user, and what followed it.
func (s transcript) undo(out *saw) (bool, transcript) {
	if out.absent {
		return s.next == 0, s
	}
	if s.open != "" {
		return false, s
	}
	all := strings.Fields(s.log)
	for i := len(all) - 1; i >= 0; i-- {
		_, name, _ := strings.Cut(all[i], ":")
		if !strings.ContainsAny(name[:1], "ta") {
			continue
		}
		ok := out.agrees(out.count == len(all)-i && out.name == name)
		s.log = ""
		for _, kept := range all[:i] {
			s.log += " " + kept
		}
		return ok, s
	}
	return out.agrees(out.count == 0), s
}

// last is the name of the newest message that stands.
func last(log string) string {
	if i := strings.LastIndexByte(log, ':'); i >= 0 {
		return log[i+1:]
	}
	return "nothing"
}

// unplaced is a log without places: a copy has its own.
func unplaced(log string) string {
	var out strings.Builder
	for _, m := range strings.Fields(log) {
		_, name, _ := strings.Cut(m, ":")
		out.WriteString(" " + name)
	}
	return out.String()
}

// nameOf is the first word of a message, which is its name: t, n, a or b, the
// client and a number; "" for a text that no client here has sent.
func nameOf(text string) string {
	name, _, _ := strings.Cut(text, " ")
	if len(name) < 4 || !strings.ContainsAny(name[:1], "tnab") || strings.Trim(name[1:], "0123456789.") != "" {
		return ""
	}
	return name
}

// namesIn are the messages of a request that were said here: not the system's, nor
// what it quotes.
func namesIn(body []byte) (names []string, ok bool) {
	var in struct {
		Messages []struct{ Role, Content string }
	}
	if json.Unmarshal(body, &in) != nil {
		return nil, false
	}
	for _, m := range in.Messages {
		if name := nameOf(m.Content); name != "" && m.Role != "system" {
			names = append(names, name)
		}
	}
	return names, len(names) > 0
}
