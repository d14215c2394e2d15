package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/hermes-memory/hermes/bench/served"
)

// group is sessions of one length. The n-th is called name:n.
type group struct {
	name               string
	sessions, messages int
}

func (g group) session(n int) string { return fmt.Sprintf("%s:%d", g.name, n) }

// filled is a home that holds groups of sessions, in the state after a clean stop: imported, indexed, and each session
// folded by one turn. With -home the filled home is kept, and the measurement gets a copy of it.
func (b *bench) filled(ctx context.Context, groups ...group) (string, error) {
	name := "home"
	for _, g := range groups {
		name += fmt.Sprintf("-%s-%dx%d", g.name, g.sessions, g.messages)
	}
	home := filepath.Join(b.dir, name)
	if b.homes == "" {
		return home, b.fillHome(ctx, home, groups)
	}
	kept := filepath.Join(b.homes, name)
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) {
		half := kept + ".partial"
		if err := os.RemoveAll(half); err != nil {
			return "", fmt.Errorf("remove a half filled home: %w", err)
		}
		if err := b.fillHome(ctx, half, groups); err != nil {
			return "", err
		}
		if err := os.Rename(half, kept); err != nil {
			return "", fmt.Errorf("keep a filled home: %w", err)
		}
	}
	return home, copyHome(kept, home)
}

// copyHome copies the files of a home that no server uses.
func copyHome(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch target := filepath.Join(to, rel); {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type().IsRegular():
			return copyFile(path, target)
		}
		return nil // a socket of the server that has ended
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy a home: %w", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copy a home: %w", err)
	}
	_, err = out.ReadFrom(in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy a home: %w", err)
	}
	return nil
}

// fillHome fills a new home through a server of its own.
func (b *bench) fillHome(ctx context.Context, home string, groups []group) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	s, err := b.startServer(ctx, home)
	if err != nil {
		return err
	}
	defer s.Stop()
	for _, g := range groups {
		if err := b.fillGroup(ctx, s, g); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return s.Quiet(ctx) // the indexes have caught up
}

// fillGroup imports the sessions of a group, as many at once as there are cores, and takes a turn in each.
func (b *bench) fillGroup(ctx context.Context, s *served.Server, g group) error {
	next := make(chan int)
	failed := make([]error, runtime.NumCPU())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var working sync.WaitGroup
	for i := range failed {
		working.Go(func() {
			for n := range next {
				if failed[i] = b.fillSession(ctx, s, g, n); failed[i] != nil {
					cancel()
					return
				}
			}
		})
	}
	for n := 0; n < g.sessions && ctx.Err() == nil; n++ {
		select {
		case next <- n:
		case <-ctx.Done():
		}
	}
	close(next)
	working.Wait()
	return errors.Join(failed...)
}

func (b *bench) fillSession(ctx context.Context, s *served.Server, g group, n int) error {
	if err := b.fillFrom(ctx, s, g.session(n), newWriter(1000+uint64(n)), 0, g.messages); err != nil {
		return err
	}
	_, err := chat(ctx, s.Base, g.session(n), "And what is next?") // folds what was imported
	return err
}

// fill imports messages without calling the model, from one place to another.
func (b *bench) fill(ctx context.Context, s *served.Server, session string, from, messages int) error {
	return b.fillFrom(ctx, s, session, newWriter(9+uint64(from)), from, messages)
}

func (b *bench) fillFrom(ctx context.Context, s *served.Server, session string, w *writer, from, messages int) error {
	for done := from; done < messages; {
		n := min(1000, messages-done)
		batch := make([]map[string]string, n)
		for i := range batch {
			role := "user"
			if i%2 == 1 {
				role = "assistant"
			}
			batch[i] = map[string]string{"role": role, "content": w.message(done + i)}
		}
		body, err := json.Marshal(map[string]any{"messages": batch})
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Base+"/api/sessions/"+session+"/messages", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer hermes")
		res, err := served.Clients.Do(req)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("import: status %d", res.StatusCode)
		}
		done += n
	}
	return nil
}
