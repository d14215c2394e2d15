package tool

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

func TestParseSkill(t *testing.T) {
	t.Parallel()
	head := func(name, description string) string {
		return "---\nname: " + name + "\ndescription: " + description + "\n---\n"
	}
	for _, tt := range []struct {
		name, text string
		want       Skill
		bad        bool
	}{
		{"plain", head("deploy", "How we deploy.") + "\n# Steps\n1. Push.\n", Skill{"deploy", "How we deploy.", "# Steps\n1. Push."}, false},
		{"no body", head("a", "b"), Skill{"a", "b", ""}, false},
		{"Windows", strings.ReplaceAll(head("a", "b")+"c\n", "\n", "\r\n"), Skill{"a", "b", "c"}, false},
		{"byte order mark", "\ufeff" + head("a", "b"), Skill{"a", "b", ""}, false},
		{"further fields", "---\nname: a\nlicense: MIT\nmetadata:\n  x: y\ndescription: >\n  b\n  c\n---\nd", Skill{"a", "b c", "d"}, false},
		{"a rule in the body", head("a", "b") + "x\n\n---\n\ny", Skill{"a", "b", "x\n\n---\n\ny"}, false},
		{"the longest name", head(strings.Repeat("n", 64), "b"), Skill{strings.Repeat("n", 64), "b", ""}, false},
		{"the longest description", head("a", strings.Repeat("ü", 1024)), Skill{"a", strings.Repeat("ü", 1024), ""}, false},

		{"empty", "", Skill{}, true},
		{"no block", "# Steps", Skill{}, true},
		{"an open block", "---\nname: a\ndescription: b\n", Skill{}, true},
		{"more behind the line", "---\nname: a\ndescription: b\n---x\n", Skill{}, true},
		{"no name", "---\ndescription: b\n---\n", Skill{}, true},
		{"no description", "---\nname: a\n---\n", Skill{}, true},
		{"capital letters", head("Deploy", "b"), Skill{}, true},
		{"a path", head("../a", "b"), Skill{}, true},
		{"a hyphen in front", head("-a", "b"), Skill{}, true},
		{"two hyphens", head("a--b", "b"), Skill{}, true},
		{"too long a name", head(strings.Repeat("n", 65), "b"), Skill{}, true},
		{"too long a description", head("a", strings.Repeat("d", 1025)), Skill{}, true},
		{"a name that is a list", "---\nname: [a]\ndescription: b\n---\n", Skill{}, true},
		{"not YAML", "---\nname: [a\n---\n", Skill{}, true},
		{"not UTF-8", head("a", "b") + "\xff", Skill{}, true},
		{"a long block", head("a", "b\nx: "+strings.Repeat("y", maxSkillHead)), Skill{}, true},
		{"a long file", head("a", "b") + strings.Repeat("x", maxSkillFile), Skill{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseSkill([]byte(tt.text))
			if tt.bad {
				if fault.KindOf(err) != fault.Invalid {
					t.Errorf("got %+v, %v, want it refused", got, err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("got %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// FuzzParseSkill: what is a skill can be written and is the same when read again.
func FuzzParseSkill(f *testing.F) {
	for _, seed := range []string{
		"---\nname: a\ndescription: b\n---\nc", "---\nname: a-b-1\ndescription: \"x: y # z\"\nmetadata: {a: [1, &x 2, *x]}\n---\n\n# T\n---\n",
		"---\n---\n", "---\nname: &a [*a]\n---\n", "---\r\nname: a\r\ndescription: |\r\n  b\r\n---\r\n", "\ufeff---\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		skill, err := ParseSkill(text)
		if !bytes.Equal(before, text) {
			t.Fatalf("%q was changed", before)
		}
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%q: got %v, want a fault of the writer", text, err)
			}
			return
		}
		if skill.Name == "" || strings.ContainsAny(skill.Name, "./\\\x00") || !utf8.ValidString(skill.Body) {
			t.Fatalf("%q: got %+v", text, skill)
		}
		again, err := skill.Format()
		if err != nil {
			if len(text) > maxSkillFile-maxSkillHead {
				return // the form we write may be a little longer
			}
			t.Fatalf("%q: %v", text, err)
		}
		back, err := ParseSkill(again)
		if diff := cmp.Diff(skill, back); err != nil || diff != "" {
			t.Errorf("%q became %q: %v\n%s", text, again, err, diff)
		}
	})
}
