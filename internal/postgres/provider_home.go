package postgres

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/storage"
)

// drawProviderHome draws what the store is called at memory providers, unless it was drawn before, and
// notes the providers that have places under the names of earlier versions.
func (db *DB) drawProviderHome(ctx context.Context) error {
	const note = `INSERT INTO meta (name, value) SELECT $1, coalesce((SELECT string_agg(DISTINCT provider, ',') FROM provider_names), '')
		WHERE NOT EXISTS (SELECT FROM meta WHERE name = $2) ON CONFLICT DO NOTHING`
	if _, err := db.pool.Exec(ctx, note, storage.ProviderFormer, storage.ProviderHome); err != nil {
		return fmt.Errorf("note what providers were told before: %w", judge(err))
	}
	_, err := db.storeKey(ctx, storage.ProviderHome, 6)
	return err
}

// ProviderHome implements provider.Names.
func (db *DB) ProviderHome(ctx context.Context, to string) (string, error) {
	var home, former string
	const read = `SELECT h.value, f.value FROM meta h, meta f WHERE h.name = ? AND f.name = ?`
	if err := db.row(ctx, read, storage.ProviderHome, storage.ProviderFormer).Scan(&home, &former); err != nil {
		return "", fmt.Errorf("read the store's name at providers: %w", err)
	}
	return storage.ProviderHomeAt(home, former, to), nil
}
