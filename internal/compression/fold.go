package compression

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
)

// Limits are the marks a tail moves between, in tokens.
type Limits struct {
	// High is the size at which the tail is folded.
	High int
	// Low is the size it is folded down to. The distance to High is what can be
	// said before the next fold.
	Low int
	// Summary bounds the summary.
	Summary int
}

// LimitsFor divides a context: budget is the whole of it, pinned what the turn
// cannot do without (system prompt, tools, new input), memory what is reserved
// for the memory block. A summary may take a sixteenth of the budget.
func LimitsFor(budget, pinned, memory int) Limits {
	summary := budget / 16
	room := max(0, budget-pinned-memory-summary)
	return Limits{High: room, Low: room * 2 / 5, Summary: summary}
}

// Folded is the outcome of a fold.
type Folded struct {
	// TailFrom is the Seq of the first message that stays verbatim.
	TailFrom int64
	// Summary is one line per folded turn, newest last, the oldest dropped when
	// it outgrows its limit. Every line quotes; nothing is paraphrased.
	Summary string
}

// minShrink is how much smaller a fold must make the tail: a fold that saves
// less than a fifth costs more (a cold prompt cache, a new id) than it brings.
const minShrink = 0.2

// Fold decides whether the tail must shrink and where to cut. before is the
// summary of what was folded earlier. A tail is cut in front of a user's
// message only, so that a tool call is never parted from its results, and an answer
// that names its input is not parted from it. ok is
// false when the tail is small enough, or when no cut would help.
func Fold(tail []session.Message, before string, l Limits, count Counter) (f Folded, ok bool) {
	if tokensOf(tail) <= l.High {
		return Folded{}, false
	}
	return foldTo(tail, before, l, count)
}

// FoldNow is Fold on request: whatever the size of the tail, its older half is
// folded, or more if the limits require it.
func FoldNow(tail []session.Message, before string, l Limits, count Counter) (Folded, bool) {
	l.Low = min(l.Low, tokensOf(tail)/2)
	return foldTo(tail, before, l, count)
}

// foldTo cuts a tail down to the lower limit, as near as its messages allow.
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

// wholeFrom says for each message whether those from it on hold the inputs that their
// answers name, as far as the tail has them.
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
