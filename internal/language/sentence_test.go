package language

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two":             {"We moved. It works!", []string{"We moved.", "It works!"}},
		"no stop":         {"no stop at all", []string{"no stop at all"}},
		"empty":           {"", []string{}},
		"only marks":      {"... --- !!!", []string{}},
		"title":           {"Dr. Smith met Mrs. Jones. They talked.", []string{"Dr. Smith met Mrs. Jones.", "They talked."}},
		"initials":        {"J. R. Smith lives in the U.S. now. Fine.", []string{"J. R. Smith lives in the U.S. now.", "Fine."}},
		"month":           {"On Jan. 5 we met. On Feb. 6 we left.", []string{"On Jan. 5 we met.", "On Feb. 6 we left."}},
		"month at end":    {"It was in Jan. We left.", []string{"It was in Jan.", "We left."}},
		"version":         {"Use v1.2.3 or 2.0. It is node.js.", []string{"Use v1.2.3 or 2.0.", "It is node.js."}},
		"for example":     {"Take a cache, e.g. Redis, i.e. memory. Done.", []string{"Take a cache, e.g. Redis, i.e. memory.", "Done."}},
		"etc":             {"Cats, dogs, etc. and birds. Cats, etc. Birds came.", []string{"Cats, dogs, etc. and birds.", "Cats, etc.", "Birds came."}},
		"time of day":     {"At 5 p.m. we left. At 6 p.m. We ate.", []string{"At 5 p.m. we left.", "At 6 p.m.", "We ate."}},
		"ordinal month":   {"Er ist am 9. Juli geboren. Sie am 3. Mai.", []string{"Er ist am 9. Juli geboren.", "Sie am 3. Mai."}},
		"ordinal":         {"Wir wohnen in der 3. Etage. Im 19. Jahrhundert nicht.", []string{"Wir wohnen in der 3. Etage.", "Im 19. Jahrhundert nicht."}},
		"danish ordinal":  {"Mødet er den 4. juni kl. 10. Det er fint.", []string{"Mødet er den 4. juni kl. 10.", "Det er fint."}},
		"no ordinal":      {"I am 33. My son is 9. May I go?", []string{"I am 33.", "My son is 9.", "May I go?"}},
		"number word":     {"See no. 5. No. That is wrong.", []string{"See no. 5.", "No.", "That is wrong."}},
		"i":               {"So am I. You too.", []string{"So am I.", "You too."}},
		"url":             {"See https://a.b/c.d?e=f. Then go.", []string{"See https://a.b/c.d?e=f.", "Then go."}},
		"quotes":          {`He said "stop." Then he left.`, []string{`He said "stop."`, "Then he left."}},
		"brackets":        {"(We left.) They stayed.", []string{"(We left.)", "They stayed."}},
		"ellipsis":        {"Well... maybe. Hm… Then yes.", []string{"Well... maybe.", "Hm…", "Then yes."}},
		"question":        {"Really?! Yes. What??? No.", []string{"Really?!", "Yes.", "What???", "No."}},
		"lower case":      {"i like it. it works.", []string{"i like it.", "it works."}},
		"lines":           {"one\ntwo\r\nthree", []string{"one", "two", "three"}},
		"list":            {"Todo:\n- milk\n* eggs\n• tea\n1. first\n2) second\n[x] done", []string{"Todo:", "milk", "eggs", "tea", "first", "second", "[x] done"}},
		"checked":         {"- [ ] open\n- [x] closed", []string{"open", "closed"}},
		"heading":         {"## Title\ntext", []string{"Title", "text"}},
		"chinese":         {"我们用Redis。因为很快！真的？是", []string{"我们用Redis。", "因为很快！", "真的？", "是"}},
		"chinese quotes":  {"他说「走吧。」然后走了。", []string{"他说「走吧。」", "然后走了。"}},
		"arabic":          {"هل نستخدم كافكا؟ نعم.", []string{"هل نستخدم كافكا؟", "نعم."}},
		"hindi":           {"हम जाते हैं। वे रहते हैं।", []string{"हम जाते हैं।", "वे रहते हैं।"}},
		"cyrillic":        {"Мы ушли. Они остались.", []string{"Мы ушли.", "Они остались."}},
		"code":            {"Look:\n```go\nx := 1. \n\ny := 2\n```\nDone.", []string{"Look:", "```go\nx := 1. \n\ny := 2\n```", "Done."}},
		"code not closed": {"~~~\na. b\nc", []string{"~~~\na. b\nc"}},
		"element":         {"<env_context>\n  <cwd>/tmp</cwd>\n  It is mine.\n</env_context>\nI live in Oslo.", []string{"<env_context>\n  <cwd>/tmp</cwd>\n  It is mine.\n</env_context>", "I live in Oslo."}},
		"elements":        {"Use this:\n<source id=\"1\">We use MySQL.</source>\n<source id=\"2\">A.\nB.</source>  \nWhat do we use?", []string{"Use this:", "<source id=\"1\">We use MySQL.</source>", "<source id=\"2\">A.\nB.</source>", "What do we use?"}},
		"element in line": {"<b>We moved.</b>\n<tool>x</tool> is good.\n<open>\nFine.", []string{"<b>We moved.</b>", "<tool>x</tool> is good.", "<open>", "Fine."}},
		"line separator":  {"one\u2028two\u2029three", []string{"one", "two", "three"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, s := range Sentences(c.text) {
				got = append(got, c.text[s.Start:s.End])
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSentencesMarks(t *testing.T) {
	t.Parallel()
	got := Sentences("> quoted. twice.\n>> deeper\n```\ncode\n```\nplain")
	want := []Sentence{
		{Start: 2, End: 9, Quoted: true}, {Start: 10, End: 16, Quoted: true}, {Start: 20, End: 26, Quoted: true},
		{Start: 27, End: 39, Code: true}, {Start: 40, End: 45},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzSentences checks on arbitrary text that pieces are in order, cut no
// character, and leave nothing out that says something.
func FuzzSentences(f *testing.F) {
	for _, text := range []string{"A. B.", "Dr. X", "```\na", "1. a\n2. b", "。。", "> ", "...", "\xff.\xfe", "U.S.", "a\u2028b", "We go\nbecause\r\nof it", "- A\n  and b", "~~~~\n~~~\n~~~~"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, s := range Sentences(text) {
			if s.Start < last || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("got %+v after %d of %d", s, last, len(text))
			}
			if lost := text[last:s.Start]; strings.ContainsFunc(strings.TrimLeft(lost, " -[x]\t"), unicode.IsLetter) {
				t.Errorf("lost %q", lost)
			}
			piece := text[s.Start:s.End]
			if !s.Code && strings.Contains(strings.ReplaceAll(piece, "\r\n", "\n"), "\n\n") {
				t.Errorf("got a blank line in %q", piece)
			}
			if utf8.ValidString(text) && !utf8.ValidString(piece) {
				t.Errorf("cut a character in %q", piece)
			}
			last = s.End
		}
		if lost := text[last:]; strings.ContainsFunc(lost, unicode.IsLetter) {
			t.Errorf("lost %q at the end", lost)
		}
	})
}

func BenchmarkSentences(b *testing.B) {
	text := strings.Repeat("We moved to v1.2.3 on Jan. 5 because Dr. Smith said so. It works! ", 8)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Sentences(text)
	}
}
