package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

const adminKey = "bench-admin-key-0123456789"

// server is a running hermes, with the keys of the owners who have jobs.
type server struct {
	*served.Server
	keys []string
	jobs map[string][]string // ids by key
}

func startServer(ctx context.Context, binary, home, upstream string) (*server, error) {
	s, err := served.Start(ctx, binary, home, upstream, "HERMES_MODEL=turns", "API_SERVER_KEY="+adminKey)
	if err != nil {
		return nil, err
	}
	return &server{Server: s, jobs: make(map[string][]string)}, nil
}

// call makes one request and reads the whole answer.
func (s *server) call(ctx context.Context, key, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.Base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "/v1/") {
		req.Header.Set("X-Hermes-Session-Id", "probe")
	}
	res, err := served.Clients.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// makeJobs makes jobs that are due at every full minute, so many to an owner as
// one may have.
func (s *server) makeJobs(ctx context.Context, jobs int) error {
	for i := range jobs {
		if i%jobsEach == 0 {
			var key struct {
				Key string `json:"key"`
			}
			name := "owner-" + strconv.Itoa(i/jobsEach)
			if err := s.call(ctx, adminKey, http.MethodPost, "/api/keys",
				map[string]any{"name": name, "owner": name, "scopes": []string{"jobs", "chat"}}, &key); err != nil {
				return err
			}
			s.keys = append(s.keys, key.Key)
		}
		key, name := s.keys[len(s.keys)-1], "job-"+strconv.Itoa(i)
		var made struct {
			Job struct {
				ID string `json:"id"`
			} `json:"job"`
		}
		in := map[string]any{"name": name, "schedule": "* * * * *", "prompt": "What is new with number " + strconv.Itoa(i) + "?", "model": name}
		if err := s.call(ctx, key, http.MethodPost, "/api/jobs", in, &made); err != nil {
			return err
		}
		s.jobs[key] = append(s.jobs[key], made.Job.ID)
	}
	return nil
}

// ledger is what the server says of all runs.
type ledger struct {
	completed int
	latest    float64 // seconds after its due time
}

// ledger reads the oldest runs of every job, a round's each, once they are over.
func (s *server) ledger(ctx context.Context, rounds int) (ledger, error) {
	var l ledger
	<-time.After(2 * time.Second) // the last answers are stored
	for key, ids := range s.jobs {
		for _, id := range ids {
			var list struct {
				Data []struct {
					Status string  `json:"status"`
					Late   float64 `json:"late_seconds"`
				} `json:"data"`
			}
			if err := s.call(ctx, key, http.MethodGet, "/api/jobs/"+id+"/runs", nil, &list); err != nil {
				return l, err
			}
			rows := list.Data[max(0, len(list.Data)-rounds):]
			for _, r := range rows {
				if r.Status == "completed" {
					l.completed++
				}
				l.latest = max(l.latest, r.Late)
			}
		}
	}
	return l, nil
}

// series is how long requests of one kind took.
type series struct {
	name string
	took []time.Duration
}

// spread are the figures of a series.
type spread struct{ p50, p99, worst time.Duration }

func (s *series) spread() spread {
	if len(s.took) == 0 {
		return spread{}
	}
	slices.Sort(s.took)
	return spread{s.took[len(s.took)/2], s.took[len(s.took)*99/100], s.took[len(s.took)-1]}
}

// probe sends requests of every kind until it is told to stop: all kinds concurrently, at
// most a hundred requests a second.
func (s *server) probe(ctx context.Context, on func() bool, longest time.Duration) ([]series, error) {
	key := adminKey
	if len(s.keys) > 0 {
		key = s.keys[0]
	}
	turn := map[string]any{"model": "hermes", "messages": []map[string]string{{"role": "user", "content": "How is the pump?"}}}
	all := []series{{name: "GET /health"}, {name: "GET /api/jobs"}, {name: "a turn"}}
	ask := []func() error{
		func() error { return s.call(ctx, "", http.MethodGet, "/health", nil, nil) },
		func() error { return s.call(ctx, key, http.MethodGet, "/api/jobs", nil, nil) },
		func() error { return s.call(ctx, adminKey, http.MethodPost, "/v1/chat/completions", turn, nil) },
	}
	errs := make([]error, len(all))
	var done sync.WaitGroup
	end := time.Now().Add(longest)
	for i := range all {
		done.Go(func() {
			for on() && time.Now().Before(end) && errs[i] == nil {
				begun := time.Now()
				errs[i] = ask[i]()
				all[i].took = append(all[i].took, time.Since(begun))
				<-time.After(10*time.Millisecond - time.Since(begun))
			}
		})
	}
	done.Wait()
	return all, errors.Join(errs...)
}
