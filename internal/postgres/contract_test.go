package postgres

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store { return openTest(t) })
}

func TestTogether(t *testing.T) {
	t.Parallel()
	storetest.Together(t, func(t *testing.T) [2]storetest.Store {
		db := openTest(t)
		return [2]storetest.Store{db, openAt(t, db.opt.URL)}
	})
}
