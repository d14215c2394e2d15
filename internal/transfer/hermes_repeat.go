package transfer

import (
	"crypto/sha256"
	"slices"
	"strings"
)

// repeats finds what Hermes Agent has written again in a lineage. A compression puts the first
// messages, a summary and the last messages in place of all, in the next session or behind the
// others in the same one. Sometimes all messages of a session were written again with each turn.
type repeats struct {
	// said are the messages that were taken, in their order, and at are those of which the time is known.
	said []saying
	at   map[moment]bool
}

// saying stands for what a message says.
type saying [sha256.Size]byte

// moment is a saying with its time.
type moment struct {
	saying saying
	at     int64 // in milliseconds
}

// mostKept bounds how many of the last messages a compression may leave as they were.
const mostKept = 2000

// sayingOf stands for a message. The result of a tool may have been shortened since, so that its call tells
// it; the calls of an answer likewise.
func sayingOf(m *Message) saying {
	text := m.Role + "\x00" + m.CallID
	for i := range m.Calls {
		text += "\x00" + m.Calls[i].ID
	}
	if m.CallID == "" && len(m.Calls) == 0 {
		text += "\x00" + m.Text
	}
	return sha256.Sum256([]byte(text))
}

func sayingsOf(ms []Message) []saying {
	out := make([]saying, len(ms))
	for i := range ms {
		out[i] = sayingOf(&ms[i])
	}
	return out
}

// without are the next messages of the lineage, without those that it has and without the summaries. omit
// counts what is left out.
func (r *repeats) without(ms []Message, omit func(kind string)) []Message {
	if r.at == nil {
		r.at = make(map[moment]bool)
	}
	var out []Message
	for i := 0; i < len(ms); i++ {
		said := sayingOf(&ms[i])
		now := moment{said, ms[i].At.UnixMilli()}
		switch {
		case compression(ms[i].Text):
			omit("summary of a compression")
			head := min(len(out), r.head())
			out, r.said = out[:len(out)-head], r.said[:len(r.said)-head]
			tail := r.tail(ms[i+1:])
			for range head + tail {
				omit("message that a compression repeats")
			}
			i += tail
		case r.at[now]:
			omit("message that is there twice")
		default:
			r.said = append(r.said, said)
			r.at[now] = !ms[i].At.IsZero()
			out = append(out, ms[i])
		}
	}
	return out
}

// learn notes messages that are taken elsewhere.
func (r *repeats) learn(ms []Message) { r.without(ms, func(string) {}) }

// inherit is how many of the messages behind the summary with which a branch began are its parent's. The
// parent may have gone on since, so that they stand anywhere in it. They are learnt with those before them. A
// single message counts only if it was said at the same time: a short answer may be new.
func (r *repeats) inherit(parent, next []Message) int {
	var whole repeats
	whole.learn(parent)
	coming := sayingsOf(next[:min(len(next), mostKept)])
	most, end := 0, 0
	for i := range whole.said {
		k := 0
		for k < min(len(coming), len(whole.said)-i) && whole.said[i+k] == coming[k] {
			k++
		}
		if k > 0 && k >= most {
			most, end = k, i+k
		}
	}
	if most == 0 || most == 1 && !whole.at[moment{coming[0], next[0].At.UnixMilli()}] {
		return 0
	}
	r.said, r.at = whole.said[:end:end], whole.at
	return most
}

// head is how many of the last messages repeat the first ones.
func (r *repeats) head() int {
	n := len(r.said)
	for k := min(n/2, mostKept); k > 0; k-- {
		if slices.Equal(r.said[n-k:], r.said[:k]) {
			return k
		}
	}
	return 0
}

// tail is how many of the next messages repeat the last ones.
func (r *repeats) tail(next []Message) int {
	most := min(len(r.said), len(next), mostKept)
	coming := sayingsOf(next[:most])
	for k := most; k > 0; k-- {
		if slices.Equal(r.said[len(r.said)-k:], coming[:k]) {
			return k
		}
	}
	return 0
}

// compression reports whether a text was written by a compression, whatever role it has.
func compression(text string) bool {
	if strings.Contains(text, "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]") { // behind the message before
		return true
	}
	text = strings.TrimSpace(text)
	return slices.ContainsFunc([]string{
		"[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:", "[Your active task list was preserved across context compression]",
		"Continue from the compressed conversation context above.",
	}, func(begin string) bool { return strings.HasPrefix(text, begin) })
}
