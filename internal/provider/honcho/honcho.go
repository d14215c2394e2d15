// Package honcho is the provider Honcho, version 3 of its API: a session of Honcho is a
// place, its user's peer has the conclusions that Honcho draws.
package honcho

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// DefaultURL is Honcho's own service.
const DefaultURL = "https://api.honcho.dev"

// Provider is a server of Honcho.
type Provider struct {
	client *provider.Client
	// pinned says that all places have the same user's peer.
	pinned bool

	mu sync.Mutex
	// known are the peers of sessions that exist, by workspace and session.
	known map[string]map[string]bool
	sure  provider.Sure
}

// maxKnown bounds what is remembered of sessions.
const maxKnown = 4096

// New returns the provider at a URL. pinned says that all places have the same user's peer.
func New(base, key string, pinned bool) (*Provider, error) {
	client, err := provider.NewClient(BaseURL(base), provider.Bearer("Bearer", key))
	return &Provider{client: client, pinned: pinned, known: make(map[string]map[string]bool)}, err
}

// BaseURL is the URL of a server without the version of its API.
func BaseURL(base string) string {
	if base == "" {
		return DefaultURL
	}
	return strings.TrimSuffix(strings.TrimRight(base, "/"), "/v3")
}

// workspace and its parts are paths of the API.
func workspace(p run.Place) string { return "/v3/workspaces/" + url.PathEscape(p.Workspace) }

// absent matches what Honcho says of a thing that it does not have: "Session x not found in workspace
// y". Of a path that it does not know, its router says "Not Found" alone.
var absent = regexp.MustCompile(`(?i)^(session|workspace|peer|conclusion|resource)\b.*\bnot found\b`)

func sessionPath(p run.Place) string { return workspace(p) + "/sessions/" + url.PathEscape(p.Session) }

// Recall implements run.Provider. It asks for what is known: a chat with a peer would run a
// model for seconds.
func (h *Provider) Recall(ctx context.Context, p run.Place, question string, _ int) (string, error) {
	var out struct {
		Peer           string    `json:"peer_id"`
		Representation *string   `json:"representation"`
		Card           []*string `json:"peer_card"`
	}
	query := url.Values{"search_query": {plain.Replace(firstRunes(question, maxQuery))}, "search_top_k": {"10"}, "max_conclusions": {"20"}}
	err := h.client.Do(ctx, &provider.Exchange{
		Method: http.MethodGet, Path: workspace(p) + "/peers/" + url.PathEscape(p.User) + "/context", Query: query,
		Out: &out, Limit: provider.MaxRecall, Absent: absent,
	})
	switch {
	case provider.Absent(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("recall: %w", err)
	case out.Peer != p.User:
		return "", provider.Misshapen("a context of another peer")
	}
	var lines []string
	for _, line := range out.Card {
		if line == nil {
			return "", provider.Misshapen("a card with a line that is null")
		}
		lines = append(lines, *line)
	}
	if out.Representation != nil {
		lines = append(lines, *out.Representation)
	}
	return strings.Join(lines, "\n"), nil
}

// maxQuery bounds a question, which is a part of a URL, in characters.
const maxQuery = 1000

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// message is a message on the wire.
type message struct {
	Content   string            `json:"content"`
	Peer      string            `json:"peer_id"`
	Metadata  provider.Metadata `json:"metadata"`
	CreatedAt time.Time         `json:"created_at"`
}

// Told implements run.Provider. Honcho stores a message as often as it is sent. After a call
// with an unknown outcome, at the first call for a session, and for ids that are not new
// there, the newest messages of the session are searched for the ids first.
func (h *Provider) Told(ctx context.Context, p run.Place, said []run.Said) error {
	pieces := provider.Pieces(said)
	if err := h.join(ctx, p, pieces); err != nil {
		return err
	}
	name := p.Workspace + "/" + p.Session
	var ids map[int64]bool
	if !h.sure.Take(name, said) {
		stored, err := h.stored(ctx, p, len(pieces))
		if err != nil {
			return err
		}
		pieces, ids = provider.Without(pieces, stored)
	}
	for len(pieces) > 0 {
		n := min(len(pieces), provider.MaxTold)
		if err := h.send(ctx, p, pieces[:n]); err != nil {
			return err
		}
		pieces = pieces[n:]
	}
	h.sure.Set(name, said, ids)
	return nil
}

// speaker is the peer of a message.
func speaker(p run.Place, s *run.Said) string {
	switch {
	case s.Role == session.Assistant:
		return p.Assistant
	case s.Speaker != "":
		return s.Speaker
	}
	return p.User
}

// observation says what Honcho concludes about a peer in a session.
type observation struct {
	Me     bool `json:"observe_me"`
	Others bool `json:"observe_others"`
}

// join makes the session with the peers of some messages, if it is not known to have them.
func (h *Provider) join(ctx context.Context, p run.Place, pieces []provider.Piece) error {
	peers := map[string]observation{p.User: {Me: true}, p.Assistant: {}}
	for i := range pieces {
		if s := &pieces[i]; s.Role != session.Assistant {
			peers[speaker(p, &s.Said)] = observation{Me: true}
		}
	}
	name := p.Workspace + "/" + p.Session
	if h.knows(name, peers) {
		return nil
	}
	var out struct {
		ID string `json:"id"`
	}
	in := map[string]any{"id": p.Session, "peers": peers}
	if err := h.client.Do(ctx, &provider.Exchange{Method: http.MethodPost, Path: workspace(p) + "/sessions", In: in, Out: &out}); err != nil {
		return fmt.Errorf("make a session: %w", err)
	}
	if out.ID != p.Session {
		return provider.Misshapen("another session than the one that was asked for")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.known) >= maxKnown {
		clear(h.known)
	}
	if h.known[name] == nil {
		h.known[name] = make(map[string]bool)
	}
	for peer := range peers {
		h.known[name][peer] = true
	}
	return nil
}

func (h *Provider) knows(name string, peers map[string]observation) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for peer := range peers {
		if !h.known[name][peer] {
			return false
		}
	}
	return true
}

// leave forgets what is known of a session.
func (h *Provider) leave(p run.Place) {
	name := p.Workspace + "/" + p.Session
	h.sure.Leave(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.known, name)
}

// plain gives the names of special tokens other brackets. Honcho counts tokens with a library that does not
// take these names as text, and refuses the messages for good. No text gets longer in characters.
var plain = strings.NewReplacer("<|endoftext|>", "‹|endoftext|›", "<|endofprompt|>", "‹|endofprompt|›")

// send stores messages.
func (h *Provider) send(ctx context.Context, p run.Place, pieces []provider.Piece) error {
	list := make([]message, len(pieces))
	for i := range pieces {
		s := &pieces[i]
		list[i] = message{plain.Replace(s.Text), speaker(p, &s.Said), provider.Metadata{Mark: s.Mark()}, s.At.UTC()}
	}
	var out []struct {
		ID string `json:"id"`
	}
	err := h.client.Do(ctx, &provider.Exchange{
		Method: http.MethodPost, Path: sessionPath(p) + "/messages", In: map[string]any{"messages": list}, Out: &out,
	})
	if err != nil {
		if provider.NoRow(err) { // another client may have deleted it
			h.leave(p)
		}
		return fmt.Errorf("store messages: %w", err)
	}
	if len(out) != len(list) {
		return provider.Misshapen(fmt.Sprintf("%d messages stored instead of %d", len(out), len(list)))
	}
	return nil
}

// maxLooked is how many of the newest messages are searched at least.
const maxLooked = 200

// stored are the marks of the newest messages of a session.
func (h *Provider) stored(ctx context.Context, p run.Place, pieces int) (map[string]bool, error) {
	out := make(map[string]bool)
	for n := 1; (n-1)*pageSize < maxLooked+pieces; n++ {
		got, err := h.newest(ctx, p, n)
		if err != nil {
			return nil, fmt.Errorf("look for messages: %w", err)
		}
		for i := range got.Items {
			out[got.Items[i].Metadata.Mark] = true
		}
		if n >= got.Pages {
			break
		}
	}
	return out, nil
}
