package memory

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestStatePerhaps marks a fact that another perhaps replaced, as long as that one holds.
func TestStatePerhaps(t *testing.T) {
	t.Parallel()
	const mark = "(perhaps outdated)"
	conv, _ := talk("The importer has 4 workers.", "Hello!", "My name is Alex.")
	s := conv.state
	shown := func() string { return s.Block(500, quarter, BlockOptions{}).Text }
	if strings.Contains(shown(), mark) {
		t.Fatalf("got a mark too early in\n%s", shown())
	}
	was, now := s.held[s.order[0]], s.held[s.order[1]]
	s.doubt(was, now, map[*record]bool{})
	if line := lineOf(shown(), mark); !strings.Contains(line, "4 workers") {
		t.Errorf("got %q, want the importer marked", line)
	}
	if diff := cmp.Diff([]Link{{Kind: Perhaps, To: was.ID}}, now.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	again := NewState()
	again.Restore(slices.Collect(s.Facts()))
	if diff := cmp.Diff(shown(), again.Block(500, quarter, BlockOptions{}).Text); diff != "" {
		t.Errorf("blocks (-kept +restored):\n%s", diff)
	}
	conv.say("Forget that.")
	if strings.Contains(shown(), mark) {
		t.Errorf("got a mark by a withdrawn fact in\n%s", shown())
	}
}

// TestLearnBounded compares a statement with few others, however many there are.
func TestLearnBounded(t *testing.T) {
	t.Parallel()
	s := bigState(2000)
	d := spoken(100000, session.User, "The alpha beta limit0 is 17 MB because the pi box is small.")
	for _, f := range Distill(d, nil) {
		if n := len(s.LinkPairs([]Fact{f})); n == 0 || n > maxCandidates {
			t.Errorf("got %d candidates, want some, and at most %d", n, maxCandidates)
		}
	}
}

// TestSignatureSmall keeps what is held for every fact small.
func TestSignatureSmall(t *testing.T) {
	t.Parallel()
	if n := unsafe.Sizeof(signature{}); n > 344 {
		t.Errorf("got %d bytes", n)
	}
}

// TestSignatureFigures reads numbers with their units and their writing.
func TestSignatureFigures(t *testing.T) {
	t.Parallel()
	s := NewState()
	figures := func(text string) []figure {
		g := s.signatureOf(&Fact{Statement: text, SaidAt: firstDay})
		for i := range g.figures {
			g.figures[i].at = 0
		}
		return g.figures[:g.numFigures]
	}
	for _, c := range [][2]string{
		{"builds take 38 minutes", "builds take 38 min"}, {"it keeps 744h", "it keeps 744 hours"}, {"seats went to nine", "seats went to 9"},
		{"he weighs 17,4 kg", "he weighs 17.4 kg"},
	} {
		if diff := cmp.Diff(figures(c[0]), figures(c[1]), cmp.AllowUnexported(figure{})); diff != "" || len(figures(c[0])) != 1 {
			t.Errorf("%q and %q differ (or have none):\n%s", c[0], c[1], diff)
		}
	}
	if a, b := figures("we play 4-3-3")[0], figures("we play 4-4-2")[0]; a.value == b.value || a.shape != b.shape || a.shape == 0 {
		t.Errorf("got %v and %v, want another value of one shape", a, b)
	}
}
