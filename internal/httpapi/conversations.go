package httpapi

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// A conversation of OpenAI's API is a session: it has the session's ids, messages and
// memory. Its id is that of the lineage's first session.

// conversationJSON is a conversation on the wire.
type conversationJSON struct {
	ID        session.ID      `json:"id"`
	Object    string          `json:"object"`
	CreatedAt int64           `json:"created_at"`
	Metadata  json.RawMessage `json:"metadata"`
}

// conversationPrefix begins the ids that the server makes for conversations.
const conversationPrefix = "conv_"

// createConversation answers POST /v1/conversations.
func (s *server) createConversation(w http.ResponseWriter, r *http.Request) error {
	headers, err := parseSessionHeaders(r)
	if err != nil {
		return err
	}
	body, err := readBody(r)
	if err != nil {
		return err
	}
	in, err := openai.ParseConversation(body)
	if err != nil {
		return err
	}
	metadata, err := conversationMetadata(in.Metadata)
	if err != nil {
		return err
	}
	messages, prompt, err := s.conversationMessages(r, in.Items)
	if err != nil {
		return err
	}
	parsed(r)
	now := s.Now().UTC()
	row := session.Session{
		ID: headers.id, Key: headers.key, Source: session.SourceAPI, SystemPrompt: prompt, Metadata: metadata, StartedAt: now, LastActive: now,
	}
	if row.ID == "" {
		row.ID = newConversationID()
	}
	row.RootID = row.ID
	if err := s.Curator.Create(r.Context(), ownerOf(r), row); err != nil {
		return err
	}
	if len(messages) > 0 {
		if _, err := s.addItems(r, &row, messages); err != nil {
			return err
		}
	}
	digested(r)
	return s.showConversation(w, r, &row)
}

func newConversationID() session.ID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return session.ID(conversationPrefix + hex.EncodeToString(b[:]))
}

// getConversation answers GET /v1/conversations/{id}.
func (s *server) getConversation(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	return s.showConversation(w, r, &tip)
}

// updateConversation answers POST /v1/conversations/{id}: it replaces the metadata.
func (s *server) updateConversation(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	if in.Metadata == nil {
		return fault.New(fault.Invalid, "missing_metadata", "Missing required parameter: 'metadata'.").At("metadata")
	}
	metadata, err := conversationMetadata(in.Metadata)
	if err != nil {
		return err
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	changed, err := s.Curator.Edit(r.Context(), ownerOf(r), tip.ID, session.Patch{Metadata: &metadata, At: s.Now().UTC()}, nil)
	if err != nil {
		return err
	}
	return s.showConversation(w, r, &changed)
}

// deleteConversation answers DELETE /v1/conversations/{id}: it erases the session with
// its items and what memory learnt from them.
func (s *server) deleteConversation(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.eraseSession(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "conversation.deleted", "id": tip.RootID, "deleted": true})
}

// showConversation writes a conversation, by its newest session.
func (s *server) showConversation(w http.ResponseWriter, r *http.Request, tip *session.Session) error {
	root := tip
	if tip.ID != tip.RootID {
		first, err := s.Sessions.Session(r.Context(), ownerOf(r), tip.RootID)
		if err != nil {
			return err
		}
		root = &first
	}
	out := conversationJSON{ID: tip.RootID, Object: "conversation", CreatedAt: root.StartedAt.Unix(), Metadata: json.RawMessage("{}")}
	if tip.Metadata != "" {
		out.Metadata = json.RawMessage(tip.Metadata)
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeJSON(w, http.StatusOK, out)
}

// Bounds of a conversation's metadata, OpenAI's: how many pairs, and the lengths of a name
// and a value in characters.
const maxPairs, maxPairName, maxPairValue = 16, 64, 512

// conversationMetadata is metadata as it is stored; "" for none.
func conversationMetadata(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if err := openai.CheckMetadata(raw, "metadata"); err != nil {
		return "", err
	}
	var pairs map[string]string
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return "", fmt.Errorf("read metadata: %w", err)
	}
	tooLong := len(pairs) > maxPairs
	for name, value := range pairs {
		tooLong = tooLong || utf8.RuneCountInString(name) > maxPairName || utf8.RuneCountInString(value) > maxPairValue
	}
	if tooLong {
		return "", fault.New(fault.Invalid, "invalid_metadata",
			"'metadata' holds at most 16 pairs, with names of at most 64 and values of at most 512 characters.").At("metadata")
	}
	if len(pairs) == 0 {
		return "", nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return "", fmt.Errorf("read metadata: %w", err)
	}
	return out.String(), nil
}

// conversationMessages are items as messages of a transcript, and the text of the system
// and developer messages among them. A compaction is replaced by what it stands for.
func (s *server) conversationMessages(r *http.Request, items []openai.Item) (out []session.Message, prompt string, err error) {
	ctx, req := r.Context(), &run.Request{Owner: ownerOf(r)}
	if items, err = s.resolve(ctx, req.Owner, "", items); err != nil {
		return nil, "", err
	}
	if err := refuseCompactions(r, items); err != nil {
		return nil, "", err
	}
	if items, err = s.expand(ctx, req, items, false); err != nil {
		return nil, "", err
	}
	messages, err := openai.ChatMessages(items)
	if err != nil {
		return nil, "", err
	}
	var prompts []string
	for i := range messages {
		m := message(&messages[i])
		if m.Role == session.System {
			prompts = append(prompts, m.Content)
			continue
		}
		if isSummary(&m) {
			m.Note = session.EchoNote // nothing new is said in it
		}
		out = append(out, m)
	}
	return out, strings.Join(prompts, "\n\n"), nil
}

// addItems adds messages to a conversation without asking a model.
func (s *server) addItems(r *http.Request, to *session.Session, ms []session.Message) ([]session.Message, error) {
	_, stored, err := s.Curator.Append(r.Context(), &curate.Addition{
		Owner: ownerOf(r), Session: to.ID, Key: to.Key, Source: session.SourceAPI, Messages: ms,
	})
	return stored, err
}
