package wordvec_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// TestOf: a question is nearer to its answer, which shares no word with it, than to
// another message.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"Which vehicle do I drive?", "I finally bought the old Toyota pickup", "The soup needs more salt"},
		{"What is my salary?", "they pay me 52,000 a year before taxes", "We planted tomatoes behind the garage"},
		{"Is anyone in my family a physician?", "my sister is a doctor at the children's hospital", "the database is running out of disk"},
	} {
		question, near, far := wordvec.Of(c[0]), wordvec.Of(c[1]), wordvec.Of(c[2])
		if question.Cosine(&near) < question.Cosine(&far)+0.1 {
			t.Errorf("%q: %.2f, %q: %.2f", c[1], question.Cosine(&near), c[2], question.Cosine(&far))
		}
	}
}

// TestOfForms: forms of a word that the table lacks lead to one that it has.
func TestOfForms(t *testing.T) {
	t.Parallel()
	for form, word := range map[string]string{
		"Berlin": "berlin", "Anna's": "anna", "Anna’s": "anna", "Café": "cafe",
		"physicians": "physicians", "barbers": "barber",
	} {
		a, b := wordvec.Of(form), wordvec.Of(word)
		if a.Known() != 1 || a != b {
			t.Errorf("%q is not %q (%d known)", form, word, a.Known())
		}
	}
}

func TestOfNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "the of and to", "42 1,000 3.5", "我住在柏林", "zzyzxqw", "O'Brien", strings.Repeat("x", 5000)} {
		if v := wordvec.Of(text); v != (wordvec.Vector{}) {
			t.Errorf("%.20q has a meaning (%d known)", text, v.Known())
		}
	}
}

// TestOfIsTheSameEverywhere: the vector of a text, to the byte.
func TestOfIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	v := wordvec.Of("Every Thursday the orchestra rehearses Brahms in the old theatre behind the station.")
	if got := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, v)))[:16]; got != "611caa19753a06e8" {
		t.Errorf("got %s", got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Anna's café in O'Brien Street", "the coffee house")
	f.Add("’ '’s x'", "\xff\xe2\x80")
	f.Fuzz(func(t *testing.T, a, b string) {
		va, vb := wordvec.Of(a), wordvec.Of(b)
		if c := va.Cosine(&vb); c != vb.Cosine(&va) || c < -1 || c > 1 {
			t.Errorf("cosine %v, and %v", c, vb.Cosine(&va))
		}
		if c := va.CosineOf(vb.Append(nil)); c != va.Cosine(&vb) {
			t.Errorf("cosine %v, and %v with the same meaning as bytes", va.Cosine(&vb), c)
		}
		if self := va.Cosine(&va); va.Known() > 0 && va != (wordvec.Vector{}) && self < 0.9 {
			t.Errorf("cosine with itself %v", self)
		}
		if again := wordvec.Of(strings.ToUpper(a)); strings.ToLower(strings.ToUpper(a)) == a && isASCII(a) && again.Known() < va.Known() {
			t.Errorf("%d words known, %d in capitals", va.Known(), again.Known())
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

const sample = "Every Thursday the orchestra rehearses Brahms in the old theatre behind the station, and afterwards we walk home along the river."

func BenchmarkOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = wordvec.Of(sample)
	}
}

func BenchmarkScanOnly(b *testing.B) {
	for b.Loop() {
		scan := language.Scan(sample)
		for _, ok := scan.Next(); ok; _, ok = scan.Next() {
		}
	}
}

func BenchmarkCosine(b *testing.B) {
	x, y := wordvec.Of(sample), wordvec.Of("Where do we play music?")
	for b.Loop() {
		_ = x.Cosine(&y)
	}
}

func BenchmarkWord(b *testing.B) {
	for b.Loop() {
		_, _ = wordvec.Word("orchestra")
	}
}
