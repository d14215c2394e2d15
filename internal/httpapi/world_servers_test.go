package httpapi_test

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/postgres"
)

// nodes is what servers of one database share.
type nodes interface {
	lineage.Shared
	live.Shared
}

// share lets the servers of a database hear of one another, as the program does that they are part of;
// nil for one server.
func (w *world) share() nodes {
	db, isPostgres := w.db.(*postgres.DB)
	if !w.opt.alternate || !isPostgres {
		return nil
	}
	w.hub.Share(db.TellNews)
	db.HearNews(func(owner string, it news.Item) {
		w.hub.Heard(owner, it)
		w.live.Poke()
	}, w.hub.Lost)
	ring := w.keyring
	db.HearRevoked(func(name string) {
		go func() { _ = ring.Revoked(context.Background(), name) }() // the next request looks it up
	})
	return db
}

// acquaint waits until both servers know that they are two.
func (w *world) acquaint() {
	w.t.Helper()
	end := time.After(time.Minute)
	for _, one := range []*world{w, w.second} {
		for one.db.(interface{ Nodes() int }).Nodes() < 2 {
			select {
			case <-time.After(time.Millisecond):
			case <-end:
				w.t.Fatal("the servers do not know of each other")
			}
		}
	}
}

// next is the server that takes a request.
func (w *world) next() *world {
	if w.second != nil && w.taken.Add(1)%2 == 0 {
		return w.second
	}
	return w
}
