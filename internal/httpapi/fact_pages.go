package httpapi

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
)

// factPage is how a page of facts is asked for.
type factPage struct {
	limit  int
	after  string // the cursor
	latest bool   // newest first
	words  string // in small letters; "" for all
	status string // "" for what the other parameters select
	// asserted selects facts by whether they are taken as true; nil selects both.
	asserted *bool
}

// The statuses of facts in a query; "all" selects both.
const (
	statusCurrent  = "current"
	statusReversed = "reversed"
	statusAll      = "all"
)

// pagesFacts reports whether a query asks for a page. Without that, all facts are one
// answer, as they were for the first clients.
func pagesFacts(q url.Values) bool {
	return slices.ContainsFunc([]string{"limit", "cursor", "q", "status", "asserted", "order"}, q.Has)
}

// parseFactPage reads how a page of facts is asked for.
func parseFactPage(q url.Values) (factPage, error) {
	p := factPage{words: strings.ToLower(q.Get("q")), status: q.Get("status")}
	var err error
	if p.limit, err = number(q.Get("limit"), "limit", 100, 500); err != nil {
		return p, err
	}
	if p.after, err = parseFactCursor(q.Get("cursor")); err != nil {
		return p, err
	}
	if !slices.Contains([]string{"", statusCurrent, statusReversed, statusAll}, p.status) {
		return p, fault.New(fault.Invalid, "invalid_status", "\"status\" is current, reversed or all.").At("status")
	}
	if text := q.Get("asserted"); text != "" {
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return p, fault.New(fault.Invalid, "invalid_asserted", "\"asserted\" is true or false.").At("asserted")
		}
		p.asserted = &yes
	}
	p.latest, err = newestFirst(q)
	return p, err
}

// newestFirst reads the order of a query.
func newestFirst(q url.Values) (bool, error) {
	switch q.Get("order") {
	case "", "oldest":
		return false, nil
	case "latest":
		return true, nil
	}
	return false, fault.New(fault.Invalid, "invalid_order", "\"order\" is latest, or is left out.").At("order")
}

// wants reports whether a fact is selected.
func (p *factPage) wants(f *memory.Fact) bool {
	switch {
	case p.status == statusCurrent && !f.Current():
		return false
	case p.status == statusReversed && f.Current():
		return false
	case p.asserted != nil && f.Kind.Asserted() != *p.asserted:
		return false
	}
	return p.words == "" || slices.ContainsFunc([]string{f.Statement, f.Quote, f.Because}, p.says)
}

// says reports whether a text has the words that are looked for.
func (p *factPage) says(text string) bool { return strings.Contains(strings.ToLower(text), p.words) }

// cut returns the page of selected facts, which it may reorder, and the cursor of the next
// page; nil if this is the last one.
func (p *factPage) cut(facts []memory.Fact) ([]memory.Fact, *string) {
	if p.latest {
		slices.Reverse(facts)
	}
	return cutPage(facts[p.begin(facts):], p.limit, func(last *memory.Fact) string {
		return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%s", last.Source.MessageID, last.ID))
	})
}

// begin is where the page begins: behind the fact of the cursor, or, if that is gone, behind
// the facts of its message. Facts are in the order of their messages.
func (p *factPage) begin(facts []memory.Fact) int {
	if p.after == "" {
		return 0
	}
	message, id, _ := strings.Cut(p.after, ":")
	if i := slices.IndexFunc(facts, func(f memory.Fact) bool { return string(f.ID) == id }); i >= 0 {
		return i + 1
	}
	seen, _ := strconv.ParseInt(message, 10, 64) // it was checked
	i := slices.IndexFunc(facts, func(f memory.Fact) bool {
		if p.latest {
			return f.Source.MessageID < seen
		}
		return f.Source.MessageID > seen
	})
	if i < 0 {
		return len(facts)
	}
	return i
}

// parseFactCursor reads the position after a fact: its message and its id.
func parseFactCursor(text string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	message, _, ok := strings.Cut(string(raw), ":")
	if _, wrong := strconv.ParseInt(message, 10, 64); text == "" || err == nil && ok && wrong == nil {
		return string(raw), nil
	}
	return "", fault.New(fault.Invalid, "invalid_cursor", "The cursor is not valid. Leave it out to begin with the first page.").At("cursor")
}

// factCounts counts the facts of a scope.
type factCounts struct {
	Total    int                 `json:"total"`
	ByKind   map[memory.Kind]int `json:"by_kind"`
	ByStatus map[string]int      `json:"by_status"`
	Asserted int                 `json:"asserted"` // taken as true
}

func countFacts(facts []memory.Fact) factCounts {
	out := factCounts{Total: len(facts), ByKind: make(map[memory.Kind]int), ByStatus: map[string]int{statusCurrent: 0, statusReversed: 0}}
	for i := range facts {
		f := &facts[i]
		out.ByKind[f.Kind]++
		if f.Kind.Asserted() {
			out.Asserted++
		}
		if f.Current() {
			out.ByStatus[statusCurrent]++
		} else {
			out.ByStatus[statusReversed]++
		}
	}
	return out
}

// factList is a page of facts.
type factList struct {
	listPage[factJSON]
	Counts *factCounts `json:"counts,omitempty"`
}

func (p *factPage) list(facts []memory.Fact) factList {
	page, next := p.cut(facts)
	return factList{listPage: pageOf(page, next, factOf)}
}

// scopeTimeline answers GET /api/memory/timeline: the timeline of a scope, in pages.
func (s *server) scopeTimeline(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	page, err := parseFactPage(r.URL.Query())
	if err != nil {
		return err
	}
	facts, err := s.Curator.Timeline(r.Context(), ownerOf(r), scope, r.URL.Query().Get("topic"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, page.list(facts))
}

// scopeState answers GET /api/memory/state: what the next turn of a scope would be shown.
func (s *server) scopeState(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	known, err := s.Curator.Overview(r.Context(), ownerOf(r), scope)
	if err != nil {
		return err
	}
	return writeTagged(w, r, struct {
		Object string     `json:"object"`
		RootID *string    `json:"_lineage_root_id"`
		Key    *string    `json:"session_key"`
		Hash   string     `json:"state_hash"`
		Facts  int        `json:"facts_total"`
		Budget budgetJSON `json:"budget"`
		Next   string     `json:"next"`
	}{"hermes.scope_state", optional(scope.Root), optional(scope.Key), known.Hash, known.Facts,
		budgetJSON{Tokens: known.Budget, Used: known.Next.Tokens}, known.Next.Text})
}
