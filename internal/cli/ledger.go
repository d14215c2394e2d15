package cli

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// setLedger opens the ledger of erasures and revoked keys. A home that is being restored has
// none: what happens to it is in the ledger already.
func (s *server) setLedger(restoring bool) {
	if restoring {
		return
	}
	s.ledger = backup.NewLedger(s.cfg.Home, s.cfg.Backup.Dir, s.db.HashKey(), s.now, s.log)
}

// erasures is the ledger for the curator.
func (s *server) erasures() curate.Ledger {
	if s.ledger == nil {
		return nil
	}
	return s.ledger
}

// keys is the store of API keys, whose revocations are in the ledger.
func (s *server) keys() owner.KeyStore {
	if s.ledger == nil {
		return s.told
	}
	return revocations{s.told, s.ledger}
}

// revocations is a store of keys that records revocations before it stores them.
type revocations struct {
	owner.KeyStore
	ledger *backup.Ledger
}

// RevokeKey implements owner.KeyStore. The id may be none of a key; it is not recorded then.
func (r revocations) RevokeKey(ctx context.Context, id string, at time.Time) (owner.Key, error) {
	key, err := r.KeyStore.KeyByID(ctx, id)
	if err == nil {
		err = r.ledger.Revoked(ctx, key.ID)
	}
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return owner.Key{}, err
	}
	return r.KeyStore.RevokeKey(ctx, id, at)
}
