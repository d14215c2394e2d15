package language_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/language"
)

// stems lists the words of text; stop words in brackets.
func stems(text string) []string {
	var out []string
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		s := string(w.Stem)
		if w.Stop {
			s = "(" + s + ")"
		}
		out = append(out, s)
	}
	return out
}

func TestScan(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                                    "",
		"Running runners, happily!":           "run runner happili",
		"relational conditional hopping":      "relat condit hop",
		"Anna's and the boys’ kites":          "anna (and) (the) boi kite",
		"I'll say I don't; O'Brien can't":     "(i) sai (i) (dont) obrien (cant)",
		"it's 'quoted' text":                  "(it) quot text",
		"v1.2.3 costs 3.5 or 1,200 (user_id)": "v1.2.3 cost 3.5 (or) 1,200 user id",
		"Café NAÏVE Straße Œuvre":             "cafe naiv strass oeuvr",
		"cafe\u0301":                          "cafe",
		"off to children's homes":             "(off) (to) child home",
		"日本語":                                 "日本 本語",
		"犬 and 猫":                             "犬 (and) 猫",
		"GPT模型很好":                             "gpt 模型 型很 很好",
		"Привет, мир":                         "привет мир",
		"ＡＢＣ１":                                "abc1",
		"한국어 배워요":                             "한국 국어 배워 워요",
		"mail@example.com":                    "mail exampl com",
		"\xff\xfe ok":                         "ok",
		"a.b.c 🎉🎉":                            "(a) b c",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.Fields(want), stems(text), cmp.Transformer("nil", func(s []string) []string {
				return append([]string{}, s...)
			})); diff != "" {
				t.Errorf("Scan(%q) (-want +got):\n%s", text, diff)
			}
		})
	}
}

// TestPorter checks the examples of the paper, through all its steps.
func TestPorter(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"caresses": "caress", "ponies": "poni", "cats": "cat", "agreed": "agre", "plastered": "plaster",
		"motoring": "motor", "conflated": "conflat", "troubled": "troubl", "sized": "size", "tanned": "tan",
		"falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file",
		"happy": "happi", "sky": "sky", "valency": "valenc", "digitizer": "digit", "conformably": "conform",
		"radically": "radic", "differently": "differ", "vilely": "vile", "analogously": "analog",
		"vietnamization": "vietnam", "predication": "predic", "operator": "oper", "feudalism": "feudal",
		"decisiveness": "decis", "hopefulness": "hope", "callousness": "callous", "formality": "formal",
		"sensitivity": "sensit", "triplicate": "triplic", "formative": "form", "electrical": "electr",
		"goodness": "good", "revival": "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin",
		"adjustable": "adjust", "defensible": "defens", "irritant": "irrit", "replacement": "replac",
		"adoption": "adopt", "communism": "commun", "activate": "activ", "effective": "effect",
		"probate": "probat", "psychology": "psycholog", "possibly": "possibl", "rate": "rate", "cease": "ceas", "controlling": "control", "rolling": "roll",
	}
	for word, want := range tests {
		if got := language.Stem(word); got != want {
			t.Errorf("Stem(%q): got %q, want %q", word, got, want)
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"The": true, "isn't": true, "What": true, "river": false, "": false} {
		scan := language.Scan(word)
		if w, _ := scan.Next(); w.Stop != want {
			t.Errorf("the first word of %q: got stop %v, want %v", word, w.Stop, want)
		}
	}
}

func TestScanOffsets(t *testing.T) {
	t.Parallel()
	text := "Anna’s café, 日本語"
	var got []string
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		got = append(got, text[w.Start:w.End])
	}
	if diff := cmp.Diff([]string{"Anna’s", "café", "日本", "本語"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"Anna's 3.5", "日本語a", "e\u0301\u0301", "’s’t", "\xf0\x9f", strings.Repeat("x", 200) + "ing", "ßßßß"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scan, start := language.Scan(text), -1
		for w, ok := scan.Next(); ok; w, ok = scan.Next() {
			if w.Start <= start || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: word [%d,%d) after %d", text, w.Start, w.End, start)
			}
			if !utf8.Valid(w.Stem) {
				t.Fatalf("%q: stem %q", text, w.Stem)
			}
			start = w.Start
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := strings.Repeat("I went to see the old houses by the beautiful lake with my sister last Tuesday and everybody liked them. ", 5)
	b.ReportAllocs()
	for b.Loop() {
		scan := language.Scan(text)
		for _, ok := scan.Next(); ok; _, ok = scan.Next() {
		}
	}
}

// TestScanAllocates: a scan makes no garbage, because turns scan texts many times.
func TestScanAllocates(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() {
		scan := language.Scan("Müller's replicas were restored by 17 percent in København, and nothing ran.")
		for _, ok := scan.Next(); ok; _, ok = scan.Next() {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
