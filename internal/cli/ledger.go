package cli

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
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

// chats is the store of the gateway. Who is shut out is in the ledger.
func (s *server) chats() gateway.Store {
	if s.ledger == nil {
		return s.db
	}
	return pairings{s.db, s.ledger}
}

// pairings is a store of the gateway that records who is shut out before it stores that.
type pairings struct {
	gateway.Store
	ledger *backup.Ledger
}

// DropPerson implements gateway.People.
func (p pairings) DropPerson(ctx context.Context, host owner.Owner, on gateway.Platform, account, user string) error {
	if err := p.ledger.ShutOut(ctx, host, ledgerPerson(on, account, user)); err != nil {
		return err
	}
	return p.Store.DropPerson(ctx, host, on, account, user)
}

// MovePerson implements gateway.People. The old id may be another person's one day.
func (p pairings) MovePerson(ctx context.Context, host owner.Owner, on gateway.Platform, account, from, to string) (gateway.Person, error) {
	moved, err := p.Store.MovePerson(ctx, host, on, account, from, to)
	if err == nil {
		err = p.ledger.ShutOut(ctx, host, ledgerPerson(on, account, from))
	}
	return moved, err
}

// keys is the store of API keys. Those that are made and revoked are in the ledger.
func (s *server) keys() owner.KeyStore {
	if s.ledger == nil {
		return s.told
	}
	return revocations{s.told, s.ledger}
}

// revocations is a store of keys that records what it makes and revokes before it stores that.
type revocations struct {
	owner.KeyStore
	ledger *backup.Ledger
}

// InsertKey implements owner.KeyStore.
func (r revocations) InsertKey(ctx context.Context, k owner.Key) error {
	if err := r.ledger.Made(ctx); err != nil {
		return err
	}
	return r.KeyStore.InsertKey(ctx, k)
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
