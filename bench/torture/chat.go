package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// idle is a pool of connections wide enough for every rig.
var idle = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4096, DisableCompression: true}}

// errCut says that an answer did not come to its end.
var errCut = errors.New("the answer was cut off")

// send asks the server one thing over a connection that is kept, and reads the answer.
func send(ctx context.Context, addr, method, path string, header map[string]string, body []byte) (int, []byte, error) {
	res, err := begin(ctx, addr, method, path, header, body)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	out, err := io.ReadAll(res.Body)
	return res.StatusCode, out, err
}

// begin is send up to the header of the answer, whose body the caller closes.
func begin(ctx context.Context, addr, method, path string, header map[string]string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return idle.Do(req)
}

// chatBody is the body of a turn.
func chatBody(text string, stream bool) []byte {
	body, _ := json.Marshal(map[string]any{ // strings: cannot fail
		"model": "hermes", "stream": stream, "messages": []map[string]string{{"role": "user", "content": text}},
	})
	return body
}

// chat takes a turn, within two minutes and a bit. whole says that the answer came
// to its proper end; it is the answer's text, or an error's body.
func chat(
	ctx context.Context, addr, session, text string, stream bool, header map[string]string,
) (status int, answer string, whole bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 130*time.Second)
	defer cancel()
	all := map[string]string{"X-Hermes-Session-Id": session}
	for name, value := range header {
		all[name] = value
	}
	status, body, err := send(ctx, addr, "POST", "/v1/chat/completions", all, chatBody(text, stream))
	if err != nil || status != http.StatusOK {
		return status, string(body), false, err
	}
	answer, whole = readAnswer(body, stream)
	return status, answer, whole, nil
}

// readAnswer takes the text out of an answer.
func readAnswer(body []byte, stream bool) (text string, whole bool) {
	type part struct{ Content string }
	type reply struct {
		Choices []struct {
			Message, Delta part
			FinishReason   string `json:"finish_reason"`
		}
		Error *struct{ Message string }
	}
	if !stream {
		var r reply
		if json.Unmarshal(body, &r) != nil || len(r.Choices) == 0 {
			return "", false
		}
		return r.Choices[0].Message.Content, true
	}
	var out strings.Builder
	for line := range strings.Lines(string(body)) {
		data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return out.String(), true
		}
		var r reply
		if json.Unmarshal([]byte(data), &r) != nil || r.Error != nil {
			return out.String(), false
		}
		for _, c := range r.Choices {
			out.WriteString(c.Delta.Content)
		}
	}
	return out.String(), false
}
