package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/bench/served"

	_ "modernc.org/sqlite" // the driver
)

// writers is how many sessions are written to at once.
const writers = 32

// client writes numbered messages to a session.
type client struct {
	id            string
	begun, stored atomic.Int64
}

// whole makes backups under writes, restores each, and compares it with what the clients know.
func (o *options) whole(ctx context.Context) error {
	server, err := served.Start(ctx, o.hermes, filepath.Join(o.dir, "home"), "", "HERMES_PROBE=false")
	if err != nil {
		return err
	}
	defer server.Stop()
	clients := make([]*client, writers)
	writing, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	var failed atomic.Int64
	for i := range clients {
		c := &client{id: fmt.Sprintf("s%d", i)}
		clients[i] = c
		if _, err := post(ctx, server.Base+"/api/sessions", `{"id":"`+c.id+`"}`); err != nil {
			stop()
			return err
		}
		working.Go(func() {
			if err := c.write(writing, server.Base, time.Second*writers/time.Duration(o.rate)); err != nil {
				failed.Add(1)
			}
		})
	}
	good := 0
	begun, used, own := time.Now(), server.CPU(), served.FamilyCPU(os.Getpid())-server.CPU()
	for round := range o.rounds {
		if err := o.oneBackup(ctx, server.Home, round, clients); err != nil {
			fmt.Printf("backup %d: %v\n", round, err)
			continue
		}
		good++
	}
	stop()
	working.Wait()
	var n int64
	for _, c := range clients {
		n += c.stored.Load()
	}
	took := time.Since(begun)
	fmt.Printf("%d of %d backups whole, under %.0f writes a second (%d failed)\n", good, o.rounds, float64(n)/took.Seconds(), failed.Load())
	used = server.CPU() - used
	own = served.FamilyCPU(os.Getpid()) - server.CPU() - own
	fmt.Printf("of %.1f processors, the server used %.2f (%.2f ms a write, with its part of the backups), the writers and the commands %.2f\n",
		float64(runtime.NumCPU()), used.Seconds()/took.Seconds(), 1000*used.Seconds()/float64(n), own.Seconds()/took.Seconds())
	if good < o.rounds {
		return errors.New("a backup was not whole")
	}
	return nil
}

// write writes messages, each at its time. A writer that was held up makes up for it, so that
// the rate is below the one that was asked for only if the server cannot do more.
func (c *client) write(ctx context.Context, base string, every time.Duration) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for begun := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
		}
		n := c.begun.Add(1)
		body := fmt.Sprintf(`{"messages":[{"role":"user","content":"Message %d of %s."}]}`, n, c.id)
		if _, err := post(context.WithoutCancel(ctx), base+"/api/sessions/"+c.id+"/messages", body); err != nil {
			return err
		}
		c.stored.Add(1)
		due.Reset(time.Until(begun.Add(time.Duration(n) * every)))
	}
}

// oneBackup makes a backup, restores it in a home of its own, and compares it.
func (o *options) oneBackup(ctx context.Context, home string, round int, clients []*client) error {
	before := make([]int64, len(clients))
	for i, c := range clients {
		before[i] = c.stored.Load()
	}
	file := filepath.Join(o.dir, fmt.Sprintf("b%d.tar", round))
	if err := o.command(ctx, home, "backup", file); err != nil {
		return err
	}
	after := make([]int64, len(clients))
	for i, c := range clients {
		after[i] = c.begun.Load()
	}
	other := filepath.Join(o.dir, fmt.Sprintf("home%d", round))
	if err := o.command(ctx, other, "restore", file); err != nil {
		return err
	}
	defer func() { _ = errors.Join(os.RemoveAll(other), os.Remove(file)) }()
	db, err := sql.Open("sqlite", filepath.Join(other, "state.db"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for i, c := range clients {
		n, err := prefix(ctx, db, c.id)
		if err == nil && (n < before[i] || n > after[i]) {
			err = fmt.Errorf("%s has %d messages; %d were acknowledged before, %d begun by its end", c.id, n, before[i], after[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prefix is how many messages of a session there are, which must be its first ones in order.
func prefix(ctx context.Context, db *sql.DB, id string) (int64, error) {
	rows, err := db.QueryContext(ctx, `SELECT seq, content FROM messages WHERE root_id = ? ORDER BY seq`, id)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	n := int64(0)
	for rows.Next() {
		var seq int64
		var text string
		if err := rows.Scan(&seq, &text); err != nil {
			return 0, err
		}
		if n++; seq != n-1 || text != fmt.Sprintf("Message %d of %s.", n, id) {
			return 0, fmt.Errorf("%s has %q at %d", id, text, seq)
		}
	}
	return n, rows.Err()
}

// post calls the API with the development key, and returns the status.
func post(ctx context.Context, url, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	req.Header.Set("Content-Type", "application/json")
	res, err := served.Clients.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0, err
	}
	if res.StatusCode >= 300 {
		return res.StatusCode, fmt.Errorf("%s: status %d", url, res.StatusCode)
	}
	return res.StatusCode, nil
}
