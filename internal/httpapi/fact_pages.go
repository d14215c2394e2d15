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

// statusAll selects facts whether they hold or not.
const statusAll = "all"

// pagesFacts reports whether a query asks for a page. Without that, all facts are one
// answer, as they were for the first clients.
func pagesFacts(q url.Values) bool {
	return slices.ContainsFunc([]string{"limit", "cursor", "q", "status", "asserted", "order"}, q.Has)
}

// parseFactQuery reads which facts are asked for, and which page of them.
func parseFactQuery(q url.Values) (memory.FactQuery, error) {
	p := memory.FactQuery{Kind: memory.Kind(q.Get("kind")), Words: strings.ToLower(q.Get("q"))}
	var err error
	if p.Limit, err = number(q.Get("limit"), "limit", 100, 500); err != nil {
		return p, err
	}
	if p.After, err = parseFactCursor(q.Get("cursor")); err != nil {
		return p, err
	}
	if p.Status, err = parseFactStatus(q); err != nil {
		return p, err
	}
	if text := q.Get("asserted"); text != "" {
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return p, fault.New(fault.Invalid, "invalid_asserted", "\"asserted\" is true or false.").At("asserted")
		}
		p.Asserted = &yes
	}
	p.Latest, err = newestFirst(q)
	return p, err
}

// parseFactStatus reads which status is asked for. Without one, the facts that hold are, if
// nothing else in the query asks for others.
func parseFactStatus(q url.Values) (memory.Status, error) {
	switch status := memory.Status(q.Get("status")); status {
	case memory.CurrentStatus, memory.ReversedStatus:
		return status, nil
	case statusAll:
		return memory.AnyStatus, nil
	case "":
		if q.Get("include") == "superseded" || q.Get("kind") == string(memory.ReversalKind) || q.Get("axis") == axisValid {
			return memory.AnyStatus, nil
		}
		return memory.CurrentStatus, nil
	}
	return "", fault.New(fault.Invalid, "invalid_status", "\"status\" is current, reversed or all.").At("status")
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

// factCursor is the text of the position after a fact.
func factCursor(f *memory.Fact) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%s", f.Source.MessageID, f.ID))
}

// parseFactCursor reads the position after a fact.
func parseFactCursor(text string) (memory.FactCursor, error) {
	if text == "" {
		return memory.FactCursor{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	message, fact, ok := strings.Cut(string(raw), ":")
	id, wrong := strconv.ParseInt(message, 10, 64)
	if err != nil || wrong != nil || !ok {
		return memory.FactCursor{}, fault.New(fault.Invalid, "invalid_cursor",
			"The cursor is not valid. Leave it out to begin with the first page.").At("cursor")
	}
	return memory.FactCursor{Message: id, ID: memory.FactID(fact)}, nil
}

// factCounts counts the facts of a scope.
type factCounts struct {
	Total    int                   `json:"total"`
	ByKind   map[memory.Kind]int   `json:"by_kind"`
	ByStatus map[memory.Status]int `json:"by_status"`
	Asserted int                   `json:"asserted"` // taken as true
}

func countsOf(c *memory.FactCounts) *factCounts {
	return &factCounts{
		Total: c.Total, ByKind: c.ByKind, Asserted: c.Asserted(),
		ByStatus: map[memory.Status]int{memory.CurrentStatus: c.Total - c.Reversed, memory.ReversedStatus: c.Reversed},
	}
}

// factList is a page of facts.
type factList struct {
	listPage[factJSON]
	Counts *factCounts `json:"counts,omitempty"`
}

func factListOf(page *memory.FactPage) factList {
	var next *string
	if page.More {
		at := factCursor(&page.Facts[len(page.Facts)-1])
		next = &at
	}
	return factList{listPage: pageOf(page.Facts, next, factOf)}
}

// scopeTimeline answers GET /api/memory/timeline: the timeline of a scope, in pages.
func (s *server) scopeTimeline(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	query, err := parseFactQuery(r.URL.Query())
	if err != nil {
		return err
	}
	page, err := s.Curator.TimelinePage(r.Context(), ownerOf(r), scope, r.URL.Query().Get("topic"), query)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, factListOf(&page))
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
