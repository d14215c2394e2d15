package wordvec_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// TestTable: the table is the one that README.md describes, and every word finds itself.
func TestTable(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("words.bin")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if !strings.Contains(string(readme), "`words.bin` | `"+hex.EncodeToString(sum[:])+"`") {
		t.Errorf("the SHA-256 of words.bin is %x, not that of README.md", sum)
	}
	table, err := wordvec.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != 40000 || table.Len() != wordvec.Words() {
		t.Errorf("%d words, %d embedded", table.Len(), wordvec.Words())
	}
	for n := range table.Len() {
		if got, ok := wordvec.Word(table.Name(n)); !ok || got != n {
			t.Fatalf("word %d is %q, which is word %d (%v)", n, table.Name(n), got, ok)
		}
		if c := wordvec.Similarity(n, n); c < 0.98 {
			t.Errorf("the vector of %q is too short: %v", table.Name(n), c)
		}
	}
}

func TestWordIsMissing(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "Berlin", "don't", "42", "zzyzxqw", "größe"} {
		if n, ok := wordvec.Word(word); ok {
			t.Errorf("%q is word %d", word, n)
		}
	}
}

// TestSimilarity: a word is nearer to one of its kind than to another.
func TestSimilarity(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"car", "vehicle", "sandwich"}, {"doctor", "physician", "bridge"}, {"house", "apartment", "violin"},
		{"salary", "wage", "ocean"}, {"dog", "cat", "database"}, {"buy", "purchase", "sing"},
	} {
		word, near, far := number(t, c[0]), number(t, c[1]), number(t, c[2])
		if wordvec.Similarity(word, near) < wordvec.Similarity(word, far)+0.2 {
			t.Errorf("%s: %s %.2f, %s %.2f", c[0], c[1], wordvec.Similarity(word, near), c[2], wordvec.Similarity(word, far))
		}
		if wordvec.Similarity(word, near) != wordvec.Similarity(near, word) {
			t.Errorf("%s and %s: not the same in both directions", c[0], c[1])
		}
	}
}

func number(t *testing.T, word string) int {
	t.Helper()
	n, ok := wordvec.Word(word)
	if !ok {
		t.Fatalf("%q is unknown", word)
	}
	return n
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	whole := string(wordvec.Encode([]string{"a", "bc"}, make([][wordvec.Dim]int8, 2)))
	if _, err := wordvec.Open(whole); err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if _, err := wordvec.Open(whole[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are a table", n, len(whole))
		}
	}
	for at, b := range map[int]byte{0: 'W', 8: 3, 9: 255, 11: 255, 12: 3, 15: 255} {
		bad := []byte(whole)
		bad[at] = b
		if _, err := wordvec.Open(string(bad)); err == nil {
			t.Errorf("with %d at %d it is a table", b, at)
		}
	}
}
