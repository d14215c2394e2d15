package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/trail"
)

// forgetBody is the body of a request to forget.
type forgetBody struct {
	About      string `json:"about"`
	SessionID  string `json:"session_id"`
	SessionKey string `json:"session_key"`
	DryRun     bool   `json:"dry_run"`
	Backups    string `json:"backups"`
	// Word says that the thing counts as a whole word, or as whole words, only.
	Word bool `json:"word"`
	// List is how many sentences and sessions a dry run of a thing lists; 0 for the usual number.
	List int `json:"list"`
}

// mostListed bounds the list of a dry run.
const mostListed = 100_000

// forget answers POST /api/memory/forget. It erases a thing, a session, or a session
// key, and returns the certificate of the erasure.
func (s *server) forget(w http.ResponseWriter, r *http.Request) error {
	var in forgetBody
	if err := decode(r, &in); err != nil {
		return err
	}
	if err := checkBackups(r, in.Backups); err != nil {
		return err
	}
	if in.List < 0 || in.List > mostListed {
		return fault.New(fault.Invalid, "invalid_list", fmt.Sprintf("\"list\" is a number up to %d.", mostListed)).At("list")
	}
	given := 0
	for _, text := range []string{in.About, in.SessionID, in.SessionKey} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return fault.New(fault.Invalid, "forget_what", "Say what to forget: one of about, session_id, session_key.")
	}
	if note := audit.From(r.Context()); in.DryRun {
		note.Skip()
	} else {
		note.Detail(forgotten(in.About, in.SessionID))
	}
	out, err := s.forgetOne(r, &in)
	if err != nil {
		return err
	}
	done := certificate{Object: "hermes.forgotten", Forgotten: out}
	if done.Backups, err = s.heldBy(r, in.Backups == deleteBackups && !in.DryRun); err != nil {
		return err
	}
	if !in.DryRun {
		at := s.Now().UTC()
		done.At, done.Version = &at, s.Version
		done.AuditSeq = s.entered(r)
	}
	return writeJSON(w, http.StatusOK, done)
}

// certificate is the answer to a forgetting. At, AuditSeq and Version say when, under which
// number of the audit, and by which program things were erased; a dry run has none.
type certificate struct {
	Object string `json:"object"`
	*curate.Forgotten
	At       *time.Time `json:"at,omitempty"`
	AuditSeq int64      `json:"audit_seq,omitempty"`
	Version  string     `json:"version,omitempty"`
	// Backups may still hold what was erased; nil if none is known.
	Backups *HeldBy `json:"backups,omitempty"`
}

// entered writes the entry of the request, if its transaction did not, and returns the
// number of the entry; 0 if there is none.
func (s *server) entered(r *http.Request) int64 {
	note := audit.From(r.Context())
	if note == nil || s.Audit == nil {
		return 0
	}
	s.closeNote(r.Context(), note)
	list, err := s.Audit.Audit(r.Context(), ownerOf(r), audit.Filter{Action: "memory.forget", Limit: 10})
	if err != nil {
		return 0 // the erasure took place all the same
	}
	for i := range list {
		if list[i].RequestID == trail.From(r.Context()).RequestID {
			return list[i].Seq
		}
	}
	return 0
}

// forgotten is the kind of thing that a request forgets, for the audit.
func forgotten(about, id string) string {
	switch {
	case about != "":
		return "about"
	case id != "":
		return "session"
	}
	return "session_key"
}

func (s *server) forgetOne(r *http.Request, in *forgetBody) (*curate.Forgotten, error) {
	ctx, o := r.Context(), ownerOf(r)
	switch {
	case in.About != "":
		thing := mention.Of(in.About)
		if in.Word {
			thing = mention.OfWord(in.About)
		}
		return s.Curator.ForgetThing(ctx, o, thing, in.DryRun, in.List)
	case in.SessionID != "":
		parsed, err := session.ParseID(in.SessionID)
		if err == nil && !in.DryRun {
			err = s.stopTurnsOf(r, parsed)
		}
		if err != nil {
			return nil, err
		}
		return s.Curator.ForgetSession(ctx, o, parsed, in.DryRun)
	}
	parsed, err := session.ParseKey(in.SessionKey)
	if err != nil {
		return nil, err
	}
	return s.Curator.ForgetKey(ctx, o, parsed, in.DryRun)
}

// Rebuilt is the answer to POST /api/memory/rebuild.
type Rebuilt struct {
	Object string `json:"object"`
	Verify bool   `json:"verify"`
	// Identical says that all scopes are identical.
	Identical bool           `json:"identical"`
	Data      []RebuiltScope `json:"data"`
}

// RebuiltScope is one scope in a [Rebuilt]: its rebuilt facts next to the stored ones.
type RebuiltScope struct {
	Root       session.ID  `json:"_lineage_root_id,omitempty"`
	Key        session.Key `json:"session_key,omitempty"`
	Messages   int         `json:"messages"`
	Facts      int         `json:"facts"`
	Stored     int         `json:"stored_facts"`
	Hash       string      `json:"state_hash"`
	StoredHash string      `json:"stored_hash"`
	Identical  bool        `json:"identical"`
}

// rebuild answers POST /api/memory/rebuild: all facts are distilled again from the
// messages; with verify they are only compared.
func (s *server) rebuild(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Verify bool `json:"verify"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	if in.Verify {
		audit.From(r.Context()).Skip()
	}
	rows, err := s.Curator.Rebuild(r.Context(), ownerOf(r), in.Verify)
	if err != nil {
		return err
	}
	out := Rebuilt{Object: "hermes.rebuilt", Verify: in.Verify, Identical: true, Data: []RebuiltScope{}}
	for i := range rows {
		b := &rows[i]
		out.Identical = out.Identical && b.Identical()
		out.Data = append(out.Data, RebuiltScope{b.Scope.Root, b.Scope.Key, b.Messages, b.Facts, b.Stored, b.Hash, b.StoredHash, b.Identical()})
	}
	return writeJSON(w, http.StatusOK, out)
}

// addFact answers POST /api/memory: a statement is added to the memory of a scope, as
// if its owner had said it.
func (s *server) addFact(w http.ResponseWriter, r *http.Request) error {
	return s.remember(w, r, "", http.StatusCreated)
}

// editFact answers PATCH /api/memory/{fact_id}: a new version replaces the fact. The
// old version stays in the history.
func (s *server) editFact(w http.ResponseWriter, r *http.Request) error {
	return s.remember(w, r, memory.FactID(r.PathValue("fact_id")), http.StatusOK)
}

// remember puts the statement of a request into memory, as a replacement of a fact or
// as a new one, and answers with the stored fact.
func (s *server) remember(w http.ResponseWriter, r *http.Request, replaces memory.FactID, code int) error {
	var in struct {
		Statement string      `json:"statement"`
		Kind      memory.Kind `json:"kind"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	h, err := memoryHeaders(r)
	if err != nil {
		return err
	}
	facts, err := s.Curator.Remember(r.Context(), &curate.Note{
		Owner: ownerOf(r), Session: h.id, Key: h.key, Text: in.Statement, Kind: in.Kind, Replaces: replaces,
	})
	if err != nil {
		return err
	}
	data := []factJSON{}
	for i := range facts {
		data = append(data, factOf(&facts[i]))
	}
	return writeJSON(w, code, map[string]any{"object": "list", "data": data})
}

// deleteFact answers DELETE /api/memory/{fact_id}: the fact is erased, and so are its
// words in the transcript.
func (s *server) deleteFact(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	out, err := s.Curator.ForgetFact(r.Context(), ownerOf(r), scope, memory.FactID(r.PathValue("fact_id")))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.fact.deleted", "id": r.PathValue("fact_id"), "deleted": true,
		"facts_erased": out.Facts, "external_memory": out.External})
}
