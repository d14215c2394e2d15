package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type factPage struct {
	Data []struct {
		ID, Kind, Status, Statement string
		Asserted                    bool
	}
	More   bool   `json:"has_more"`
	Next   string `json:"next_cursor"`
	Counts struct {
		Total, Asserted int
		ByKind          map[string]int `json:"by_kind"`
		ByStatus        map[string]int `json:"by_status"`
	}
}

func (w *world) facts(path string) (p factPage) {
	w.t.Helper()
	got := w.call("GET", path, "")
	if err := json.Unmarshal([]byte(got.body), &p); err != nil || got.status != http.StatusOK {
		w.t.Fatalf("%s: got %d %s, %v", path, got.status, got.body, err)
	}
	return p
}

// TestFactPages: pages are the whole, in both orders, and each selection is a part of it.
func TestFactPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for i := range 9 {
		w.chat("s", fmt.Sprintf("We chose tool %d because of reason %d.", i, i), "X-Hermes-Session-Key", "team")
	}
	w.chat("s", "We use PostgreSQL.", "X-Hermes-Session-Key", "team")
	w.chat("s", "We switched from PostgreSQL to MySQL because of cost.", "X-Hermes-Session-Key", "team")
	w.chat("s", "Should we use Redis?", "X-Hermes-Session-Key", "team")
	const scope = "/api/memory?session_key=team"
	all := w.facts(scope + "&status=all&limit=500")
	if len(all.Data) < 10 || all.More || all.Counts.Total != len(all.Data) || all.Counts.ByStatus["reversed"] == 0 {
		t.Fatalf("got %d facts, %+v", len(all.Data), all.Counts)
	}
	for _, order := range []string{"oldest", "latest"} {
		var ids []string
		page := w.facts(scope + "&status=all&limit=3&order=" + order)
		for ; ; page = w.facts(scope + "&status=all&limit=3&order=" + order + "&cursor=" + url.QueryEscape(page.Next)) {
			for _, f := range page.Data {
				ids = append(ids, f.ID)
			}
			if !page.More {
				break
			}
			if len(page.Data) != 3 || page.Next == "" {
				t.Fatalf("got a page of %d with the cursor %q", len(page.Data), page.Next)
			}
		}
		var want []string
		for i := range all.Data {
			if order == "latest" {
				i = len(all.Data) - 1 - i
			}
			want = append(want, all.Data[i].ID)
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("%s (-whole +pages):\n%s", order, diff)
		}
	}
	for query, is := range map[string]func(i int) bool{
		"status=current":            func(i int) bool { return all.Data[i].Status == "current" },
		"status=reversed":           func(i int) bool { return all.Data[i].Status == "reversed" },
		"limit=500":                 func(i int) bool { return all.Data[i].Status == "current" },
		"asserted=true&status=all":  func(i int) bool { return all.Data[i].Asserted },
		"asserted=false&status=all": func(i int) bool { return !all.Data[i].Asserted },
		"q=TOOL+3&status=all":       func(i int) bool { return strings.Contains(all.Data[i].Statement, "tool 3") },
		"kind=decision&status=all":  func(i int) bool { return all.Data[i].Kind == "decision" },
	} {
		var want, got []string
		for i, f := range all.Data {
			if is(i) {
				want = append(want, f.ID)
			}
		}
		page := w.facts(scope + "&" + query)
		for _, f := range page.Data {
			got = append(got, f.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 || page.Counts.Total != all.Counts.Total {
			t.Errorf("%s: counts %+v and (-want +got):\n%s", query, page.Counts, diff)
		}
	}
	// A cursor goes on although its fact was erased meanwhile.
	first := w.facts(scope + "&status=all&limit=2")
	w.call("DELETE", "/api/memory/"+first.Data[1].ID+"?session_key=team", "")
	if next := w.facts(scope + "&status=all&limit=500&cursor=" + url.QueryEscape(first.Next)); len(next.Data) == 0 || next.Data[len(next.Data)-1].ID != all.Data[len(all.Data)-1].ID || next.Data[0].ID == first.Data[0].ID {
		t.Errorf("after an erasure: got %d facts", len(next.Data))
	}
	for query, code := range map[string]string{"limit=501": "invalid_limit", "cursor=x": "invalid_cursor", "cursor=b3RoZXI": "invalid_cursor", "status=x": "invalid_status", "asserted=x": "invalid_asserted", "order=x": "invalid_order"} {
		if got := w.call("GET", scope+"&"+query, ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, code) {
			t.Errorf("%s: got %d %s, want 400 %s", query, got.status, got.body, code)
		}
	}
}

// TestScopeByKey: the timeline and the state of a scope without naming a session.
func TestScopeByKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "We chose Rust because of latency.", "X-Hermes-Session-Key", "team")
	w.chat("s", "We chose Kafka because of volume.", "X-Hermes-Session-Key", "team")
	whole, page := w.facts("/api/memory/timeline?session_key=team"), w.facts("/api/memory/timeline?session_key=team&limit=1")
	if len(whole.Data) < 2 || len(page.Data) != 1 || !page.More || page.Data[0].ID != whole.Data[0].ID {
		t.Errorf("timeline: got %+v and %+v", whole, page)
	}
	var state, session struct {
		Hash string `json:"state_hash"`
		Next string
	}
	for path, into := range map[string]any{"/api/memory/state?session_key=team": &state, "/api/sessions/s/state": &session} {
		got := w.call("GET", path, "", "X-Hermes-Session-Key", "team")
		if err := json.Unmarshal([]byte(got.body), into); err != nil || got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s, %v", path, got.status, got.body, err)
		}
	}
	if state != session || !strings.Contains(state.Next, "Kafka") {
		t.Errorf("state: got %+v, want %+v", state, session)
	}
	if got := w.call("GET", "/api/memory/state", ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, "scope_required") {
		t.Errorf("without a scope: got %d %s", got.status, got.body)
	}
}
