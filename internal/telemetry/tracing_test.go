package telemetry_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/telemetry"
	"github.com/hermes-memory/hermes/internal/trail"
)

// collector takes spans as any collector of OpenTelemetry does.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	spans  map[string]*tracepb.Span // by name
	about  []string
	header http.Header
	raw    []byte
}

func newCollector(t *testing.T, status int) *collector {
	t.Helper()
	c := &collector{spans: make(map[string]*tracepb.Span)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data tracepb.TracesData // the same on the wire as ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("got %s %s %v", r.URL.Path, r.Header.Get("Content-Type"), err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.header, c.raw = r.Header, append(c.raw, body...)
		for _, rs := range data.ResourceSpans {
			c.about = values(rs.Resource.Attributes)
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					if len(s.ProtoReflect().GetUnknown()) > 0 {
						t.Errorf("%s has unknown fields", s.Name)
					}
					c.spans[s.Name] = s
				}
			}
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(c.Close)
	return c
}

// values are attributes as text, in order of name.
func values(list []*commonpb.KeyValue) []string {
	var out []string
	for _, kv := range list {
		var v any
		switch x := kv.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			v = x.StringValue
		case *commonpb.AnyValue_IntValue:
			v = x.IntValue
		case *commonpb.AnyValue_BoolValue:
			v = x.BoolValue
		case *commonpb.AnyValue_DoubleValue:
			v = "float"
		case *commonpb.AnyValue_ArrayValue:
			var all []string
			for _, e := range x.ArrayValue.Values {
				all = append(all, e.GetStringValue())
			}
			v = all
		}
		out = append(out, fmt.Sprintf("%s=%v", kv.Key, v))
	}
	slices.Sort(out)
	return out
}

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

// traced tells of a turn with a tool, a search and a call of the model's server,
// and of a job, and returns what that server was sent.
func traced(t *testing.T, m *telemetry.Telemetry) (sent http.Header) {
	t.Helper()
	ctx := trail.With(t.Context(), trail.Trail{RequestID: "req_1"})
	ctx, end := m.Begin(ctx, http.Header{"Traceparent": {"00-" + clientTrace + "-" + clientSpan + "-01"}, "Authorization": {"Bearer canary"}})
	ctx, turn := m.Turn(ctx, run.TurnBegun{Model: "qwen3", Session: "user:42", Streaming: true})
	tr := m.Transport(trip(func(r *http.Request) (*http.Response, error) {
		sent = r.Header
		return &http.Response{StatusCode: http.StatusBadGateway, Body: io.NopCloser(strings.NewReader("canary"))}, nil
	}))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://models.example:8080/v1/chat/completions?key=canary", strings.NewReader("canary"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if req.Header.Get("Traceparent") != "" {
		t.Error("the caller's own header was changed")
	}
	m.Tools(tools{}, nil).Call(ctx, nil, run.ToolRequest{ID: "call_1", Name: "broken", Arguments: []byte(`{"canary":1}`)})
	_, _ = m.Search(searcher{found: search.Found{Hits: make([]search.Hit, 2)}}).Search(ctx, owner.Local(), search.Request{})
	turn.FirstPiece()
	turn.Ended(run.TurnEnded{
		Result: &run.Result{
			Model: "qwen3-8b", Responder: lineage.ByUpstream, InputTokens: 30, OutputTokens: 7, Answer: run.Answer{Content: "canary", FinishReason: "error"},
		},
		Err: fault.New(fault.Upstream, "x", "canary"),
	})
	end(httpapi.Answered{Method: "POST", Route: "/v1/chat/completions", Status: 502, Took: time.Second})
	_, fired := m.Fire(t.Context(), time.Second)
	fired(job.Completed)
	return sent
}

func TestSpans(t *testing.T) {
	t.Parallel()
	c := newCollector(t, http.StatusOK)
	m := telemetry.New("v1")
	if err := m.Trace(t.Context(), telemetry.Tracing{Endpoint: c.URL + "/", Headers: "x-key=a%20b, y=2", Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	m.Provider("openai")
	sent := traced(t, m)
	m.Close(t.Context())
	if got := c.header.Get("X-Key") + "," + c.header.Get("Y"); got != "a b,2" {
		t.Errorf("got headers %q", got)
	}
	if !slices.Contains(c.about, "service.name=hermes") || !slices.Contains(c.about, "service.version=v1") {
		t.Errorf("got resource %v", c.about)
	}
	if strings.Contains(string(c.raw), "canary") || strings.Contains(string(c.raw), "user:42") {
		t.Error("a span holds what it must not")
	}
	server, turn, call := c.spans["POST /v1/chat/completions"], c.spans["invoke_agent hermes"], c.spans["chat qwen3"]
	tool, found, fire := c.spans["execute_tool broken"], c.spans["search"], c.spans["job fire"]
	for name, s := range map[string]*tracepb.Span{"server": server, "turn": turn, "call": call, "tool": tool, "search": found, "fire": fire} {
		if s == nil {
			t.Fatalf("no span of the %s; got %v", name, c.spans)
		}
		if s.EndTimeUnixNano < s.StartTimeUnixNano || s.StartTimeUnixNano == 0 {
			t.Errorf("%s: got times %d to %d", name, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
		if foreign := hex.EncodeToString(s.TraceId) != clientTrace; foreign != (s == fire) {
			t.Errorf("%s: got trace %x", name, s.TraceId)
		}
	}
	if got := hex.EncodeToString(server.ParentSpanId); got != clientSpan {
		t.Errorf("the request's parent: got %s", got)
	}
	for name, s := range map[string]*tracepb.Span{"call": call, "tool": tool, "search": found} {
		if string(s.ParentSpanId) != string(turn.SpanId) {
			t.Errorf("%s is not below the turn", name)
		}
	}
	if want := "00-" + clientTrace + "-" + hex.EncodeToString(call.SpanId) + "-01"; sent.Get("Traceparent") != want {
		t.Errorf("the model's server was sent %q, want %q", sent.Get("Traceparent"), want)
	}
	checkAttributes(t, "server", server, tracepb.Span_SPAN_KIND_SERVER, true,
		"error.type=502", "hermes.request_id=req_1", "http.request.method=POST", "http.response.status_code=502", "http.route=/v1/chat/completions")
	checkAttributes(t, "turn", turn, tracepb.Span_SPAN_KIND_INTERNAL, true,
		"error.type=failed", "gen_ai.agent.name=hermes", "gen_ai.operation.name=invoke_agent", "gen_ai.provider.name=hermes", "gen_ai.request.model=qwen3",
		"gen_ai.response.finish_reasons=[error]", "gen_ai.response.model=qwen3-8b", "gen_ai.usage.input_tokens=30", "gen_ai.usage.output_tokens=7",
		"hermes.compressed=false", "hermes.context.naive_tokens=0", "hermes.context.sent_tokens=0", "hermes.facts_learned=0",
		"hermes.first_piece_seconds=float", "hermes.responder=upstream", "hermes.reversals=0")
	checkAttributes(t, "call", call, tracepb.Span_SPAN_KIND_CLIENT, true,
		"error.type=error", "gen_ai.operation.name=chat", "gen_ai.provider.name=openai", "gen_ai.request.model=qwen3",
		"http.request.method=POST", "http.response.status_code=502", "server.address=models.example")
	checkAttributes(t, "tool", tool, tracepb.Span_SPAN_KIND_INTERNAL, true,
		"error.type=failed", "gen_ai.operation.name=execute_tool", "gen_ai.tool.call.id=call_1", "gen_ai.tool.name=broken", "gen_ai.tool.type=function")
	checkAttributes(t, "search", found, tracepb.Span_SPAN_KIND_INTERNAL, false, "hermes.hits=2", "hermes.outcome=whole")
	checkAttributes(t, "fire", fire, tracepb.Span_SPAN_KIND_INTERNAL, false, "hermes.job.late_seconds=float", "hermes.job.status=completed")
}

func checkAttributes(t *testing.T, name string, s *tracepb.Span, kind tracepb.Span_SpanKind, failed bool, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, values(s.Attributes)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	if is := s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR; s.Kind != kind || is != failed {
		t.Errorf("%s: got kind %v, status %v", name, s.Kind, s.Status)
	}
}

// TestConversations: sessions are named only where that was asked for.
func TestConversations(t *testing.T) {
	t.Parallel()
	c := newCollector(t, http.StatusOK)
	m := telemetry.New("v1")
	if err := m.Trace(t.Context(), telemetry.Tracing{Traces: c.URL + "/v1/traces", Conversations: true, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	traced(t, m)
	m.Close(t.Context())
	if got := values(c.spans["invoke_agent hermes"].Attributes); !slices.Contains(got, "gen_ai.conversation.id=user:42") {
		t.Errorf("got %v", got)
	}
}

// TestNoCollector: a collector that refuses or is not there costs one line.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	gone := newCollector(t, http.StatusOK)
	gone.Close()
	for name, url := range map[string]string{"refuses": newCollector(t, http.StatusForbidden).URL, "gone": gone.URL} {
		var log strings.Builder
		m := telemetry.New("v1")
		if err := m.Trace(t.Context(), telemetry.Tracing{Endpoint: url, Headers: "k=canary", Log: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		traced(t, m)
		m.Close(t.Context())
		if n := strings.Count(log.String(), "\n"); n != 1 || strings.Contains(log.String(), "canary") {
			t.Errorf("%s: got %q", name, log.String())
		}
	}
}

// TestTracingSettings: without a place for them there are no spans, and wrong ones
// are refused.
func TestTracingSettings(t *testing.T) {
	t.Parallel()
	m := telemetry.New("v1")
	if err := m.Trace(t.Context(), telemetry.Tracing{}); err != nil {
		t.Fatal(err)
	}
	if sent := traced(t, m); sent.Get("Traceparent") != "" {
		t.Errorf("got %q without tracing", sent.Get("Traceparent"))
	}
	m.Close(t.Context())
	for _, c := range []telemetry.Tracing{
		{Endpoint: "localhost:4317"}, {Endpoint: "ftp://h"}, {Traces: "http://"}, {Endpoint: "http://h", Headers: "secret"}, {Endpoint: "http://h", Headers: "a=%zz"},
	} {
		if err := m.Trace(t.Context(), c); fault.KindOf(err) != fault.Invalid || strings.Contains(fault.MessageOf(err), "secret") {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}
