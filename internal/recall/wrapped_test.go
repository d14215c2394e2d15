package recall_test

import (
	"strings"
	"testing"
)

// TestQuotesOnOneLine tells things in lines that were broken for their length: what
// is quoted of them reads as one line, and what is kept has every byte.
func TestQuotesOnOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		told           []string
		question, want string
	}{
		"a quote":                 {[]string{"The staging cluster runs 14 nodes\nsince the second outage."}, "How many nodes does the staging cluster have?", `"The staging cluster runs 14 nodes since the second outage"`},
		"in the second person":    {[]string{"We left Heroku because the\nbill had doubled."}, "Why did we leave Heroku?", "you left Heroku because the bill had doubled"},
		"word for word":           {[]string{"We left Heroku because the\r\nbill had doubled."}, "What exactly did I say about Heroku?", `"We left Heroku because the bill had doubled."`},
		"both sides":              {[]string{"We use Postgres for\nthe orders.", "We replaced Postgres with MySQL\nbecause of the licence."}, "What changed about Postgres?", "eplaced Postgres with MySQL because of the licence"},
		"what was just told":      {nil, "The deadline of the migration is\non 3 March.", `"The deadline of the migration is on 3 March"`},
		"a question not known":    {[]string{"Our database is Postgres."}, "What is our database? And what is the colour of\nthe office?", `"And what is the colour of the office?" I have not been told.`},
		"a reason said later":     {[]string{"We dropped Heroku.", "We dropped Heroku because the\nbill had doubled."}, "Why did we drop Heroku?", "because the bill had doubled"},
		"under the item it is in": {[]string{"Done:\n- Dropped Mongo\n  because nobody tuned it\n- Added Redis"}, "Why did we drop Mongo?", `Dropped Mongo because nobody tuned it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t)
			k.tell(c.told...)
			if got := k.say(c.question); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want in it %q", got, c.want)
			}
			for _, facts := range k.Kept.Known {
				for i := range facts {
					src := &facts[i].Source
					if text := k.Kept.Docs[src.Seq].Text; text[src.Start:src.End] != facts[i].Quote {
						t.Errorf("kept %q, want the very bytes %q", facts[i].Quote, text[src.Start:src.End])
					}
				}
			}
		})
	}
}
