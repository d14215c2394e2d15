package telemetry_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/study"
	"github.com/hermes-memory/hermes/internal/telemetry"
)

// searcher finds what it is told to.
type searcher struct {
	found search.Found
	err   error
}

func (s searcher) Search(context.Context, owner.Owner, search.Request) (search.Found, error) {
	return s.found, s.err
}

func (s searcher) Reindex(context.Context) error { return nil }

type tools struct{}

func (tools) Offer(context.Context, *run.Grant) []run.ToolDefinition { return nil }

func (tools) Check([]run.ToolChoice) error { return nil }

func (tools) Call(_ context.Context, _ *run.Grant, c run.ToolRequest) run.ToolResult {
	return run.ToolResult{Failed: c.Name == "broken"}
}

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// told is a Telemetry that has been told of one of everything.
func told(t *testing.T) *telemetry.Telemetry {
	t.Helper()
	ctx := t.Context()
	m := telemetry.New("v1")
	m.Watch(telemetry.Sources{
		Runs:  func() run.Load { return run.Load{Lineages: 7, Turns: 2, Waiting: 1} },
		Store: func() storage.Load { return storage.Load{Queued: 3, Unindexed: 4} },
		Jobs:  func() job.Load { return job.Load{Fires: 5, Deliveries: 6} },
		Line:  func() (int, int) { return 11, 12 },
		Cache: func() piece.Stats {
			return piece.Stats{Held: 21, Limit: 22, Misses: 23, Loads: 24, Evictions: 25}
		},
		Platforms: func() []gateway.Status {
			return []gateway.Status{
				{Platform: gateway.Telegram, Health: gateway.Health{State: "connected"}, Queues: gateway.Queues{Events: 2, Sends: 3}},
				{Platform: gateway.Slack, Health: gateway.Health{State: "connecting"}},
			}
		},
		Study: func() study.Stats {
			return study.Stats{Accepted: 1, Refused: 2, Calls: 9, Failures: 4, Vectors: 5, Summarized: 6, Titled: 8}
		},
	})
	_, end := m.Begin(ctx, nil)
	end(httpapi.Answered{Method: "GET", Route: "/health", Status: 204, Took: time.Millisecond})
	_, end = m.Begin(ctx, nil)
	end(httpapi.Answered{Method: "GET", Route: "/health", Status: 429, Limited: true})
	for _, o := range []claim.Outcome{claim.LetIn, claim.KeyFull, claim.NoRoom, claim.TooLong, claim.Left} {
		m.Waited(time.Second, o)
	}
	_, turn := m.Turn(ctx, run.TurnBegun{Streaming: true})
	turn.FirstPiece()
	turn.Ended(run.TurnEnded{Result: &run.Result{
		Responder: lineage.ByUpstream, Compressed: true, InputTokens: 30, OutputTokens: 7,
		Context: lineage.Context{Sent: 100, Budget: 8000, Naive: 900}, Learned: make([]run.Learned, 2), Reversals: make([]run.Reversal, 1),
	}})
	_, turn = m.Turn(ctx, run.TurnBegun{})
	turn.Ended(run.TurnEnded{Err: fault.New(fault.Timeout, "t", "t")})
	_, turn = m.Turn(ctx, run.TurnBegun{})
	turn.Ended(run.TurnEnded{Result: &run.Result{Responder: lineage.ByRecall}, Replayed: true})
	m.Committed(storage.Commit{Operations: 3, Took: 2 * time.Millisecond, Synced: time.Millisecond})
	m.RolledBack()
	for _, s := range []searcher{{}, {found: search.Found{Partial: true}}, {err: errors.New("x")}} {
		_, _ = m.Search(s).Search(ctx, owner.Local(), search.Request{})
	}
	for _, name := range []string{"memory", "broken", "somebody_elses_name"} {
		m.Tools(tools{}, []string{"memory"}).Call(ctx, nil, run.ToolRequest{Name: name})
	}
	_, fired := m.Fire(ctx, time.Minute)
	fired(job.Completed)
	m.Delivery("webhook", job.Delivered)
	m.Delivery("pigeon", job.Undelivered)
	return m
}

// text is the metrics as Prometheus reads them.
func text(t *testing.T, m *telemetry.Telemetry) string {
	t.Helper()
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if kind := rec.Header().Get("Content-Type"); rec.Code != http.StatusOK || !strings.HasPrefix(kind, "text/plain") {
		t.Fatalf("got %d %q", rec.Code, kind)
	}
	return rec.Body.String()
}

// TestPageNamesEveryMetric holds docs/metrics.md against what is served, both
// ways: names, kinds and labels.
func TestPageNamesEveryMetric(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	m := told(t)
	call(t, m, nil, http.StatusOK)
	want := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(hermes_[a-z_]+)` \\| ([a-z]+) \\| (.*?) \\|").FindAllStringSubmatch(string(page), -1) {
		want[row[1]] = row[2] + " " + strings.ReplaceAll(row[3], "`", "")
	}
	if diff := cmp.Diff(want, families(text(t, m))); diff != "" {
		t.Errorf("docs/metrics.md (-page +served):\n%s", diff)
	}
}

// families are the metrics of this program with their kinds and labels.
func families(text string) map[string]string {
	kinds, labels := map[string]string{}, map[string][]string{}
	label := regexp.MustCompile(`([a-z]+)="`)
	in := bufio.NewScanner(strings.NewReader(text))
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 4 && words[1] == "TYPE" && strings.HasPrefix(words[2], "hermes_") {
			kinds[words[2]] = words[3]
			continue
		}
		name, rest, _ := strings.Cut(in.Text(), "{")
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, end)
		}
		for _, l := range label.FindAllStringSubmatch(rest, -1) {
			if l[1] != "le" && !slices.Contains(labels[name], l[1]) {
				labels[name] = append(labels[name], l[1])
			}
		}
	}
	out := map[string]string{}
	for name, kind := range kinds {
		slices.Sort(labels[name])
		out[name] = kind + " " + strings.Join(labels[name], ", ")
	}
	return out
}

// call makes one call of a model server that answers so.
func call(t *testing.T, m *telemetry.Telemetry, fail error, status int) {
	t.Helper()
	tr := m.Transport(trip(func(*http.Request) (*http.Response, error) {
		if fail != nil {
			return nil, fail
		}
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://h/v1/chat/completions", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := tr.RoundTrip(req)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	_ = res.Body.Close() // twice is once
}

func TestCounts(t *testing.T) {
	t.Parallel()
	m := told(t)
	call(t, m, nil, http.StatusOK)
	call(t, m, nil, http.StatusTooManyRequests)
	call(t, m, nil, http.StatusBadRequest)
	call(t, m, nil, http.StatusBadGateway)
	call(t, m, errors.New("refused"), 0)
	call(t, m, context.DeadlineExceeded, 0)
	got := text(t, m)
	for _, want := range []string{
		`hermes_http_requests_total{method="GET",route="/health",status="2xx"} 1`,
		`hermes_http_requests_running 0`,
		`hermes_turns_total{outcome="ok",responder="upstream"} 1`,
		`hermes_turns_total{outcome="failed",responder="none"} 1`,
		`hermes_turns_total{outcome="replayed",responder="recall"} 1`,
		`hermes_idempotency_replays_total 1`,
		`hermes_streams_open 0`,
		`hermes_context_tokens_total{kind="naive"} 900`,
		`hermes_model_tokens_total{direction="output"} 7`,
		`hermes_facts_learned_total 2`,
		`hermes_reversals_total 1`,
		`hermes_compressions_total 1`,
		`hermes_turn_first_piece_seconds_count 1`,
		`hermes_upstream_calls_total{operation="chat",outcome="ok"} 1`,
		`hermes_upstream_calls_total{operation="chat",outcome="rate_limited"} 1`,
		`hermes_upstream_calls_total{operation="chat",outcome="refused"} 1`,
		`hermes_upstream_calls_total{operation="chat",outcome="error"} 1`,
		`hermes_upstream_calls_total{operation="chat",outcome="unreachable"} 1`,
		`hermes_upstream_calls_total{operation="chat",outcome="timeout"} 1`,
		`hermes_tool_calls_total{outcome="ok",tool="memory"} 1`,
		`hermes_tool_calls_total{outcome="ok",tool="mcp"} 1`,
		`hermes_tool_calls_total{outcome="failed",tool="mcp"} 1`,
		`hermes_writer_batch_operations_sum 3`,
		`hermes_writer_rollbacks_total 1`,
		`hermes_writer_queue_operations 3`,
		`hermes_index_lag_messages 4`,
		`hermes_search_seconds_count{outcome="partial"} 1`,
		`hermes_job_fires_total{status="completed"} 1`,
		`hermes_job_late_seconds_sum 60`,
		`hermes_job_deliveries_total{state="failed",target="other"} 1`,
		`hermes_study_calls_total{outcome="ok"} 5`,
		`hermes_lineages_in_memory 7`,
		`hermes_build_info{go="`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %s", want)
		}
	}
	if strings.Contains(got, "somebody_elses_name") || strings.Contains(got, "pigeon") {
		t.Error("a label has a value from outside")
	}
}

// TestNothingToOffer: no tools stay no tools.
func TestNothingToOffer(t *testing.T) {
	t.Parallel()
	if telemetry.New("v1").Tools(nil, nil) != nil {
		t.Error("tools were made of none")
	}
}
