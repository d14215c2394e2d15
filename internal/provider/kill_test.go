package provider_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/honcho"
	"github.com/hermes-memory/hermes/internal/provider/honcho/honchotest"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// The environment of a process that a test kills.
const (
	victimFile = "HERMES_TEST_VICTIM"
	victimURL  = "HERMES_TEST_HONCHO"
	// kills is how many processes are killed; the usual run kills few.
	kills = "HERMES_TEST_KILLS"
)

// TestVictim is the process that is killed: it talks, and tells a Honcho of it.
func TestVictim(t *testing.T) {
	path, url := os.Getenv(victimFile), os.Getenv(victimURL)
	if path == "" {
		t.Skip("a part of TestKilled")
	}
	talk(t, path, url, 1_000_000)
}

// talk says some messages in three sessions, two of them under one key, while the provider
// is told in the background; then it waits until everything is told.
func talk(t *testing.T, path, url string, turns int) {
	t.Helper()
	db := runtest.Open(t, path)
	defer func() { _ = db.Close() }()
	p, err := honcho.New(url, honchotest.Key, false)
	if err != nil {
		t.Fatal(err)
	}
	m := provider.New(provider.Parts{
		Config:   provider.Config{ID: "honcho@test", Type: "honcho", Owners: []string{owner.LocalID}, Wait: time.Millisecond},
		Provider: p, Names: db, Tellings: db, Debts: db, Queue: db, Sessions: db, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		List: func(context.Context) ([]owner.Owner, error) { return []owner.Owner{owner.Local()}, nil },
	})
	if err := m.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, db: db, manager: m, model: &listener{}, now: time.Now()}
	h.runner, _ = runtest.New(db, &runtest.Parts{Models: run.Models{Upstream: h.model}, Wake: m.Wake, External: m, Config: run.Config{Now: time.Now}})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Run(ctx)
	}()
	for i := range turns {
		id := []session.ID{"a", "b", "c"}[i%3]
		key := []session.Key{"key", "key", ""}[i%3]
		h.say(id, key, fmt.Sprintf("%d of %d", i, os.Getpid()))
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(4 * time.Minute); turns == 0 && time.Now().Before(end); <-tick.C {
		items, err := db.Work(ctx, owner.Local(), workFilter())
		if err != nil {
			t.Fatal(err)
		}
		left, err := db.Untold(ctx, owner.Local(), "honcho@test", time.Time{}, 9)
		if err != nil {
			t.Fatal(err)
		}
		if len(items)+len(left) == 0 {
			break
		}
	}
	stop()
	<-ended
}

// TestKilled: P4. Processes are killed at any moment, and the provider breaks answers off
// after it has stored them. Each message arrives once, and in order.
func TestKilled(t *testing.T) {
	t.Parallel()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(kills), "8"))
	if err != nil {
		t.Fatal(err)
	}
	server := honchotest.Start(t)
	path := filepath.Join(t.TempDir(), "state.db")
	for i := range n {
		if i%3 == 0 {
			server.Next(providertest.Fault{On: "/messages$", Cut: true, Stored: true})
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$")
		cmd.Env = append(os.Environ(), victimFile+"="+path, victimURL+"="+server.URL)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		before := len(server.Requests())
		tick := time.NewTicker(time.Millisecond)
		for end := time.Now().Add(20 * time.Second); len(server.Requests()) < before+3 && time.Now().Before(end); {
			<-tick.C
		}
		tick.Reset(time.Duration(1+rand.IntN(60)) * time.Millisecond)
		<-tick.C // any moment is as good as another
		tick.Stop()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	server.Clear()
	talk(t, path, server.URL, 0)
	db := runtest.Open(t, path)
	defer func() { _ = db.Close() }()
	total := 0
	for _, c := range []struct {
		place string
		roots []session.ID
	}{{"key", []session.ID{"a", "b"}}, {"c", []session.ID{"c"}}} {
		got := make(map[session.ID][]string)
		seen := make(map[any]bool)
		var order []string
		for _, m := range server.Messages("hermes", c.place) {
			if seen[m.Metadata["hermes_id"]] {
				t.Errorf("%s: message %v arrived twice", c.place, m.Metadata["hermes_id"])
			}
			seen[m.Metadata["hermes_id"]] = true
			order = append(order, m.Metadata["hermes_id"].(string))
		}
		for _, root := range c.roots {
			ms, err := db.Messages(t.Context(), owner.Local(), root, session.Range{Standing: true})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i := range ms {
				want = append(want, strconv.FormatInt(ms[i].ID, 10))
			}
			for _, id := range order {
				if slices.Contains(want, id) {
					got[root] = append(got[root], id)
				}
			}
			if !slices.Equal(got[root], want) {
				t.Errorf("%s: got %d messages, want %d in order", root, len(got[root]), len(want))
			}
			total += len(want)
		}
	}
	if t.Failed() {
		for _, root := range []session.ID{"a", "b", "c"} {
			p, err := db.Told(t.Context(), owner.Local(), "honcho@test", root)
			t.Logf("%s: %+v, %v", root, p, err)
		}
		items, err := db.Work(t.Context(), owner.Local(), workFilter())
		t.Logf("%+v, %v", items, err)
	}
	t.Logf("%d processes killed, %d messages", n, total)
	if total == 0 {
		t.Error("nothing was said")
	}
}
