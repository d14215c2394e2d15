package run

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/session"
)

// fitTail returns the newest messages that fit, in whole groups: a message of the user,
// or an answer with the results of its calls.
func (t *laidOut) fitTail(room int) ([]session.Message, int) {
	tail := standing(paired(t.before(), false), t.input.asked)
	end := len(tail)
	from, used, size := end, 0, 0
	for i := end - 1; i >= 0; i-- {
		size += tail[i].Tokens + compression.MessageOverhead
		if tail[i].Role == session.Tool {
			continue
		}
		if used+size > room {
			break
		}
		used += size
		size = 0
		from = i
	}
	begin, from, used := t.beginning(tail, from, used, room)
	t.sightFrom = t.input.tailTo
	if from < end {
		t.sightFrom = oldest(tail[from:])
	}
	for i := range tail[:from] {
		if tail[i].Seq >= t.sightFrom {
			t.unseen = append(t.unseen, tail[i].Seq)
		}
	}
	for _, m := range session.Asides(t.lineage.Recent) {
		t.unseen = append(t.unseen, m.Seq)
	}
	if begin == nil {
		return tail[from:], used // the usual case copies nothing
	}
	return append(begin, tail[from:]...), used
}

// beginning makes a cut tail begin with a message of the user: the templates of many models
// refuse a conversation that begins with an answer. An answer whose input does not fit is left
// out, unless it is all that fits: then it follows the ends of its input.
func (t *laidOut) beginning(tail []session.Message, from, used, room int) (begin []session.Message, start, size int) {
	if from == 0 || from == len(tail) || tail[from].Role == session.User {
		return nil, from, used
	}
	next := from
	for next < len(tail) && tail[next].Role != session.User {
		next++
	}
	if next < len(tail) {
		for i := from; i < next; i++ {
			used -= tail[i].Tokens + compression.MessageOverhead
		}
		return nil, next, used
	}
	asked := from - 1
	for asked > 0 && tail[asked].Role != session.User {
		asked--
	}
	head := t.shortened(&tail[asked], room-used-compression.MessageOverhead)
	return []session.Message{head}, from, used + head.Tokens + compression.MessageOverhead
}

// cutMark stands for what is left out of a message.
const cutMark = "[…]"

// shortened is a message of the user with only the beginning and the end of its text, as
// much as fits.
func (t *laidOut) shortened(m *session.Message, room int) session.Message {
	text := cutMark
	for half := min(len(m.Content)/2, 2*room); m.Role == session.User && half > len(cutMark); half /= 2 { // about four bytes to a token
		head, end := wholeWords(m.Content[:half], m.Content[len(m.Content)-half:])
		if ends := strings.ToValidUTF8(head+"\n"+cutMark+"\n"+end, ""); t.count(ends) <= room {
			text = ends
			break
		}
	}
	return session.Message{Role: session.User, Content: text, Tokens: t.count(text)}
}

// wholeWords takes the parts of words off the beginning and the end of a text that was cut, if
// it has words.
func wholeWords(head, end string) (cutHead, cutEnd string) {
	const longest = 40 // bytes of a word
	if i := strings.LastIndexAny(head, " \n"); i >= len(head)-longest && i > 0 {
		head = head[:i]
	}
	if i := strings.IndexAny(end, " \n"); i >= 0 && i <= longest {
		end = end[i+1:]
	}
	return head, end
}

// oldest is the lowest Seq of some messages. Results follow their calls and answers follow
// their input, not the order of Seq.
func oldest(ms []session.Message) int64 {
	first := ms[0].Seq
	for i := range ms {
		first = min(first, ms[i].Seq)
	}
	return first
}

// history are the messages that may be shown before the input: the lineage's tail, or
// the past that came with the input.
func (t *laidOut) history() []session.Message {
	if len(t.input.past) > 0 {
		return t.input.past
	}
	tail := t.lineage.Tail()
	if t.leavesBranch() {
		tail = until(tail, *t.req.After+1)
	}
	return tail
}

// standing omits answers that were replaced by a later answer to the same input, and
// answers without content, which model servers refuse.
func standing(tail, asked []session.Message) []session.Message {
	omitted := func(i int) bool {
		if blank(&tail[i]) {
			return true
		}
		next := asked
		if i+1 < len(tail) {
			next = tail[i+1:]
		}
		return given(&tail[i]) && len(next) > 0 && given(&next[0])
	}
	first := 0
	for first < len(tail) && !omitted(first) {
		first++
	}
	if first == len(tail) {
		return tail // the usual case copies nothing
	}
	out := append(make([]session.Message, 0, len(tail)), tail[:first]...)
	for i := first; i < len(tail); i++ {
		if !omitted(i) {
			out = append(out, tail[i])
		}
	}
	return out
}

// given reports whether a message is an answer of this server.
func given(m *session.Message) bool { return m.Role == session.Assistant && m.FinishReason != "" }

// blank reports whether a message is an answer without content.
func blank(m *session.Message) bool {
	return m.Role == session.Assistant && len(m.ToolCalls)+len(m.Wire) == 0 && strings.TrimSpace(m.Content) == ""
}
