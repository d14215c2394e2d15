package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestBodiesShareRoom: large bodies share a room, of which an owner has a part; small
// ones need none, and who finds it full is told when to come again. A body that waits
// for its answer makes room, as long as not too many do.
func TestBodiesShareRoom(t *testing.T) {
	t.Parallel()
	b := newBodies()
	gone, cancel := context.WithCancel(t.Context())
	cancel() // its patience is at an end
	enter := func(ctx context.Context, key string, size int64) (*http.Request, *ticket, error) {
		r := httptest.NewRequestWithContext(context.WithValue(ctx, ownerKey{}, owner.Stored(key)), http.MethodPost, "/", strings.NewReader(strings.Repeat("x", smallBody+1)))
		r.ContentLength = size
		return b.enter(r)
	}
	full := func(key string) {
		t.Helper()
		_, _, err := enter(gone, key, maxBody)
		if f, ok := err.(*fault.Error); !ok || f.Kind != fault.Unavailable || f.Code != "overloaded" || f.RetryAfter == 0 { //nolint:errorlint // it is one
			t.Errorf("got %v for one too many, want overloaded with a time to wait", err)
		}
	}
	in := func(key string, size int64) (*http.Request, *ticket) {
		t.Helper()
		r, ticket, err := enter(t.Context(), key, size)
		if err != nil {
			t.Fatal(err)
		}
		return r, ticket
	}
	r, room := in("a", -1) // of no stated length: it counts as the largest
	full("a")
	_, other := in("b", maxBody)
	for _, size := range []int64{0, 1, smallBody} {
		if _, none, err := enter(gone, "a", size); err != nil || none != nil {
			t.Errorf("%d bytes: got %v, want it let in", size, err)
		}
	}
	waiting := []*ticket{room}
	for range ownKept / maxBody { // all of these wait for their answers
		digested(r)
		digested(r) // once
		r, room = in("a", maxBody)
		waiting = append(waiting, room)
	}
	digested(r) // too many do
	full("a")
	for _, w := range waiting {
		w.leave()
	}
	other.leave()
	if !b.work.Try("c", ownBodies) || !b.work.Try("d", bodyRoom-ownBodies) || !b.kept.Try("c", ownKept) || !b.kept.Try("d", keptRoom-ownKept) {
		t.Error("something was not given back")
	}
}

// TestBodiesWithoutLength: a body of no stated length is small if it ends early, and
// then needs no room; it is read whole, and what is wrong with it is told.
func TestBodiesWithoutLength(t *testing.T) {
	t.Parallel()
	b := newBodies()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.work.Enter(t.Context(), "a", ownBodies); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		size   int
		err    error // behind it
		waits  bool
		length int64
	}{
		{"none", 0, nil, false, 0},
		{"one byte", 1, nil, false, 1},
		{"the largest small one", smallBody, nil, false, smallBody},
		{"one byte more", smallBody + 1, nil, true, -1},
		{"a large one", 10 * smallBody, nil, true, -1},
		{"broken early", 10, broken, true, -1},
		{"broken late", 10 * smallBody, broken, true, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("x", tt.size)
			request := func(ctx context.Context, key string) *http.Request {
				var body io.Reader = strings.NewReader(text)
				if tt.err != nil {
					body = io.MultiReader(body, iotest.ErrReader(tt.err))
				}
				r := httptest.NewRequestWithContext(context.WithValue(ctx, ownerKey{}, owner.Stored(key)), http.MethodPost, "/", body)
				r.ContentLength = -1
				return r
			}
			if _, _, err := b.enter(request(gone, "a")); (err != nil) != tt.waits {
				t.Errorf("next to a full room: got %v, want it to wait: %t", err, tt.waits)
			}
			r, ticket, err := b.enter(request(t.Context(), tt.name))
			if err != nil || (ticket != nil) != tt.waits {
				t.Fatalf("got the ticket %v, %v, want one: %t", ticket, err, tt.waits)
			}
			defer ticket.leave()
			if tt.err == nil && r.ContentLength != tt.length {
				t.Errorf("got a length of %d, want %d", r.ContentLength, tt.length)
			}
			if got, err := readAll(r); !errors.Is(err, tt.err) || string(got) != text {
				t.Errorf("got %d bytes, %v, want %d, %v", len(got), err, tt.size, tt.err)
			}
		})
	}
}

// TestPassage: of a body that is read piece by piece, the large pieces have room while
// they are worked on, and the small ones need none.
func TestPassage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBodies()
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), ownerKey{}, owner.Stored("a")), http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 10*maxBody)))
		p := &passage{bodies: b, r: r}
		free := func() bool {
			if !b.work.Try("a", 1<<20) {
				return false
			}
			b.work.Leave("a", 1<<20)
			return true
		}
		read := func(size int64) error {
			_, err := io.CopyN(io.Discard, p, size)
			return err
		}
		for range 10 {
			if err := read(smallBody); err != nil || !free() {
				t.Fatalf("a small piece: got %v, room left: %t, want it read and room left", err, free())
			}
			p.next()
		}
		if err := read(maxBody); err != nil || free() {
			t.Errorf("a large piece: got %v, room left: %t, want it read and none left", err, free())
		}
		p.next()
		if !free() {
			t.Error("a piece that is done with still has room")
		}
		if !b.work.Try("a", ownBodies) {
			t.Fatal("there is no room")
		}
		if err := read(smallBody); err != nil {
			t.Errorf("a small body next to a full room: got %v", err)
		}
		began := time.Now()
		err := read(smallBody)
		if f := asFault(err); f.Kind != fault.Unavailable || f.Code != "overloaded" || time.Since(began) != bodyTime {
			t.Errorf("a large one: got %v after %v, want overloaded after %v", err, time.Since(began), bodyTime)
		}
		p.next()
		b.work.Leave("a", ownBodies)
		if !free() {
			t.Error("who got no room has given some back")
		}
	})
}

// TestArchiveReaderShrinks: what has read a large value does not keep the room that
// it took, be it in a line or between two.
func TestArchiveReaderShrinks(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 40*smallBody)
	lines := `{"id":"s","started_at":1,"messages":[{"role":"user","content":"` + large + `"},{"role":"user","content":"small"}]}` +
		`{"id":"t","started_at":1,"system_prompt":"` + large + `"} {"id":"u"}`
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(lines))
	in := &archiveReader{body: &passage{bodies: newBodies(), r: r}}
	in.dec = jsontext.NewDecoder(in)
	in.next()
	small := func(behind string) {
		t.Helper()
		in.next()
		if kept := cap(in.dec.UnreadBuffer()); kept > 2*smallBody {
			t.Errorf("behind %s: keeps a buffer of %d bytes, want %d at most", behind, kept, 2*smallBody)
		}
	}
	for _, behind := range []string{"a large message", "a large prompt"} {
		if _, err := in.head(); err != nil {
			t.Fatal(err)
		}
		if in.list {
			if _, err := in.message(&session.Session{ID: "s", RootID: "s"}); err != nil {
				t.Fatal(err)
			}
			small(behind)
		}
		if err := in.rest(); err != nil {
			t.Fatal(err)
		}
		small(behind)
	}
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
