package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// vector is a word's vector.
type vector [wordvec.Dim]float64

// read returns the first words of the file that are letters only, in its order, which is
// that of their frequency, and their vectors. It reads the file to its end.
//
// The file is an object. Its member "words" lists the words. Its member "vectors", later,
// has a member for each: the dimensions, followed by the length and the word's number.
func read(r io.Reader, most int) ([]string, []vector, error) {
	d := json.NewDecoder(r)
	if _, err := d.Token(); err != nil {
		return nil, nil, fmt.Errorf("read the vectors: %w", err)
	}
	var words []string
	var vectors []vector
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("read the vectors: %w", err)
		}
		switch name {
		case "words":
			words, err = readWords(d, most)
		case "vectors":
			vectors, err = readVectors(d, words)
		default:
			var other any
			err = d.Decode(&other)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read %q: %w", name, err)
		}
	}
	if len(words) == 0 || vectors == nil {
		return nil, nil, errors.New("no words with vectors")
	}
	_, err := io.Copy(io.Discard, r)
	return words, vectors, err
}

func readWords(d *json.Decoder, most int) (words []string, err error) {
	var all []string
	if err := d.Decode(&all); err != nil {
		return nil, err
	}
	for _, w := range all {
		if len(words) < most && isLetters(w) {
			words = append(words, w)
		}
	}
	return words, nil
}

func isLetters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return w != ""
}

// readVectors returns the vectors of the words, in the words' order.
func readVectors(d *json.Decoder, words []string) ([]vector, error) {
	numbers := make(map[string]int, len(words))
	for i, w := range words {
		numbers[w] = i
	}
	out := make([]vector, len(words))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var values []float64
		if err := d.Decode(&values); err != nil {
			return nil, err
		}
		word, _ := name.(string)
		if n, wanted := numbers[word]; wanted {
			if len(values) < wordvec.Dim {
				return nil, fmt.Errorf("%q has %d dimensions", word, len(values))
			}
			copy(out[n][:], values)
			delete(numbers, word)
		}
	}
	if len(numbers) > 0 {
		return nil, fmt.Errorf("%d words have no vector", len(numbers))
	}
	_, err := d.Token()
	return out, err
}
