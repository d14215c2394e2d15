package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/postgres"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/study"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// database has all data: a file in the home, or a PostgreSQL database.
type database interface {
	conversations
	works
	upkeep
}

// conversations are the stores of what was said, and of what memory makes of it.
type conversations interface {
	session.Store
	session.Catalog
	run.Store
	curate.Store
	curate.Receipts
	curate.Sweeper
	curate.Studies
	memory.Store
	memory.Reader
	memory.Lister
	memory.PieceStore
	search.Store
}

// works are the stores of what is done for owners, and of who may ask for it.
type works interface {
	study.Queue
	study.Store
	owner.KeyStore
	owner.PassStore
	job.Store
	job.Ledger
	job.History
	live.Store
	live.Queue
	audit.Store
	gateway.Store
	attachment.Store
	provider.Names
	provider.Tellings
	provider.Debts
}

// upkeep is what the operator of a database needs.
type upkeep interface {
	// Ready reports whether writes are accepted; the error says why not.
	Ready() error
	// Check looks for damage, and CheckRows for damaged rows.
	Check(ctx context.Context, deep bool) ([]string, error)
	CheckRows(ctx context.Context) ([]string, error)
	// Index is the state of the text index, and Load the pending work.
	Index(ctx context.Context) (storage.Index, error)
	Load() storage.Load
	// Lost are derived tables that are empty and must be filled. Filled says that they are.
	Lost() []string
	Filled(ctx context.Context) error
	// HashKey is the key of the hashes of what was forgotten.
	HashKey() []byte
	Close() error
}

// nodes are the processes that share a database.
type nodes interface {
	lineage.Shared
	live.Shared
	// Nodes counts them, and NodeName names this one.
	Nodes() int
	NodeName() string
	// HearRevoked calls revoked for each key that a node revokes; with "" after news may have
	// been lost. The function must not block.
	HearRevoked(revoked func(id string))
	// TellNews passes news on to the other nodes. HearNews calls heard for theirs, and lost after
	// some may have been lost. None of these functions blocks.
	TellNews(owner string, it news.Item)
	HearNews(heard func(owner string, it news.Item), lost func())
}

// shareNews lets readers of news read those of all nodes, and the scheduler, the registry of runs and
// the background work look when another node has changed what they do.
func (s *server) shareNews() {
	if s.nodes == nil {
		return
	}
	s.hub.Share(s.nodes.TellNews)
	s.nodes.HearNews(func(owner string, it news.Item) {
		s.hub.Heard(owner, it)
		s.wakeFor(it.Type)
	}, func() {
		s.hub.Lost()
		for _, of := range []news.Type{news.Job, news.Run, news.Work} {
			s.wakeFor(of)
		}
	})
}

// wakeFor wakes those whose work a change may concern.
func (s *server) wakeFor(changed news.Type) {
	switch changed {
	case news.Job, news.JobRun:
		s.jobs.Poke()
	case news.Run:
		s.live.Poke()
	case news.Work:
		if s.study != nil {
			s.study.Poke()
		}
	}
}

// shareKeys lets the keys hold over all nodes: each node has its share of their limits, and the
// requests of a key end wherever it is revoked.
func (s *server) shareKeys(ctx context.Context) {
	if s.nodes == nil {
		return
	}
	s.keyring.Spread(s.nodes.Nodes)
	s.nodes.HearRevoked(func(id string) {
		go recovery.Func(func() {
			if err := s.keyring.Revoked(ctx, id); err != nil {
				s.log.WarnContext(ctx, "requests of a key that another server has revoked may go on", "err", err)
			}
		}, recovery.Logged(ctx, s.log, "a revoked key"))()
	})
}

// openDatabase opens the database of the configuration. The bell is rung after commits that
// have changed what transcripts show, if the database lists such changes.
func (s *server) openDatabase(ctx context.Context, bell transcript.Bell) (err error) {
	var observer storage.Observer
	if s.measures != nil {
		observer = s.measures
	}
	keep := time.Duration(s.cfg.AuditKeepDays) * 24 * time.Hour
	if s.cfg.Database.URL != "" {
		return s.openShared(ctx, postgres.Options{
			URL: s.cfg.Database.URL, ListenURL: s.cfg.Database.ListenURL, Conns: s.cfg.Database.Conns,
			Log: s.log, AuditKeep: keep, Observer: observer,
		})
	}
	files := sqlite.Options{Path: s.cfg.DatabaseFile(), Log: s.log, AuditKeep: keep, Observer: observer, NoCopy: s.noCopy}
	if s.cfg.Transcripts.Enabled {
		files.Transcripts = bell.Ring
	}
	db, err := sqlite.Open(ctx, files)
	if err != nil {
		return err
	}
	s.db, s.transcripts = db, db
	return nil
}

// openShared opens a database outside of the home. The home still belongs to one process:
// the command line finds the server by it.
func (s *server) openShared(ctx context.Context, opt postgres.Options) error {
	release, err := sqlite.Hold(s.cfg.DatabaseFile())
	if err != nil {
		return err
	}
	opt.Node = fmt.Sprintf("%s, process %d", hostName(), os.Getpid())
	if opt.Place, err = homePlace(s.cfg.Home); err != nil {
		return errors.Join(err, release())
	}
	// A node may take over a conversation at once, and needs the words for it. Other servers save the
	// memory until their first turn.
	words := recovery.Async(func() error { memory.Prepare(); return nil })
	db, err := postgres.Open(ctx, opt)
	if err != nil {
		return errors.Join(err, release(), <-words)
	}
	if err := <-words; err != nil {
		return errors.Join(err, db.Close(), release())
	}
	s.db, s.nodes = heldDatabase{db, release}, db
	if s.cfg.Transcripts.Enabled {
		s.log.InfoContext(ctx, "transcripts are not kept as files: the data is in a PostgreSQL database")
	}
	return nil
}

// hostName is the name of this machine.
func hostName() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return host
}

// nodeID is the name of a home, which its copies have, too. It is made if there is none.
func nodeID(home string) (string, error) {
	file := filepath.Join(home, "node.id")
	id, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		id = []byte(rand.Text())
		err = os.WriteFile(file, id, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("read the name of this node: %w", err)
	}
	return string(id), nil
}

// heldDatabase is a database outside of a home that this process holds.
type heldDatabase struct {
	*postgres.DB
	release func() error
}

// Close closes the database and releases the home.
func (h heldDatabase) Close() error { return errors.Join(h.DB.Close(), h.release()) }

// placement says where the server's data is, and among how many servers it works.
func (s *server) placement() httpapi.Placement {
	if s.nodes == nil {
		return httpapi.Placement{Database: httpapi.Embedded}
	}
	return httpapi.Placement{Database: httpapi.PostgreSQL, Node: s.nodes.NodeName(), Nodes: s.nodes.Nodes()}
}

// clock is the clock of the server: that of a database which others share, or this machine's.
func (s *server) clock() func() time.Time {
	if shared, ok := s.db.(interface{ Now() time.Time }); ok {
		return shared.Now
	}
	return time.Now
}

// dataPlace says where the data is.
func (s *server) dataPlace() string {
	if db, ok := s.db.(interface{ Name() string }); ok {
		return db.Name()
	}
	return s.cfg.DatabaseFile()
}

// measureData fills in where the data is, how large it is, and how much room is left.
func (s *server) measureData(ctx context.Context, d *httpapi.Data) (err error) {
	d.File = s.dataPlace()
	if db, ok := s.db.(interface {
		Size(ctx context.Context) (int64, error)
	}); ok {
		d.Bytes, err = db.Size(ctx)
		return err
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(d.File + suffix); err == nil {
			d.Bytes += info.Size()
		}
	}
	if room := sqlite.RoomOf(filepath.Dir(d.File)); room.Known {
		d.Disk = &httpapi.Disk{Free: room.Free, Total: room.Total, Low: room.Low()}
	}
	return nil
}
