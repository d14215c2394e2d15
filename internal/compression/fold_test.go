package compression

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/session"
)

// message is a message of a tail in which every message has its own text.
func message(seq int64, role session.Role, tokens int) session.Message {
	m := session.Message{Seq: seq, Role: role, Content: fmt.Sprintf("%s says number %d", role, seq), Tokens: tokens}
	if role == session.Assistant && tokens%3 == 0 {
		m.ToolCalls = []byte(`[{"id":"x"}]`)
	}
	return m
}

// anyTail draws turns: a user's message or two, answers, tool calls and results.
func anyTail(t *rapid.T) []session.Message {
	var tail []session.Message
	seq := rapid.Int64Range(0, 1000).Draw(t, "first")
	size := rapid.SampledFrom([]int{5, 40, 300}).Draw(t, "size")
	for range rapid.IntRange(0, 30).Draw(t, "turns") {
		for _, role := range rapid.SampledFrom([][]session.Role{
			{session.User, session.Assistant}, {session.User}, {session.User, session.User, session.Assistant},
			{session.User, session.Assistant, session.Tool, session.Tool, session.Assistant}, {session.Assistant},
		}).Draw(t, "turn") {
			tail = append(tail, message(seq, role, rapid.IntRange(0, size).Draw(t, "tokens")))
			seq++
		}
	}
	return tail
}

// TestFoldProperties holds for every tail and every limit.
func TestFoldProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tail := anyTail(t)
		l := LimitsFor(rapid.IntRange(0, 20_000).Draw(t, "budget"), rapid.IntRange(0, 2000).Draw(t, "pinned"), rapid.IntRange(0, 2000).Draw(t, "memory"))
		before := rapid.SampledFrom([]string{"", "- earlier", "- one\n- two\n- three"}).Draw(t, "before")
		total := tokensOf(tail)
		f, ok := Fold(tail, before, l, Estimate)
		if !ok {
			if f != (Folded{}) {
				t.Errorf("no fold: got %+v, want nothing", f)
			}
			return
		}
		if total <= l.High {
			t.Errorf("a tail of %d tokens was folded below the mark of %d", total, l.High)
		}
		cut := int(f.TailFrom - tail[0].Seq)
		if cut <= 0 || cut >= len(tail) {
			t.Fatalf("got a cut at %d of %d, want something on both sides", cut, len(tail))
		}
		if tail[cut].Role != session.User {
			t.Errorf("the tail begins with %q, want the user", tail[cut].Role)
		}
		kept := tokensOf(tail[cut:])
		if float64(total-kept) < minShrink*float64(total) {
			t.Errorf("got %d of %d tokens kept, want a fifth gone", kept, total)
		}
		checkLargest(t, tail, cut, l)
		if got := Estimate(f.Summary); got > l.Summary {
			t.Errorf("summary: got %d tokens, want at most %d", got, l.Summary)
		}
	})
}

// checkLargest sees that no more was folded than needed: a cut further back
// would have been over the low mark.
func checkLargest(t *rapid.T, tail []session.Message, cut int, l Limits) {
	for i := 1; i < cut; i++ {
		if tail[i].Role == session.User && tokensOf(tail[i:]) <= l.Low {
			t.Errorf("cut at %d, want %d: that would have been small enough", cut, i)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	turns := func(n, tokens int) (tail []session.Message) {
		for i := range int64(n) {
			tail = append(tail, message(2*i, session.User, tokens), message(2*i+1, session.Assistant, tokens))
		}
		return tail
	}
	for _, c := range []struct {
		name string
		tail []session.Message
		l    Limits
		from int64
		ok   bool
	}{
		{"small enough", turns(10, 46), Limits{High: 1000, Low: 400}, 0, false},
		{"one over", append(turns(10, 46), message(20, session.User, 0)), Limits{High: 1000, Low: 400, Summary: 100}, 14, true},
		{"nothing", nil, Limits{}, 0, false},
		{"one message", turns(1, 5000)[:1], Limits{High: 100, Low: 40}, 0, false},
		{"one turn", turns(1, 5000), Limits{High: 100, Low: 40}, 0, false},
		{"the newest turn alone is too long", append(turns(3, 50), message(6, session.User, 900)), Limits{High: 1000, Low: 400, Summary: 100}, 6, true},
		{"the newest turn is all there is", append(turns(1, 50), message(2, session.User, 5000)), Limits{High: 1000, Low: 400}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, ok := Fold(c.tail, "", c.l, Estimate)
			if ok != c.ok || f.TailFrom != c.from {
				t.Errorf("got a fold at %d, %v, want %d, %v", f.TailFrom, ok, c.from, c.ok)
			}
		})
	}
}

// TestFoldKeepsToolCalls folds a tail whose only user messages surround a long
// chain of calls and results.
func TestFoldKeepsToolCalls(t *testing.T) {
	t.Parallel()
	tail := []session.Message{message(0, session.User, 100), message(1, session.Assistant, 100)}
	tail = append(tail, message(2, session.User, 10))
	for seq := int64(3); seq < 23; seq += 2 {
		tail = append(tail, message(seq, session.Assistant, 99), message(seq+1, session.Tool, 99))
	}
	f, ok := Fold(tail, "", Limits{High: 500, Low: 200, Summary: 50}, Estimate)
	if ok { // the turn with the calls stays whole, and what is left to fold is too little
		t.Errorf("got %+v, want no fold: it would part calls from results", f)
	}
	tail = append(tail, message(23, session.User, 10))
	if f, ok = Fold(tail, "", Limits{High: 500, Low: 200, Summary: 50}, Estimate); !ok || f.TailFrom != 23 {
		t.Errorf("got %+v, %v, want a cut in front of the newest question", f, ok)
	}
}

// TestFoldKeepsAnswers folds a tail in which an answer stands behind the turns that
// overtook it: the cut is in front of its input, or behind the answer.
func TestFoldKeepsAnswers(t *testing.T) {
	t.Parallel()
	var tail []session.Message
	for seq := int64(0); seq < 12; seq += 2 {
		tail = append(tail, message(seq, session.User, 50), message(seq+1, session.Assistant, 50))
	}
	for i := range tail {
		tail[i].ID = int64(100 + i)
	}
	tail[11].ReplyTo = tail[4].ID
	l := Limits{High: 500, Low: 200, Summary: 50}
	if f, ok := Fold(tail, "", l, Estimate); !ok || f.TailFrom != 4 {
		t.Errorf("got %+v, %v, want a cut in front of the input that is answered", f, ok)
	}
	tail = append(tail, message(12, session.User, 50))
	if f, ok := Fold(tail, "", l, Estimate); !ok || f.TailFrom != 12 {
		t.Errorf("got %+v, %v, want a cut behind the answer", f, ok)
	}
	tail[11].ReplyTo = 1 // no longer in the tail
	if f, ok := Fold(tail, "", l, Estimate); !ok || f.TailFrom != 10 {
		t.Errorf("got %+v, %v, want the cut of any other tail", f, ok)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	tail := []session.Message{
		{Seq: 0, Role: session.User, Content: "I use Redis.\n\nFor  everything.", Tokens: 100},
		{Seq: 1, Role: session.Assistant, Content: "Noted.", Tokens: 100},
		{Seq: 2, Role: session.User, Content: " \n ", Tokens: 100},
		{Seq: 3, Role: session.User, Content: "Now Valkey.", Tokens: 100},
		{Seq: 4, Role: session.User, Content: "And?", Tokens: 1},
	}
	f, ok := Fold(tail, "- We began.", Limits{High: 100, Low: 40, Summary: 200}, Estimate)
	if want := "- We began.\n- I use Redis. For everything.\n- Now Valkey."; !ok || f.Summary != want {
		t.Errorf("got %q, want %q", f.Summary, want)
	}
	f, ok = Fold(tail, "- We began.", Limits{High: 100, Low: 40, Summary: 8}, Estimate)
	if want := "- Now Valkey."; !ok || f.Summary != want {
		t.Errorf("little room: got %q, want %q: the oldest go first", f.Summary, want)
	}
}
