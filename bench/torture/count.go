package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// report is what the torture came to.
type report struct {
	rounds        int
	calls         int64
	runs, jobs    int // acknowledged
	lost, doubled int // of them
	givenUp       int // runs and fires that were cut off twenty times, and say so
	events        int // seen by readers before a kill
	missing       int // of them, or different, afterwards; or a gap in a log
	twice         int // got again by a reader
}

// settle asks once more for what is pending, and waits until all is over.
func (c *clients) settle(ctx context.Context, addr string) error {
	end := time.Now().Add(3 * time.Minute)
	for time.Now().Before(end) {
		open, err := c.open(ctx, addr)
		if err != nil {
			return err
		}
		if open == 0 {
			return nil
		}
		pause(ctx, 200*time.Millisecond)
	}
	return errors.New("not everything came to an end within three minutes")
}

// open counts what is not over.
func (c *clients) open(ctx context.Context, addr string) (int, error) {
	open := 0
	for _, r := range c.runs {
		var run struct{ Status string }
		if err := get(ctx, addr, "/v1/runs/"+r.id, &run); err != nil {
			return 0, err
		}
		if run.Status == "queued" || run.Status == "running" {
			return 1, nil
		}
	}
	for _, j := range c.jobs {
		if c.done[j.id] {
			continue
		}
		var runs struct{ Data []struct{ Status string } }
		if err := get(ctx, addr, "/api/jobs/"+j.id+"/runs", &runs); err != nil {
			return 0, err
		}
		if len(runs.Data) != 1 || runs.Data[0].Status == "due" || runs.Data[0].Status == "running" {
			return 1, nil
		}
	}
	return open, nil
}

func get(ctx context.Context, addr, path string, into any) error {
	status, body, err := call(ctx, addr, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	if status == http.StatusNotFound {
		return fmt.Errorf("%s was acknowledged and is gone", path)
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, status, body)
	}
	return json.Unmarshal(body, into)
}

// check compares what was acknowledged and seen with what is there.
func (c *clients) check(ctx context.Context, s *subject) (*report, error) {
	r := &report{runs: len(c.runs), jobs: len(c.jobs), twice: c.twice}
	if err := c.checkEvents(ctx, s.addr, r); err != nil {
		return nil, err
	}
	status, err := c.states(ctx, s)
	if err != nil {
		return nil, err
	}
	s.kill()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.home, "state.db"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	for _, j := range c.jobs {
		given, err := count(ctx, db, `SELECT count(*) FROM job_runs WHERE job_id = ? AND status = 'lost'`, j.id)
		if err != nil {
			return nil, err
		}
		if given > 0 {
			status[j.text] = "interrupted: the ledger says lost"
		}
	}
	for _, a := range append(append([]asked{}, c.runs...), c.jobs...) {
		prompts, err := count(ctx, db, `SELECT count(*) FROM messages WHERE role = 'user' AND content = ?`, a.text)
		if err != nil {
			return nil, err
		}
		answers, err := count(ctx, db, `SELECT count(*) FROM messages WHERE role = 'assistant' AND finish_reason = 'stop' AND content = ?`, answerTo(a.text))
		if err != nil {
			return nil, err
		}
		switch {
		case prompts > 1 || answers > 1:
			r.doubled++
		case strings.HasPrefix(status[a.text], "interrupted"):
			r.givenUp++
		case prompts == 0 || answers == 0:
			r.lost++
			fmt.Printf("lost: %q (%s), its prompt is stored %d times, its answer %d times\n", a.text, status[a.text], prompts, answers)
		}
	}
	return r, nil
}

// states are what the runs say of themselves, by what they were asked.
func (c *clients) states(ctx context.Context, s *subject) (map[string]string, error) {
	out := make(map[string]string)
	for _, a := range c.runs {
		var run struct {
			Status string
			Error  *struct{ Message string }
		}
		if err := get(ctx, s.addr, "/v1/runs/"+a.id, &run); err != nil {
			return nil, err
		}
		out[a.text] = run.Status
		if run.Error != nil {
			out[a.text] += ": " + run.Error.Message
		}
	}
	return out, nil
}

func count(ctx context.Context, db *sql.DB, query, arg string) (n int, err error) {
	err = db.QueryRowContext(ctx, query, arg).Scan(&n)
	return n, err
}

// checkEvents reads the logs again: no gap, and all that was seen before.
func (c *clients) checkEvents(ctx context.Context, addr string, r *report) error {
	for run, seen := range c.seen {
		status, body, err := call(ctx, addr, http.MethodGet, "/v1/runs/"+run+"/events", "", nil)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("events of %s: status %d, %w", run, status, err)
		}
		n := 0
		for id, data := range eventsOf(bytes.NewReader(body)) {
			if n++; id != fmt.Sprint(n) {
				r.missing++
			}
			if was, known := seen[id]; known && was == data {
				delete(seen, id)
				r.events++
			}
		}
		r.missing += len(seen)
	}
	return nil
}

// tally is the report as a line of the table.
func (r *report) tally() *tally {
	t := &tally{
		done: fmt.Sprintf("%d rounds, %d runs and %d jobs acknowledged, %d calls of the model", r.rounds, r.runs, r.jobs, r.calls),
		figure: fmt.Sprintf("%d lost, %d doubled, %d given up after twenty cuts and said so; of %d events seen %d missing or different, %d told twice",
			r.lost, r.doubled, r.givenUp, r.events, r.missing, r.twice),
	}
	if r.lost+r.doubled+r.givenUp+r.missing+r.twice > 0 {
		t.miss("something was lost, given up or doubled")
	}
	return t
}
