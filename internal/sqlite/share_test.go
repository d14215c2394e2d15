package sqlite

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestWorkHoldsNoReader: however many of an owner's messages are being worked through, and
// however long that takes, others are served meanwhile.
func TestWorkHoldsNoReader(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	write(t, db, "s", 0, numbered(10)...)
	inside, hold := make(chan struct{}, 24), make(chan struct{})
	var working sync.WaitGroup
	for range 24 {
		working.Go(func() {
			first := true
			err := db.Documents(context.Background(), owner.Local(), memory.Scope{Root: "s"}, 0, func(ranking.Document) bool {
				if first {
					first = false
					inside <- struct{}{}
					<-hold
				}
				return true
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 24 {
		select {
		case <-inside:
		case <-limited.Done():
			t.Error("those who work hold the readers")
		}
	}
	if _, err := db.Sessions(limited, owner.Stored("bob"), session.Filter{Limit: 10}); err != nil {
		t.Errorf("another owner's list: %v", err)
	}
	if err := db.Facts(limited, owner.Stored("bob"), memory.Scope{Root: "s"}, func(*memory.StoredFact) bool { return true }); err != nil {
		t.Errorf("another owner's facts: %v", err)
	}
	close(hold)
	working.Wait()
}

// TestReadersAreShared: an owner whose reads hold all the readers it may have waits for
// its own, and holds up no other owner.
func TestReadersAreShared(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	write(t, db, "s", 0, numbered(3)...)
	for range readers / 2 {
		leave, err := db.shared(t.Context(), owner.Local())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	if err := db.searches.Enter(t.Context(), owner.Local().ID(), searchers/2); err != nil {
		t.Fatal(err)
	}
	defer db.searches.Leave(owner.Local().ID(), searchers/2)
	q, err := search.Parse("message")
	if err != nil {
		t.Fatal(err)
	}
	reads := map[string]func(context.Context, owner.Owner) error{
		"documents": func(ctx context.Context, o owner.Owner) error {
			return db.Documents(ctx, o, memory.Scope{Root: "s"}, 0, func(ranking.Document) bool { return true })
		},
		"facts": func(ctx context.Context, o owner.Owner) error {
			return db.Facts(ctx, o, memory.Scope{Root: "s"}, func(*memory.StoredFact) bool { return true })
		},
		"search": func(ctx context.Context, o owner.Owner) error {
			_, err := db.Search(ctx, o, search.Request{Query: q, Scope: search.Scope{All: true}, Limit: 3})
			return err
		},
	}
	for name, read := range reads {
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := read(short, owner.Local()); err == nil {
			t.Errorf("%s: an owner took a reader beyond its share", name)
		}
		cancel()
		long, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if err := read(long, owner.Stored("bob")); err != nil {
			t.Errorf("%s of another owner: %v", name, err)
		}
		cancel()
	}
}

// TestDocumentsInPieces: what is read piece by piece is all there, once and in order.
func TestDocumentsInPieces(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	var want []string
	for _, n := range []int{pieceMessages, 1, pieceMessages - 2, 3} {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf("text %d", len(want)+i)
		}
		write(t, db, "s", int64(len(want)), texts...)
		want = append(want, texts...)
		var got []string
		err := db.Documents(t.Context(), owner.Local(), memory.Scope{Root: "s"}, 0, func(d ranking.Document) bool {
			got = append(got, d.Text)
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("after %d messages: %v (-want +got):\n%s", len(want), err, diff)
		}
	}
	calls := 0
	err := db.Documents(t.Context(), owner.Local(), memory.Scope{Root: "s"}, 0, func(ranking.Document) bool {
		calls++
		return calls < pieceMessages+1
	})
	if calls != pieceMessages+1 || err != nil {
		t.Errorf("got %d calls, %v, want none behind the one that ended it", calls, err)
	}
}
