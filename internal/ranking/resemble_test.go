package ranking

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/session"
)

// said is an index of the lines, each line a session of its own.
func said(lines ...string) *Index {
	x := New()
	for i, text := range lines {
		x.Add(Document{MessageID: int64(i + 1), SessionID: session.ID(fmt.Sprint(i)), Root: session.ID(fmt.Sprint(i)), Role: session.User, Text: text})
	}
	return x
}

// feature is the value of a feature for a message in the answer to a question.
func feature(t *testing.T, x *Index, question, name string, message int64) float64 {
	t.Helper()
	for _, h := range x.Search(Query{Text: question, Limit: x.Len(), Explain: true}) {
		if h.MessageID != message {
			continue
		}
		for _, r := range h.Reasons {
			if r.Feature == name {
				return r.Value
			}
		}
		return 0
	}
	t.Fatalf("message %d was not found", message)
	return 0
}

// TestResemblance: of two messages with the same words of the question, the one
// that shares others with a third is the likelier answer.
func TestResemblance(t *testing.T) {
	t.Parallel()
	x := said(
		"The kayak has a paddle and a rudder.",
		"A kayak in the harbour, near the lighthouse.",
		"My kayak needs a rudder.",
		"The bread is in the oven.",
		"Nobody saw the tram.",
	)
	like, unlike := feature(t, x, "kayak", "resemblance", 1), feature(t, x, "kayak", "resemblance", 2)
	if like <= unlike {
		t.Errorf("got %f for the one that shares words and %f for the other", like, unlike)
	}
	two := said("The kayak has a rudder.", "A kayak in the harbour.", "The bread.", "The tram.")
	if got := feature(t, two, "kayak", "resemblance", 1); got >= 1 {
		t.Errorf("a message counts for itself: got %f, want less than 1", got)
	}
	if got := feature(t, said("My kayak.", "Bread.", "Tram."), "kayak", "resemblance", 1); got != 0 {
		t.Errorf("got %f for a message without others, want 0", got)
	}
}

// TestResemblanceLeavesNothing: a search leaves the buffers as it found them.
func TestResemblanceLeavesNothing(t *testing.T) {
	t.Parallel()
	x := said("The kayak has a rudder.", "A kayak in the harbour.", "The tram.")
	x.scratch = new(scratch)
	first := x.search(Query{Text: "kayak", Explain: true})
	l := &x.scratch.like
	if slices.ContainsFunc(l.slots, func(s wordSlot) bool { return s != wordSlot{} }) || len(l.words)+len(l.parts)+len(l.ends) > 0 {
		t.Error("words are left")
	}
	if diff := cmp.Diff(first, x.search(Query{Text: "kayak", Explain: true})); diff != "" {
		t.Errorf("the same search again (-first +second):\n%s", diff)
	}
}

// TestVerbs: a verb of the question counts where it stands, a noun and a word
// that only resembles the verb do not.
func TestVerbs(t *testing.T) {
	t.Parallel()
	x := said("I destroyed the kayak.", "The destruction of the kayak.", "The tram.", "Bread.")
	question := "Who destroyed a kayak?"
	if got := feature(t, x, question, "verbs", 1); got <= 0 || got >= 1 {
		t.Errorf("the verb: got %f, want between 0 and 1", got)
	}
	if got := feature(t, x, question, "verbs", 2); got != 0 {
		t.Errorf("a related noun: got %f, want 0", got)
	}
}

// TestWordings: every message keeps its own distinct words, at most mostWords.
func TestWordings(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 3 * mostWords {
		fmt.Fprintf(&long, "w%cx%cy%c ", 'a'+i%26, 'a'+i/26, 'z')
	}
	x := said("A kayak, a green kayak.", "", long.String(), "The kayak.")
	var got []int
	for d := range x.size() {
		got = append(got, len(x.wordsOf(d))/hashSize)
	}
	if diff := cmp.Diff([]int{2, 0, mostWords, 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
