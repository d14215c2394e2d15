package ranking_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// day is Monday, 5 June 2023, in the morning.
var day = time.Date(2023, 6, 5, 9, 0, 0, 0, time.UTC) // never written

// talk builds documents from "Speaker: text" lines, one a minute. A line "---"
// begins another session a week later.
func talk(lines ...string) []ranking.Document {
	var docs []ranking.Document
	at, sessions := day, 1
	for _, line := range lines {
		if line == "---" {
			at, sessions = at.AddDate(0, 0, 7), sessions+1
			continue
		}
		speaker, text, _ := strings.Cut(line, ": ")
		d := ranking.Document{
			MessageID: int64(len(docs) + 1), SessionID: session.ID(fmt.Sprint("s", sessions)), Root: "r",
			Seq: int64(len(docs)), Role: session.User, Speaker: speaker, Text: text, SaidAt: at,
		}
		switch speaker {
		case "user", "assistant", "tool":
			d.Role, d.Speaker = session.Role(speaker), ""
		}
		docs = append(docs, d)
		at = at.Add(time.Minute)
	}
	return docs
}

func indexOf(docs []ranking.Document) *ranking.Index {
	x := ranking.New()
	for _, d := range docs {
		x.Add(d)
	}
	return x
}

// numbers are the MessageIDs of hits, in order.
func numbers(hits []ranking.Hit) []int64 {
	var out []int64
	for _, h := range hits {
		out = append(out, h.MessageID)
	}
	return out
}

func TestIndexSearch(t *testing.T) {
	t.Parallel()
	filler := []string{
		"Anna: The tram was late again.", "Bert: Mine too, what a mess.", "Anna: I baked bread on the terrace.",
		"Bert: Lovely smell I guess.", "Anna: The cellar is flooded.", "Bert: Call a plumber then.",
	}
	tests := []struct {
		name  string
		lines []string
		ask   string
		want  int64
	}{
		{"a word", []string{"Anna: My kayak is green."}, "Which colour has the kayak?", 1},
		{"an inflected word", []string{"Anna: We were kayaking."}, "kayaks", 1},
		{"a relative of the word", []string{"Bert: The destruction was total."}, "Was it destructive?", 1},
		{"the answer after a question", []string{"Anna: Which kayak did you choose?", "Bert: The green one!"}, "Which kayak did Bert choose?", 2},
		{"the speaker asked about", []string{"Anna: My kayak is green.", "Bert: My kayak is red."}, "Which colour is the kayak of Bert?", 2},
		{"a shortened name", []string{"Annabel: My kayak is green.", "Bert: My kayak is red."}, "Which kayak has Anna?", 1},
		{"the date it speaks of", []string{"Anna: I sold a kayak.", "---", "Anna: I sold a kayak last Tuesday.", "---", "Anna: I sold a kayak."}, "Who sold something on 6 June 2023?", 2},
		{"the date it was said", []string{"Anna: I sold a kayak.", "---", "Anna: I sold a kayak.", "---", "Anna: I sold a kayak."}, "What was sold on 12 June 2023?", 2},
		{"a time when that is asked", []string{"Bert: Kayak race!", "Bert: Kayak race yesterday!"}, "When was the kayak race?", 2},
		{"a statement before a question", []string{"Anna: Is the kayak green?", "---", "Anna: The kayak is green."}, "kayak", 2},
		{"the user before the assistant", []string{"assistant: The kayak is green.", "---", "user: The kayak is green."}, "kayak", 2},
		{"the assistant when it is asked", []string{"user: A kayak costs how much?", "---", "assistant: I suggest the green kayak."}, "Which kayak did you suggest?", 2},
		{"Chinese", []string{"Anna: 我昨天买了一只皮划艇。", "Bert: 今天天气很好。"}, "谁买了皮划艇？", 1},
		{"lower case", []string{"Anna: My kayak is green.", "Bert: My kayak is red."}, "which kayak does bert have", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lines := append(slices.Clone(test.lines), "---")
			hits := indexOf(talk(append(lines, filler...)...)).Search(ranking.Query{Text: test.ask})
			if len(hits) == 0 || hits[0].MessageID != test.want {
				t.Errorf("Search(%q): got %v, want %d first", test.ask, numbers(hits), test.want)
			}
		})
	}
}

func TestIndexNothing(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]string{"empty": "", "unknown": "mortgage", "stop words": "What is it?"} {
		if hits := indexOf(talk("Anna: My kayak is green.")).Search(ranking.Query{Text: ask}); len(hits) != 0 {
			t.Errorf("%s: got %v, want no hits", name, numbers(hits))
		}
		if hits := ranking.New().Search(ranking.Query{Text: ask}); len(hits) != 0 {
			t.Errorf("%s in an empty index: got %v, want no hits", name, numbers(hits))
		}
	}
}

func TestIndexTies(t *testing.T) {
	t.Parallel()
	// The first mention of a word counts more; the ones after it tie.
	docs := talk("Eva: kayak", "---", "Anna: kayak", "---", "Bert: kayak", "---", "Carl: kayak", "---", "Dora: kayak")
	docs[3].SaidAt, docs[4].Root = docs[4].SaidAt, "q"
	got := numbers(indexOf(docs).Search(ranking.Query{Text: "kayak"}))
	if diff := cmp.Diff([]int64{1, 4, 5, 3, 2}, got); diff != "" {
		t.Errorf("the newest first, then the smaller id (-want +got):\n%s", diff)
	}
}

func TestIndexLimitAndSkip(t *testing.T) {
	t.Parallel()
	var lines []string
	for range 30 {
		lines = append(lines, "Anna: the kayak", "---")
	}
	x := indexOf(talk(lines...))
	if got := len(x.Search(ranking.Query{Text: "kayak"})); got != 10 {
		t.Errorf("without a limit: got %d hits, want 10", got)
	}
	if got := len(x.Search(ranking.Query{Text: "kayak", Limit: 25})); got != 25 {
		t.Errorf("limit 25: got %d hits", got)
	}
	skip := func(root session.ID, seq int64) bool { return root == "r" && seq >= 5 }
	hits := x.Search(ranking.Query{Text: "kayak", Limit: 25, Skip: skip})
	if diff := cmp.Diff([]int64{1, 5, 4, 3, 2}, numbers(hits)); diff != "" {
		t.Errorf("skipping (-want +got):\n%s", diff)
	}
}

// TestIndexInterleaved: neighbours are those of the lineage, however the
// lineages came in.
func TestIndexInterleaved(t *testing.T) {
	t.Parallel()
	docs := talk("Anna: Which kayak did you choose?", "Bert: The green one.", "Anna: Good.")
	other := talk("Carl: It rains.", "Dora: It pours.", "Carl: It stops.")
	for i := range other {
		other[i].Root, other[i].SessionID, other[i].MessageID = "q", "t", other[i].MessageID+10
	}
	apart, mixed := ranking.New(), ranking.New()
	for i := range docs {
		apart.Add(docs[i])
		mixed.Add(docs[i])
		mixed.Add(other[i])
	}
	for i := range other {
		apart.Add(other[i])
	}
	q := ranking.Query{Text: "Which kayak did Bert choose?", Explain: true}
	if diff := cmp.Diff(apart.Search(q), mixed.Search(q)); diff != "" {
		t.Errorf("(-apart +mixed):\n%s", diff)
	}
}

func TestIndexExplain(t *testing.T) {
	t.Parallel()
	x := indexOf(talk("Anna: Which kayak did you choose?", "Bert: The green kayak, last Tuesday.", "Anna: Good."))
	q := ranking.Query{Text: "When did Bert choose the kayak?", Explain: true}
	for _, h := range x.Search(q) {
		sum := 0.0
		for _, r := range h.Reasons {
			if r.Feature == "" {
				t.Errorf("a reason without a name: %+v", r)
			}
			sum += r.Weight
		}
		if math.Abs(sum-h.Score) > 1e-4 {
			t.Errorf("message %d: reasons add up to %f, the score is %f", h.MessageID, sum, h.Score)
		}
	}
	q.Explain = false
	if hits := x.Search(q); hits[0].Reasons != nil {
		t.Errorf("got reasons without Explain: %v", hits[0].Reasons)
	}
}

// TestIndexConfidence: a question about the wrong speaker scores lower.
func TestIndexConfidence(t *testing.T) {
	t.Parallel()
	x := indexOf(talk("Anna: I bought a green kayak in Lyon.", "Bert: Great, I stay at home.", "Anna: See you there."))
	right := x.Search(ranking.Query{Text: "Where did Anna buy the kayak?"})
	wrong := x.Search(ranking.Query{Text: "Where did Bert buy the kayak?"})
	if right[0].Score <= wrong[0].Score {
		t.Errorf("got %f for the buyer, %f for the other", right[0].Score, wrong[0].Score)
	}
}

// TestIndexLongMessages: a long message neither wins by its length nor lends its
// words to its neighbours.
func TestIndexLongMessages(t *testing.T) {
	t.Parallel()
	long := "assistant: kayak " + strings.Repeat("many other things happen here ", 60)
	x := indexOf(talk(long, "assistant: Fine then.", "---", "assistant: A kayak."))
	hits := x.Search(ranking.Query{Text: "kayak"})
	if diff := cmp.Diff([]int64{3, 1}, numbers(hits)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIndexSize(t *testing.T) {
	t.Parallel()
	x := ranking.New()
	before := x.Size()
	for _, d := range talk("Anna: My kayak is green.", "Bert: Mine is red.") {
		x.Add(d)
		if x.Size() <= before {
			t.Errorf("after message %d: size %d is not above %d", d.MessageID, x.Size(), before)
		}
		before = x.Size()
	}
	if x.Len() != 2 {
		t.Errorf("got %d messages, want 2", x.Len())
	}
}

// FuzzIndex checks that any texts and any question give a sorted, repeatable
// answer of messages that were added.
func FuzzIndex(f *testing.F) {
	f.Add("Anna: hi\nBert: the kayak, yesterday\nAnna: really?", "When did Bert see the kayak?", 3)
	f.Add("a: 日本語\n---\nb: 日本", "日本", 0)
	f.Add("x: \xff\xfe\n: \n", "\"?\"", 1000)
	f.Fuzz(func(t *testing.T, lines, ask string, limit int) {
		docs := talk(strings.Split(lines, "\n")...)
		x := indexOf(docs)
		q := ranking.Query{Text: ask, Limit: limit, Explain: true}
		hits := x.Search(q)
		for i, h := range hits {
			if h.MessageID < 1 || h.MessageID > int64(len(docs)) || math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
				t.Fatalf("hit %+v of %d messages", h, len(docs))
			}
			if i > 0 && hits[i-1].Score < h.Score {
				t.Fatalf("hit %d scores above the one before", i)
			}
		}
		if diff := cmp.Diff(hits, x.Search(q)); diff != "" {
			t.Fatalf("the same search again (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(hits, indexOf(docs).Search(q)); diff != "" {
			t.Fatalf("the same messages again (-first +second):\n%s", diff)
		}
	})
}

// TestAddHuge: of a message of megabytes the beginning is read, and it hides none
// of the others.
func TestAddHuge(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("the parsnip is late again ", 100_000)
	x := indexOf(talk(
		"user: The zeppelin is moored on 3 May 2021. "+filler+" A walrus came on 7 August 2022.",
		"user: The ferry has a funnel.",
	))
	for ask, want := range map[string][]int64{"zeppelin": {1}, "walrus": nil, "ferry": {2}} {
		if diff := cmp.Diff(want, numbers(x.Search(ranking.Query{Text: ask}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ask, diff)
		}
	}
}
