package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// source writes a file in the package's form: the vectors of forty words, two of which are
// not letters only. All share a large part, as GloVe's do; "kitten" is nearly "cat".
func source(t *testing.T) string {
	t.Helper()
	words := []string{"the", ",", "cat", "kitten", "invoice", "x-ray"}
	for c := range 34 {
		words = append(words, "w"+string(rune('a'+c%26))+string(rune('a'+c/26)))
	}
	vectors := make(map[string][]float64)
	for i, w := range words {
		v := make([]float64, wordvec.Dim+2)
		for j := range wordvec.Dim {
			v[j] = 3 + math.Sin(float64(i*i*j))
		}
		vectors[w] = v
	}
	for j := range wordvec.Dim {
		vectors["kitten"][j] = vectors["cat"][j] + 0.1*math.Cos(float64(j))
	}
	var file struct {
		Precision int                  `json:"precision"`
		Words     []string             `json:"words"`
		Vectors   map[string][]float64 `json:"vectors"`
		Unknown   []float64            `json:"unkVector"`
	}
	file.Precision, file.Words, file.Vectors = 8, words, vectors
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "source.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConvert: what is written reads back, in the order of the source, and words that were
// alike are alike.
func TestConvert(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "words.bin")
	var out bytes.Buffer
	if err := convert(&out, source(t), to, 1000); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	table, err := wordvec.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for n := range table.Len() {
		names = append(names, table.Name(n))
		if got, ok := table.Word(table.Name(n)); !ok || got != n {
			t.Errorf("%q is word %d (%v), want %d", table.Name(n), got, ok, n)
		}
	}
	if got := strings.Join(names[:6], " "); got != "the cat kitten invoice waa wba" {
		t.Errorf("the words are %q", got)
	}
	near, far := table.Row(1).Cosine(table.Row(2)), table.Row(1).Cosine(table.Row(3))
	if near < 0.9 || far > 0.5 {
		t.Errorf("cat and kitten %.2f, cat and invoice %.2f", near, far)
	}
}

func TestConvertTakesTheFirstWords(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "words.bin")
	if err := convert(&bytes.Buffer{}, source(t), to, 3); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if table, err := wordvec.Open(string(data)); err != nil || table.Len() != 3 {
		t.Errorf("%d words, %v", table.Len(), err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{}", `{"words":["a"]}`, `{"words":["a"],"vectors":{}}`, `{"words":["a"],"vectors":{"a":[1,2]}}`, `{"words":["a"],"vectors":{"a":"b"}}`,
	} {
		if _, _, err := read(strings.NewReader(text), 10); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}
