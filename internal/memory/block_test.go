package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestBlockBudget checks that a block never costs more than it may, and says
// truly what it costs.
func TestBlockBudget(t *testing.T) {
	t.Parallel()
	conv, _ := talk(longTalk()...)
	for i := range 300 {
		conv.say(fmt.Sprintf("The timeout of worker%d is %d seconds.", i, i+7))
	}
	for budget := range 1200 {
		b := conv.state.Block(budget, quarter, BlockOptions{})
		if got := quarter(b.Text); got > budget || b.Tokens > budget || got > b.Tokens {
			t.Fatalf("budget %d: got %d tokens, said to be %d", budget, got, b.Tokens)
		}
	}
}

// TestBlockSections checks where facts are shown, and that what was not
// asserted is not shown.
func TestBlockSections(t *testing.T) {
	t.Parallel()
	conv, _ := talk(longTalk()...)
	text := conv.state.Block(2000, quarter, BlockOptions{}).Text
	last := 0
	for _, want := range []string{
		"Standing wishes", "Always answer in French", "Who is speaking", "My name is Alex", "Known facts", "distributed cache in Rust",
		"Decisions", "Removed Redis", "Changes", "REVERSED", "monolith", "CHANGED", "Timeline", "launched the shop", "Open", "dentist",
	} {
		at := strings.Index(text, want)
		if at < last {
			t.Errorf("got %q at %d, want it after %d in\n%s", want, at, last, text)
		}
		last = max(last, at)
	}
	for _, no := range []string{"jazz", "Kafka", "8080"} {
		if strings.Contains(text, no) {
			t.Errorf("got %q, want it not shown:\n%s", no, text)
		}
	}
}

// TestBlockStable checks that a new fact only adds lines, so that a prompt
// cache keeps what it has.
func TestBlockStable(t *testing.T) {
	t.Parallel()
	conv, _ := talk(longTalk()...)
	before := strings.Split(conv.state.Block(4000, quarter, BlockOptions{}).Text, "\n")
	conv.say("The session limit is 30 minutes.")
	after := conv.state.Block(4000, quarter, BlockOptions{}).Text
	for _, line := range before {
		if !strings.Contains(after, line) {
			t.Errorf("the line %q is gone", line)
		}
	}
}

// TestBlockFirst checks that what fits the question is shown before anything
// else is, and through its newest step.
func TestBlockFirst(t *testing.T) {
	t.Parallel()
	conv, change := talk("The timeout of the old importer is 30 seconds.")
	first := change.Learned[0].ID
	for i := range 300 {
		conv.say(fmt.Sprintf("The timeout of worker%d is %d seconds.", i, i+7))
	}
	if text := conv.state.Block(300, quarter, BlockOptions{}).Text; strings.Contains(text, "old importer") {
		t.Fatalf("got it shown without being asked for:\n%s", text)
	}
	if text := conv.state.Block(300, quarter, BlockOptions{First: []FactID{first}}).Text; !strings.Contains(text, "old importer") {
		t.Errorf("got it not shown:\n%s", text)
	}
	conv.say("The timeout of the old importer is now 60 seconds.")
	text := conv.state.Block(300, quarter, BlockOptions{First: []FactID{first, "f_0000000000000000"}}).Text
	if !strings.Contains(text, "60 seconds") {
		t.Errorf("got not its newest step:\n%s", text)
	}
}

// TestBlockHidden leaves out what is sent verbatim anyway.
func TestBlockHidden(t *testing.T) {
	t.Parallel()
	conv, _ := talk("We use Kafka.", "We use NATS for mails.")
	hide := func(_ session.ID, seq int64) bool { return seq == 1 }
	b := conv.state.Block(500, quarter, BlockOptions{Hidden: hide})
	if strings.Contains(b.Text, "NATS") || !strings.Contains(b.Text, "Kafka") || len(b.Facts) != 1 {
		t.Errorf("got\n%s", b.Text)
	}
}

// TestBlockEmpty checks what has nothing to show, or no room to.
func TestBlockEmpty(t *testing.T) {
	t.Parallel()
	for _, b := range []Block{
		NewState().Block(2000, quarter, BlockOptions{}),
		func() Block { c, _ := talk("We use Kafka."); return c.state.Block(5, quarter, BlockOptions{}) }(),
		func() Block { c, _ := talk("Maybe we use Kafka."); return c.state.Block(500, quarter, BlockOptions{}) }(),
	} {
		if diff := cmp.Diff(Block{}, b); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestBlockOtherTokenizer checks that counts kept for one tokenizer are not used
// for another.
func TestBlockOtherTokenizer(t *testing.T) {
	t.Parallel()
	conv, _ := talk(longTalk()...)
	conv.state.Block(1000, quarter, BlockOptions{})
	bytes := func(s string) int { return len(s) }
	if b := conv.state.Block(1000, bytes, BlockOptions{}); len(b.Text) > 1000 {
		t.Errorf("got %d bytes, want at most 1000", len(b.Text))
	}
}

// TestBlockQuotesOnOneLine checks that words of a message whose lines were broken
// for their length stand on one line, and that the fact keeps every byte.
func TestBlockQuotesOnOneLine(t *testing.T) {
	t.Parallel()
	const said = "We moved the queue to NATS because the\r\nold one was slow and\u2028stalled."
	conv, _ := talk(said)
	text := conv.state.Block(2000, quarter, BlockOptions{}).Text
	if want := `"We moved the queue to NATS because the old one was slow and stalled"`; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant in it %s", text, want)
	}
	for f := range conv.state.Facts() {
		if f.Quote != said[f.Source.Start:f.Source.End] {
			t.Errorf("kept %q, want the very bytes %q", f.Quote, said[f.Source.Start:f.Source.End])
		}
	}
}
