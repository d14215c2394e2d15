package cli

import (
	"context"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

// settleAccess takes away again what was taken away since the backup: keys, the development
// key, and people on chat platforms.
func (s *server) settleAccess(ctx context.Context, hosts []owner.Owner, p *backup.Pending, out *restored) error {
	if err := s.revokeAgain(ctx, p, out); err != nil {
		return err
	}
	for _, host := range hosts {
		if err := s.shutOutAgain(ctx, host, p, out); err != nil {
			return err
		}
	}
	return nil
}

// revokeAgain revokes the keys that were revoked since the backup. If it is from before the
// first key, the development key stays switched off.
func (s *server) revokeAgain(ctx context.Context, p *backup.Pending, out *restored) error {
	keys, err := s.keyring.List(ctx)
	if err != nil {
		return err
	}
	if len(keys) == 0 && p.KeysMade() {
		return s.lockDevelopment(ctx, out)
	}
	for i := range keys {
		if !keys[i].RevokedAt.IsZero() || !p.Revoked(keys[i].ID) {
			continue
		}
		if _, err := s.db.RevokeKey(ctx, keys[i].ID, s.now()); err != nil {
			return err
		}
		out.Revoked++
	}
	return nil
}

// lockDevelopment stores a revoked key whose secret is not known to anyone. Any key, revoked or not,
// switches the development key off.
func (s *server) lockDevelopment(ctx context.Context, out *restored) error {
	key, _, err := s.keyring.Create(ctx, owner.NewKey{Name: "restored", OwnerID: owner.LocalID})
	if err == nil {
		_, err = s.keyring.Revoke(ctx, key.ID)
	}
	if err != nil {
		return err
	}
	out.Notes = append(out.Notes, "the backup is from before the first API key, and this home had keys; the development key stays switched off: "+
		"hermes keys create --name NAME --owner local makes a key")
	return nil
}

// shutOutAgain shuts out the people who were shut out since the backup.
func (s *server) shutOutAgain(ctx context.Context, host owner.Owner, p *backup.Pending, out *restored) error {
	people, err := s.db.ListPeople(ctx, host, "")
	if err != nil {
		return err
	}
	for i := range people {
		who := &people[i]
		if !p.ShutOut(host, ledgerPerson(who.Platform, who.Account, who.User)) {
			continue
		}
		if err := s.db.DropPerson(ctx, host, who.Platform, who.Account, who.User); err != nil {
			return err
		}
		out.ShutOut++
	}
	return nil
}

func ledgerPerson(p gateway.Platform, account, user string) backup.Person {
	return backup.Person{Platform: string(p), Account: account, User: user}
}

// revokedAgain counts what was taken away again.
func (out *restored) revokedAgain() string {
	text := countOf(out.Revoked, "key", "keys")
	if out.ShutOut > 0 {
		text += ", " + countOf(out.ShutOut, "pairing", "pairings")
	}
	return text
}
