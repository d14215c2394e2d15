package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// poolerSettings are PgBouncer's: in transaction mode, each transaction may get another
// connection, and none belongs to a client longer than that.
const poolerSettings = `[databases]
* = host=%[1]s user=hermes

[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = %[2]s
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 200
logfile = %[2]s/log
`

// errNoPooler says what to install.
var errNoPooler = errors.New("PgBouncer is not installed. Install it from the packages of the distribution, for example: apt-get install pgbouncer")

// Pool starts a PgBouncer before the server, which stops with it. URLs of the pooler are those of
// [Server.Pooled].
func (s *Server) Pool(ctx context.Context) error {
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			return errNoPooler
		}
	}
	dir := filepath.Join(s.dir, "pooler")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	ini := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Appendf(nil, poolerSettings, s.dir, dir)
	if err := os.WriteFile(ini, text, 0o644); err != nil { //nolint:gosec // read by another account, and no secret
		return err
	}
	as, err := account(dir)
	if err != nil {
		return err
	}
	run := exec.CommandContext(context.WithoutCancel(ctx), path, "-q", ini)
	run.Dir = dir
	as(run)
	if s.pooler, err = begin(run); err != nil {
		return fmt.Errorf("start PgBouncer: %w", err)
	}
	return s.pooler.await(ctx, s.Pooled(s.URL("postgres")))
}

// Pooled is the address of a database through the pooler, for its [Server.URL].
func (s *Server) Pooled(url string) string {
	return strings.TrimSuffix(url, s.dir) + filepath.Join(s.dir, "pooler") + "&port=6432"
}
