package postgres

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	// minServer and maxServer are the versions of PostgreSQL that the statements were
	// written for. A newer server is used, and the log says so.
	minServer, maxServer = 14, 18
	// connsPerCore is the default number of connections.
	connsPerCore = 4
	// minConns leaves a connection for short reads beside a search and a write.
	minConns = 4
	// readBuffer is how much of an answer one system call reads, in bytes: eight blocks of a piece.
	readBuffer = 64 << 10
)

// connect makes the pool of connections. The error never has the password.
func connect(ctx context.Context, opt *Options) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(opt.URL)
	if err != nil {
		return nil, fault.New(fault.Invalid, "invalid_database_url",
			"The database URL cannot be read. Set HERMES_DATABASE_URL to postgres://USER@HOST/NAME, with sslmode=verify-full for another machine.")
	}
	cfg.ConnConfig.Tracer = opt.tracer
	cfg.ConnConfig.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readBuffer), w)
	}
	cfg.MaxConns = int32(min(max(opt.Conns, minConns), 1<<15)) //nolint:gosec // bounded here
	if opt.Conns == 0 {
		cfg.MaxConns = int32(max(connsPerCore*runtime.GOMAXPROCS(0), minConns)) //nolint:gosec // a number of cores
	}
	if opt.Node != "" {
		cfg.MinConns = minConns // they are made while the server starts, and the first turn does not wait for them
	}
	if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = "hermes"
	}
	pooled, err := behindPooler(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, errUnreachable(err)
	}
	if pooled && opt.ListenURL == "" {
		return nil, errPooler()
	}
	if pooled && !strings.Contains(opt.URL, execMode) {
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, errUnreachable(err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, errUnreachable(err)
	}
	return pool, nil
}

// execMode is the parameter of a URL that says how statements are sent. Where it is missing, and the
// database is behind a pooler, statements have no names: a pooler in transaction mode gives each
// transaction another connection, and before PgBouncer 1.21 none of them knows the names of another.
const execMode = "default_query_exec_mode"

// behindPooler reports whether a pooler is between this process and the database: then the process
// that answers is not the one that took the connection.
func behindPooler(ctx context.Context, cfg *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, cfg.Copy())
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var answering uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&answering); err != nil {
		return false, err
	}
	return answering != conn.PgConn().PID(), nil
}

func errPooler() error {
	return fault.New(fault.Invalid, "pooler_without_listen_url",
		"The database is behind a pooler such as PgBouncer, which passes no notifications on. "+
			"Set HERMES_DATABASE_LISTEN_URL to the address of the database itself; turns go through the pooler all the same.")
}

// checkServer refuses a server that would lose data or that the statements do not fit.
func (db *DB) checkServer(ctx context.Context) error {
	var version, encoding, durable, recovering string
	const ask = `SELECT current_setting('server_version_num'), current_setting('server_encoding'), current_setting('synchronous_commit'), pg_is_in_recovery()::text`
	if err := db.row(ctx, ask).Scan(&version, &encoding, &durable, &recovering); err != nil {
		return fmt.Errorf("look at the server: %w", err)
	}
	number, err := strconv.Atoi(version)
	if err != nil {
		return fmt.Errorf("read the server's version: %w", err)
	}
	major := number / 10_000
	switch {
	case major < minServer:
		return fault.New(fault.Invalid, "old_server", fmt.Sprintf(
			"The database runs PostgreSQL %d, but %d or later is needed. Upgrade the server.", major, minServer))
	case encoding != "UTF8":
		return fault.New(fault.Invalid, "wrong_encoding", fmt.Sprintf(
			"The database has the encoding %s, but UTF8 is needed. Create it with: createdb --encoding=UTF8 --template=template0 NAME", encoding))
	case recovering == "true":
		return errStandby()
	case durable == "off":
		return db.refuseUnsafe()
	case major > maxServer:
		db.log.WarnContext(ctx, "this version of PostgreSQL is newer than those that hermes was tested with", "version", major, "tested", maxServer)
	}
	return nil
}

func errStandby() error {
	return fault.New(fault.Unavailable, "standby", "The database is a standby and takes no writes. Point HERMES_DATABASE_URL at the primary.")
}

func (db *DB) refuseUnsafe() error {
	if db.opt.Unsafe {
		return nil
	}
	return fault.New(fault.Invalid, "not_durable",
		"The database has synchronous_commit = off: it could lose answers that clients have. Turn it on for hermes: ALTER ROLE … SET synchronous_commit = on")
}
