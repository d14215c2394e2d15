package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// nodeClocksRig has jobs due on three servers whose clocks are five minutes apart. A round is
// a hundred due times.
var nodeClocksRig = rig{
	name: "nodeclocks", fault: "jobs on three servers with clocks five minutes apart, one of which is killed again and again", rounds: 2,
	want: "each due time fires once, none is missing, none comes early",
	off:  "servers go by their own clocks", bareRounds: 1,
	bare:   []change{{"internal/postgres/clock.go", "		c.ahead.Store(int64(ahead))\n", "		_ = ahead\n"}},
	fitted: skewed, run: clocks,
}

// skewed gives the store of a server a clock of its machine that is wrong by a setting.
var skewed = []change{
	{"internal/postgres/clock.go", "return time.Now().Add(", "return machine().Add("},
	{"internal/postgres/clock.go", "began := time.Now()", "began := machine()"},
	{"internal/postgres/clock.go", "way := time.Since(began)", "way := machine().Sub(began)"},
	{"internal/postgres/machine.go", "", `package postgres

import (
	"os"
	"time"
)

func machine() time.Time {
	skew, _ := time.ParseDuration(os.Getenv("RIG_SKEW"))
	return time.Now().Add(skew)
}
`},
}

const (
	dueOfRound    = 100 // as many jobs as an owner may have
	clockSessions = 16
	// early is how much before its due time a job may fire: the clock follows that of the
	// database within this.
	early = time.Second
)

// dueJob is a job that is due once.
type dueJob struct {
	id, prompt string
	due        time.Time
}

// clocks is the whole rig.
func clocks(ctx context.Context, b *bench, rounds int) (*tally, error) {
	sum := &dueCount{heard: make(map[string]time.Time)}
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: sum.hear})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	pg, err := postgrestest.Start(ctx, postgrestest.Options{Durable: true})
	if err != nil {
		return nil, err
	}
	defer pg.Stop()
	c := &cluster{pg: pg, book: newBook()}
	for i, skew := range [nodeCount]string{"-5m", "0", "5m"} {
		s, err := b.subject(model.URL+"/v1", "HERMES_DATABASE_URL="+pg.URL("postgres"), "RIG_SKEW="+skew)
		if err != nil {
			return nil, err
		}
		c.nodes[i] = &node{s: s}
		if err := c.nodes[i].start(ctx); err != nil {
			return nil, err
		}
		defer s.kill()
	}
	t := &tally{}
	for n := range rounds {
		if err := c.due(ctx, n, sum, t); err != nil {
			return nil, err
		}
		b.say("nodeclocks: round %d", n+1)
	}
	t.done = fmt.Sprintf("%d due times, %d kills", sum.due, sum.kills)
	t.figure = fmt.Sprintf("%d missing, %d fired twice, %d early; the latest %.1f s late", sum.missing, sum.twice, sum.early, sum.late.Seconds())
	if sum.missing+sum.twice+sum.early > 0 {
		t.miss("%d missing, %d fired twice, %d early", sum.missing, sum.twice, sum.early)
	}
	return t, nil
}

// dueCount is what the rig adds up.
type dueCount struct {
	due, kills, missing, twice, early int
	late                              time.Duration

	mu    sync.Mutex
	heard map[string]time.Time // when the model was first asked a prompt, by the rig's clock
}

// hear answers a prompt, and notes when it came.
func (d *dueCount) hear(req *upstreamtest.Request) upstreamtest.Step {
	if text, ok := newest(req.Body); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		if _, before := d.heard[text]; !before {
			d.heard[text] = time.Now()
		}
	}
	return echo(0)(req)
}

// heardAt is when the model was first asked a prompt.
func (d *dueCount) heardAt(prompt string) (time.Time, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.heard[prompt]
	return at, ok
}

// due makes a round of jobs, waits until all have fired, and counts.
func (c *cluster) due(ctx context.Context, round int, sum *dueCount, t *tally) error {
	var jobs []dueJob
	begin := time.Now().Add(15 * time.Second)
	for i := range dueOfRound {
		j := dueJob{prompt: fmt.Sprintf("Due time %d of round %d.", i, round), due: begin.Add(rand.N(10 * time.Second)).Truncate(time.Second)}
		if err := c.plan(ctx, &j, sessionOfDue(round, i)); err != nil {
			t.miss("%v", err)
			continue
		}
		jobs = append(jobs, j)
	}
	for n := range 4 {
		pause(ctx, time.Until(begin.Add(time.Duration(n)*4*time.Second)))
		killed := c.nodes[(round+n)%nodeCount]
		killed.s.kill()
		sum.kills++
		if err := killed.start(ctx); err != nil {
			return err
		}
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); pause(ctx, 500*time.Millisecond) {
		if c.allFired(ctx, jobs) {
			break
		}
	}
	return c.countDue(ctx, round, jobs, sum)
}

// sessionOfDue is the session of a job. Each round has its own, so that its messages fit a page.
func sessionOfDue(round, i int) string { return fmt.Sprintf("clocks-%d-%d", round, i%clockSessions) }

// plan makes a job, on any server.
func (c *cluster) plan(ctx context.Context, j *dueJob, session string) error {
	body, _ := json.Marshal(map[string]string{ // strings: cannot fail
		"name": j.prompt, "prompt": j.prompt, "session_id": session,
		"schedule": j.due.UTC().Format(time.RFC3339),
	})
	var out struct{ Job struct{ ID string } }
	status, answer, err := call(ctx, c.pick(), "POST", "/api/jobs", "", body)
	if err != nil || status != http.StatusCreated || json.Unmarshal(answer, &out) != nil {
		return refused("make a job", status, answer, err)
	}
	j.id = out.Job.ID
	return nil
}

// firesOf are the fires of a job.
type firesOf struct {
	Data []struct {
		Status string
	}
}

// allFired reports whether every job has come to its end.
func (c *cluster) allFired(ctx context.Context, jobs []dueJob) bool {
	for i := range jobs {
		var fires firesOf
		if get(ctx, c.pick(), "/api/jobs/"+jobs[i].id+"/runs", &fires) != nil || len(fires.Data) == 0 || fires.Data[0].Status != "completed" {
			return false
		}
	}
	return true
}

// countDue compares the fires, and what was said, with what was due, and deletes the jobs.
func (c *cluster) countDue(ctx context.Context, round int, jobs []dueJob, sum *dueCount) error {
	said := make(map[string]int)
	for i := range clockSessions {
		var all listed
		if err := get(ctx, c.nodes[1].addr(), "/api/sessions/"+sessionOfDue(round, i)+"/messages?limit=1000", &all); err != nil {
			return err
		}
		for _, m := range all.Data {
			said[strings.TrimSpace(m.Content)]++
		}
	}
	for i := range jobs {
		j := &jobs[i]
		var fires firesOf
		if err := get(ctx, c.nodes[1].addr(), "/api/jobs/"+j.id+"/runs", &fires); err != nil {
			return err
		}
		sum.count(j, min(len(fires.Data), said[j.prompt]), max(len(fires.Data), said[j.prompt]))
		if status, body, err := call(ctx, c.pick(), "DELETE", "/api/jobs/"+j.id, "", nil); err != nil || status != http.StatusOK {
			return refused("delete a job", status, body, err)
		}
	}
	return nil
}

// count adds a due time: how often it has fired, by the ledger and by the transcript.
func (d *dueCount) count(j *dueJob, least, most int) {
	d.due++
	heard, asked := d.heardAt(j.prompt)
	if least == 0 || !asked {
		d.missing++
		return
	}
	if most > 1 {
		d.twice++
	}
	late := heard.Sub(j.due)
	d.late = max(d.late, late)
	if late < -early {
		d.early++
	}
}
