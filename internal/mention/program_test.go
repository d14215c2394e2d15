package mention_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestOwnSpeakers: the name of a program is no mention where an import wrote it as a title, or where the responder cites
// the program. It is one in all other words.
func TestOwnSpeakers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, text string
		want        bool
	}{
		{"mem0", `[recall] mem0 said on 2 March 2025: "Lives in Graz".`, false},
		{"Mem", "[recall] letta said on 2 March 2025: \"Likes tea\".\nmem0 said on 12 May 2024: \"Lives in Graz\".", false},
		{"Claude", `[recall] Later claude said on 2 March 2025: "Lives in Graz".`, false},
		{"Claude", `[recall] Change: claude said "Lives in Graz" on 2 March 2025; later claude said "Lives in Linz" on 3 March 2025.`, false},
		{"claude", `[recall] claude said on 2 March 2025: "Works with Claude".`, true},
		{"claude", `He says claude said on 2 March 2025: "Lives in Graz".`, true},
		{"claude", `claude said on Monday: "I like tea".`, true},
		{"claude", `claude said "I like tea".`, true},
		{"Claude", `Claude said on 2 March 2025: "I like tea".`, true},
		{"Claudia", `[recall] claudia said on 2 March 2025: "I like tea".`, true},
		{"mem0", `"[recall] letta said on 2 March 2025: \"Tea\".\nmem0 said on 2 March 2025: \"Lives in Graz\"."`, false},
		{"mem0", `"[recall] Reversal: mem0 said \"Graz\" on 2 March 2025."`, false},
		{"Change", `[recall] Change: claude said "Lives in Graz" on 2 March 2025.`, true},
	} {
		thing := mention.Of(c.about)
		if got := thing.In(c.text); got != c.want {
			t.Errorf("%q in %q: got %t", c.about, c.text, got)
		}
		if clean, n := thing.Redact(c.text); (n > 0) != c.want || thing.In(clean) {
			t.Errorf("%q in %q: redacted to %q", c.about, c.text, clean)
		}
	}
	for title, want := range map[string]bool{
		"Memory of Claude": false, "Memory of Claude #2": false, "Memory of Claude, project Quagga": false, "Memory of Claude Berg": true, "Claude": true,
		"On Claude": true, "Memory of Claude, project claude": true,
	} {
		if got := mention.Of("Claude").InTitle(title); got != want {
			t.Errorf("the title %q: got %t", title, got)
		}
	}
	for about, titles := range map[string]map[string]bool{
		"memory":    {"Memory of companion": false, "Memory of companion #2": false, "Memory of my memory": true, "Memory lane": true, "MEMORY.md": false},
		"companion": {"Memory of companion": true, "Memory of companion #2": true},
		"user":      {"USER.md": false, "USER.md #2": false, "User stories": true},
		"md":        {"USER.md": false, "MEMORY.md": false, "Notes.md": true},
	} {
		for title, want := range titles {
			if got := mention.Of(about).InTitle(title); got != want {
				t.Errorf("%q in the title %q: got %t", about, title, got)
			}
		}
	}
}
