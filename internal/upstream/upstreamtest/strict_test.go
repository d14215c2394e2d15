package upstreamtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

const (
	calls12 = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1"},{"id":"c2"}]}`
	tool1   = `{"role":"tool","tool_call_id":"c1","content":"x"}`
	tool2   = `{"role":"tool","tool_call_id":"c2","content":"x"}`
	says    = `{"role":"assistant","content":"x"}`
	asks    = `{"role":"user","content":"x"}`
)

func TestCheckChat(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		messages string
		good     bool
	}{
		"no tools":                 {asks + "," + says, true},
		"results in order":         {asks + "," + calls12 + "," + tool1 + "," + tool2 + "," + says, true},
		"results in another order": {calls12 + "," + tool2 + "," + tool1, true},
		"a result is missing":      {calls12 + "," + tool1, false},
		"an answer between":        {calls12 + "," + tool1 + "," + says + "," + tool2, false},
		"a user between":           {calls12 + "," + asks + "," + tool1 + "," + tool2, false},
		"a result twice":           {calls12 + "," + tool1 + "," + tool2 + "," + tool2, false},
		"a result without a call":  {asks + "," + tool1, false},
		"a call at the end":        {asks + "," + calls12, false},
		"a call without an id":     {`{"role":"assistant","tool_calls":[{"type":"function"}]},{"role":"tool","content":"x"}`, false},
		"an empty list of calls":   {`{"role":"assistant","tool_calls":[]}`, false},
		"a result with an image":   {`{"role":"assistant","tool_calls":[{"id":"c1"}]},{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url"}]}`, false},
		"a user who calls":         {`{"role":"user","tool_calls":[{"id":"c1"}]},` + tool1, false},
	} {
		if err := CheckChat([]byte(`{"messages":[` + tt.messages + `]}`)); (err == nil) != tt.good {
			t.Errorf("%s: got %v, want it accepted: %v", name, err, tt.good)
		}
	}
}

func TestCheckMessages(t *testing.T) {
	t.Parallel()
	const (
		use12   = `{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"c1"},{"type":"tool_use","id":"c2"}]}`
		results = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2"},{"type":"tool_result","tool_use_id":"c1"},{"type":"text","text":"x"}]}`
		late    = `{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c2"}]}`
		half    = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}`
		twice   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c2"}]}`
	)
	for name, tt := range map[string]struct {
		messages string
		good     bool
	}{
		"no tools":                 {asks, true},
		"results":                  {asks + "," + use12 + "," + results + "," + says, true},
		"text before the results":  {use12 + "," + late, false},
		"a result is missing":      {use12 + "," + half, false},
		"a result twice":           {use12 + "," + twice, false},
		"no result":                {use12 + "," + asks, false},
		"a call at the end":        {asks + "," + use12, false},
		"a result without a call":  {asks + "," + half, false},
		"an id stands twice":       {use12 + "," + results + "," + use12 + "," + results, false},
		"a result of an assistant": {`{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"c1"}]}`, false},
	} {
		if err := CheckMessages([]byte(`{"messages":[` + tt.messages + `]}`)); (err == nil) != tt.good {
			t.Errorf("%s: got %v, want it accepted: %v", name, err, tt.good)
		}
	}
}

// quiet is a test that must not fail with the server's refusals.
type quiet struct {
	testing.TB
	failed string
}

func (q *quiet) Fatalf(format string, _ ...any) { q.failed = format }

func (q *quiet) Cleanup(func()) {}

// TestStrictByDefault: a server refuses what the real ones refuse and fails its
// test, unless it was told to be lenient.
func TestStrictByDefault(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"messages":[` + asks + `,` + tool1 + `]}`,
		"/v1/messages":         `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}]}`,
	} {
		for _, lenient := range []bool{false, true} {
			q := &quiet{TB: t}
			s := New(q, Options{Lenient: lenient})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			res, err := (&http.Client{}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			said, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			s.finish(q)
			if got := res.StatusCode == http.StatusBadRequest && q.failed != ""; got == lenient {
				t.Errorf("%s, lenient %v: got %d %s, the test failed with %q", path, lenient, res.StatusCode, said, q.failed)
			}
		}
	}
}

// FuzzChecks: no body makes a check panic.
func FuzzChecks(f *testing.F) {
	f.Add([]byte(`{"messages":[` + calls12 + `,` + tool1 + `]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}]}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		_ = CheckChat(body)
		_ = CheckMessages(body)
	})
}
