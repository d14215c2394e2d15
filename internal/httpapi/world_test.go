package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/mcpserver"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/telemetry"
	"github.com/hermes-memory/hermes/internal/tool"
	"github.com/hermes-memory/hermes/internal/transcript"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
	"github.com/hermes-memory/hermes/internal/witness"
)

const (
	// localKey is the configured key: it speaks for the local owner.
	localKey = "wire-local-key-0123456789"
	// upstreamKey must never be seen by a client.
	upstreamKey = "sk-upstream-secret-key-987654"
)

// options say what differs from a plain server.
type options struct {
	Budget     int      `json:"budget"`
	NoUpstream bool     `json:"no_upstream"`
	NoFallback bool     `json:"no_fallback"`
	NoRecall   bool     `json:"no_recall"`
	NoAuth     bool     `json:"no_auth"`
	RunsWait   bool     `json:"runs_wait"`
	Tools      []string `json:"tools"`
	Origins    []string `json:"origins"`
	Approve    []string `json:"approve"`
	Hosts      []string `json:"hosts"`

	sockets   *httpapi.Sockets
	limits    live.Limits
	line      claim.LineOptions
	patience  time.Duration
	keepAlive time.Duration
	// development leaves out the configured key, so that the development key counts.
	development bool
	quiet       bool // the upstream remembers no requests
	// undescribed answers are not held against openapi.yaml.
	undescribed bool
	log         *slog.Logger
	postgres    bool // keeps the data in PostgreSQL
	// alternate puts two servers on one PostgreSQL database, which take requests in turn.
	alternate bool
	// answer is what the upstream says unless scripted; nil says "ok".
	answer func(*upstreamtest.Request) upstreamtest.Step
}

// world is the whole program but for its sockets: a real database, a real run,
// a scripted upstream over loopback HTTP.
type world struct {
	mirror *transcript.Mirror
	t      testing.TB
	opt    options
	dir    string
	clock  *runtest.Clock
	up     *upstreamtest.Server
	pool   *http.Transport
	db     dataStore
	// database is the address of the world's PostgreSQL database; "" for none.
	database string
	keyring  *owner.Keyring
	measure  *telemetry.Telemetry
	jobs     *job.Scheduler
	live     *live.Registry
	gateway  *gateway.Gateway
	hub      *news.Hub
	leave    func() // ends the runs
	handler  atomic.Pointer[http.Handler]
	second   *world // the server that takes every other request; nil for one server
	taken    atomic.Int64
	srv      *httptest.Server
	refuse   atomic.Bool // what /readyz is told
}

// newWorld starts a server that ends with the test.
func newWorld(t testing.TB, o options) *world {
	t.Helper()
	if o.Budget == 0 {
		o.Budget = 8000
	}
	if o.patience == 0 {
		o.patience = 10 * time.Second // a scripted refusal is told as a status
	}
	if o.keepAlive == 0 {
		o.keepAlive = time.Minute
	}
	if o.log == nil {
		o.log = slog.New(slog.DiscardHandler)
	}
	w := &world{
		t: t, opt: o, dir: t.TempDir(), pool: &http.Transport{MaxIdleConnsPerHost: 64},
		clock: runtest.NewClock(),
		up:    upstreamtest.New(t, upstreamtest.Options{Default: o.answer, Quiet: o.quiet}),
	}
	t.Cleanup(w.pool.CloseIdleConnections)
	w.open()
	t.Cleanup(w.shut)
	if o.alternate {
		w.second = &world{t: t, opt: o, dir: w.dir, clock: w.clock, up: w.up, pool: w.pool, database: w.database}
		w.second.open()
		t.Cleanup(w.second.shut)
		w.acquaint()
	}
	var serve http.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		(*w.next().handler.Load()).ServeHTTP(rw, r)
	})
	if !o.undescribed {
		serve = described(t, serve)
	}
	w.srv = httptest.NewUnstartedServer(serve)
	if w.second != nil {
		w.second.srv = w.srv
	}
	w.srv.Start()
	w.srv.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(w.srv.Close)
	return w
}

// shut ends a server.
func (w *world) shut() {
	w.leave()
	_ = w.db.Close()
}

// open assembles the program over the file there is.
func (w *world) open() {
	w.t.Helper()
	w.measure = telemetry.New("test")
	db, mirror := w.openStore()
	w.mirror = mirror
	models := run.Models{Fallback: !w.opt.NoFallback}
	var list func(context.Context) ([]httpapi.Model, error)
	name := ""
	if !w.opt.NoRecall {
		models.Recall = recall.New()
	}
	if !w.opt.NoUpstream {
		m := upstream.New(upstream.Options{
			BaseURL: w.up.URL + "/v1", Key: upstreamKey, Model: "scripted", Transport: w.measure.Transport(w.pool), Now: w.clock.Now, Log: w.opt.log,
		})
		models.Upstream, name = m, "scripted"
		list = lister(m)
	}
	configured := []string{localKey}
	if w.opt.development {
		configured = nil
	}
	w.hub = news.NewHub(w.clock.Now)
	told := witness.New(db, w.hub)
	w.db, w.keyring = db, owner.NewKeyring(told, configured, w.opt.development, w.clock.Now)
	w.keyring.KeepPasses(db)
	w.opt.line.Observe = w.measure.Waited
	line := claim.NewLine(w.opt.line)
	shared := w.share()
	runner, curator := runtest.New(told, &runtest.Parts{
		Shared: shared, Models: models, Tools: w.tools(), Mirror: w.flush,
		Config: run.Config{Budgets: compression.Budgets{Model: name, Default: w.opt.Budget}, Patience: w.opt.patience, Now: w.clock.Now},
		Log:    w.opt.log, Observer: w.measure, Line: line,
	})
	targets := job.Targets{"webhook": job.NewWebhook(false, w.clock.Now)}
	w.jobs = job.NewScheduler(job.SchedulerParts{Ledger: told, Store: told, Runner: runner, Curator: curator, Targets: targets, Now: w.clock.Now, Observer: w.measure, Log: w.opt.log})
	w.measure.Watch(telemetry.Sources{Runs: runner.Load, Store: db.Load, Jobs: w.jobs.Load, Line: line.Load})
	w.live = live.New(live.Parts{Store: told, Queue: told, Runner: runner, Shared: shared, Limits: w.opt.limits, Approval: time.Minute, Now: w.clock.Now, Log: w.opt.log})
	w.leave = func() {}
	if !w.opt.RunsWait {
		w.leave = carryOn(w.live)
	}
	w.gateway = gateway.New(gateway.Parts{
		Store: db, Sessions: db, Runs: w.live, Curator: curator, Audit: db, Now: w.clock.Now, Log: w.opt.log,
		Settings: gateway.Settings{Busy: gateway.Queue, Resets: gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetNone}}},
	})
	config := httpapi.Config{
		Gateway: w.gateway,
		Sockets: w.opt.sockets,
		Live:    w.live,
		Fires:   db,
		News:    w.hub,
		Settings: func() []httpapi.Setting {
			return []httpapi.Setting{{Name: "upstream.key", Value: "set", Source: "environment OPENAI_API_KEY", Secret: true}}
		},
		Doctor: func(context.Context, bool) []httpapi.Finding {
			return []httpapi.Finding{{About: "keys", Level: "failed", Says: "no key is accepted", Do: "Make one."}, {About: "home", Level: "ok", Says: "fine"}}
		},
		Jobs:  job.NewPlanner(job.PlannerParts{Store: told, Targets: targets, Zone: "UTC", Now: w.clock.Now, Changed: w.jobs.Poke}),
		MCP:   mcpserver.Handler(mcpserver.Options{Client: &http.Client{Transport: loop{w}}, Base: "http://localhost", Version: "test", Log: w.opt.log}),
		Tools: w.opt.Tools, Audit: db, Work: db, Observer: w.measure,
		Provider: provider.New(provider.Parts{
			Config:   provider.Config{ID: "mute@test", Type: "mute", Owners: []string{"*"}},
			Provider: mute{}, Names: db, Tellings: db, Debts: db, Queue: told, Sessions: told, Now: w.clock.Now, Log: w.opt.log,
		}),
		Metrics: w.measure.Handler(),
		Runner:  runner, Curator: curator, Sessions: told, Catalog: told, Search: w.measure.Search(db), Keyring: w.keyring, Models: list, Ready: w.ready, Detail: w.detail,
		LocalToken: "local-token-of-this-machine", NoAuth: w.opt.NoAuth, Hosts: w.opt.Hosts, Origins: w.opt.Origins,
		Name: name, Responder: runner.Responder(), Version: "test", KeepAlive: w.opt.keepAlive, Now: w.clock.Now, Log: w.opt.log,
	}
	if w.mirror != nil {
		config.Transcripts = w.mirror
	}
	handler := httpapi.New(config)
	w.handler.Store(&handler)
}

// carryOn lets runs go on until the returned function is called.
func carryOn(r *live.Registry) (leave func()) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.Serve(ctx) // it ends with its context only
	}()
	<-r.Begun()
	return func() {
		stop()
		<-ended
	}
}

// finishRuns carries out what waits, until all of it is over.
func (w *world) finishRuns() {
	w.t.Helper()
	w.leave = carryOn(w.live)
	list, err := w.live.Runs(context.Background(), owner.Local(), live.Filter{Limit: 100})
	for i := range list {
		for _, followed := range w.live.Follow(context.Background(), owner.Local(), list[i].ID, 0, nil) {
			err = errors.Join(err, followed)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// detail is what the program around the server would say of it.
func (w *world) detail(ctx context.Context, _ bool) (httpapi.Detail, error) {
	damage, err := w.db.Check(ctx, true)
	rows, failed := w.db.CheckRows(ctx)
	return httpapi.Detail{StartedAt: w.clock.Now(), Data: httpapi.Data{File: "state.db", Damage: damage, Rows: rows, Checked: "deep"}}, errors.Join(err, failed)
}

// tools are those the options switch on.
func (w *world) tools() run.Tools {
	var set tool.Set
	for _, name := range w.opt.Tools {
		switch name {
		case tool.MemoryName:
			set = append(set, tool.Memory{})
		case search.ToolName:
			set = append(set, tool.Search{Tool: &search.Tool{Store: w.db, Transcripts: w.db}})
		case tool.SkillsName:
			set = append(set, tool.Skills{Home: w.dir})
		}
	}
	if set == nil {
		return nil
	}
	return tool.Guarded{Tools: w.measure.Tools(tool.Audited{Tools: set, Audit: w.db, Now: w.clock.Now, Log: w.opt.log}, w.opt.Tools), Names: w.opt.Approve}
}

// loop leads back into the world: the MCP door is a client of the API.
type loop struct{ w *world }

func (l loop) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = l.w.srv.Listener.Addr().String()
	return l.w.pool.RoundTrip(r)
}

func lister(m *upstream.OpenAI) func(context.Context) ([]httpapi.Model, error) {
	return func(ctx context.Context) ([]httpapi.Model, error) {
		rows, err := m.Models(ctx)
		out := make([]httpapi.Model, len(rows))
		for i, r := range rows {
			out[i] = httpapi.Model{ID: r.ID, OwnedBy: r.OwnedBy, Created: r.Created.Unix()}
		}
		return out, err
	}
}

func (w *world) ready(context.Context) error {
	if w.refuse.Load() {
		return fault.New(fault.Unavailable, "draining", "stopping, says /var/lib/secret.db")
	}
	return w.db.Ready()
}

// restart closes the file and starts again from what is in it.
func (w *world) restart() {
	w.t.Helper()
	w.leave()
	if err := w.db.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

// key makes an API key of the named owner.
func (w *world) key(name string, scopes ...owner.Scope) (secret string) {
	w.t.Helper()
	_, secret, err := w.keyring.Create(context.Background(), owner.NewKey{Name: name, OwnerID: name, Scopes: scopes})
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// reply is a response that was read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// request builds a request with the local key. headers are pairs; a later pair
// replaces an earlier one, an empty value removes it.
func (w *world) request(method, path, body string, headers ...string) *http.Request {
	w.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, w.srv.URL+path, in)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+localKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case value == "":
			r.Header.Del(name)
		case name == "Host":
			r.Host = value
		default:
			r.Header.Set(name, value)
		}
	}
	return r
}

// call sends a request and reads the whole answer.
func (w *world) call(method, path, body string, headers ...string) reply {
	w.t.Helper()
	return w.do(w.request(method, path, body, headers...))
}

func (w *world) do(r *http.Request) reply {
	w.t.Helper()
	res, err := w.srv.Client().Do(r)
	if err != nil {
		w.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		return reply{header: http.Header{}}
	}
	defer func() { _ = res.Body.Close() }()
	if r.URL.Path == "/api/events" && r.Method == http.MethodGet && res.StatusCode == http.StatusOK { // it never ends
		first, err := bufio.NewReader(res.Body).ReadString('}')
		if err != nil {
			w.t.Errorf("%s %s: read the first event: %v", r.Method, r.URL.Path, err)
		}
		return reply{res.StatusCode, res.Header, first}
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Errorf("%s %s: read the answer: %v", r.Method, r.URL.Path, err)
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// chat sends one message of the user to a session and expects an answer.
func (w *world) chat(session, text string, headers ...string) reply {
	w.t.Helper()
	got := w.call("POST", "/v1/chat/completions", chatBody(text, false), append([]string{"X-Hermes-Session-Id", session}, headers...)...)
	if got.status != http.StatusOK {
		w.t.Errorf("chat %q in %s: got %d %s, want 200", text, session, got.status, got.body)
	}
	return got
}

// run has a text said to a session in a run, waits until that is over, and returns
// its id.
func (w *world) run(session, text string, headers ...string) string {
	w.t.Helper()
	body, _ := json.Marshal(map[string]string{"input": text, "session_id": session})
	var made struct {
		RunID string `json:"run_id"`
	}
	got := w.call("POST", "/v1/runs", string(body), headers...)
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != http.StatusAccepted {
		w.t.Fatalf("run %q in %s: got %d %s, %v, want 202", text, session, got.status, got.body, err)
	}
	if events := w.call("GET", "/v1/runs/"+made.RunID+"/events", "", headers...); !strings.Contains(events.body, "event: run.completed") {
		w.t.Fatalf("run %q in %s: got %s", text, session, events.body)
	}
	return made.RunID
}

// chatBody is a chat completion request with one message of the user.
func chatBody(text string, stream bool) string {
	body, _ := json.Marshal(map[string]any{
		"model": "hermes", "stream": stream, "messages": []map[string]string{{"role": "user", "content": text}},
	})
	return string(body)
}
