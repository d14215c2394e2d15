package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// factJSON is a fact on the wire.
type factJSON struct {
	ID           memory.FactID `json:"id"`
	Kind         memory.Kind   `json:"kind"`
	Asserted     bool          `json:"asserted"`
	Status       string        `json:"status"` // current, reversed
	Statement    string        `json:"statement"`
	Quote        string        `json:"quote"`
	Subject      string        `json:"subject,omitempty"`
	Attribute    string        `json:"attribute,omitempty"`
	Value        string        `json:"value,omitempty"`
	Because      string        `json:"because,omitempty"`
	MessageID    int64         `json:"message_id"`
	SessionID    session.ID    `json:"session_id"`
	Seq          int64         `json:"seq"`
	Start        int           `json:"start"`
	End          int           `json:"end"`
	Role         session.Role  `json:"role"`
	Speaker      string        `json:"speaker,omitempty"`
	SaidAt       time.Time     `json:"said_at"`
	When         *intervalJSON `json:"when,omitempty"`
	SupersededBy *string       `json:"superseded_by"`
	SupersededAt *time.Time    `json:"superseded_at,omitempty"`
	Links        []linkJSON    `json:"links"`
}

type intervalJSON struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

type linkJSON struct {
	Kind memory.LinkKind `json:"kind"`
	To   memory.FactID   `json:"to"`
}

func factOf(f *memory.Fact) factJSON {
	out := factJSON{
		ID: f.ID, Kind: f.Kind, Asserted: f.Kind.Asserted(), Status: "current", Statement: f.Statement, Quote: f.Quote,
		Subject: f.Subject, Attribute: f.Attribute, Value: f.Value, Because: f.Because, MessageID: f.Source.MessageID,
		SessionID: f.Source.SessionID, Seq: f.Source.Seq, Start: f.Source.Start, End: f.Source.End, Role: f.Source.Role,
		Speaker: f.Source.Speaker, SaidAt: f.SaidAt, SupersededBy: optional(f.SupersededBy),
		SupersededAt: optionalTime(f.SupersededAt), Links: []linkJSON{},
	}
	if !f.Current() {
		out.Status = "reversed"
	}
	if !f.When.IsZero() {
		out.When = &intervalJSON{f.When.From, f.When.To}
	}
	for _, l := range f.Links {
		out.Links = append(out.Links, linkJSON{l.Kind, l.To})
	}
	return out
}

// stateJSON is the state of a session's scope.
type stateJSON struct {
	Object    string     `json:"object"`
	SessionID session.ID `json:"session_id"`
	RootID    session.ID `json:"_lineage_root_id"`
	// Version counts the distilled messages.
	Version     int64      `json:"version"`
	LastMessage *int64     `json:"last_message_id"`
	StateHash   string     `json:"state_hash"`
	Facts       []factJSON `json:"facts"`
	Budget      budgetJSON `json:"budget"`
	// Next is the memory block that the next turn would be given if none of its facts
	// were in the tail.
	Next string `json:"next"`
}

type budgetJSON struct {
	Tokens int `json:"tokens"`
	Used   int `json:"used"`
}

// state answers GET /api/sessions/{id}/state: the memory that the session's turns use,
// or with scope=lineage only that of its own lineage. kind selects facts; kind=reversal
// selects facts that replaced another, and the replaced ones.
func (s *server) state(w http.ResponseWriter, r *http.Request) error {
	headers, err := parseSessionHeaders(r)
	if err != nil {
		return err
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	scope := curate.ScopeOf(&tip, headers.key)
	switch r.URL.Query().Get("scope") {
	case "":
	case "lineage":
		scope.Key, scope.Whole = "", true
	default:
		return fault.New(fault.Invalid, "invalid_scope", "\"scope\" is lineage, or is left out.").At("scope")
	}
	known, err := s.Curator.Inspect(r.Context(), ownerOf(r), tip.ID, scope)
	if err != nil {
		return err
	}
	out := stateJSON{
		Object: "hermes.state", SessionID: known.Session.ID, RootID: known.Session.RootID, Version: known.Session.NextSeq,
		StateHash: known.Hash, Facts: []factJSON{}, Next: known.Next.Text,
		Budget: budgetJSON{Tokens: known.Budget, Used: known.Next.Tokens},
	}
	newest, err := s.Sessions.Messages(r.Context(), ownerOf(r), tip.RootID, session.Range{Limit: 1, Newest: true})
	if err != nil {
		return err
	}
	if len(newest) > 0 {
		out.LastMessage = &newest[0].ID
	}
	query := memory.FactQuery{Kind: memory.Kind(r.URL.Query().Get("kind"))}
	for i := range known.Facts {
		if f := &known.Facts[i]; query.Wants(f) {
			out.Facts = append(out.Facts, factOf(f))
		}
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeTagged(w, r, out)
}
