package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// model is a scripted model server: it notes what it is told, in pieces.
type model struct {
	*httptest.Server
	calls atomic.Int64
}

func newModel() *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.calls.Add(1)
		var body struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 {
			http.Error(w, "cannot read this", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range strings.SplitAfter(answerTo(body.Messages[len(body.Messages)-1].Content), " ") {
			text, _ := json.Marshal(piece) // a string: cannot fail
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n", text)
			_ = http.NewResponseController(w).Flush() // the server may be dead
			pause(r.Context(), 2*time.Millisecond)
		}
		fmt.Fprint(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	return m
}

func answerTo(text string) string { return "Noted: " + text }

// asked is something a client wants done once, and has had acknowledged or not.
type asked struct{ id, text string }

// clients begin runs and make jobs, and read events. What was not acknowledged is
// asked for again in the next round.
type clients struct {
	runs, jobs []asked
	made       int
	pending    string // the run whose answer a kill has swallowed
	named      int
	done       map[string]bool // jobs that were deleted when they had fired

	mu     sync.Mutex
	newest string
	seen   map[string]map[string]string // run → event id → data
	twice  int                          // events that a reader got again
}

// startRuns begins one run after the other.
func (c *clients) startRuns(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		text := c.pending
		if text == "" {
			c.made++
			text = fmt.Sprintf("run number %d of the torture.", c.made)
		}
		c.pending = text
		body, _ := json.Marshal(map[string]string{"input": text, "session_id": fmt.Sprintf("runs/%d", c.made%16)})
		var out struct {
			RunID string `json:"run_id"`
		}
		status, answer, err := call(ctx, addr, "POST", "/v1/runs", text, body)
		if err != nil || status != http.StatusAccepted || json.Unmarshal(answer, &out) != nil {
			if status == http.StatusTooManyRequests {
				pause(ctx, 20*time.Millisecond)
				continue
			}
			return
		}
		c.pending = ""
		c.runs = append(c.runs, asked{out.RunID, text})
		c.mu.Lock()
		c.newest = out.RunID
		c.mu.Unlock()
		pause(ctx, 10*time.Millisecond)
	}
}

// createJobs makes jobs that are due within the round, or in the gap behind it.
func (c *clients) createJobs(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		c.named++
		text := fmt.Sprintf("job number %d of the torture.", c.named)
		body, _ := json.Marshal(map[string]string{
			"name": text, "prompt": text, "session_id": fmt.Sprintf("jobs/%d", c.named%16),
			"schedule": time.Now().Add(time.Second).UTC().Format(time.RFC3339),
		})
		var out struct{ Job struct{ ID string } }
		status, answer, err := call(ctx, addr, "POST", "/api/jobs", "", body)
		if err != nil || status != http.StatusCreated || json.Unmarshal(answer, &out) != nil {
			if err == nil && status == http.StatusBadRequest {
				pause(ctx, 20*time.Millisecond) // the instant has passed
				continue
			}
			if status == http.StatusConflict && c.clear(ctx, addr) {
				continue // there may be only so many
			}
			return
		}
		c.jobs = append(c.jobs, asked{out.Job.ID, text})
		pause(ctx, 60*time.Millisecond)
	}
}

// clear deletes the jobs that have fired: what they said stays in their sessions.
func (c *clients) clear(ctx context.Context, addr string) bool {
	cleared := false
	for _, j := range c.jobs {
		var runs struct{ Data []struct{ Status string } }
		if c.done[j.id] || get(ctx, addr, "/api/jobs/"+j.id+"/runs", &runs) != nil || len(runs.Data) != 1 || runs.Data[0].Status != "completed" {
			continue
		}
		c.done[j.id] = true // whether or not the answer comes through
		if status, _, err := call(ctx, addr, "DELETE", "/api/jobs/"+j.id, "", nil); err == nil && status == http.StatusOK {
			cleared = true
		}
	}
	return cleared
}

// follow reads events of the newest runs as they come.
func (c *clients) follow(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		c.mu.Lock()
		run := c.newest
		c.mu.Unlock()
		if run == "" {
			pause(ctx, 5*time.Millisecond)
			continue
		}
		c.read(ctx, addr, run)
	}
}

// read follows one run to its end, or the server's.
func (c *clients) read(ctx context.Context, addr, run string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/v1/runs/"+run+"/events", http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer hermes")
	res, err := http.DefaultClient.Do(req) //nolint:forbidigo // a program of its own
	if err != nil {
		return
	}
	defer func() { _ = res.Body.Close() }()
	if c.seen[run] == nil {
		c.seen[run] = make(map[string]string)
	}
	here := make(map[string]bool)
	for id, data := range eventsOf(res.Body) {
		if here[id] {
			c.twice++
		}
		here[id] = true
		c.seen[run][id] = data
	}
}

// eventsOf yields the ids and data of a stream, but for an event that was torn.
func eventsOf(in io.Reader) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		var id, data string
		for lines := bufio.NewScanner(in); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				id = value
			case "data":
				data = value
			case "":
				if id != "" && !yield(id, data) {
					return
				}
				id, data = "", ""
			}
		}
	}
}

// call asks the server one thing. A key is an Idempotency-Key.
func call(ctx context.Context, addr, method, path, key string, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	req.Close = true
	if key != "" {
		req.Header.Set("Idempotency-Key", strings.ReplaceAll(key, " ", "-"))
	}
	res, err := http.DefaultClient.Do(req) //nolint:forbidigo // a program of its own
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	out, err := io.ReadAll(res.Body)
	return res.StatusCode, out, err
}

// refused is the error of a request that got no answer, or another one than was wanted.
func refused(what string, status int, answer []byte, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %d %.200s", what, status, answer)
}
