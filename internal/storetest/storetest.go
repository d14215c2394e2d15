// Package storetest is the contract of a storage backend: one suite, run against every
// backend. A backend's own tests cover only what is specific to it.
//
// The files are named like the backends' files. A new store method gets its
// tests here first; the isolation test fails until it has a case there, too.
package storetest

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// Store is everything a backend implements.
type Store interface {
	session.Store
	session.Catalog
	run.Store
	curate.Store
	curate.Receipts
	curate.Sweeper
	curate.Studies
	study.Queue
	study.Store
	memory.Store
	memory.Reader
	memory.Lister
	memory.PieceStore
	search.Store
	owner.KeyStore
	owner.PassStore
	job.Store
	job.Ledger
	job.History
	live.Store
	live.Queue
	audit.Store
	gateway.Store
	attachment.Store
	provider.Names
	provider.Tellings
	provider.Debts
}

// test is one clause of the contract. It gets an empty store.
type test struct {
	name string
	run  func(*testing.T, Store)
}

// Run checks a backend against the contract. open returns an empty store that is closed
// at the end of the test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for _, topic := range []struct {
		name  string
		tests []test
	}{
		{"sessions", sessionTests()},
		{"lists", listTests()},
		{"messages", messageTests()},
		{"turns", turnTests()},
		{"requests", requestTests()},
		{"facts", factTests()},
		{"fact reads", readerTests()},
		{"fact lists", listerTests()},
		{"scopes", scopeTests()},
		{"pieces", pieceTests()},
		{"titles", titleTests()},
		{"catalog", catalogTests()},
		{"undone", undoneTests()},
		{"erasure", erasureTests()},
		{"rewrite", rewriteTests()},
		{"studies", studyTests()},
		{"work", workTests()},
		{"the past", pastTests()},
		{"search", searchTests()},
		{"queries", queryTests()},
		{"the search tool", searchToolTests()},
		{"keys", keyTests()},
		{"passes", passTests()},
		{"memories", memoryRowTests()},
		{"audit", auditTests()},
		{"jobs", jobTests()},
		{"runs of jobs", fireTests()},
		{"deliveries", deliveryTests()},
		{"runs without a client", recordTests()},
		{"the ledger of runs", recordLedgerTests()},
		{"names", nameTests()},
		{"chats", append(chatTests(), chatMoveTests()...)},
		{"rests of chats", restTests()},
		{"files", fileTests()},
		{"imports", importTests()},
		{"external memory", providerTests()},
		{"isolation", isolationTests()},
		{"concurrency", concurrencyTests()},
		{"lineages", lineageTests()},
	} {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range topic.tests {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, open(t))
				})
			}
		})
	}
}
