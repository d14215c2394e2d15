package news_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/news"
)

func hub() *news.Hub {
	return news.NewHub(func() time.Time { return time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC) })
}

func item(n int) news.Item {
	return news.Item{Type: news.Run, ID: strconv.Itoa(n), What: "changed"}
}

// read returns the ids of the items that are there now.
func read(t *testing.T, r *news.Reader) (ids string, outcome news.Outcome) {
	t.Helper()
	over := make(chan time.Time, 1)
	over <- time.Time{}
	items, outcome := r.Next(t.Context(), over)
	for _, it := range items {
		ids += it.ID + " "
	}
	return ids, outcome
}

// TestHub: readers of an owner get what is told behind where they began, and nothing of others.
func TestHub(t *testing.T) {
	t.Parallel()
	h := hub()
	h.Tell("a", item(1)) // nobody reads
	r, whole := h.Join("a", 0)
	defer r.Leave()
	if !whole {
		t.Error("the first reader: got that items are gone")
	}
	h.Tell("a", item(2))
	h.Tell("b", item(3))
	h.TellAll(item(4))
	if got, _ := read(t, r); got != "2 4 " {
		t.Errorf("got %q, want those of the owner and of all", got)
	}
	if got, outcome := read(t, r); got != "" || outcome != news.Tick {
		t.Errorf("nothing new: got %q, %v", got, outcome)
	}
	last := r.Last
	h.Tell("a", item(5))
	again, whole := h.Join("a", last-1)
	defer again.Leave()
	if got, _ := read(t, again); got != "4 5 " || !whole {
		t.Errorf("going on: got %q, %v", got, whole)
	}
	for _, after := range []int64{1, last + 2, last + 1000, last - 1000, -5} {
		r, whole := h.Join("a", after)
		if got, _ := read(t, r); whole || got != "" {
			t.Errorf("after %d: got %q, %v, want that items may be gone", after, got, whole)
		}
		r.Leave()
	}
}

// TestHubKeeps: a reader who is too slow is told so, and owners without readers are forgotten.
func TestHubKeeps(t *testing.T) {
	t.Parallel()
	h := hub()
	r, _ := h.Join("a", 0)
	begun := r.Last
	for i := range 1024 {
		h.Tell("a", item(i))
	}
	late, whole := h.Join("a", begun)
	if items, outcome := late.Next(t.Context(), nil); len(items) != 1024 || outcome != news.News || !whole {
		t.Errorf("got %d items, %v, want 1024", len(items), outcome)
	}
	h.Tell("a", item(1024))
	if got, outcome := read(t, r); outcome != news.Missed || got != "" {
		t.Errorf("the slow reader: got %q, %v, want missed", got, outcome)
	}
	h.Tell("a", item(1025))
	if got, _ := read(t, r); got != "1025 " {
		t.Errorf("the slow reader, then: got %q", got)
	}
	last := r.Last
	r.Leave()
	late.Leave()
	back, whole := h.Join("a", last)
	if !whole {
		t.Error("back soon: got that items are gone")
	}
	back.Leave()
	for i := range 65 {
		other, _ := h.Join("other"+strconv.Itoa(i), 0)
		other.Leave()
	}
	back, whole = h.Join("a", last)
	defer back.Leave()
	if whole {
		t.Error("back after many others: got that nothing is gone")
	}
}

// TestHubEnds: a reader ends with its context, and all end with the hub.
func TestHubEnds(t *testing.T) {
	t.Parallel()
	h := hub()
	r, _ := h.Join("a", 0)
	defer r.Leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, outcome := r.Next(ctx, nil); outcome != news.Over {
		t.Errorf("without its context: got %v", outcome)
	}
	told := make(chan string)
	go func() { //nolint:gocritic // a test waits for it
		items, _ := r.Next(context.Background(), nil)
		told <- items[0].ID
		_, outcome := r.Next(context.Background(), nil)
		told <- strconv.Itoa(int(outcome))
	}()
	h.Tell("a", item(7))
	if got := <-told; got != "7" {
		t.Errorf("while waiting: got %q", got)
	}
	h.Close()
	h.Close()
	if got := <-told; got != strconv.Itoa(int(news.Over)) {
		t.Errorf("after the end: got %q", got)
	}
}

// TestShared: what is told goes to other processes, too. What they tell goes to readers alone.
func TestShared(t *testing.T) {
	t.Parallel()
	h, sent := hub(), ""
	h.Share(func(owner string, it news.Item) { sent += owner + it.ID + " " })
	r, _ := h.Join("a", 0)
	defer r.Leave()
	h.Tell("a", item(1))
	h.TellAll(item(2))
	h.Heard("a", item(3))
	h.Heard("b", item(4))
	h.Heard(news.Everyone, item(5))
	if got, _ := read(t, r); got != "1 2 3 5 " || sent != "a1 2 " {
		t.Errorf("the reader got %q, other processes %q", got, sent)
	}
}

// TestLost: when news of other processes may be lost, readers miss some, and so does one that goes on
// behind an item of before.
func TestLost(t *testing.T) {
	t.Parallel()
	h := hub()
	r, _ := h.Join("a", 0)
	defer r.Leave()
	h.Tell("a", item(1))
	if got, _ := read(t, r); got != "1 " {
		t.Errorf("got %q", got)
	}
	last := r.Last
	h.Lost()
	if got, outcome := read(t, r); got != "" || outcome != news.Missed {
		t.Errorf("got %q and %v, want that items are missed", got, outcome)
	}
	again, whole := h.Join("a", last)
	defer again.Leave()
	if whole {
		t.Error("a reader goes on as if nothing was lost")
	}
	h.Tell("a", item(2))
	for _, r := range []*news.Reader{r, again} {
		if got, outcome := read(t, r); got != "2 " || outcome != news.News {
			t.Errorf("got %q and %v afterwards", got, outcome)
		}
	}
}
