package sqlite

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store { return openPatient(t) })
}

func TestSuccessor(t *testing.T) {
	t.Parallel()
	storetest.Succeed(t, func(t *testing.T) (storetest.Store, func() storetest.Store) {
		db := openPatient(t)
		return db, func() storetest.Store {
			closeDB(t, db)
			db = openAt(t, db.opt.Path)
			return db
		}
	})
}
