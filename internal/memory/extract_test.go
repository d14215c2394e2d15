package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// saidBy is a message of a user.
func saidBy(id int64, text string) ranking.Document {
	return ranking.Document{
		MessageID: id, SessionID: "s", Root: "s", Seq: id - 1, Role: session.User, Text: text,
		SaidAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(id) * time.Minute),
	}
}

// extractIn cites a piece of a message.
func extractIn(d ranking.Document, quote, statement string) memory.Extract {
	at := strings.Index(d.Text, quote)
	return memory.Extract{Seq: d.Seq, Start: at, End: at + len(quote), Statement: statement}
}

// TestExtractCheck compares extracts with the words they cite.
func TestExtractCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, quote, statement string
		want                   memory.Refusal
	}{
		"verbatim":                 {text: "Lunch is at noon on the roof terrace.", statement: "Lunch is at noon on the roof terrace"},
		"a clause":                 {text: "By the way, the pump runs at 40 bar, and the tank is blue.", statement: "the pump runs at 40 bar"},
		"the second clause":        {text: "The pump runs at 40 bar, and the tank holds 900 l.", statement: "The tank holds 900 l"},
		"without where":            {text: "We moved the ledger in the cellar from Heroku to Fly.io in March.", statement: "We moved the ledger from Heroku to Fly.io in March"},
		"it, from the one before":  {text: "The billing server is old. It runs on port 8080.", quote: "The billing server is old. It runs on port 8080", statement: "The billing server runs on port 8080", want: memory.RefusedWords},
		"another thing for it":     {text: "The old crane next to the gate broke. It runs on diesel 4.", quote: "The old crane next to the gate broke. It runs on diesel 4", statement: "The gate runs on diesel 4", want: memory.RefusedWords},
		"an invented word":         {text: "Lunch is at noon.", statement: "Lunch is at noon daily", want: memory.RefusedWords},
		"another number":           {text: "The pump runs at 40 bar.", statement: "The pump runs at 400 bar", want: memory.RefusedWords},
		"another spelling":         {text: "The tool is Fly.io here.", statement: "The tool is Flyio here", want: memory.RefusedWords},
		"a name bent":              {text: "Our office is in Berlins.", statement: "Our office is in Berlin", want: memory.RefusedWords},
		"from and to exchanged":    {text: "We moved from Postgres to MySQL.", statement: "We moved to Postgres from MySQL", want: memory.RefusedWords},
		"who and whom exchanged":   {text: "Alice hired Bob in May.", statement: "Bob hired Alice in May", want: memory.RefusedWords},
		"two clauses mixed":        {text: "Alice drinks tea and Bob drinks coffee.", statement: "Alice drinks coffee", want: memory.RefusedWords},
		"two sentences mixed":      {text: "The north gate failed. The south gate has code 5.", quote: "gate failed. The south gate has code 5", statement: "The north gate has code 5", want: memory.RefusedWords},
		"a denial left out":        {text: "We do not use Redis.", statement: "We use Redis", want: memory.RefusedWords},
		"an end left out":          {text: "We no longer use Redis.", statement: "We use Redis", want: memory.RefusedWords},
		"a past left out":          {text: "The limit was 100.", statement: "The limit 100", want: memory.RefusedWords},
		"used to left out":         {text: "We used to ship with Docker.", statement: "We ship with Docker", want: memory.RefusedWords},
		"a bound left out":         {text: "We use Redis, but only in tests.", statement: "We use Redis", want: memory.RefusedWords},
		"a condition left out":     {text: "We use Redis if the cache is cold.", statement: "We use Redis", want: memory.RefusedWords},
		"a plan left out":          {text: "We plan to use Redis.", statement: "We use Redis", want: memory.RefusedWords},
		"a speaker left out":       {text: "Maria claims that we use Redis.", statement: "We use Redis", want: memory.RefusedWords},
		"a relation left out":      {text: "My brother Tom and I live in Graz.", statement: "I live in Graz", want: memory.RefusedWords},
		"words from elsewhere":     {text: "The pump is new. Lunch is at noon.", quote: "Lunch is at noon", statement: "The pump is at noon", want: memory.RefusedWords},
		"a question":               {text: "Does the pump run at 40 bar on Sundays?", statement: "Does the pump run at 40 bar on Sundays", want: memory.RefusedUnasserted},
		"a question of two words":  {text: "Redis slow?", statement: "Redis slow", want: memory.RefusedUnasserted},
		"a supposition":            {text: "Maybe the pump runs at 40 bar.", statement: "Maybe the pump runs at 40 bar", want: memory.RefusedUnasserted},
		"another person's":         {text: "My brother prefers green tea.", statement: "My brother prefers green tea", want: memory.RefusedUnasserted},
		"a denial":                 {text: "We don't use Kafka here.", statement: "We don't use Kafka here", want: memory.RefusedUnasserted},
		"a secret":                 {text: "The password is hunter2secret9.", statement: "The password is hunter2secret9", want: memory.RefusedSecret},
		"a request":                {text: "Write a poem about the pump.", statement: "Write a poem about the pump", want: memory.RefusedUnasserted},
		"a retraction":             {text: "Scratch that, the pump is blue.", statement: "the pump is blue", want: memory.RefusedUnasserted},
		"three sentences":          {text: "A pump is here. It is blue. It is new.", quote: "A pump is here. It is blue. It is new.", statement: "A pump is new", want: memory.RefusedLength},
		"nothing":                  {text: "The pump is blue.", statement: "", want: memory.RefusedLength},
		"a comparison left out":    {text: "Oh, and from now on always answer in German, as the others do.", statement: "from now on always answer in German", want: memory.RefusedWords},
		"a name in another letter": {text: "The tool is Terraform 1.9.", statement: "The tool is terraform 1.9", want: memory.RefusedWords},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := saidBy(1, c.text)
			quote := c.quote
			if quote == "" {
				quote = c.text
			}
			p := extractIn(d, quote, c.statement)
			if got := p.Check(d); got != c.want {
				t.Fatalf("%q from %q: got refusal %q, want %q", c.statement, c.text, got, c.want)
			}
		})
	}
}

// TestDrawnFrom: a line is drawn from a text if an extract of that text could say it.
func TestDrawnFrom(t *testing.T) {
	t.Parallel()
	const text = "Lunch is late. By the way, the pump runs at 40 bar, and the tank is blue."
	for line, want := range map[string]bool{
		"the pump runs at 40 bar": true, "Lunch is late": true, "the pump is blue": false, "": false, "The tank is blue.": true,
	} {
		if got := memory.DrawnFrom(line, text); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

// FuzzExtract: whatever is cited and stated, an accepted extract has no number that
// the cited sentences do not have.
func FuzzExtract(f *testing.F) {
	f.Add("By the way, the pump runs at 40 bar, and the tank is blue.", "the pump runs at 40 bar", 3, 40)
	f.Add("It's Redis. It runs on port 1.", "Redis runs on port 1", 0, 30)
	f.Add("\xff“Zürich” 東京。", "Zürich", 0, 9)
	f.Fuzz(func(t *testing.T, text, statement string, from, to int) {
		d := saidBy(1, text)
		p := memory.Extract{Start: from, End: to, Statement: statement}
		if p.Check(d) != "" {
			return
		}
		cited := ""
		for _, s := range language.Sentences(text) {
			if s.End > from && s.Start < to {
				cited += text[s.Start:s.End] + " "
			}
		}
		for _, word := range strings.FieldsFunc(statement, func(r rune) bool { return r < '0' || r > '9' }) {
			if !strings.Contains(cited, word) {
				t.Errorf("%q of %q is not in %q", word, statement, cited)
			}
		}
	})
}
