// Package postgrestest starts PostgreSQL for tests: a server of the tests' own, from the
// distribution's packages, with a database for each test. The server is reached by a socket
// in its directory, so it needs no port and nobody else finds it.
package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// errNotInstalled says what to install.
var errNotInstalled = errors.New("PostgreSQL is not installed. Install version 14 or later from the packages of the distribution, for example: apt-get install postgresql")

// Server is a running PostgreSQL.
type Server struct {
	dir     string // of the data, the log and the socket
	run     func(ctx context.Context) error
	running *process
	pooler  *process // nil without one
	stopIt  sync.Once

	template sync.Once
	failed   error  // why there is no template
	copied   string // how a database is copied from it, in SQL

	next atomic.Int64 // number of the newest database
}

// Options are settings of a server.
type Options struct {
	// Durable makes the server wait for the disk, as one with real data does.
	Durable bool
}

// started says that a test has asked for the shared server.
var started atomic.Bool

// shared is the server of the plain tests of a process.
var shared = sync.OnceValues(func() (*Server, error) { return Start(context.Background(), Options{}) })

// Main runs the tests of a package and stops the server that they share.
func Main(m *testing.M) int {
	code := m.Run()
	if started.Load() {
		if s, err := shared(); err == nil {
			s.Stop()
		}
	}
	return code
}

// Shared is the server that the tests of a package share. The package's TestMain calls
// [Main]. A test fails if there is no PostgreSQL.
func Shared(t testing.TB) *Server {
	t.Helper()
	started.Store(true)
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Start starts a server in a new directory.
func Start(ctx context.Context, opt Options) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hermes-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for PostgreSQL: %w", err)
	}
	s := &Server{dir: dir}
	if err := s.start(ctx, bin, opt); err != nil {
		err = errors.Join(err, s.logged())
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// binaries is the directory of the newest installed version.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		if path, err := exec.LookPath("postgres"); err == nil {
			return filepath.Dir(path), nil
		}
		return "", errNotInstalled
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}

// settings are those of the server. The tests have little memory; a durable server has the memory of the distribution.
func settings(dir string, opt Options) []string {
	list := []string{
		"listen_addresses=", "unix_socket_directories=" + dir, "max_connections=100",
		"log_min_messages=warning", "max_wal_size=256MB",
	}
	if opt.Durable {
		list = append(list, "autovacuum_naptime=5s") // a run is short, and plans need statistics
	} else {
		list = append(list, "shared_buffers=32MB", "fsync=off", "full_page_writes=off", "autovacuum=off")
	}
	var args []string
	for _, s := range list {
		args = append(args, "-c", s)
	}
	return args
}

func (s *Server) start(ctx context.Context, bin string, opt Options) error {
	as, err := account(s.dir)
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	create := exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
		"-D", data, "-U", "hermes", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	create.Dir = s.dir
	as(create)
	if out, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	s.run = func(ctx context.Context) error {
		log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = log.Close() }()
		args := append([]string{"-D", data}, settings(s.dir, opt)...)
		run := exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(bin, "postgres"), args...)
		run.Dir, run.Stdout, run.Stderr = s.dir, log, log
		as(run)
		if s.running, err = begin(run); err != nil {
			return fmt.Errorf("start PostgreSQL: %w", err)
		}
		if err := s.running.await(ctx, s.URL("postgres")); err != nil {
			s.running.stop()
			return err
		}
		return nil
	}
	return s.run(ctx)
}

// Pid is the number of the server's process; those of its connections are its children.
func (s *Server) Pid() int { return s.running.cmd.Process.Pid }

// Crash ends the server at once, as an immediate shutdown does. Connections break, and the
// next start recovers from the write-ahead log.
func (s *Server) Crash() { s.running.end(syscall.SIGQUIT) }

// Restart starts the server again after a crash.
func (s *Server) Restart(ctx context.Context) error { return s.run(ctx) }

// Stop stops the server and removes its directory.
func (s *Server) Stop() {
	s.stopIt.Do(func() {
		if s.pooler != nil {
			s.pooler.stop()
		}
		s.running.stop()
		_ = os.RemoveAll(s.dir)
	})
}

// logged is the end of the server's log, as an error.
func (s *Server) logged() error {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log")) // there may be none
	if len(text) == 0 {
		return nil
	}
	return fmt.Errorf("the log of PostgreSQL:\n%s", bytes.TrimSpace(text[max(0, len(text)-2000):]))
}

// URL is the address of a database.
func (s *Server) URL(database string) string {
	return "postgres:///" + database + "?user=hermes&host=" + s.dir
}

// templateName is the database that the others are copies of.
const templateName = "template_hermes"

// Database makes a database for a test and returns its address. The first call makes the
// template: prepare makes the schema in it. The database lives as long as the server.
func (s *Server) Database(t testing.TB, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	ctx := context.Background()
	s.template.Do(func() { s.failed = s.makeTemplate(ctx, prepare) })
	if s.failed != nil {
		t.Fatalf("make the template: %v", s.failed)
	}
	name := fmt.Sprintf("test_%d", s.next.Add(1))
	if err := s.do(ctx, `CREATE DATABASE `+name+` TEMPLATE `+templateName+s.copied); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	return s.URL(name)
}

// makeTemplate makes the template. From version 15 on PostgreSQL writes a copy of it page by page
// into its log unless it is told to copy files, which takes half as long.
func (s *Server) makeTemplate(ctx context.Context, prepare func(ctx context.Context, url string) error) error {
	if err := s.do(ctx, `CREATE DATABASE `+templateName); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.URL(templateName))
	if err != nil {
		return err
	}
	var logs bool
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int >= 150000`).Scan(&logs)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	if logs {
		s.copied = " STRATEGY FILE_COPY"
	}
	return prepare(ctx, s.URL(templateName))
}

// EmptyAll deletes the rows of all tables, but for what the schema itself has brought. A
// test can give its database to the next one then: a copy of the template takes longer
// than most tests.
const EmptyAll = `DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('meta', 'schema_version') LOOP
		EXECUTE format('DELETE FROM %I', name);
	END LOOP;
END $$`

// do runs a statement as the administrator.
func (s *Server) do(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Fields(statement)[0], err)
	}
	return nil
}
