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

// conversation is one session being spoken in, over the API.
type conversation struct {
	api *client
	// key is the session key of the sessions it opens.
	key string
	// model is asked for; "" is the configured one.
	model   string
	session sessionRow
	// begun says that the session was opened here, told that it was spoken in.
	begun, told bool
	// last is what the newest answer was given; nil before the first.
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
	} `json:"context"`
}

// path is the API's path of the session, followed by rest.
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
	// Sent twice, it would leave an empty session behind, and no harm.
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

// enter makes a session the one being spoken in.
func (c *conversation) enter(s sessionRow, begun bool) {
	c.session, c.begun, c.told, c.last = s, begun, false, nil
}

// resume goes on with the session that is named by an id, a unique beginning of
// one, or a title.
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

// titled finds the session of a title, whatever the case; of several the newest.
// The beginning of a title will do if only one begins so.
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

// newest are the sessions of this kind that something was done in last.
func (c *conversation) newest(ctx context.Context) ([]sessionRow, error) {
	const most = 50
	return gather(pages[sessionRow](ctx, c.api, "/api/sessions", url.Values{"source": {"cli"}}, most))
}

// latest goes on with the newest session of this kind in which something was
// said. It reports false when there is none.
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

// leave ends the session. One that was opened here and never spoken in goes
// whole: there is nothing to come back to. It reports whether the session stays.
func (c *conversation) leave(ctx context.Context) (bool, error) {
	if c.begun && !c.told {
		return false, c.api.call(ctx, http.MethodDelete, c.path(""), nil, nil)
	}
	return true, c.api.call(ctx, http.MethodPatch, c.path(""), map[string]string{"end_reason": "user_exit"}, nil)
}

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 16 << 20

// ask sends a message and hands the pieces of the answer to show as they arrive. It
// fails if the answer breaks off; the pieces so far have been shown then.
func (c *conversation) ask(ctx context.Context, text string, show func(openai.Piece)) error {
	body := map[string]any{
		"model": cmp.Or(c.model, "hermes"), "stream": true,
		"messages": []map[string]string{{"role": "user", "content": text}},
	}
	header := newKey()
	header.Set("X-Hermes-Session-Id", c.session.ID)
	if c.session.Key != "" {
		header.Set("X-Hermes-Session-Key", string(c.session.Key))
	}
	c.told = true // also if it fails: the question is kept
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

// fenced puts data behind a question, in a block of its own: it is something to
// read, and nothing the person has said.
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
