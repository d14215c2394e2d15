package run

import (
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// input is the part of a request that is new to a transcript.
type input struct {
	// past is history from the client that the store lacks. It is added to an empty
	// session.
	past []session.Message
	// fresh are the new messages to append, which the turn answers.
	fresh []session.Message
	// asked are the messages that the model answers: fresh, or, if a request only asks
	// for another answer, the stored messages that it repeats.
	asked []session.Message
	// tailTo cuts the tail: messages from this Seq on are not shown, because the client
	// omitted them. It asks for another answer, or has edited its history.
	// An exchange that began earlier is shown with its answer, even if the answer was
	// stored later; if tailTo is a message of the exchange, the exchange is cut there.
	tailTo int64
	// undoes says that the client went back: messages from the Seq undoFrom on are no
	// longer part of its conversation.
	undoes   bool
	undoFrom int64
}

// goBack notes that the client's history continues after an earlier message and omits
// the messages stored after it. known is the newest place that the history holds.
func (in *input) goBack(l *lineage.Lineage, known int64) {
	recent := session.Spoken(l.Recent)
	if n := len(recent); n > 0 && recent[n-1].Seq > known {
		in.undoes, in.undoFrom = true, known+1
	}
}

// newInput finds the new messages of a request. A client may send its newest message
// alone, tool results alone, or its whole history again; repeated messages are not
// stored twice. oldest reads the oldest standing messages of the lineage. It is called if
// the history has nothing of the newest ones: the client may have edited an early message.
func newInput(l *lineage.Lineage, sent []session.Message, oldest func() ([]session.Message, error)) (input, error) {
	if len(sent) == 0 {
		return input{}, fault.New(fault.Invalid, "no_user_message", "No user message found in messages.").At("messages")
	}
	next := l.Tip.NextSeq
	if next == 0 { // no messages are stored
		cut := turnStart(sent)
		return input{past: sent[:cut], fresh: sent[cut:], asked: sent[cut:], tailTo: next + int64(cut)}, nil
	}
	recent := Visible(lineage.InExchanges(l.Recent))
	if in, ok := repeated(recent, sent); ok {
		return in, nil
	}
	i, j, stored := overlapOf(sent, recent, overlap)
	cut := turnStart(sent)
	if i < 0 && cut > 0 && len(l.Recent) > 0 && l.Recent[0].Seq > 0 {
		first, err := oldest()
		if err != nil {
			return input{}, fmt.Errorf("load the oldest messages: %w", err)
		}
		i, j, stored = overlapOf(sent, Visible(lineage.InExchanges(first)), earlyOverlap)
	}
	if i < 0 {
		return input{fresh: sent[cut:], asked: sent[cut:], tailTo: next}, nil
	}
	return continued(l, sent[i+1:], stored[:j+1]), nil
}

// continued is the input of a history that continues after known messages. fresh are the
// messages of the history that follow them.
func continued(l *lineage.Lineage, fresh, known []session.Message) input {
	last := newest(known)
	in := input{fresh: fresh, asked: fresh, tailTo: last + 1}
	if len(fresh) == 0 { // the client wants another answer to its last message
		start := len(known) - 1
		for start > 0 && known[start].Role != session.User {
			start--
		}
		in = input{asked: slices.Clone(known[start:]), tailTo: known[start].Seq}
	}
	in.goBack(l, last)
	return in
}

// unforgotten is the new input. Clients send their history again, and know nothing of what
// was forgotten in it: the part of the history that would be stored is compared and stored
// without it. What the user says now is stored as it is.
func (t *laidOut) unforgotten() (input, error) {
	sent := t.req.Messages
	if t.req.Fresh && len(sent) > 0 {
		return input{fresh: sent, asked: sent, tailTo: t.lineage.Tip.NextSeq}, nil
	}
	in, err := t.newInput(sent)
	said := turnStart(sent)
	for said < len(sent) && session.Echo(sent[said].Note) {
		said++
	}
	if err != nil || len(in.past)+len(in.fresh) <= len(sent)-said {
		return in, err
	}
	without, changed, err := t.runner.curator.WithoutForgotten(t.ctx, t.req.Owner, sent[:said])
	if err != nil || !changed {
		return in, err
	}
	sent = append(without, sent[said:]...)
	lineage.Stamp(sent, t.req.Key, t.now, t.count)
	return t.newInput(sent)
}

// newInput is [newInput] of the turn's lineage. It reads as many messages as an edited
// history can overlap with: the history and the calls that a client may leave out of it.
func (t *opened) newInput(sent []session.Message) (input, error) {
	return newInput(t.lineage, sent, func() ([]session.Message, error) {
		const left = 4 // of so many messages, a client may leave out all but one
		return t.runner.sessions.Messages(t.ctx, t.req.Owner, t.lineage.Tip.RootID,
			session.Range{Limit: left * len(sent), Bytes: lineage.MaxRecentBytes, Standing: true})
	})
}

// newest is the highest Seq of some messages. They are in the order of exchanges, not of
// Seq.
func newest(ms []session.Message) int64 {
	last := ms[0].Seq
	for i := range ms {
		last = max(last, ms[i].Seq)
	}
	return last
}

// turnStart is the start of the newest turn in a history: after the last answer. Tool
// results belong to the answer that made the calls.
func turnStart(sent []session.Message) int {
	for i := len(sent) - 1; i >= 0; i-- {
		if sent[i].Role == session.Assistant && i+1 < len(sent) {
			return i + 1
		}
	}
	return 0
}

// repeated recognizes a retry: the newest stored messages have no answer, and the
// request ends with the same messages.
func repeated(recent, sent []session.Message) (input, bool) {
	end := len(recent)
	for end > 0 && recent[end-1].Partial() {
		end-- // a partial answer does not count
	}
	open := end
	for open > 0 && recent[open-1].Role != session.Assistant {
		open--
	}
	unanswered := recent[open:end]
	start := turnStart(sent)
	fresh := sent[start:]
	if len(unanswered) == 0 || len(fresh) > len(unanswered) {
		return input{}, false
	}
	same := unanswered[len(unanswered)-len(fresh):]
	for i := range fresh {
		if !equal(&fresh[i], &same[i]) {
			return input{}, false
		}
	}
	return input{asked: same, tailTo: same[0].Seq}, true
}

// overlapOf is the overlap that compare finds, [overlap] or [earlyOverlap], with the stored
// messages that it looked at. Some clients leave calls and their results out of the history
// that they send again: if nothing overlaps, both sides are compared without them.
func overlapOf(
	sent, stored []session.Message, compare func(sent, stored []session.Message) (int, int),
) (i, j int, looked []session.Message) {
	if i, j = compare(sent, stored); i >= 0 {
		return i, j, stored
	}
	if !session.Any(stored, isLoop) || session.Any(sent, isLoop) {
		return -1, -1, nil
	}
	spoken := slices.DeleteFunc(slices.Clone(stored), func(m session.Message) bool { return isLoop(&m) })
	i, j = compare(sent, spoken)
	return i, j, spoken
}

// isLoop reports whether a message calls a tool, or is a result of one.
func isLoop(m *session.Message) bool { return m.Role == session.Tool || len(m.ToolCalls) > 0 }

// overlap aligns the sent messages with the stored ones: sent[i] is the last known
// message, and stored[j] is the same one. It returns -1 if they do not overlap.
//
// An overlap counts only if all messages before it agree too, as far as both sides go
// back, so that a user who says "ok" twice is not taken for a repetition.
func overlap(sent, stored []session.Message) (int, int) {
	if len(sent) < 2 || len(stored) == 0 {
		return -1, -1
	}
	if i, j := aligned(sent, stored); i > 0 {
		return i, j
	}
	// The newest stored message that fits counts. If texts repeat, taking a new message
	// for an old one would lose it.
	for j := len(stored) - 1; j > 0; j-- {
		for i := len(sent) - 1; i >= 0; i-- {
			if i == 0 && (sent[0].Role != session.Assistant || j < len(stored)-1) {
				continue // a single equal message proves nothing, unless it is the newest answer
			}
			if agree(sent[:i+1], stored[:j+1]) {
				return i, j
			}
		}
	}
	return -1, -1
}

// earlyOverlap is [overlap] with messages from the beginning of a lineage, of which there
// may be many. So it looks in two places only: the whole history is known, or all of it
// but the newest turn.
func earlyOverlap(sent, stored []session.Message) (int, int) {
	for _, end := range []int{len(sent), turnStart(sent)} {
		for j := len(stored) - 1; j > 0 && end > 1; j-- {
			if agree(sent[:end], stored[:j+1]) {
				return end - 1, j
			}
		}
	}
	return -1, -1
}

// aligned compares a history that was sent from its beginning, message by message. It
// counts if one history is a prefix of the other; -1 otherwise.
func aligned(sent, stored []session.Message) (int, int) {
	skip := int(min(stored[0].Seq, int64(len(sent))))
	n := 0
	for n < len(stored) && skip+n < len(sent) && equal(&sent[skip+n], &stored[n]) {
		n++
	}
	if n > 1 && (n == len(stored) || skip+n == len(sent)) {
		return skip + n - 1, n - 1
	}
	return -1, -1
}

// agreement is the number of messages before an overlap that must be equal.
const agreement = 4

// agree reports whether the ends of two histories are equal.
func agree(sent, stored []session.Message) bool {
	n := min(len(sent), len(stored), agreement)
	for k := 1; k <= n; k++ {
		if !equal(&sent[len(sent)-k], &stored[len(stored)-k]) {
			return false
		}
	}
	return true
}

// equal reports whether a sent message is the stored one. Clients rebuild the messages
// that they resend, so only their meaning is compared.
func equal(sent, stored *session.Message) bool {
	if sent.Role != stored.Role || sent.ToolCallID != stored.ToolCallID {
		return false
	}
	if (len(sent.ToolCalls) > 0) != (len(stored.ToolCalls) > 0) {
		return false
	}
	return sent.Content == stored.Content || sent.Meaning() == stored.Meaning()
}
