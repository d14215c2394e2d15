package upstream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestModels(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{Models: []string{"b", "a"}})
	got, err := New(Options{BaseURL: s.URL + "/v1", Key: testKey, Transport: pool(t)}).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	created := time.Unix(1700000000, 0).UTC()
	want := []ModelInfo{{ID: "b", OwnedBy: "upstreamtest", Created: created}, {ID: "a", OwnedBy: "upstreamtest", Created: created}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	if last := s.Last(); last.Path != "/v1/models" || last.Method != "GET" {
		t.Errorf("got %s %s", last.Method, last.Path)
	}
	for _, body := range []string{"", "[]", "{}", `{"data":7}`, "<html>"} {
		if _, err := parseModels([]byte(body)); fault.CodeOf(err) != codeGarbled {
			t.Errorf("%q: got %v", body, err)
		}
	}
}

// lister lists what it is told to.
type lister struct {
	list  []ModelInfo
	err   error
	calls int
}

func (l *lister) Models(context.Context) ([]ModelInfo, error) {
	l.calls++
	<-time.After(time.Millisecond) // of the test's own clock
	return l.list, l.err
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lister{list: []ModelInfo{{ID: "a"}}}
		c := NewCatalogue(l, time.Now)
		expect := func(name string, has bool, calls int) {
			t.Helper()
			if got := c.Has(t.Context(), name); got != has || l.calls != calls {
				t.Errorf("Has(%q) = %v after %d calls, want %v after %d", name, got, l.calls, has, calls)
			}
		}
		expect("a", true, 1)
		expect("b", false, 1)
		l.list, l.err = nil, errors.New("down")
		<-time.After(listFresh)
		expect("a", true, 2) // the old list is better than none
		expect("a", true, 2)
		<-time.After(errorFresh)
		expect("a", true, 3)
		l.list, l.err = []ModelInfo{{ID: "b"}}, nil
		<-time.After(errorFresh)
		expect("a", false, 4)

		down := NewCatalogue(&lister{err: errors.New("down")}, time.Now)
		if _, err := down.Models(t.Context()); err == nil {
			t.Error("got no error from a server that is down")
		}
		ctx, cancel := context.WithCancel(t.Context())
		down.turn <- struct{}{}
		cancel()
		if _, err := down.Models(ctx); fault.KindOf(err) != fault.Canceled {
			t.Errorf("got %v, want a canceled fault", err)
		}
	})
}
