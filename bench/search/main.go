// Command search measures the search over transcripts: usual queries of every
// kind, hostile ones, and the size of a database. It makes its own text, with
// words as unevenly common as those of a language, always the same for a seed.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/sqlite"
)

func main() {
	sizes := flag.String("messages", "100000", "how many messages to search, such as 100000,1000000")
	seed := flag.Uint64("seed", 1, "of the text and the queries")
	keep := flag.String("keep", "", "a directory to keep the databases in, and to find them again")
	flag.Parse()
	if err := measure(context.Background(), *sizes, *keep, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, sizes, keep string, seed uint64) error {
	dir := keep
	if dir == "" {
		made, err := os.MkdirTemp("", "hermes-search-")
		if err != nil {
			return fmt.Errorf("make a place to work: %w", err)
		}
		defer func() { _ = os.RemoveAll(made) }()
		dir = made
	}
	if err := usualSize(ctx, filepath.Join(dir, "usual.db"), seed); err != nil {
		return err
	}
	for _, text := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-messages %q: %w", sizes, err)
		}
		if err := searchIn(ctx, filepath.Join(dir, text+".db"), n, seed); err != nil {
			return err
		}
	}
	return nil
}

// open opens a database that need not survive a power cut.
func open(ctx context.Context, path string) (*sqlite.DB, error) {
	return sqlite.Open(ctx, sqlite.Options{Path: path, Log: slog.New(slog.DiscardHandler), Synchronous: "OFF", IndexPatience: time.Hour})
}

// searchIn measures the queries in a database of so many messages.
func searchIn(ctx context.Context, path string, n int, seed uint64) error {
	c := newCorpus(seed)
	_, err := os.Stat(path)
	db, openErr := open(ctx, path)
	if openErr != nil {
		return openErr
	}
	defer func() { _ = db.Close() }()
	if err != nil {
		if err := fill(ctx, db, c, n); err != nil {
			return err
		}
	}
	fmt.Printf("\n## %d messages, %s\n\n", n, megabytes(path))
	if err := usual(ctx, db, newCorpus(seed), n); err != nil {
		return err
	}
	return hostile(ctx, db, c)
}

func megabytes(path string) string {
	total := int64(0)
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			total += info.Size()
		}
	}
	return fmt.Sprintf("%.1f MB", float64(total)/1e6)
}
