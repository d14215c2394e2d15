package backup_test

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// keeperOf is a keeper of a house's backups.
func keeperOf(t *testing.T, h *house, plan backup.Plan) *backup.Keeper {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	dir := t.TempDir()
	return &backup.Keeper{Source: h.source, Ledger: backup.NewLedger(h.home, dir, h.db.HashKey(), h.clock.Now, log), Dir: dir, Plan: plan, Log: log}
}

// kept lists the backups of a keeper, each of which must be whole.
func kept(t *testing.T, k *backup.Keeper) []backup.Kept {
	t.Helper()
	all, err := backup.List(k.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		text, err := os.ReadFile(b.File)
		if err != nil {
			t.Fatal(err)
		}
		m, err := backup.Read(bytes.NewReader(text), nil)
		if err != nil || !m.CreatedAt.Equal(b.At) {
			t.Errorf("%s: made at %s, %v", b.File, m.CreatedAt, err)
		}
	}
	return all
}

// TestThirtyDays is check B7: after 30 days there are 7 of days and 4 of weeks.
func TestThirtyDays(t *testing.T) {
	t.Parallel()
	for name, every := range map[string]time.Duration{"daily": 24 * time.Hour, "twice a day": 12 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.tell(t, "s", "I like tea.")
			k := keeperOf(t, h, backup.Plan{Every: every, Daily: 7, Weekly: 4})
			if err := os.WriteFile(filepath.Join(k.Dir, "hermes-mine.tar"), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			for end := h.clock.Now().Add(30 * 24 * time.Hour); h.clock.Now().Before(end); {
				next := k.Step(t.Context())
				if again := k.Step(t.Context()); !again.Equal(next) {
					t.Fatalf("the next one is due at %s, and then at %s", next, again)
				}
				h.clock.Advance(next.Sub(h.clock.Now()))
			}
			all := kept(t, k)
			if len(all) != 11 {
				t.Errorf("got %d backups, want 11: %v", len(all), all)
			}
			newest := all[len(all)-1].At
			for i, b := range all {
				age := newest.Sub(b.At)
				if i >= 4 && age > 7*24*time.Hour || i < 4 && age > 5*7*24*time.Hour {
					t.Errorf("number %d is %s old", i, age)
				}
			}
			if text, err := os.ReadFile(filepath.Join(k.Dir, "hermes-mine.tar")); err != nil || string(text) != "mine" {
				t.Errorf("another file was changed: %v", err)
			}
		})
	}
}

// TestMissed: a backup that was missed is made at the next step, and a failed one is tried again
// and noted.
func TestMissed(t *testing.T) {
	t.Parallel()
	h := full(t)
	k := keeperOf(t, h, backup.Plan{Every: 24 * time.Hour, Daily: 7, Weekly: 4})
	k.Step(t.Context())
	h.clock.Advance(90 * time.Hour)
	k.Step(t.Context())
	if all := kept(t, k); len(all) != 2 || !all[1].At.Equal(h.clock.Now()) {
		t.Errorf("a missed one: got %v", all)
	}
	h.clock.Advance(25 * time.Hour)
	h.source.Room = func(string) sqlite.Room { return sqlite.Room{Free: 1, Total: 1 << 30, Known: true} }
	next := k.Step(t.Context())
	status, err := backup.StatusOf(h.home)
	if err != nil || !strings.Contains(status.Error, "Free some space") || next.Sub(h.clock.Now()) > time.Hour {
		t.Errorf("a failed one: got %+v, %v, next %s", status, err, next)
	}
	if all := kept(t, k); len(all) != 2 {
		t.Errorf("a failed one: got %v", all)
	}
	h.source.Room = nil
	leave(t, filepath.Join(k.Dir, ".hermes-20260101T000000Z.tar-ABC.part"))
	text := h.backup(t)
	if _, err := backup.Save(filepath.Join(k.Dir, "hermes-by-hand.tar"), func(w io.Writer) error {
		k.Step(t.Context()) // while a person makes one, too
		_, err := w.Write(text)
		return err
	}); err != nil {
		t.Errorf("by hand: %v", err)
	}
	if status, err := backup.StatusOf(h.home); err != nil || status.Error != "" {
		t.Errorf("after it: got %+v, %v", status, err)
	}
	if parts, _ := filepath.Glob(filepath.Join(k.Dir, ".hermes-*")); len(parts) > 0 {
		t.Errorf("left behind: %v", parts)
	}
	if err := os.RemoveAll(k.Dir); err != nil {
		t.Fatal(err)
	}
	h.clock.Advance(25 * time.Hour)
	k.Step(t.Context())
	if status, err := backup.StatusOf(h.home); err != nil || !strings.Contains(status.Error, "mount its disk") {
		t.Errorf("without its directory: got %+v, %v", status, err)
	}
}

// TestAgesOut: what is said to be deleted at a time is deleted then by a keeper, and not before.
func TestAgesOut(t *testing.T) {
	t.Parallel()
	usual := backup.Plan{Every: 24 * time.Hour, Daily: 7, Weekly: 4}
	for name, c := range map[string]struct {
		ages []time.Duration // of the backups
		plan backup.Plan
	}{
		"one of now":                 {[]time.Duration{0}, usual},
		"one of this morning":        {[]time.Duration{9 * time.Hour}, usual},
		"some of today":              {[]time.Duration{9 * time.Hour, 3 * time.Hour, time.Hour}, usual},
		"one of yesterday":           {[]time.Duration{26 * time.Hour}, usual},
		"yesterday and today":        {[]time.Duration{26 * time.Hour, 2 * time.Hour}, usual},
		"some weeks":                 {[]time.Duration{1000 * time.Hour, 700 * time.Hour, 400 * time.Hour, 50 * time.Hour, time.Hour}, usual},
		"no weeks are kept":          {[]time.Duration{time.Hour}, backup.Plan{Every: 24 * time.Hour, Daily: 1}},
		"three times a day":          {[]time.Duration{13 * time.Hour, 5 * time.Hour}, backup.Plan{Every: 8 * time.Hour, Daily: 3, Weekly: 2}},
		"once in three days":         {[]time.Duration{100 * time.Hour, time.Hour}, backup.Plan{Every: 72 * time.Hour, Daily: 2, Weekly: 3}},
		"two in what is yet to come": {[]time.Duration{2 * time.Hour, -3 * time.Hour, -4 * time.Hour}, backup.Plan{Every: time.Hour, Daily: 2, Weekly: 1}},
		"with a clock set back":      {[]time.Duration{5 * time.Hour, -5 * time.Hour}, backup.Plan{Every: 24 * time.Hour, Daily: 2, Weekly: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			k := keeperOf(t, h, c.plan)
			now := h.clock.Now()
			for _, age := range c.ages {
				leave(t, filepath.Join(k.Dir, "hermes-"+now.Add(-age).UTC().Format("20060102T150405Z")+".tar"))
			}
			held, err := backup.List(k.Dir)
			if err != nil || len(held) != len(c.ages) {
				t.Fatalf("got %v, %v", held, err)
			}
			until := c.plan.AgesOut(held, now)
			for end := slices.MaxFunc(until, time.Time.Compare).Add(c.plan.Every); !h.clock.Now().After(end); {
				next := k.Step(t.Context())
				for i, b := range held {
					if _, err := os.Stat(b.File); (err != nil) != !h.clock.Now().Before(until[i]) {
						t.Fatalf("number %d is said to be deleted at %s, and at %s: %v", i, until[i], h.clock.Now(), err)
					}
				}
				h.clock.Advance(next.Sub(h.clock.Now()))
			}
			for i := range until {
				if until[i].IsZero() || !until[i].Before(h.clock.Now()) {
					t.Errorf("number %d is said to be deleted at %s", i, until[i])
				}
			}
		})
	}
	plan := backup.Plan{Every: 72 * time.Hour, Daily: 2500}
	if got := plan.AgesOut([]backup.Kept{{File: "b", At: time.Now()}}, time.Now()); len(got) != 1 || !got[0].IsZero() {
		t.Errorf("in 20 years and a half: got %s", got)
	}
}
