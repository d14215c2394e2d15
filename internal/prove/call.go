package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// owners are the keys of the people in a scenario.
type owners struct {
	mu   sync.Mutex
	keys map[string]string
}

// token returns the key of an owner, and makes one at its first use.
func (p *player) token(ctx context.Context, name string) (string, error) {
	if name == "" {
		return p.server.Token, nil
	}
	p.tokens.mu.Lock()
	defer p.tokens.mu.Unlock()
	if key, known := p.tokens.keys[name]; known {
		return key, nil
	}
	res, err := p.do(ctx, "POST", "/api/keys", p.server.Token, nil, map[string]any{"name": name})
	if err != nil {
		return "", err
	}
	key, _ := res.value("key").(string)
	if key == "" {
		return "", fmt.Errorf("make a key for %s: status %d: %s", name, res.status, short(res.body))
	}
	if p.tokens.keys == nil {
		p.tokens.keys = make(map[string]string)
	}
	p.tokens.keys[name] = key
	return key, nil
}

// answer is the response to a call.
type answer struct {
	status int
	header http.Header
	body   []byte
	json   any
	// text is the answer of a turn; for other calls, the body.
	text string
}

// call makes a turn or a call of the API, and checks the answer.
func (p *player) call(ctx context.Context, st *Step, at *scope) error {
	token, err := p.token(ctx, at.expand(st.As))
	if err != nil {
		return err
	}
	header := make(http.Header)
	for name, value := range st.Headers {
		header.Set(name, at.expand(value))
	}
	if st.Session != "" {
		header.Set("X-Hermes-Session-Id", at.expand(st.Session))
	}
	if st.Key != "" {
		header.Set("X-Hermes-Session-Key", at.expand(st.Key))
	}
	if st.Answer != "" {
		p.model.answer(at.expand(st.Answer))
	}
	method, path := st.target()
	body := expandAll(st.Body, at)
	if st.Say != "" {
		p.turns.Add(1)
		body = chat(at.expand(st.Say), body)
	}
	res, err := p.do(ctx, method, at.expand(path), token, header, body)
	if err != nil {
		return err
	}
	if err := st.Expect.check(res, at); err != nil {
		return err
	}
	for name, path := range st.Save {
		value := res.value(path)
		if value == nil {
			return fmt.Errorf("the answer has no %q: %s", path, short(res.body))
		}
		at.vars[name] = plain(value)
	}
	return nil
}

// target is the URL of a step's call.
func (st *Step) target() (method, path string) {
	switch {
	case st.Get != "":
		return http.MethodGet, st.Get
	case st.Post != "":
		return http.MethodPost, st.Post
	case st.Patch != "":
		return http.MethodPatch, st.Patch
	case st.Delete != "":
		return http.MethodDelete, st.Delete
	}
	return http.MethodPost, "/v1/chat/completions"
}

// chat is the body of a turn: one message, and the step's additional members.
func chat(text string, more map[string]any) map[string]any {
	body := map[string]any{"model": "hermes", "messages": []any{map[string]any{"role": "user", "content": text}}}
	for name, value := range more {
		body[name] = value
	}
	return body
}

func (p *player) do(ctx context.Context, method, path, token string, header http.Header, body map[string]any) (*answer, error) {
	var in io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.server.URL+path, in)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := p.server.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	out := &answer{status: res.StatusCode, header: res.Header}
	if out.body, err = io.ReadAll(res.Body); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	_ = json.Unmarshal(out.body, &out.json) // what is no JSON has no values
	out.text = string(out.body)
	if content, ok := out.value("choices.0.message.content").(string); ok {
		out.text = content
	}
	return out, nil
}

// value is a value of the body by its dotted path; nil for none. "#" is the number of
// elements.
func (a *answer) value(path string) any {
	at := a.json
	for name := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			switch {
			case name == "#":
				at = float64(len(v))
			case err != nil || i < 0 || i >= len(v):
				return nil
			default:
				at = v[i]
			}
		default:
			return nil
		}
	}
	return at
}

// expandAll replaces ${name} in all texts of a body.
func expandAll(body map[string]any, at *scope) map[string]any {
	if body == nil {
		return nil
	}
	out := make(map[string]any, len(body))
	for name, value := range body {
		out[name] = expandValue(value, at)
	}
	return out
}

func expandValue(value any, at *scope) any {
	switch v := value.(type) {
	case string:
		return at.expand(v)
	case map[string]any:
		return expandAll(v, at)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = expandValue(v[i], at)
		}
		return out
	}
	return value
}
