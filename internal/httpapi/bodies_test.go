package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestBodiesShareRoom: large bodies share a room, small ones need none, and who
// finds it full is told when to come again.
func TestBodiesShareRoom(t *testing.T) {
	t.Parallel()
	b := newBodies()
	enter := func(ctx context.Context, size int64) (func(), error) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", http.NoBody)
		r.ContentLength = size
		return b.enter(httptest.NewRecorder(), r)
	}
	var leave []func()
	for range bodyRoom / maxBody {
		l, err := enter(t.Context(), -1) // of no stated length: it counts as the largest
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // its patience is at an end
	_, err := enter(gone, maxBody)
	if f, ok := err.(*fault.Error); !ok || f.Kind != fault.Unavailable || f.Code != "overloaded" || f.RetryAfter == 0 { //nolint:errorlint // it is one
		t.Errorf("got %v for one too many, want overloaded with a time to wait", err)
	}
	for _, size := range []int64{0, 1, smallBody} {
		l, err := enter(gone, size)
		if err != nil {
			t.Errorf("%d bytes: got %v, want it let in", size, err)
			continue
		}
		l()
	}
	leave[0]()
	l, err := enter(t.Context(), maxBody)
	if err != nil {
		t.Fatalf("got %v once there is room", err)
	}
	l()
}

// TestCheckShape: what is nothing but structure is refused before it is parsed.
func TestCheckShape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		ok         bool
	}{
		{"empty", "", true},
		{"no JSON", "}}}]],", true}, // the parser says so
		{"as many values as may be", "[" + strings.Repeat("1,", maxValues-1) + "1]", true},
		{"one more", "[" + strings.Repeat("1,", maxValues) + "1]", false},
		{"empty objects", "[" + strings.Repeat("{},", maxValues/2) + "{}]", false},
		{"commas in a text", `["` + strings.Repeat(`,{[\"`, maxValues) + `"]`, true},
		{"behind a quote in a text", `["\"",` + strings.Repeat("[],", maxValues) + `[]]`, false},
		{"a long number", `{"a":` + strings.Repeat("1", maxNumber) + `}`, true},
		{"a longer one", `{"a":` + strings.Repeat("1", maxNumber+1) + `}`, false},
		{"many numbers", `[` + strings.Repeat("1 ,-2.5e3,\n", 1000) + `1]`, true},
		{"digits in a text", `"` + strings.Repeat("1", 10*maxNumber) + `"`, true},
		{"deep", strings.Repeat("[", maxDepth+1), false},
		{"wide and never deep", strings.Repeat("[]", maxDepth), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := checkShape([]byte(tt.body)); (err == nil) != tt.ok || err != nil && fault.CodeOf(err) != "invalid_json" {
				t.Errorf("got %v, want it to pass: %t", err, tt.ok)
			}
		})
	}
}

// FuzzCheckShape: it says nothing against what is small.
func FuzzCheckShape(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,{"b":"\"c\\"}]}`, `"\`, "[[[[", "1e400", `{"a":1,"a":2}`, "\xff", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := checkShape(body); err != nil && len(body) <= maxNumber {
			t.Errorf("%q: got %v", body, err)
		}
	})
}
