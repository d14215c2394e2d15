package search

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a word", "docker", "docker"},
		{"two words", "docker deployment", "docker AND deployment"},
		{"a phrase", `"exact phrase"`, `"exact phrase"`},
		{"a phrase in the quotation marks of an editor", `“exact phrase” „noch eine“ x`, `"exact phrase" AND "noch eine" AND x`},
		{"alternatives", "docker OR kubernetes", "docker OR kubernetes"},
		{"exclusion", "python NOT java", "python NOT java"},
		{"exclusion with AND", "python AND NOT java", "python NOT java"},
		{"a minus sign", "python -java", "python NOT java"},
		{"a minus sign before a phrase", `python -"java script"`, `python NOT "java script"`},
		{"a minus sign before parentheses", "python -(java OR perl)", "python NOT (java OR perl)"},
		{"excluded first", "-java python", "python NOT java"},
		{"a prefix", "deploy*", "deploy*"},
		{"a prefix of a phrase", `"docker dep"*`, `"docker dep"*`},
		{"a star inside a phrase is a sign", `"docker dep*"`, `"docker dep*"`},
		{"operators only in capitals", "this and that or not", "this AND and AND that AND or AND not"},
		{"OR binds weakest", "a b OR c d", "(a AND b) OR (c AND d)"},
		{"NOT binds strongest", "a NOT b OR c", "(a NOT b) OR c"},
		{"parentheses", "a (b OR c)", "a AND (b OR c)"},
		{"needless parentheses", "((a)) ((b OR (c)))", "a AND (b OR c)"},
		{"nested alternatives", "a OR (b OR c)", "a OR b OR c"},
		{"an exclusion in parentheses", "a (NOT b)", "a NOT b"},
		{"several in parentheses", "a (-b -c)", "a NOT (b OR c)"},
		{"twice NOT", "a NOT NOT b", "a AND b"},
		{"an excluded conjunction", "a NOT (b c)", "a NOT (b AND c)"},
		{"an exclusion in an excluded one", "a NOT (b NOT c)", "a NOT (b NOT c)"},

		{"a phrase not closed", `docker "exact phr`, `docker AND "exact phr"`},
		{"a parenthesis not closed", "docker (a OR b", "docker AND (a OR b)"},
		{"a parenthesis too many", "a) b", "a AND b"},
		{"an operator at the end", "docker AND", "docker"},
		{"OR at the end", "docker OR", "docker"},
		{"NOT at the end", "docker NOT", "docker"},
		{"operators at the beginning", "AND OR docker", "docker"},
		{"operators in a row", "a AND AND b OR OR c", "(a AND b) OR c"},
		{"empty parentheses", "a () b", "a AND b"},
		{"a minus sign alone", "a - b", "a AND b"},
		{"a star alone", "* docker", "docker"},
		{"many stars", "docker**", "docker*"},
		{"a hyphen", "a-b", `"a-b"`},
		{"an option", "--verbose", `"--verbose"`},
		{"signs after a word", "C++", `"C++"`},
		{"NEAR is a word", "NEAR(a b)", "NEAR AND a AND b"},
		{"NEAR half typed", "NEAR(", "NEAR"},
		{"a caret", "^x", `"^x"`},
		{"a column", "col:x", `"col:x"`},
		{"an address", "user@example.com", `"user@example.com"`},
		{"a brace", "{content} : x", `"{content}" AND x`},
		{"an apostrophe", "' OR 1=1 --", `"1=1"`},
		{"an operator as a phrase", `"OR" a`, `"OR" AND a`},
		{"emoji next to a word", "party 🎉", "party"},
		{"control characters", "a\x00b\tc\nd", "a AND b AND c AND d"},
		{"bytes that are no text", "a\xffb", "a AND b"},
		{"Chinese", "分散", "分散"},
		{"Chinese and Latin", "部署docker服务", "部署docker服务"},
		{"a beginning in Chinese", "分*", "分*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := Parse(c.in)
			if err != nil {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if got := q.String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, param string }{
		{"nothing", "", "q[1]"},
		{"space", " \t ", "q[1]"},
		{"signs", "+++ !!", "q[1]"},
		{"an empty phrase", `""`, "q[1]"},
		{"a lone quotation mark", `"`, "q[1]"},
		{"a star", "*", "q[1]"},
		{"emoji", "🎉🎉", "q[1]"},
		{"operators", "AND OR NOT", "q[1]"},
		{"only an exclusion", "NOT java", "q[1]"},
		{"only a minus", "  -java", "q[3]"},
		{"only exclusions", "-a -b", "q[4]"},
		{"an exclusion as alternative", "docker OR NOT java", "q[11]"},
		{"an exclusion as first alternative", "-java OR docker", "q[1]"},
		{"a short beginning", "docker a*", "q[8]"},
		{"too many words", strings.Repeat("x ", 33), "q[65]"},
		{"a hundred alternatives", strings.Repeat("ab OR ", 100) + "ab", "q[193]"},
		{"too many beginnings", strings.Repeat("abc* ", 9), "q[41]"},
		{"a phrase too long", `"` + strings.Repeat("the ", 70) + `"`, "q[1]"},
		{"a Chinese text too long", strings.Repeat("分", 65), "q[1]"},
		{"nesting", strings.Repeat("(", 1000) + "a", "q[33]"},
		{"ten thousand parentheses", strings.Repeat("(", 10_000), "q[2049]"},
		{"a megabyte", strings.Repeat("a", 1<<20), "q[2049]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := Parse(c.in)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("got %v, want a fault", q)
			}
			if f.Kind != fault.Invalid || f.Code != "invalid_query" || f.Param != c.param {
				t.Errorf("got %s %s at %s (%s), want invalid_query at %s", f.Kind, f.Code, f.Param, f.Msg, c.param)
			}
		})
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	q, err := Parse("(a OR bcd*) NOT c")
	if err != nil {
		t.Fatal(err)
	}
	if got := q.Terms(); len(got) != 2 || got[0].Text != "a" || got[1].Text != "bcd" || !got[1].Prefix {
		t.Errorf("got %v, want a and bcd*: what is excluded cannot be shown", got)
	}
	if (Query{}).String() != "" || (Query{}).Terms() != nil {
		t.Error("the zero query has no text and no terms")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "docker deployment", `"unclosed`, "a-b", "C++", "NEAR(", "*", "^x", "col:x", "🎉", "((((", "))))",
		"a OR NOT b", "-(a -b) c", "分散 システム", "部署docker", "a AND (b OR (c NOT d*))", "\x00\xff", `“a”*`, "NOT NOT a", "0(-0(-0 -00", "a \u0322\u0322!* ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s)
		if err != nil {
			if fault.CodeOf(err) != "invalid_query" {
				t.Fatalf("%q: got %v, want invalid_query", s, err)
			}
			return
		}
		if len(q.Terms()) == 0 {
			t.Fatalf("%q: got a query without terms: %s", s, q)
		}
		text := q.String()
		again, err := Parse(text)
		if err != nil && utf8.RuneCountInString(text) <= maxLength {
			t.Fatalf("%q became %s, which is refused: %v", s, text, err)
		}
		if err == nil && again.String() != text {
			t.Errorf("%q: got %s and then %s", s, text, again)
		}
		m := newMatcher(q, decides(q))
		for _, span := range m.find(nil, s+" "+text) {
			if span.start < 0 || span.end <= span.start || span.end > len(s)+1+len(text) {
				t.Errorf("%q: got the span %v", s, span)
			}
		}
		for _, term := range q.Terms() {
			if words, _ := IndexTerm(term); strings.TrimSpace(words) == "" || strings.ContainsAny(words, `"*():^`) {
				t.Errorf("%q: got the index words %q", s, words)
			}
		}
	})
}
