// Package httpapi is the HTTP door: it translates requests into runs and store calls,
// and their results into JSON and server-sent events. It holds no policy. This page
// lists every route.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// Config holds the dependencies of the door.
type Config struct {
	Runner   *run.Runner
	Curator  *curate.Curator
	Sessions session.Store
	Catalog  session.Catalog
	Search   search.Store
	Keyring  *owner.Keyring
	Jobs     *job.Planner
	// News tells what has changed; nil tells nothing.
	News *news.Hub
	// Fires shows the fires of all jobs.
	Fires job.History
	// Live runs the turns that go on after their client disconnects.
	Live *live.Registry
	// Gateway serves the chat platforms; nil if there are none.
	Gateway *gateway.Gateway
	// Models lists the upstream's models for GET /v1/models; nil lists none.
	Models func(context.Context) ([]Model, error)
	// Sockets are the WebSocket connections; nil if they need not be ended.
	Sockets *Sockets
	// Ready says why the server cannot serve; nil when it can.
	Ready func(context.Context) error
	// Placement says where the server's data is. It asks nobody. nil stands for a file.
	Placement func() Placement
	// Detail returns the state of the server; a deep one reads the whole database.
	Detail func(ctx context.Context, deep bool) (Detail, error)
	// Settings lists the settings; nil disables the route.
	Settings func() []Setting
	// Backups makes backups of the home; nil if the data is elsewhere.
	Backups Backups
	// Copies are earlier states of the data; nil if none are known.
	Copies Copies
	// Doctor examines the installation; nil disables the route.
	Doctor func(ctx context.Context, deep bool) []Finding
	// MCP answers POST /mcp; nil disables the route.
	MCP http.Handler
	// Tools are the names of the server's tools that models may call.
	Tools []string
	// LocalToken is accepted as the local owner's key: it admits the command line on
	// this machine. "" disables it.
	LocalToken string
	// NoAuth admits every request as the local owner, without the session headers.
	NoAuth bool
	// Hosts are the names, in addition to the loopback ones, that requests may be
	// addressed to.
	Hosts []string
	// Origins are the web origins that may call; "*" is not accepted.
	Origins []string
	// Name and Responder describe the model in /v1/capabilities.
	Name      string
	Responder lineage.Responder
	// Background says which models work on memory in the background.
	Background Background
	Version    string
	// KeepAlive is the silence after which a stream gets a comment.
	KeepAlive time.Duration
	Now       func() time.Time
	// Transcripts keeps transcripts as files; nil if there are none.
	Transcripts Transcripts
	// Provider looks after the external memory provider.
	Provider Provider
	// Work shows the queued tasks of models.
	Work study.Store
	// Audit stores the audit log; nil disables it.
	Audit audit.Store
	// Metrics answers GET /metrics; nil disables the route.
	Metrics http.Handler
	// Observer is told of every request; it may be nil.
	Observer Observer
	// Log should name requests as [trail.Handler] does; nil discards.
	Log *slog.Logger
}

// Background names the models that work on memory in the background; "" for none.
type Background struct {
	// Model proposes extracts for summaries, and titles.
	Model string `json:"model"`
	// Embeddings makes the vectors of messages and questions.
	Embeddings string `json:"embeddings_model"`
}

// Model is a row of GET /v1/models.
type Model struct {
	ID      string
	OwnedBy string
	Created int64
}

// route is one verb on one path.
type route struct {
	method, path string
	// scope is the scope that the key needs: [anyKey] if any will do, "" if the route is
	// open to all.
	scope  owner.Scope
	handle func(http.ResponseWriter, *http.Request) error
}

// name is the route's method and path.
func (rt *route) name() string { return rt.method + " " + rt.path }

// pattern is the pattern of a path for the mux, to which "/" means every path.
func pattern(method, path string) string {
	if path == greetingPath {
		path += "{$}"
	}
	return method + " " + path
}

// routes is the whole surface.
func (s *server) routes() []route {
	return slices.Concat(s.modelRoutes(), s.ownRoutes(), s.platformRoutes(), s.pageRoutes())
}

// modelRoutes are the protocols of model servers, and runs, which extend them.
func (s *server) modelRoutes() []route {
	return []route{
		{"POST", "/v1/chat/completions", owner.Chat, s.chatCompletions},
		{"POST", messagesPath, owner.Chat, s.createMessage},
		{"POST", countPath, owner.Chat, s.countTokens},
		{"POST", "/v1/responses", owner.Chat, s.createResponse},
		{"GET", "/v1/responses", owner.Chat, s.openSocket},
		{"POST", "/v1/responses/input_tokens", owner.Chat, s.inputTokens},
		{"POST", "/v1/responses/compact", owner.Chat, s.compactResponse},
		{"GET", "/v1/responses/{id}", owner.Chat, s.getResponse},
		{"DELETE", "/v1/responses/{id}", owner.Chat, s.deleteResponse},
		{"GET", "/v1/responses/{id}/input_items", owner.Chat, s.inputItems},
		{"POST", "/v1/responses/{id}/cancel", owner.Chat, s.cancelResponse},
		{"POST", "/v1/conversations", owner.SessionsWrite, s.createConversation},
		{"GET", "/v1/conversations/{id}", owner.SessionsRead, s.getConversation},
		{"POST", "/v1/conversations/{id}", owner.SessionsWrite, s.updateConversation},
		{"DELETE", "/v1/conversations/{id}", owner.SessionsWrite, s.deleteConversation},
		{"GET", "/v1/conversations/{id}/items", owner.SessionsRead, s.listItems},
		{"POST", "/v1/conversations/{id}/items", owner.SessionsWrite, s.createItems},
		{"GET", "/v1/conversations/{id}/items/{item_id}", owner.SessionsRead, s.getItem},
		{"DELETE", "/v1/conversations/{id}/items/{item_id}", owner.SessionsWrite, s.deleteItem},
		{"POST", "/v1/runs", owner.Chat, s.createRun},
		{"GET", "/v1/runs", owner.Chat, s.listTurns},
		{"GET", "/v1/runs/{id}", owner.Chat, s.getTurn},
		{"DELETE", "/v1/runs/{id}", owner.Chat, s.deleteTurn},
		{"GET", "/v1/runs/{id}/events", owner.Chat, s.runEvents},
		{"POST", "/v1/runs/{id}/stop", owner.Chat, s.stopTurn},
		{"POST", "/v1/runs/{id}/approval", owner.Chat, s.approveCall},
		{"GET", "/v1/models", owner.Chat, s.models},
		{"GET", "/v1/models/{id...}", owner.Chat, s.model},
		{"GET", "/v1/capabilities", owner.Chat, s.capabilities},
	}
}

// platformRoutes are those of chat platforms.
func (s *server) platformRoutes() []route {
	return []route{
		{"POST", "/gateway/webhook", owner.Chat, s.gatewayWebhook},
		{"GET", "/platforms/{platform}", "", s.platformHook},
		{"POST", "/platforms/{platform}", "", s.platformHook},
		{"POST", "/platforms/{platform}/{part}", "", s.platformHook},
		{"GET", "/api/platforms", owner.Admin, s.listPlatforms},
		{"GET", "/api/platforms/events", owner.Admin, s.listChatEvents},
		{"GET", "/api/pairings", owner.Admin, s.listPairings},
		{"POST", "/api/pairings", owner.Admin, s.approvePairing},
		{"DELETE", "/api/pairings", owner.Admin, s.revokePairing},
	}
}

// ownRoutes are this server's own.
func (s *server) ownRoutes() []route {
	return []route{
		{"GET", "/api/sessions", owner.SessionsRead, s.listSessions},
		{"POST", "/api/sessions", owner.SessionsWrite, s.createSession},
		{"GET", "/api/sessions/export", owner.Export, s.exportSessions},
		{"POST", importPath, owner.SessionsWrite, s.importSessions},
		{"GET", "/api/sessions/stats", owner.SessionsRead, s.sessionStats},
		{"POST", "/api/sessions/prune", owner.SessionsWrite, s.pruneSessions},
		{"POST", "/api/sessions/mirror", owner.SessionsWrite, s.mirrorSessions},
		{"GET", "/api/sessions/{id}", owner.SessionsRead, s.getSession},
		{"PATCH", "/api/sessions/{id}", owner.SessionsWrite, s.patchSession},
		{"DELETE", "/api/sessions/{id}", owner.SessionsWrite, s.deleteSession},
		{"POST", "/api/sessions/{id}/reset", owner.SessionsWrite, s.resetSession},
		{"POST", "/api/sessions/{id}/compress", owner.SessionsWrite, s.compressSession},
		{"POST", "/api/sessions/{id}/fork", owner.SessionsWrite, s.forkSession},
		{"POST", "/api/sessions/{id}/undo", owner.SessionsWrite, s.undoExchange},
		{"GET", "/api/sessions/{id}/messages", owner.SessionsRead, s.listMessages},
		{"POST", "/api/sessions/{id}/messages", owner.SessionsWrite, s.importMessages},
		{"GET", "/api/sessions/{id}/state", owner.SessionsRead, s.state},
		{"GET", "/api/sessions/{id}/timeline", owner.SessionsRead, s.timeline},
		{"GET", "/api/sessions/{id}/cost", owner.SessionsRead, s.cost},

		{"GET", "/api/search", owner.SessionsRead, s.search},
		{"POST", "/api/search/rebuild", owner.Admin, s.reindex},

		{"GET", "/api/memory", owner.Memory, s.listFacts},
		{"POST", "/api/memory", owner.Memory, s.addFact},
		{"GET", "/api/memory/recall", owner.Memory, s.recall},
		{"POST", "/api/memory/forget", owner.Memory, s.forget},
		{"POST", "/api/memory/rebuild", owner.Memory, s.rebuild},
		{"GET", "/api/memory/{fact_id}", owner.Memory, s.getFact},
		{"PATCH", "/api/memory/{fact_id}", owner.Memory, s.editFact},
		{"DELETE", "/api/memory/{fact_id}", owner.Memory, s.deleteFact},
		{"GET", "/api/receipts/{id}", owner.Memory, s.receipt},

		{"GET", "/api/jobs", owner.Jobs, s.listJobs},
		{"POST", "/api/jobs", owner.Jobs, s.createJob},
		{"GET", "/api/jobs/preview", owner.Jobs, s.previewJob},
		{"GET", "/api/jobs/{id}", owner.Jobs, s.getJob},
		{"PATCH", "/api/jobs/{id}", owner.Jobs, s.patchJob},
		{"DELETE", "/api/jobs/{id}", owner.Jobs, s.deleteJob},
		{"POST", "/api/jobs/{id}/pause", owner.Jobs, s.pauseJob},
		{"POST", "/api/jobs/{id}/resume", owner.Jobs, s.resumeJob},
		{"POST", "/api/jobs/{id}/run", owner.Jobs, s.runJob},
		{"GET", "/api/jobs/{id}/runs", owner.Jobs, s.listRuns},

		{"GET", "/api/work", owner.Memory, s.listWork},

		{"GET", "/api/provider", owner.Memory, s.providerStatus},
		{"POST", "/api/provider/test", owner.Admin, s.testProvider},
		{"POST", "/api/provider/backfill", owner.Memory, s.backfillProvider},
		{"POST", "/api/provider/forget", owner.Memory, s.forgetAtProvider},

		{"GET", "/api/keys", owner.Admin, s.listKeys},
		{"POST", "/api/keys", owner.Admin, s.createKey},
		{"PATCH", "/api/keys/{id}", owner.Admin, s.changeKey},
		{"DELETE", "/api/keys/{id}", owner.Admin, s.revokeKey},

		{"GET", "/api/backup", owner.Admin, s.backup},

		{"GET", "/api/audit", owner.Admin, s.listAudit},
		{"GET", "/api/audit/verify", owner.Admin, s.verifyAudit},

		{"POST", mcpPath, owner.Memory, s.mcp},

		{"GET", greetingPath, "", s.greet},
		{"GET", "/health", "", s.health},
		{"GET", "/v1/health", "", s.health},
		{"GET", "/readyz", "", s.ready},
		{"GET", "/health/detailed", owner.Admin, s.healthDetailed},
		{"GET", "/metrics", owner.Metrics, s.metrics},
		{"GET", "/openapi.json", "", s.openAPI},
	}
}

// importPath takes bodies of any size: they are read in pieces.
const importPath = "/api/sessions/import"

// verbs are the methods that are registered for every known path. Those that the path
// lacks are refused in JSON.
var verbs = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// New returns the handler for everything this server answers.
func New(c Config) http.Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Sockets == nil {
		c.Sockets = NewSockets()
	}
	if c.Placement == nil {
		c.Placement = func() Placement { return Placement{Database: Embedded} }
	}
	s := &server{Config: c, hosts: plainHosts(c.Hosts), bodies: newBodies(), long: newLongLine()}
	mux := http.NewServeMux()
	methods := make(map[string][]string)
	routes := s.routes()
	for _, rt := range routes {
		mux.Handle(pattern(rt.method, rt.path), s.wrap(rt))
		methods[rt.path] = append(methods[rt.path], rt.method)
	}
	for path, allowed := range methods {
		allowed = append(allowed, wider(routes, path)...)
		slices.Sort(allowed)
		allowed = slices.Compact(allowed)
		refuse := s.render(methodNotAllowed(strings.Join(allowed, ", ")))
		for _, method := range verbs {
			if !slices.Contains(allowed, method) {
				mux.Handle(pattern(method, path), refuse)
			}
		}
	}
	mux.Handle("/", s.render(notFound))
	return s.guard(underKey(mux))
}

// wider are the methods of routes with an id in the place of a fixed word: "stats" may
// also be a session's id.
func wider(routes []route, path string) []string {
	var out []string
	for _, rt := range routes {
		if before, ok := strings.CutSuffix(rt.path, "{id}"); ok && path != rt.path {
			if rest, ok := strings.CutPrefix(path, before); ok && !strings.ContainsAny(rest, "/{") {
				out = append(out, rt.method)
			}
		}
	}
	return out
}

// server carries the configuration to the handlers.
type server struct {
	Config
	hosts    []string // Hosts, as requests are compared with them
	refusals refusals
	rates    rates
	bodies   bodies
	long     *claim.Line // the queue of long requests
	streams  streams
}
