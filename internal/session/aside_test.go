package session

import (
	"fmt"
	"slices"
	"testing"
)

func TestSpoken(t *testing.T) {
	t.Parallel()
	user, answer := Message{Role: User}, Message{Role: Assistant}
	result, saved := Message{Role: Tool}, Message{Role: Tool, Note: "fact"}
	asked, said := Message{Role: User, Note: AsideNote}, Message{Role: Assistant, Note: AsideNote}
	for _, tt := range []struct {
		name   string
		ms     []Message
		spoken []int64
	}{
		{"none", nil, nil},
		{"no asides", []Message{user, answer, result, answer}, []int64{0, 1, 2, 3}},
		{"asides with a call", []Message{user, answer, asked, said, saved, said}, []int64{0, 1}},
		{"only asides", []Message{asked, said, result}, nil},
		{"an aside without an answer", []Message{user, asked, user, answer}, []int64{0, 2, 3}},
		{"an aside between a call and its result", []Message{answer, result, asked, answer, result}, []int64{0, 1, 3, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i := range tt.ms {
				tt.ms[i].Seq = int64(i)
			}
			seqs := func(ms []Message) (out []int64) {
				for i := range ms {
					out = append(out, ms[i].Seq)
				}
				return out
			}
			spoken, asides := seqs(Spoken(tt.ms)), seqs(Asides(tt.ms))
			if !slices.Equal(spoken, tt.spoken) {
				t.Errorf("spoken: got %v, want %v", spoken, tt.spoken)
			}
			all := append(slices.Clone(spoken), asides...)
			slices.Sort(all)
			if !slices.Equal(all, seqs(tt.ms)) {
				t.Errorf("got %v and %v, want each of %v once", spoken, asides, fmt.Sprint(seqs(tt.ms)))
			}
		})
	}
}
