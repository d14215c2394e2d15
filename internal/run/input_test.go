package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// said reads a transcript: words of the form "u:text", "a:text", "a!:text" for a
// broken answer, "a>c1" for a tool call and "t<c1:text" for its result.
func said(words ...string) []session.Message {
	var out []session.Message
	for i, w := range words {
		m := session.Message{Seq: int64(i)}
		who, text, _ := strings.Cut(w, ":")
		m.Content = text
		switch {
		case who == "u":
			m.Role = session.User
		case who == "a":
			m.Role = session.Assistant
			m.FinishReason = "stop"
		case who == "a!":
			m.Role, m.FinishReason = session.Assistant, session.FinishError
		case strings.HasPrefix(who, "a>"):
			m.Role, m.ToolCalls = session.Assistant, []byte(`[{"id":"`+who[2:]+`"}]`)
		case strings.HasPrefix(who, "t<"):
			m.Role, m.ToolCallID = session.Tool, who[2:]
		}
		out = append(out, m)
	}
	return out
}

// spoken is the inverse of said.
func spoken(ms []session.Message) []string {
	var out []string
	for i := range ms {
		m := &ms[i]
		switch {
		case m.Role == session.User:
			out = append(out, "u:"+m.Content)
		case m.Role == session.Tool:
			out = append(out, "t<"+m.ToolCallID+":"+m.Content)
		case len(m.ToolCalls) > 0:
			out = append(out, "a>"+strings.Trim(string(m.ToolCalls), `[{"id:}]`))
		case m.Partial():
			out = append(out, "a!:"+m.Content)
		default:
			out = append(out, "a:"+m.Content)
		}
	}
	return out
}

// known is a lineage that holds a transcript.
func known(words ...string) *lineage.Lineage {
	l := &lineage.Lineage{Exists: true, Recent: said(words...)}
	l.Tip.NextSeq = int64(len(words))
	return l
}

// shows is an input in the form the tests state it.
type shows struct {
	Past, Fresh, Asked []string
	TailTo             int64
}

func TestNewInput(t *testing.T) {
	t.Parallel()
	talk := []string{"u:one", "a:1", "u:two", "a:2"}
	for _, tt := range []struct {
		name string
		l    *lineage.Lineage
		sent []string
		want shows
	}{
		{"the first message of all", &lineage.Lineage{}, []string{"u:hi"}, shows{nil, []string{"u:hi"}, []string{"u:hi"}, 0}},
		{
			"a history for a session that is not there", &lineage.Lineage{},
			[]string{"u:one", "a:1", "u:two"}, shows{[]string{"u:one", "a:1"}, []string{"u:two"}, []string{"u:two"}, 2},
		},
		{
			"a history for a session without messages", known(),
			[]string{"u:one", "a:1", "u:two"}, shows{[]string{"u:one", "a:1"}, []string{"u:two"}, []string{"u:two"}, 2},
		},
		{
			"a history that ends with a result", &lineage.Lineage{},
			[]string{"u:one", "a>c1", "t<c1:x"}, shows{[]string{"u:one", "a>c1"}, []string{"t<c1:x"}, []string{"t<c1:x"}, 2},
		},
		{
			"a history that ends with an answer", &lineage.Lineage{},
			[]string{"u:one", "a:1"}, shows{nil, []string{"u:one", "a:1"}, []string{"u:one", "a:1"}, 0},
		},
		{"the newest alone", known(talk...), []string{"u:three"}, shows{nil, []string{"u:three"}, []string{"u:three"}, 4}},
		{"two new ones", known(talk...), []string{"u:three", "u:four"}, shows{nil, []string{"u:three", "u:four"}, []string{"u:three", "u:four"}, 4}},
		{"what was said before, said again", known(talk...), []string{"u:two"}, shows{nil, []string{"u:two"}, []string{"u:two"}, 4}},
		{
			"the whole history", known(talk...),
			[]string{"u:one", "a:1", "u:two", "a:2", "u:three"}, shows{nil, []string{"u:three"}, []string{"u:three"}, 4},
		},
		{"the end of the history", known(talk...), []string{"a:2", "u:three"}, shows{nil, []string{"u:three"}, []string{"u:three"}, 4}},
		{
			"a history with ok twice", known("u:ok", "a:fine", "u:ok", "a:fine"),
			[]string{"u:ok", "a:fine", "u:ok", "a:fine", "u:ok"}, shows{nil, []string{"u:ok"}, []string{"u:ok"}, 4},
		},
		{
			"another history's end", known(talk...),
			[]string{"u:other", "a:story", "u:three"}, shows{nil, []string{"u:three"}, []string{"u:three"}, 4},
		},
		{
			"an answer the client rewrote", known(talk...),
			[]string{"u:one", "a:1", "u:two", "a:2, shortened", "u:three"},
			shows{nil, []string{"a:2, shortened", "u:three"}, []string{"a:2, shortened", "u:three"}, 3},
		},
		{"regenerate", known(talk...), []string{"u:one", "a:1", "u:two"}, shows{nil, nil, []string{"u:two"}, 2}},
		{
			"an edited message", known(talk...),
			[]string{"u:one", "a:1", "u:two, edited"}, shows{nil, []string{"u:two, edited"}, []string{"u:two, edited"}, 2},
		},
		{"a retry", known("u:one", "a:1", "u:two"), []string{"u:two"}, shows{nil, nil, []string{"u:two"}, 2}},
		{"a retry of the very first", known("u:one"), []string{"u:one"}, shows{nil, nil, []string{"u:one"}, 0}},
		{"a retry of a broken answer", known("u:one", "a!:hal"), []string{"u:one"}, shows{nil, nil, []string{"u:one"}, 0}},
		{"a retry of an answer broken twice", known("u:one", "a!:hal", "a!:ha"), []string{"u:one"}, shows{nil, nil, []string{"u:one"}, 0}},
		{
			"a retry with the history", known("u:one", "a:1", "u:two"),
			[]string{"u:one", "a:1", "u:two"}, shows{nil, nil, []string{"u:two"}, 2},
		},
		{"no retry: the other message", known("u:one", "a:1", "u:two"), []string{"u:three"}, shows{nil, []string{"u:three"}, []string{"u:three"}, 3}},
		{
			"a retry of the last of two that failed", known("u:one", "a:1", "u:two", "u:three"),
			[]string{"u:three"}, shows{nil, nil, []string{"u:three"}, 3},
		},
		{
			"a result", known("u:one", "a>c1"), []string{"t<c1:x"}, shows{nil, []string{"t<c1:x"}, []string{"t<c1:x"}, 2},
		},
		{
			"several results", known("u:one", "a>c1"), []string{"t<c1:x", "t<c2:y"},
			shows{nil, []string{"t<c1:x", "t<c2:y"}, []string{"t<c1:x", "t<c2:y"}, 2},
		},
		{
			"a result behind its history", known("u:one", "a>c1"), []string{"u:one", "a>c1", "t<c1:x"},
			shows{nil, []string{"t<c1:x"}, []string{"t<c1:x"}, 2},
		},
		{"a result sent again", known("u:one", "a>c1", "t<c1:x"), []string{"t<c1:x"}, shows{nil, nil, []string{"t<c1:x"}, 2}},
		{
			"another result under the same call", known("u:one", "a>c1", "t<c1:x", "a:done"), []string{"t<c1:y"},
			shows{nil, []string{"t<c1:y"}, []string{"t<c1:y"}, 4},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, err := newInput(tt.l, said(tt.sent...), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := shows{spoken(in.past), spoken(in.fresh), spoken(in.asked), in.tailTo}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sent %q (-want +got):\n%s", tt.sent, diff)
			}
		})
	}
}

func TestNewInputOfNothing(t *testing.T) {
	t.Parallel()
	for _, l := range []*lineage.Lineage{{}, known("u:one", "a:1")} {
		if _, err := newInput(l, nil, nil); fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "no_user_message" {
			t.Errorf("got %v, want an invalid fault", err)
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		sent, stored []string
		i, j         int
	}{
		{"nothing is stored", []string{"u:a", "a:b"}, nil, -1, -1},
		{"one message tells nothing", []string{"u:a"}, []string{"u:a", "a:b"}, -1, -1},
		{"they do not meet", []string{"u:x", "a:y", "u:z"}, []string{"u:a", "a:b"}, -1, -1},
		{"all of it", []string{"u:a", "a:b"}, []string{"u:a", "a:b"}, 1, 1},
		{"all of it and more", []string{"u:a", "a:b", "u:c"}, []string{"u:a", "a:b"}, 1, 1},
		{"the client forgot the beginning", []string{"u:c", "a:d", "u:e"}, []string{"u:a", "a:b", "u:c", "a:d"}, 1, 3},
		{"we forgot the beginning", []string{"u:a", "a:b", "u:c", "a:d"}, []string{"u:c", "a:d"}, 3, 1},
		{"words repeat, from the beginning", []string{"u:ok", "a:1", "u:ok"}, []string{"u:ok", "a:1", "u:ok", "a:1", "u:ok"}, 2, 2},
		{"words repeat, and one is new", []string{"u:ok", "a:1", "u:ok", "a:1", "u:ok"}, []string{"u:ok", "a:1", "u:ok", "a:1"}, 3, 3},
		{"words repeat, from the middle", []string{"a:1", "u:ok"}, []string{"u:x", "a:1", "u:ok", "a:1"}, 0, 3},
		{"what comes before must agree", []string{"u:p", "a:q", "u:c", "a:d"}, []string{"u:a", "a:b", "u:c", "a:d"}, -1, -1},
		{"four agree, the fifth does not", []string{"u:X", "a:b", "u:c", "a:d", "u:e"}, []string{"u:a", "a:b", "u:c", "a:d", "u:e"}, 4, 4},
		{"a call is no answer", []string{"u:a", "a:"}, []string{"u:a", "a>c1"}, -1, -1},
		{"results of different calls", []string{"a>c1", "t<c1:x"}, []string{"a>c2", "t<c2:x"}, -1, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if i, j := overlap(said(tt.sent...), said(tt.stored...)); i != tt.i || j != tt.j {
				t.Errorf("got %d, %d, want %d, %d", i, j, tt.i, tt.j)
			}
		})
	}
}

// TestEarlyEdit: a history that has nothing of the newest messages is compared with the
// oldest ones.
func TestEarlyEdit(t *testing.T) {
	t.Parallel()
	words := []string{"u:one", "a:1", "u:two", "a>c1", "t<c1:x", "a:2", "u:three", "a:3"}
	for i := range 100 {
		words = append(words, fmt.Sprint("u:more ", i), "a:ok")
	}
	for _, tt := range []struct {
		name string
		sent []string
		want shows
		from int64
	}{
		{"after an answer", []string{"u:one", "a:1", "u:new"}, shows{nil, []string{"u:new"}, []string{"u:new"}, 2}, 2},
		{
			"after calls", []string{"u:one", "a:1", "u:two", "a>c1", "t<c1:x", "a:2", "u:new"},
			shows{nil, []string{"u:new"}, []string{"u:new"}, 6}, 6,
		},
		{
			"after calls that were left out", []string{"u:one", "a:1", "u:two", "a:2", "u:three", "a:3", "u:new"},
			shows{nil, []string{"u:new"}, []string{"u:new"}, 8}, 8,
		},
		{"another answer", []string{"u:one", "a:1", "u:two"}, shows{nil, nil, []string{"u:two"}, 2}, 3},
		{
			"another beginning", []string{"u:zero", "a:1", "u:two", "a:2", "u:new"},
			shows{nil, []string{"u:new"}, []string{"u:new"}, int64(len(words))}, 0,
		},
		{"one equal answer", []string{"a:ok", "u:new"}, shows{nil, []string{"u:new"}, []string{"u:new"}, int64(len(words))}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := known(words...)
			all := l.Recent
			l.Recent = slices.Clone(all[len(all)-31:])
			in, err := newInput(l, said(tt.sent...), func() ([]session.Message, error) { return all[:4*len(tt.sent)], nil })
			if err != nil {
				t.Fatal(err)
			}
			got := shows{spoken(in.past), spoken(in.fresh), spoken(in.asked), in.tailTo}
			if diff := cmp.Diff(tt.want, got); diff != "" || in.undoFrom != tt.from || in.undoes != (tt.from > 0) {
				t.Errorf("undone from %d, want %d (-want +got):\n%s", in.undoFrom, tt.from, diff)
			}
		})
	}
}

// TestRepeatedKeepsAnswersApart: a message that was answered is no retry, however
// often it is said.
func TestRepeatedKeepsAnswersApart(t *testing.T) {
	t.Parallel()
	if in, ok := repeated(known("u:ok", "a:fine").Recent, said("u:ok")); ok {
		t.Errorf("got the retry %+v, want a new message", in)
	}
	if _, ok := repeated(known("u:one", "a:1", "u:ok").Recent, said("u:one", "u:ok")); ok {
		t.Error("got a retry of more than was left unanswered")
	}
}
