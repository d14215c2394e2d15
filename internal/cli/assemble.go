package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/study"
	"github.com/hermes-memory/hermes/internal/telemetry"
	"github.com/hermes-memory/hermes/internal/terminal"
	"github.com/hermes-memory/hermes/internal/tool"
	"github.com/hermes-memory/hermes/internal/trail"
	"github.com/hermes-memory/hermes/internal/transcript"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/witness"
)

// Sizes of caches, and timeouts.
const (
	hotLineages    = 4096
	patience       = 250 * time.Millisecond // before a stream begins although the upstream has not accepted (spec: 300 ms)
	keepAlive      = 10 * time.Second
	idempotencyTTL = 24 * time.Hour
)

// server is the assembled program without its sockets.
type server struct {
	cfg *config.Config
	log *slog.Logger
	db  database
	// told is the database for those whose changes are told to hub.
	told *witness.Store
	hub  *news.Hub
	// transcripts lists what has changed for transcripts in files; nil if the database does not.
	transcripts transcript.Store
	nodes       nodes // those that share the database; nil for one process
	keyring     *owner.Keyring
	choice      upstream.Choice
	models      *upstream.Catalogue // of the choice; nil for none
	runner      *run.Runner
	curator     *curate.Curator
	line        *claim.Line
	cache       func() piece.Stats
	study       *study.Study       // nil if no model works on memory
	external    *provider.Manager  // looks after the external memory
	mirror      *transcript.Mirror // writes transcripts to files in the background; nil if they are off
	files       *attachment.Files  // keeps what people send on chat platforms
	backups     *backup.Source     // nil if the data is elsewhere
	ledger      *backup.Ledger     // nil while a backup is being restored
	keeper      *memory.Keeper     // makes the index of memory in the background
	handler     http.Handler
	inside      sync.WaitGroup // calls of the API from within this process
	tools       tool.Set
	mcp         *tool.MCP
	jobs        *job.Scheduler
	planner     *job.Planner
	live        *live.Registry
	bots        []*gateway.Bot
	gateway     *gateway.Gateway
	measures    *telemetry.Telemetry // nil if metrics are off
	token       string
	public      bool // other machines can reach it
	noCopy      bool // no copy of the database is kept before migrations
	started     time.Time
	now         func() time.Time
	draining    atomic.Bool
	sockets     *httpapi.Sockets
}

// assembly holds the inputs from which a server is assembled.
type assembly struct {
	cfg *config.Config
	log *slog.Logger
	// public says that the server can be reached from other machines.
	public bool
	// choose picks the upstream. It is called once this process owns the database.
	choose func() (upstream.Choice, error)
	// measures receives the observations; it may be nil.
	measures *telemetry.Telemetry
	// now is the clock; nil means the system clock.
	now func() time.Time
	// getenv is the environment for MCP servers that are started.
	getenv func(string) string
	// noCopy keeps no copy of the database from before migrations.
	noCopy bool
	// restoring says that the home is a backup that is being restored: what is forgotten then
	// is in the ledger.
	restoring bool
	// doctor examines the installation; nil for a server that nobody started as one.
	doctor func(ctx context.Context, deep bool) []finding
}

// assemble opens the home directory and wires the parts.
func assemble(ctx context.Context, parts assembly) (*server, error) {
	cfg, log := parts.cfg, parts.log
	if err := errors.Join(prepareHome(cfg.Home), backup.Finish(cfg.Home), refuseEmptied(cfg)); err != nil {
		return nil, err
	}
	// SQLite's temporary files have copies of rows, so that they must not leave the home.
	if err := os.Setenv("SQLITE_TMPDIR", cfg.Home); err != nil {
		return nil, fmt.Errorf("choose the directory of temporary files: %w", err)
	}
	for _, key := range cfg.Server.Keys {
		if err := owner.CheckConfigured(key); err != nil {
			return nil, err
		}
	}
	s := &server{
		cfg: cfg, log: log, token: newToken(), public: parts.public, started: time.Now().UTC(), now: parts.now, measures: parts.measures,
		noCopy: parts.noCopy || parts.restoring,
	}
	bell := transcript.NewBell()
	if err := s.openDatabase(ctx, bell); err != nil {
		return nil, err
	}
	if s.now == nil {
		s.now = s.clock()
	}
	if err := errors.Join(s.setMirror(bell), s.setFiles(ctx), s.setBackups()); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.hub = news.NewHub(s.now)
	s.told = witness.New(s.db, s.hub)
	s.setLedger(parts.restoring)
	s.keyring = owner.NewKeyring(s.keys(), cfg.Server.Keys, !parts.public && !cfg.Server.NoAuth, s.now)
	s.shareKeys(ctx)
	s.keyring.KeepPasses(s.db)
	s.keyring.Limit(owner.Limits{RequestsPerMinute: cfg.Limits.RequestsPerMinute, ConcurrentTurns: cfg.Limits.ConcurrentTurns})
	choice, err := parts.choose()
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.choice = choice
	if err := s.setProvider(ctx); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.setTools(ctx, parts.getenv)
	zone, err := jobZone(cfg, parts.getenv)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.bots, err = botsOf(cfg, log); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.handler = s.newHandler(zone, parts.doctor)
	s.shareNews()
	if err := s.fillAgain(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.mirror != nil {
		s.mirror.Start(ctx)
	}
	s.watch()
	return s, nil
}

// jobZone is the time zone for jobs that name none.
func jobZone(cfg *config.Config, getenv func(string) string) (string, error) {
	if cfg.Jobs.Timezone != "" {
		_, err := job.Zone(cfg.Jobs.Timezone)
		return cfg.Jobs.Timezone, err
	}
	if getenv == nil {
		return "UTC", nil
	}
	return job.LocalZone(getenv("TZ")), nil
}

// setJobs makes the scheduler and the planner of jobs.
func (s *server) setJobs(zone string) *job.Planner {
	targets := s.targets()
	parts := job.SchedulerParts{
		Ledger: s.told, Store: s.told, Runner: s.runner, Curator: s.curator, Targets: targets, Now: s.now, Grace: s.cfg.Server.Grace, Log: s.log,
	}
	if s.measures != nil {
		parts.Observer = s.measures
	}
	s.jobs = job.NewScheduler(parts)
	s.planner = job.NewPlanner(job.PlannerParts{
		Store: s.told, Targets: targets, Zone: zone, Origin: s.gateway.Origin, Now: s.now, Changed: s.jobs.Poke,
	})
	return s.planner
}

func (s *server) newHandler(zone string, doctor func(context.Context, bool) []finding) http.Handler {
	if s.choice.Lister != nil {
		s.models = upstream.NewCatalogue(s.choice.Lister, time.Now)
	}
	models := run.Models{Upstream: s.choice.Model, Fallback: s.cfg.Fallback == "recall"}
	if s.cfg.Responder != "off" {
		models.Recall = recall.New()
	}
	background := s.setRooms(models)
	s.live = live.New(live.Parts{
		Store: s.told, Queue: s.told, Runner: s.runner, Shared: s.nodes,
		Approval: s.cfg.Runs.ApprovalTimeout, Grace: s.cfg.Server.Grace, Now: s.now, Log: s.log,
	})
	s.setGateway()
	s.sockets = httpapi.NewSockets()
	config := httpapi.Config{
		Sockets: s.sockets,
		Audit:   s.db, Work: s.db, Provider: s.external,
		Runner: s.runner, Curator: s.curator, Sessions: s.told, Catalog: s.told, Search: s.db, Keyring: s.keyring,
		Models: s.lister(), Ready: s.ready,
		Detail: s.detail, Placement: s.placement,
		MCP: s.mcpDoor(), Tools: s.toolNames(), Jobs: s.setJobs(zone), Fires: s.db, News: s.hub, Live: s.live, Gateway: s.gateway,
		LocalToken: s.token, NoAuth: s.cfg.Server.NoAuth, Hosts: hostNames(s.cfg, s.public), Origins: s.cfg.Server.Origins,
		Name: s.choice.Name, Responder: s.runner.Responder(), Background: background, Version: Version(), KeepAlive: keepAlive, Now: s.now,
		Log: s.log,
	}
	if s.mirror != nil {
		config.Transcripts = s.mirror
	}
	if s.backups != nil {
		config.Backups = backups{s.backups}
		config.Copies = copies{s}
	}
	if s.measures != nil {
		config.Search, config.Observer, config.Metrics = s.measures.Search(s.db), s.measures, s.measures.Handler()
	}
	s.setOperator(&config, doctor)
	return httpapi.New(config)
}

// setRooms makes the runner, the curator and the background work on memory, and returns
// which models work in the background.
func (s *server) setRooms(models run.Models) httpapi.Background {
	config := run.Config{
		Budgets: compression.Budgets{
			Model: s.choice.Name, Default: s.cfg.Context.BudgetTokens, ByModel: s.cfg.Context.Models, Floor: s.cfg.Context.FloorTokens,
		},
		Window:   (&upstream.Windows{Setting: s.cfg.Upstream.ContextTokens, Catalogue: s.models}).Of,
		Patience: patience, IdempotencyTTL: idempotencyTTL, Now: s.now,
	}
	views := memory.NewViews(s.db, s.cfg.Memory.Cache)
	if s.nodes != nil {
		views.Share()
	}
	s.cache, s.keeper = views.Stats, memory.NewKeeper(views, s.log)
	questions := &memory.Questions{Now: config.Clock, Log: s.log}
	work, on := s.chooseStudy(views, questions)
	studies := work.Chat != nil || work.Embed != nil
	wake := s.wakeAll(studies)
	waits := claim.LineOptions{Permits: s.cfg.Limits.Turns, Room: s.cfg.Limits.Queue, Patience: s.cfg.Limits.QueueWait}
	var observer run.Observer
	if s.measures != nil {
		observer, waits.Observe = s.measures, s.measures.Waited
	}
	s.line = claim.NewLine(waits)
	lineages := lineage.New(lineage.Parts{
		Store: s.told, Sessions: s.told, Views: views, Shared: s.nodes, Hot: hotLineages, Now: config.Clock, Log: s.log,
	})
	s.curator = curate.New(curate.Parts{
		Store: s.told, Receipts: s.db, Sessions: s.told, Catalog: s.db, Memory: s.db, Facts: s.db, Views: views, Lineages: lineages,
		Questions: questions, Budgets: config.Budgets, Studies: s.told, Sweeper: s.db, Erase: s.eraseInputs, Mirror: s.mirrorNow(),
		Files: s.files, Ledger: s.erasures(), External: s.external, Wake: wake, Now: config.Clock,
		Log: s.log,
	})
	s.runner = run.New(run.Parts{
		Store: s.told, Sessions: s.told, Memory: s.db, Views: views, Lineages: lineages, Shared: s.nodes, Curator: s.curator, Models: models,
		Tools: s.offered(), Images: s.images(), External: s.asked(), Config: config, Wake: wake,
		Questions: questions, Process: s.token, Line: s.line, Observer: observer, Log: s.log,
	})
	if studies {
		work.Curator = s.curator
		s.study = study.New(work)
	}
	return on
}

// eraseInputs removes a thing from the input history of the terminal.
func (s *server) eraseInputs(about *mention.Thing) error {
	return terminal.EraseHistory(historyFile(s.cfg.Home), about.In)
}

// lister lists the upstream's models, cached for a minute.
func (s *server) lister() func(context.Context) ([]httpapi.Model, error) {
	if s.models == nil {
		return nil
	}
	return func(ctx context.Context) ([]httpapi.Model, error) {
		rows, err := s.models.Models(ctx)
		out := make([]httpapi.Model, len(rows))
		for i, m := range rows {
			out[i] = httpapi.Model{ID: m.ID, OwnedBy: m.OwnedBy, Created: m.Created.Unix()}
		}
		return out, err
	}
}

// warm reads the models' windows, which the first turn needs.
func (s *server) warm(ctx context.Context) {
	if s.models == nil {
		return
	}
	if _, err := s.models.Models(ctx); err != nil {
		s.log.Debug("the upstream's models are unknown so far", "err", err)
	}
}

// owners are all owners whose data this server may have.
func (s *server) owners(ctx context.Context) ([]owner.Owner, error) {
	owners := []owner.Owner{owner.Local()}
	keys, err := s.keyring.List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range keys {
		o := owner.Stored(keys[i].OwnerID)
		if !slices.ContainsFunc(owners, func(known owner.Owner) bool { return known.ID() == o.ID() }) {
			owners = append(owners, o)
		}
	}
	return owners, nil
}

// fillAgain distils the facts of all owners from their messages if the file has lost
// them: a person deleted their table, or a migration emptied it.
func (s *server) fillAgain(ctx context.Context) error {
	if !slices.Contains(s.db.Lost(), "facts") {
		return nil
	}
	owners, err := s.owners(ctx)
	for _, o := range owners {
		if _, wrong := s.curator.Rebuild(ctx, o, false); wrong != nil {
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		return fmt.Errorf("distil the facts again: %w", err)
	}
	s.log.WarnContext(ctx, "the facts were missing from the database; they were distilled again from the messages")
	return s.db.Filled(ctx)
}

func (s *server) ready(context.Context) error {
	if s.draining.Load() {
		return fault.New(fault.Unavailable, "draining", "The server is stopping.")
	}
	return s.db.Ready()
}

func (s *server) close() error {
	s.inside.Wait()
	s.mcp.Close()
	if s.mirror == nil {
		return s.db.Close()
	}
	return errors.Join(s.mirror.Close(), s.db.Close())
}

func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// newLogger returns a logger to standard error, as configured.
func (a *app) newLogger(cfg *config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.Log.Level)) // checked by config
	opt := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(a.err, opt)
	if cfg.Log.Format == "json" {
		h = slog.NewJSONHandler(jsonWriter{a.process.Stderr}, opt)
	}
	return slog.New(trail.Handler(h))
}
