package recall

import (
	"testing"
	"time"
)

// TestLeadsInOwnWords: a passage that was given words of a question is read by its own words. Those of the question have
// other places, which may lie behind the end of the passage.
func TestLeadsInOwnWords(t *testing.T) {
	t.Parallel()
	const question = "Because I have forgotten it again, what is the fax of my sister?"
	q := readQuestion(question, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	asked := wordsOf(question)
	p := passage{text: "The fax of Ida is 5."}
	p.words = append(asked[len(asked)-2:], wordsOf(p.text)...)
	if leads, narrowed := q.leadsIn(&p); leads || !narrowed {
		t.Errorf("got leads %t, narrowed %t, want the thing narrowed by a name", leads, narrowed)
	}
}
