package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
)

// conversation is a session in use over the API.
type conversation struct {
	api *client
	// key is the session key for new sessions.
	key string
	// model is the requested model; "" means the configured one.
	model   string
	session sessionRow
	// begun says that the session was opened here; told, that it has a message.
	begun, told bool
	// last are the notes of the newest answer; nil before the first.
	last *replyNotes
}

// replyNotes is the "hermes" object of an answer.
type replyNotes struct {
	SessionID  string `json:"session_id"`
	Compressed bool   `json:"compressed"`
	Responder  string `json:"responder"`
	ReceiptID  string `json:"receipt_id"`
	Learned    []struct {
		ID        string `json:"id"`
		Kind      string `json:"kind"`
		Statement string `json:"statement"`
	} `json:"learned"`
	Reversals []struct {
		Was      string `json:"was"`
		Now      string `json:"now"`
		Why      string `json:"why,omitempty"`
		TurnsAgo int    `json:"turns_ago"`
	} `json:"reversals"`
	Tools []struct {
		Name string `json:"name"`
		OK   bool   `json:"ok"`
	} `json:"tools,omitempty"`
	Context struct {
		Sent   int `json:"sent_tokens"`
		Budget int `json:"budget_tokens"`
		Naive  int `json:"naive_tokens"`
		Client int `json:"client_tokens"`
	} `json:"context"`
}

// path is the session's path in the API, followed by rest.
func (c *conversation) path(rest string) string {
	return "/api/sessions/" + url.PathEscape(c.session.ID) + rest
}

// begin opens a session.
func (c *conversation) begin(ctx context.Context) error {
	in := map[string]string{"source": "cli"}
	if c.key != "" {
		in["session_key"] = c.key
	}
	if c.model != "" {
		in["model"] = c.model
	}
	// If the request is sent twice, it leaves an unused session, which does no harm.
	res, err := c.api.send(ctx, http.MethodPost, "/api/sessions", in, newKey())
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var s sessionRow
	if err := readJSON(res.Body, &s); err != nil {
		return err
	}
	c.enter(s, true)
	return nil
}

// enter makes s the session in use.
func (c *conversation) enter(s sessionRow, begun bool) {
	c.session, c.begun, c.told, c.last = s, begun, false, nil
}

// resume continues the session named by an id, a unique prefix of one, or a title.
func (c *conversation) resume(ctx context.Context, name string) error {
	var s sessionRow
	err := c.api.call(ctx, http.MethodGet, "/api/sessions/"+url.PathEscape(name), nil, &s)
	if fault.KindOf(err) == fault.NotFound || fault.KindOf(err) == fault.Invalid {
		s, err = c.titled(ctx, name)
	}
	if err != nil {
		return err
	}
	c.enter(s, false)
	return nil
}

// titled finds the session with a title, ignoring case; the newest of several. A prefix
// of a title is enough if it is unique.
func (c *conversation) titled(ctx context.Context, title string) (sessionRow, error) {
	var begins []sessionRow
	low := strings.ToLower(strings.TrimSpace(title))
	for s, err := range pages[sessionRow](ctx, c.api, "/api/sessions", nil, everything) {
		if err != nil {
			return sessionRow{}, err
		}
		switch name := strings.ToLower(string(s.Title)); {
		case low != "" && name == low:
			return s, nil
		case low != "" && strings.HasPrefix(name, low):
			begins = append(begins, s)
		}
	}
	switch len(begins) {
	case 0:
		return sessionRow{}, fault.New(fault.NotFound, "session_not_found",
			fmt.Sprintf("There is no session with the id or title %q.", title))
	case 1:
		return begins[0], nil
	}
	return sessionRow{}, fault.New(fault.Conflict, "ambiguous_session_id",
		fmt.Sprintf("%d sessions have a title that begins with %q. Give more of it, or the id.", len(begins), title))
}

// newest are the most recently active sessions of this kind.
func (c *conversation) newest(ctx context.Context) ([]sessionRow, error) {
	const most = 50
	return gather(pages[sessionRow](ctx, c.api, "/api/sessions", url.Values{"source": {"cli"}}, most))
}

// latest continues the newest session of this kind that has messages. It reports false
// if there is none.
func (c *conversation) latest(ctx context.Context) (bool, error) {
	list, err := c.newest(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range list {
		if s.Messages > 0 {
			c.enter(s, false)
			return true, nil
		}
	}
	return false, nil
}

// leave ends the session. A session that was opened here and has no message is deleted.
// It reports whether the session was kept.
func (c *conversation) leave(ctx context.Context) (bool, error) {
	if c.begun && !c.told {
		return false, c.api.call(ctx, http.MethodDelete, c.path(""), nil, nil)
	}
	return true, c.api.call(ctx, http.MethodPatch, c.path(""), map[string]string{"end_reason": "user_exit"}, nil)
}

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 16 << 20

// ask sends a message and passes the pieces of the answer to show as they arrive. It
// fails if the answer breaks off after some pieces.
func (c *conversation) ask(ctx context.Context, text string, show func(openai.Piece)) error {
	body := map[string]any{
		"model": cmp.Or(c.model, "hermes"), "stream": true,
		"messages": []map[string]string{{"role": "user", "content": text}},
	}
	header := newKey()
	header.Set("X-Hermes-Session-Id", c.session.ID)
	header.Set("X-Hermes-Task", "none") // a person typed it, whatever it looks like
	if c.session.Key != "" {
		header.Set("X-Hermes-Session-Key", string(c.session.Key))
	}
	c.told = true // even after a failure, because the question is stored
	res, err := c.api.send(ctx, http.MethodPost, "/v1/chat/completions", body, header)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if id := res.Header.Get("X-Hermes-Session-Id"); id != "" {
		c.session.ID = id
	}
	for ev, err := range openai.Events(res.Body, maxEvent) {
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if string(ev.Data) == "[DONE]" {
			return nil
		}
		if err := c.event(ev.Data, show); err != nil {
			return err
		}
	}
	return errors.New("the answer broke off; the part that arrived is kept")
}

// event reads one event of a stream.
func (c *conversation) event(data []byte, show func(openai.Piece)) error {
	var chunk openai.Chunk
	if err := chunk.Read(data); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if bytes.Contains(data, []byte(`"hermes"`)) {
		var with struct {
			Hermes *replyNotes `json:"hermes"`
		}
		if json.Unmarshal(data, &with) == nil && with.Hermes != nil {
			c.last = with.Hermes
			c.session.ID = cmp.Or(c.last.SessionID, c.session.ID)
		}
	}
	if chunk.Error != nil {
		return fault.New(fault.Unavailable, chunk.Error.CodeText(), chunk.Error.Message)
	}
	if len(chunk.Choices) > 0 {
		show(chunk.Choices[0].Delta)
	}
	return nil
}

// fenced adds piped data to a question as a separate block, because it is material and
// not the user's words.
func fenced(question, data string) string {
	if strings.TrimSpace(question) == "" {
		return data
	}
	if strings.TrimSpace(data) == "" {
		return question
	}
	fence := "```"
	for strings.Contains(data, fence) {
		fence += "`"
	}
	return question + "\n\n" + fence + "\n" + strings.TrimRight(data, "\n") + "\n" + fence
}
