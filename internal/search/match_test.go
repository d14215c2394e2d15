package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mark puts brackets around what a snippet highlights.
func mark(s Snippet) string {
	runes, at := []rune(s.Text), 0
	var b strings.Builder
	for _, h := range s.Highlights {
		b.WriteString(string(runes[at:h[0]]) + "[" + string(runes[h[0]:h[1]]) + "]")
		at = h[1]
	}
	return b.String() + string(runes[at:])
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, query, text, want string }{
		{"words", "docker graz", "We took Docker to Graz.", "We took [Docker] to [Graz]."},
		{"another form", "deploying", "He deployed and deploys; redeploy", "He [deployed] and [deploys]; redeploy"},
		{"a phrase", `"to graz"`, "to Graz, to be, to\n graz", "[to Graz], to be, [to graz]"},
		{"a beginning", "dep*", "deploy depth de pend", "[deploy] [depth] de pend"},
		{"a beginning of what stemming shortens", "deployme*", "deployment deploys deployments", "[deployment] deploys [deployments]"},
		{"diacritics", "cafe", "Le CAFÉ, cafe\u0301 et cafés", "Le [CAFÉ], [cafe\u0301] et [cafés]"},
		{"words that touch", "a-b", "x a-b a b ab", "x [a-b] [a b] ab"},
		{"overlapping", `docker "docker compose"`, "docker compose docker", "[docker compose] [docker]"},
		{"Chinese", "分散", "再分散分散システム", "再[分散][分散]システム"},
		{"one character", "部", "部署部", "[部]署[部]"},
		{"mixed writings", "部署docker", "在部署docker服务", "在[部署docker]服务"},
		{"Latin next to Chinese", "docker", "在docker服务", "在[docker]服务"},
		{"what is excluded", "docker NOT graz", "docker graz", "[docker] graz"},
		{"a prefix and an excluded word", "dock* NOT vienna", "docker vienna graz", ""},
		{"white space and orders to a terminal", "b", "a\t\n  b \x1b[31m c\u009bd", "a [b] [31m c d"},
		{"bytes that are no text", "b", "a \xff\xfe b", "a \ufffd\ufffd [b]"},
		{"nothing to show", "absent", "some text", "some text"},
		{"no text", "absent", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := Parse(c.query)
			if err != nil {
				t.Fatal(err)
			}
			k := NewRanker(Request{Query: q})
			got := ""
			if k.Add(Match{Root: "r"}, c.text) {
				got = mark(k.Hits()[0].Matches[0].Snippet)
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestSnippetOfLongText has the words that matter in several places.
func TestSnippetOfLongText(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("lorem ipsum dolor ", 40)
	q, err := Parse("alpha beta")
	if err != nil {
		t.Fatal(err)
	}
	k := NewRanker(Request{Query: q})
	k.Add(Match{}, filler+"alpha once "+filler+"beta then alpha together "+filler+"beta "+filler)
	got := k.Hits()[0].Matches[0].Snippet
	if text := mark(got); !strings.Contains(text, "[beta] then [alpha] together") || !strings.HasPrefix(text, "…") || !strings.HasSuffix(text, "…") {
		t.Errorf("got %q, want the place that has both words", text)
	}
	if n := len(got.Text); n < snippetLength/2 || n > snippetLength+8 {
		t.Errorf("got %d bytes, want about %d", n, snippetLength)
	}
}

func TestIndexText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"words", "Plain words, été", "plain words, ete"},
		{"words of a plain text", "Plain words", "Plain words"},
		{"letters that become several", "Straße ﬁn ﾟ", "strasse fin ﾟ"},
		{"a run", "分散シ", "分散 散シ シ"},
		{"one character", "部", "部"},
		{"between words", "在docker里", "在 docker 里"},
		{"hangul", "시스템", "시스 스템 템"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.Fields(c.want), strings.Fields(IndexText(c.in))); diff != "" {
				t.Errorf("got (+), want (-):\n%s", diff)
			}
		})
	}
}

// TestIndexPrefix: whatever begins with a prefix must begin, stemmed, with what
// the index is asked for.
func TestIndexPrefix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prefix, want string }{
		{"deploy", "deplo"}, {"deployme", "deplo"}, {"docker", "docker"}, {"kuber", "kuber"}, {"v12", "v12"}, {"über", "über"},
	} {
		if got := indexPrefix(c.prefix); got != c.want {
			t.Errorf("%s: got %s, want %s", c.prefix, got, c.want)
		}
	}
	for _, word := range strings.Fields(`deployment deployments deployability generalization generalizations nationalities relational
		relativeness universities studies studying happily happiness conditional rationalizing caresses ponies agreed plastered motoring
		hopefulness formative electricity allowance inference adjustable replacement adoption communism triplicate revival controlling
		dying used using sky news business organization organizational possibly possibilities usefulness kindnesses controversially`) {
		for n := minPrefix; n <= len(word); n++ {
			prefix := indexPrefix(word[:n])
			stem := stemOf(word)
			if !strings.HasPrefix(stem, prefix) || stemOf(prefix) != prefix {
				t.Errorf("%s*: asks for %q, which does not find %q as %q", word[:n], prefix, word, stem)
			}
		}
	}
}

func stemOf(word string) string {
	m := newMatcher(Query{Root: &Term{Text: word, Pieces: cut(word)}}, true)
	return string(m.terms[0].pieces[0].stem)
}

// TestLongRun: a text of many characters without a space is read once. Read from each of its
// characters to its end, this one would take hours.
func TestLongRun(t *testing.T) {
	t.Parallel()
	q, err := Parse("三 OR 月光")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat(strings.Repeat("水火木金土日", 10_000)+"三月光", 10)
	if got := newMatcher(q, true).find(nil, text); len(got) != 20 {
		t.Errorf("got %d places, want 20", len(got))
	}
}
