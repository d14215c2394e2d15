package trail_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/trail"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id string
		want     bool
	}{
		{"a usual one", "0a6f4c2e-77aa-4d5b-9d5c-2f5d8a6f0b11", true},
		{"punctuation", `~!"#/{}|`, true},
		{"empty", "", false},
		{"a space", "a b", false},
		{"a line break", "a\nlevel=ERROR", false},
		{"an escape", "a\x1b[31m", false},
		{"beyond ASCII", "änderung", false},
		{"the longest", strings.Repeat("x", trail.MaxID), true},
		{"one longer", strings.Repeat("x", trail.MaxID+1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := trail.Clean(c.id); got != c.want {
				t.Errorf("Clean(%q) = %v, want %v", c.id, got, c.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add("req_1")
	f.Add("a\r\nSet-Cookie: b")
	f.Fuzz(func(t *testing.T, id string) {
		if trail.Clean(id) && strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' }) {
			t.Errorf("%q passed", id)
		}
	})
}

func TestHandlerNamesTheRequest(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(trail.Handler(slog.NewTextHandler(&out, nil))).With("part", "x")
	ctx := trail.With(context.Background(), trail.Trail{RequestID: "req_7", Actor: "alice"})
	log.InfoContext(trail.As(ctx, trail.Model), "inside")
	log.Info("outside")
	inside, outside, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	if !strings.HasSuffix(inside, "part=x request_id=req_7") || strings.Contains(inside, "alice") {
		t.Errorf("inside a request: %s", inside)
	}
	if strings.Contains(outside, "request_id") {
		t.Errorf("outside of one: %s", outside)
	}
	if got := trail.From(trail.As(ctx, trail.Model)); got != (trail.Trail{RequestID: "req_7", Actor: "model"}) {
		t.Errorf("As gave %+v", got)
	}
}
