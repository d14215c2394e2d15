package memory

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestPronounDoubts: a change that is told of "he" or "she" perhaps ends what was said of the person
// who was named last, and of that what is nearest in meaning. Other statements about a person end
// nothing.
func TestPronounDoubts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		told []string
		ends string // the statement that the last one perhaps ends; "" for none
	}{
		{[]string{"My brother Tom is a teacher.", "He's a cook now."}, "My brother Tom is a teacher."},
		{[]string{"My sister Ana lives in Porto.", "She moved to Braga last week."}, "My sister Ana lives in Porto."},
		{[]string{"My brother Tom is a teacher.", "My brother Tom has two cats.", "He's a cook now."}, "My brother Tom is a teacher."},
		{[]string{"My brother Tom is a teacher.", "He's fond of soup."}, ""},
		{[]string{"Our office has green doors.", "He's a cook now."}, ""},
	} {
		v := NewView()
		at := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
		for i, text := range c.told {
			v.Learn(ranking.Document{
				MessageID: int64(i + 1), SessionID: "s", Root: "s", Seq: int64(i), Role: session.User, Text: text, SaidAt: at.AddDate(0, 0, i),
			})
		}
		got := ""
		for _, f := range v.Facts() {
			if by, doubted := v.DoubtedBy(f.ID); doubted && by.Quote == c.told[len(c.told)-1] {
				got = f.Quote
			}
		}
		if got != c.ends {
			t.Errorf("%q perhaps ends %q, want %q", c.told, got, c.ends)
		}
	}
}
