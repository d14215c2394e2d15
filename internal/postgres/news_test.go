package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

// listener is a node that hears news.
type listener struct {
	heard chan string
	lost  chan struct{}
}

func listenOn(db *DB) *listener {
	l := &listener{make(chan string, 2*mostNews), make(chan struct{}, 2*mostNews)}
	db.HearNews(func(owner string, it news.Item) { l.heard <- fmt.Sprint(owner, " ", it.Type, " ", it.ID, " ", it.What) },
		func() { l.lost <- struct{}{} })
	return l
}

// next is the next item that a node hears.
func (l *listener) next(t *testing.T) string {
	t.Helper()
	select {
	case it := <-l.heard:
		return it
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was heard")
		return ""
	}
}

// hearing are the connections on which nodes hear: a greeting is the last that was sent on them.
const hearing = ` FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_notify%'`

// acquainted waits until the nodes know of each other and hear.
func acquainted(t *testing.T, nodes []*DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, db := range nodes {
		for listening := 0; db.Nodes() < len(nodes) || listening < len(nodes); {
			if err := db.row(ctx, `SELECT count(*)`+hearing).Scan(&listening); err != nil {
				t.Fatalf("the nodes do not know of each other: %v", err)
			}
		}
	}
}

// TestNews: what one node tells is heard by all others in its order, and not by itself.
func TestNews(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 3)
	acquainted(t, nodes)
	a, b, c := listenOn(nodes[0]), listenOn(nodes[1]), listenOn(nodes[2])
	const items = 500
	for i := range items {
		nodes[0].TellNews("o", news.Item{Type: news.Session, ID: strings.Repeat("\"", i) + fmt.Sprint(i), What: "message"})
	}
	nodes[1].TellNews(news.Everyone, news.Item{Type: news.Key, ID: "k", What: "revoked"})
	if got := a.next(t); got != " key k revoked" {
		t.Errorf("got %q of another node", got)
	}
	for _, l := range []*listener{b, c} {
		for i := 0; i < items; {
			got := l.next(t)
			if got == " key k revoked" {
				continue
			}
			if want := fmt.Sprint("o session ", strings.Repeat("\"", i), i, " message"); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
			i++
		}
	}
	select {
	case got := <-a.heard:
		t.Errorf("the node heard itself: %q", got)
	default:
	}
}

// TestNewsWithPoolSettings: a URL with settings of the pool is an address to hear at, too.
func TestNewsWithPoolSettings(t *testing.T) {
	t.Parallel()
	url := postgrestest.Shared(t).Database(t, prepareTemplate)
	nodes := openNodesWith(t, 2, func(int) Options { return Options{URL: url + "&pool_max_conn_lifetime=30m"} })
	acquainted(t, nodes)
	l := listenOn(nodes[1])
	nodes[0].TellNews("o", news.Item{Type: news.Session, ID: "s", What: "message"})
	if got := l.next(t); got != "o session s message" {
		t.Errorf("got %q", got)
	}
}

// TestNewsLost: a node that could not hear, or that was told too much at once, says so to its readers.
func TestNewsLost(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	acquainted(t, nodes)
	b := listenOn(nodes[1])
	nodes[0].dispatches.lose()
	nodes[0].TellNews("o", news.Item{Type: news.Work, What: "changed"})
	b.next(t)
	select {
	case <-b.lost:
	default:
		t.Error("nothing was said of what was lost before")
	}
	if _, err := nodes[0].pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid)`+hearing); err != nil {
		t.Fatal(err)
	}
	select {
	case <-b.lost:
	case <-time.After(10 * time.Second):
		t.Error("nothing was said of what may have been lost while nothing was heard")
	}
}
