package compression

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
)

// Limits are the sizes between which a tail varies, in tokens.
type Limits struct {
	// High is the size at which the tail is folded.
	High int
	// Low is the size after a fold. The difference to High is the room until the next
	// fold.
	Low int
	// Summary bounds the summary.
	Summary int
}

// leastTail is the part of the budget that a tail reaches before it is folded. A fold
// outlives the turn, so that one large input must not fold a short tail.
const leastTail = 4

// LimitsFor divides a context. budget is the whole, pinned the part that is never cut
// (system prompt, tools, new input), memory the room for the memory block. A summary
// may take a sixteenth of the budget.
func LimitsFor(budget, pinned, memory int) Limits {
	summary := budget / 16
	room := max(budget/leastTail, budget-pinned-memory-summary)
	return Limits{High: room, Low: room * 2 / 5, Summary: summary}
}

// Folded is the outcome of a fold.
type Folded struct {
	// TailFrom is the Seq of the first message that stays verbatim.
	TailFrom int64
	// Summary has one line per folded turn, newest last. The oldest lines are dropped
	// if it exceeds its limit. Every line is a quotation; none is a paraphrase.
	Summary string
}

// minShrink is how much smaller a fold must make the tail. A fold has costs (a cold
// prompt cache, a new id) that a smaller saving does not justify.
const minShrink = 0.2

// Fold decides whether and where to cut the tail. before is the summary of earlier
// folds. A tail is cut only before a user's message, so that a tool call stays with its
// results, and an answer that names its input stays with it. ok is false if the tail is
// small enough, or if no cut would help.
func Fold(tail []session.Message, before string, l Limits, count Counter) (f Folded, ok bool) {
	if tokensOf(tail) <= l.High {
		return Folded{}, false
	}
	return foldTo(tail, before, l, count)
}

// FoldNow is Fold on request: it folds the older half of the tail, or more if the
// limits require it.
func FoldNow(tail []session.Message, before string, l Limits, count Counter) (Folded, bool) {
	l.Low = min(l.Low, tokensOf(tail)/2)
	return foldTo(tail, before, l, count)
}

// foldTo cuts a tail to the lower limit, as closely as its messages allow.
func foldTo(tail []session.Message, before string, l Limits, count Counter) (Folded, bool) {
	total := tokensOf(tail)
	if len(tail) < 2 {
		return Folded{}, false
	}
	cut, kept := -1, 0
	whole := wholeFrom(tail)
	for i := len(tail) - 1; i > 0; i-- {
		kept += tail[i].Tokens + MessageOverhead
		if kept > l.Low && cut >= 0 {
			break
		}
		if tail[i].Role == session.User && whole[i] {
			cut = i
			if kept > l.Low {
				break
			}
		}
	}
	if cut < 0 || float64(total-tokensOf(tail[cut:])) < minShrink*float64(total) {
		return Folded{}, false
	}
	return Folded{TailFrom: tail[cut].Seq, Summary: summarize(tail[:cut], before, l.Summary, count)}, true
}

// wholeFrom reports, for each message, whether the messages from it on include the
// inputs that their answers name, as far as the tail has them.
func wholeFrom(tail []session.Message) []bool {
	at := make(map[int64]int)
	for i := range tail {
		if id := tail[i].ID; id != 0 {
			at[id] = i
		}
	}
	whole := make([]bool, len(tail))
	first := len(tail)
	for i := len(tail) - 1; i >= 0; i-- {
		if input, here := at[tail[i].ReplyTo]; here {
			first = min(first, input)
		}
		whole[i] = i <= first
	}
	return whole
}

func tokensOf(ms []session.Message) int {
	n := 0
	for i := range ms {
		n += ms[i].Tokens + MessageOverhead
	}
	return n
}

// GistLength bounds one quoted line of a summary, in bytes.
const GistLength = 160

// summarize appends one line per folded turn to the earlier summary and drops
// the oldest lines that do not fit.
func summarize(folded []session.Message, before string, limit int, count Counter) string {
	var lines []string
	if before != "" {
		lines = strings.Split(before, "\n")
	}
	for i := range folded {
		if m := &folded[i]; m.Role == session.User {
			if g := language.Gist(m.Content, GistLength); g != "" {
				lines = append(lines, "- "+g)
			}
		}
	}
	return Newest(lines, limit, count)
}

// Newest joins the last lines that fit the limit.
func Newest(lines []string, limit int, count Counter) string {
	size, first := 0, len(lines)
	for first > 0 {
		size += count(lines[first-1]) + 1
		if size > limit {
			break
		}
		first--
	}
	return strings.Join(lines[first:], "\n")
}
