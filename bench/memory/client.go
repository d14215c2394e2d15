package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// client speaks to hermes, and past it to the judge.
type client struct {
	o    *options
	http *http.Client
}

func newClient(o *options) *client {
	return &client{o: o, http: &http.Client{Timeout: o.requestTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// tellAtOnce is how many messages one import takes.
const tellAtOnce = 200

// tell imports a conversation: a session of its own for each of its sessions,
// one memory for all, all speakers as users under their names.
func (c *client) tell(ctx context.Context, s *conversation) error {
	header := http.Header{"X-Hermes-Session-Key": {c.memoryOf(s)}}
	for _, documents := range s.sessions() {
		id := fmt.Sprintf("judge:%s:%s", s.name, documents[0].SessionID)
		err := c.call(ctx, c.o.hermes+"/api/sessions", c.o.hermesKey, nil, map[string]string{"id": id, "session_key": c.memoryOf(s)}, nil)
		if err != nil {
			return err
		}
		var rows []map[string]any
		for i, d := range documents {
			rows = append(rows, map[string]any{
				"role": d.Role, "name": d.Speaker, "content": d.Text,
				"created_at": d.SaidAt.Add(time.Duration(i) * time.Second).Format(time.RFC3339),
			})
		}
		for some := range slices.Chunk(rows, tellAtOnce) {
			err := c.call(ctx, c.o.hermes+"/api/sessions/"+url.PathEscape(id)+"/messages", c.o.hermesKey, header, map[string]any{"messages": some},
				nil)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sessions are the documents of each session.
func (c *conversation) sessions() [][]ranking.Document {
	var out [][]ranking.Document
	for i, d := range c.documents {
		if i == 0 || d.SessionID != c.documents[i-1].SessionID {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], d)
	}
	return out
}

func (c *client) memoryOf(s *conversation) string { return "judge:" + s.name }

// reply is what one call of a model brought.
type reply struct {
	text          string
	input, output int
	took          time.Duration
}

type completion struct {
	Choices []struct {
		Message struct{ Content string }
	}
	Usage struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	}
}

// ask puts a question to hermes, off the record, so that no question can help
// with the next.
func (c *client) ask(ctx context.Context, s *conversation, q *question) (reply, error) {
	header := http.Header{"X-Hermes-Session-Key": {c.memoryOf(s)}, "X-Hermes-Store": {"none"}}
	if c.o.budget > 0 {
		header.Set("X-Hermes-Context-Budget", fmt.Sprint(c.o.budget))
	}
	return c.chat(ctx, c.o.hermes+"/v1", c.o.hermesKey, "hermes", header, askPrompt, q.text)
}

// chat makes one call of a model.
func (c *client) chat(ctx context.Context, base, key, model string, header http.Header, system, text string) (reply, error) {
	var out completion
	begun := time.Now()
	err := c.call(ctx, strings.TrimRight(base, "/")+"/chat/completions", key, header, map[string]any{
		"model": model, "temperature": 0,
		"messages": []map[string]string{{"role": "system", "content": system}, {"role": "user", "content": text}},
	}, &out)
	if err != nil {
		return reply{}, err
	}
	if len(out.Choices) == 0 {
		return reply{}, fmt.Errorf("%s answered without a choice", model)
	}
	return reply{text: out.Choices[0].Message.Content, input: out.Usage.Input, output: out.Usage.Output, took: time.Since(begun)}, nil
}

// call posts JSON and reads JSON.
func (c *client) call(ctx context.Context, to, key string, header http.Header, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, values := range header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("status %d: %.300s", res.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}
