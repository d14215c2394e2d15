package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPages: a list is read to its end or its bound, in pages of at most 200.
func TestPages(t *testing.T) {
	t.Parallel()
	const rows = 450
	for _, tt := range []struct {
		name  string
		most  int
		got   int
		asked []string
	}{
		{"to the end", everything, rows, []string{"200 from ", "200 from 200", "200 from 400"}},
		{"in one page", 20, 20, []string{"20 from "}},
		{"up to a bound", 250, 250, []string{"200 from ", "50 from 200"}},
		{"up to the end of a page", 200, 200, []string{"200 from "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				q := r.URL.Query()
				asked = append(asked, q.Get("limit")+" from "+q.Get("cursor"))
				limit, _ := strconv.Atoi(q.Get("limit"))
				from, _ := strconv.Atoi(q.Get("cursor"))
				p := page[int]{Data: []int{}}
				for ; len(p.Data) < limit && from < rows; from++ {
					p.Data = append(p.Data, from)
				}
				if from < rows {
					p.Next = strconv.Itoa(from)
				}
				if q.Get("source") != "cli" {
					t.Errorf("got the query %v", q)
				}
				_ = json.NewEncoder(w).Encode(p)
			}))
			defer s.Close()
			got, err := gather(pages[int](t.Context(), &client{http: s.Client(), base: s.URL}, "/list", url.Values{"source": {"cli"}}, tt.most))
			if err != nil || len(got) != tt.got || got[len(got)-1] != tt.got-1 {
				t.Errorf("got %d rows, %v, want the first %d", len(got), err, tt.got)
			}
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// TestShortened: a text is cut between words, unless that would take more than half
// of it away.
func TestShortened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"move the queue to NATS", 40, "move the queue to NATS"},
		{"move the queue to NATS", 12, "move the…"},
		{"move the queue to NATS", 15, "move the queue…"},
		{"anticonstitutionally", 8, "anticon…"},
		{"a anticonstitutionally", 12, "a anticonst…"},
	} {
		if got := shortened(c.text, c.n); got != c.want {
			t.Errorf("%q in %d characters: got %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
