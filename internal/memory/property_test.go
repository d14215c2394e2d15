package memory

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// FuzzDistill feeds arbitrary messages: nothing panics, every fact quotes what
// was said and says nothing else, and two runs agree.
func FuzzDistill(f *testing.F) {
	for i, text := range longTalk() {
		f.Add(text, longTalk()[max(0, i-1)], uint8(i))
	}
	for _, text := range []string{
		"ok", "that", "it's", "Because, we", "The reason is", "no longer", "scratch that,", "my", "We use", "> \"", "so", "never mind", "I",
		"The X has a Y of", "moved from to", "replaced with", "is", ": :", "We 使用 Kafka。因为很快。", "I prefer over", "\xff\xfe we use \xc3 Kafka",
	} {
		f.Add(text, "The importer is slow.", uint8(0))
		f.Add("We met “yesterday”, 我们，用、Kafka "+text, "The importer is slow.", uint8(0))
	}
	f.Fuzz(func(t *testing.T, text, earlier string, role uint8) {
		roles := []session.Role{session.User, session.Assistant, session.Tool}
		d := spoken(1, roles[int(role)%len(roles)], text)
		before := []ranking.Document{spoken(0, roles[int(role/3)%len(roles)], earlier)}
		facts := Distill(d, before)
		verbatim(t, d, before)
		again := Distill(d, before)
		if len(again) != len(facts) {
			t.Fatalf("got %d facts, then %d", len(facts), len(again))
		}
		s := NewState()
		s.Learn(Distill(before[0], nil))
		s.Learn(facts)
		if b := s.Block(400, quarter, BlockOptions{First: s.Match(text, firstDay, 3)}); quarter(b.Text) > 400 {
			t.Errorf("got %d tokens", quarter(b.Text))
		}
		_ = s.Hash()
	})
}

// TestLexiconFiles checks that every line of the files is understood.
func TestLexiconFiles(t *testing.T) {
	t.Parallel()
	l := theLexicon()
	for _, file := range []string{"grammar", "discourse", "causes", "actions", "people", "instructions", "measures", "change", "talk"} {
		lines := 0
		l.eachLine(file, func(name string, items []string) {
			lines++
			if _, known := tagNames()[name]; !known && !strings.HasPrefix(name, "foreign ") {
				t.Errorf("%s: unknown tag %q", file, name)
			}
			for _, item := range items {
				if item == "" || item != strings.ToLower(item) {
					t.Errorf("%s: %s: bad item %q", file, name, item)
				}
			}
		})
		if lines == 0 {
			t.Errorf("%s: got no lines", file)
		}
	}
	listed := map[string]bool{}
	l.eachLine("lists", func(name string, _ []string) { listed[name] = true })
	for _, name := range wordLists {
		if !listed[name] {
			t.Errorf("lists: there is no %q", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("lists: no code uses %q", name)
	}
	if len(l.categories) < 20 || len(l.choices) < 20 {
		t.Errorf("got %d categories and %d choices", len(l.categories), len(l.choices))
	}
	if len(tagList) > 128 {
		t.Errorf("got %d tags, a tagSet holds 128", len(tagList))
	}
}
