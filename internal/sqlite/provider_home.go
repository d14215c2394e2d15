package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/storage"
)

// drawProviderHome draws what the store is called at memory providers, unless it was drawn before, and
// notes the providers that have places under the names of earlier versions.
func drawProviderHome(ctx context.Context, conn *sql.Conn) error {
	const note = `INSERT OR IGNORE INTO meta (name, value) SELECT ?, coalesce((SELECT group_concat(DISTINCT provider) FROM provider_names), '')
		WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = ?)`
	if _, err := conn.ExecContext(ctx, note, storage.ProviderFormer, storage.ProviderHome); err != nil {
		return fmt.Errorf("note what providers were told before: %w", err)
	}
	return drawStoreKey(ctx, conn, storage.ProviderHome, 6)
}

// ProviderHome implements provider.Names.
func (db *DB) ProviderHome(ctx context.Context, to string) (string, error) {
	var home, former string
	const read = `SELECT h.value, f.value FROM meta h, meta f WHERE h.name = ? AND f.name = ?`
	if err := db.read.QueryRowContext(ctx, read, storage.ProviderHome, storage.ProviderFormer).Scan(&home, &former); err != nil {
		return "", fmt.Errorf("read the store's name at providers: %w", err)
	}
	return storage.ProviderHomeAt(home, former, to), nil
}
