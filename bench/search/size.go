package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// The size that people know of such databases: so many sessions and messages.
const usualSessions, usualMessages = 142, 3847

// usualSize stores them as an import does, facts and all, and prints how large
// the database is.
func usualSize(ctx context.Context, path string, seed uint64) error {
	db, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	views, log := memory.NewViews(db, 64<<20), slog.New(slog.DiscardHandler)
	curator := curate.New(curate.Parts{
		Store: db, Sessions: db, Memory: db, Views: views, Now: time.Now, Log: log,
		Lineages: lineage.New(lineage.Parts{Store: db, Sessions: db, Views: views, Hot: 16, Now: time.Now, Log: log}),
	})
	c := newCorpus(seed)
	characters, next := 0, 0
	for s := range usualSessions {
		var ms []session.Message
		for until := (s + 1) * usualMessages / usualSessions; next < until; next++ {
			m := session.Message{Role: session.User, Content: sentence(c, next, 3)}
			if len(ms)%2 == 1 {
				m.Role, m.Content = session.Assistant, sentence(c, next, 12)
			}
			characters += len(m.Content)
			ms = append(ms, m)
		}
		id := session.ID(fmt.Sprintf("20260301_090000_%08x", s))
		if _, _, err := curator.Append(ctx, &curate.Addition{Owner: owner.Local(), Session: id, Source: session.SourceAPI,
			Messages: ms}); err != nil {
			return fmt.Errorf("store a session: %w", err)
		}
	}
	if _, err := search1(ctx, db, c.words[0]); err != nil { // waits for the index
		return err
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	fmt.Printf("%d sessions, %d messages of %d characters on average: %s\n", usualSessions, usualMessages, characters/usualMessages,
		megabytes(path))
	return nil
}

// sentence is a message of some sentences, with a statement worth keeping.
func sentence(c *corpus, i, n int) string {
	var b strings.Builder
	all := c.message(i/oneIn*oneIn + i%(oneIn-1)) // none of the Chinese ones
	fmt.Fprintf(&b, "We decided to use %s because %s was too slow.", all[0], all[1])
	for s := range n {
		b.WriteByte(' ')
		for k := range 12 {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(all[(s*12+k)%len(all)])
		}
		b.WriteByte('.')
	}
	return b.String()
}
