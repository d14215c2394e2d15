package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 32 << 20

// call sends a request to the API and decodes the answer into out. An error of the API
// keeps its text, which is safe to show.
func (a *API) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.Base+path, body)
	if err != nil {
		return errors.New("the arguments make no valid request")
	}
	if a.Authorization != "" {
		req.Header.Set("Authorization", a.Authorization)
	}
	res, err := a.Client.Do(req)
	if err != nil {
		return errors.New("the memory server did not answer")
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return errors.New("the memory server broke off its answer")
	}
	if res.StatusCode >= http.StatusBadRequest {
		return refusal(res.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return errors.New("the memory server's answer could not be read")
	}
	return nil
}

// refusal is the text of an error response.
func refusal(status int, text []byte) error {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &body) != nil || body.Error.Message == "" {
		return fmt.Errorf("the memory server answered with status %d", status)
	}
	return errors.New(body.Error.Message)
}
