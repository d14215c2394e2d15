package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// reply is the part of an answer that is measured.
type reply struct {
	Hermes struct {
		Context struct {
			Sent  int `json:"sent_tokens"`
			Naive int `json:"naive_tokens"`
		} `json:"context"`
	} `json:"hermes"`
}

// chat sends one message and waits for the whole answer.
func chat(ctx context.Context, base, session, text string) (reply, error) {
	var out reply
	body, err := send(ctx, base, session, text, false)
	if err != nil {
		return out, err
	}
	defer func() { _ = body.Close() }()
	raw, err := io.ReadAll(body)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

// firstToken streams one message and returns when the first content arrived.
func firstToken(ctx context.Context, base, session, text string) (time.Duration, error) {
	begun := time.Now()
	body, err := send(ctx, base, session, text, true)
	if err != nil {
		return 0, err
	}
	defer func() { _ = body.Close() }()
	first := time.Duration(0)
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		if first == 0 && strings.Contains(lines.Text(), `"content":"Under`) {
			first = time.Since(begun)
		}
	}
	if first == 0 {
		return 0, fmt.Errorf("a stream without content: %w", lines.Err())
	}
	return first, nil
}

func send(ctx context.Context, base, session, text string, stream bool) (io.ReadCloser, error) {
	payload, err := json.Marshal(map[string]any{
		"model": "hermes", "stream": stream,
		"messages": []map[string]string{{"role": "user", "content": text}},
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	req.Header.Set("Content-Type", "application/json")
	if session != "" {
		req.Header.Set("X-Hermes-Session-Id", session)
	}
	res, err := served.Clients.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, text)
	}
	return res.Body, nil
}

// spread are the figures of a series.
type spread struct{ p50, p95, p99 time.Duration }

func spreadOf(series []time.Duration) spread {
	slices.Sort(series)
	return spread{p50: series[len(series)/2], p95: series[len(series)*95/100], p99: series[len(series)*99/100]}
}

// times is how many times as long as another a duration is.
func times(d, than time.Duration) float64 { return float64(d) / float64(than) }

// ms prints a duration in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
