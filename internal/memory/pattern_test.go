package memory

import (
	"fmt"
	"strings"
	"testing"
)

// TestBlockRecurring counts a reason that was given more than once, and finds
// its facts together.
func TestBlockRecurring(t *testing.T) {
	t.Parallel()
	conv, _ := talk(
		"We rolled back the importer because the disk was full.",
		"I had lunch with Priya.",
		"We moved the exporter to Graz because the disk was full.",
		"We stopped the indexer because the disk was full.",
	)
	if text := conv.state.Block(1000, quarter, BlockOptions{}).Text; strings.Count(text, "(reason 3×)") != 1 {
		t.Errorf("got no count of the reason in\n%s", text)
	}
	ids := conv.state.Match("Identify any recurring failure patterns", firstDay.AddDate(0, 0, 9), 3)
	if len(ids) != 3 {
		t.Fatalf("got %d facts, want 3", len(ids))
	}
	for _, id := range ids {
		if f, _ := conv.state.Fact(id); f.Because != "the disk was full" {
			t.Errorf("got %q", f.Statement)
		}
	}
}

// TestBlockOpen shows what the speaker has to do, with its day, and names the
// topics of what was left out.
func TestBlockOpen(t *testing.T) {
	t.Parallel()
	conv, _ := talk("Remind me to call Bob tomorrow.", "We use Kafka for events.", "We use Postgres for orders.")
	text := conv.state.Block(1000, quarter, BlockOptions{}).Text
	if line := lineOf(text, "call Bob"); !strings.Contains(line, "2025-03-05") || strings.Index(text, "Open:") > strings.Index(text, line) {
		t.Errorf("got line %q in\n%s", line, text)
	}
	for i := range 40 {
		conv.say(fmt.Sprintf("We use Kafka for feed%d.", i))
	}
	text = conv.state.Block(300, quarter, BlockOptions{}).Text
	if line := lineOf(text, "Not shown"); !strings.Contains(line, "topics: queue 41, database 1") {
		t.Errorf("got %q in\n%s", line, text)
	}
}

// TestRetractionByName makes hold again what the retracted fact had replaced.
func TestRetractionByName(t *testing.T) {
	t.Parallel()
	conv, _ := talk("We use PostgreSQL.", "We moved to MySQL.", "Forget what I said about MySQL.")
	var current []string
	for f := range conv.state.Facts() {
		if f.Current() && f.Kind.Asserted() {
			current = append(current, f.Value)
		}
	}
	if len(current) != 1 || current[0] != "PostgreSQL" {
		t.Errorf("got current %q, want PostgreSQL", current)
	}
}
