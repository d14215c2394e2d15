package postgres

import (
	"context"
	"embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/fault"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the number of the lock under which nodes migrate ("hermes" as a number).
const migrationLock = 0x6865726d6573

// versionTable counts the migrations that the schema has.
const versionTable = `CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())`

// migrate applies the migrations that the schema lacks, in one transaction. The lock
// belongs to the transaction, because a pooler may give the next transaction another
// session. So nodes may start together.
func (db *DB) migrate(ctx context.Context) error {
	scripts, err := migrationScripts()
	if err != nil {
		return err
	}
	version, err := db.schemaVersion(ctx)
	if err != nil {
		return err
	}
	if version > len(scripts) {
		return errNewerSchema(version, len(scripts))
	}
	if version == len(scripts) {
		return nil
	}
	err = pgx.BeginFunc(ctx, db.pool, func(t pgx.Tx) error { return applyMissing(ctx, t, scripts) })
	if err != nil {
		return fmt.Errorf("migrate the database: %w", judge(err))
	}
	return nil
}

// schemaVersion is the number of migrations that the schema has; 0 for an empty one.
func (db *DB) schemaVersion(ctx context.Context) (version int, err error) {
	var there bool
	if err := db.row(ctx, `SELECT to_regclass('schema_version') IS NOT NULL`).Scan(&there); err != nil {
		return 0, fmt.Errorf("look for the schema: %w", err)
	}
	if !there {
		return 0, nil
	}
	if err := db.row(ctx, `SELECT coalesce(max(version), 0) FROM schema_version`).Scan(&version); err != nil {
		return 0, fmt.Errorf("read the schema's version: %w", err)
	}
	return version, nil
}

// applyMissing applies the migrations that another node has not applied meanwhile.
func applyMissing(ctx context.Context, t pgx.Tx, scripts []string) error {
	if _, err := t.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, versionTable); err != nil {
		return err
	}
	var version int
	if err := t.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM schema_version`).Scan(&version); err != nil {
		return err
	}
	for i := version; i < len(scripts); i++ {
		// Without arguments, pgx sends the script in one piece.
		if _, err := t.Exec(ctx, scripts[i], pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("version %d: %w", i+1, err)
		}
		if _, err := t.Exec(ctx, `INSERT INTO schema_version (version) VALUES ($1)`, i+1); err != nil {
			return err
		}
	}
	return nil
}

func errNewerSchema(found, known int) error {
	return fault.New(fault.Invalid, "newer_database", fmt.Sprintf(
		"The database has schema version %d, this program knows up to %d. Use the newer hermes that wrote it.", found, known))
}

// migrationScripts are all migrations, oldest first.
func migrationScripts() ([]string, error) {
	entries, err := migrationFiles.ReadDir("migrations") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	scripts := make([]string, len(entries))
	for i, e := range entries {
		script, err := migrationFiles.ReadFile("migrations/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		scripts[i] = string(script)
	}
	return scripts, nil
}
