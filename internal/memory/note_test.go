package memory

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestNoteWithSecret: a note with a secret becomes no fact, whatever kind it is given.
func TestNoteWithSecret(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{"", Plain, Instruction} {
		d := said("my pw is hunter2xyz")
		d.Note = FormatNote(kind, "")
		if facts := noteFacts(messageOf(d)); len(facts) > 0 {
			t.Errorf("kind %q: got %+v", kind, facts)
		}
	}
}

// TestMemoriesOfPrograms keeps what another program noted of the user: each statement and each item of a list, without
// titles and questions. An answer of an assistant with the same words is no memory.
func TestMemoriesOfPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Allergic to shellfish", []string{"Allergic to shellfish"}},
		{"Vegetarian", []string{"Vegetarian"}},
		{"User lives in Lisbon. They moved there in 2019.", []string{"User lives in Lisbon. They moved there in 2019."}},
		{
			"**Background**\n\nRuth keeps bees. Her orchard has 40 trees.\n\n## Now\n- Building a press\n- Needs a permit\n\nWho sells hives?\n\n---\n\nShe retired in May.",
			[]string{"Ruth keeps bees. Her orchard has 40 trees.", "Building a press", "Needs a permit", "She retired in May."},
		},
		{"The Wi-Fi password is tulip-4711-garden", nil},
		{"*Recent months*\n\nRuth keeps bees.\n\n_Earlier context_\n\nShe sailed.\n\n***Long-term background***\n\n__Work:__\n\n**Home**:\n\nShe grew up in Cairo.",
			[]string{"Ruth keeps bees.", "She sailed.", "She grew up in Cairo."}},
		{"*Ruth keeps bees.*\n\n*Bees* and *hives* are what she likes\n\n**Ruth** sails", []string{"*Ruth keeps bees.*", "*Bees* and *hives* are what she likes", "**Ruth** sails"}},
		{"Ruth keeps bees.\n\n| Tool | Opinion |\n|------|:-------:|\n| Airflow | dislikes it |\n\nHive | Age\n--- | ---\nred | 4\n\nShe uses ls | wc daily.",
			[]string{"Ruth keeps bees.", "She uses ls | wc daily."}},
		{"Ruth keeps bees.\n\n```python\nprint(\"I live in Tokyo\")\n```\n\n{\"theme\": \"dark\", \"lang\": \"en\"}\n\n{\n  \"home\": \"Rome\",\n  \"tools\": [\n    \"hive\"\n  ],\n" +
			"  \"more\": {\n  }\n}\n\n\"Bees\": her book.\n\n[x] hive built", []string{"Ruth keeps bees.", "\"Bees\": her book.", "[x] hive built"}},
	} {
		d := spoken(0, session.Assistant, c.text)
		if facts := Distill(d, nil); len(facts) > 1 {
			t.Errorf("an answer %q: got %+v", c.text, facts)
		}
		d.Speaker, d.Note = "mem0", ProgramNote
		var got []string
		for _, f := range noteFacts(messageOf(d)) {
			got = append(got, f.Quote)
			if !f.Kind.Asserted() || f.Source.Speaker != "mem0" {
				t.Errorf("%q: got %+v", c.text, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
