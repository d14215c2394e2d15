package errand_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/errand"
)

// FuzzRecognise: no text breaks the parser.
func FuzzRecognise(f *testing.F) {
	for _, r := range requests(f, "testdata/errands.txt", true) {
		m := r.call.Messages
		f.Add(m[0].Text, m[len(m)-1].Text, len(m))
	}
	f.Fuzz(func(t *testing.T, first, last string, n int) {
		c := errand.Call{Messages: []errand.Message{{Role: "system", Text: first}}}
		for range n % 4 {
			c.Messages = append(c.Messages, errand.Message{Role: "user", Text: last})
		}
		c.Messages = append(c.Messages, errand.Message{Role: "user", Text: last})
		errand.Recognise(&c)
		errand.Recognise(&errand.Call{Messages: c.Messages[1:]})
	})
}
