package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// nodeNewsRig says things to one server, and looks whether another one knows them in the very
// next turn. A round is fifty sessions.
var nodeNewsRig = rig{
	name: "nodenews", fault: "something is told to one of three servers, asked of another, forgotten on the third; runs are followed and stopped on another server", rounds: 20,
	want: "the next turn has what was told and nothing of what was forgotten; an event is seen elsewhere after p99 < 200 ms; a run stops elsewhere",
	off:  "servers take what they remember of a lineage for the newest", bareRounds: 1,
	bare: []change{{"internal/lineage/shared.go", "return now.Found && now.State.Version == l.version && same(&now.Tip, &l.Tip)", "return now.Found"}},
	run:  nodeNews,
}

const (
	newsOfRound = 50
	// mostDelay is how much later an event may be seen on another server, for 99 of 100.
	mostDelay = 200 * time.Millisecond
)

// newsCount is what was seen of a cluster's news.
type newsCount struct {
	mu     sync.Mutex
	bodies map[string]string // what the model was sent, by its newest message
	delays []time.Duration   // of events on another server than the run's

	told, forgotten, stopped atomic.Int64
}

// hear keeps what the model is sent, and answers: in a few pieces, or in so many that the answer
// must be stopped.
func (n *newsCount) hear(req *upstreamtest.Request) upstreamtest.Step {
	text, ok := newest(req.Body)
	if !ok {
		return upstreamtest.Refuse(http.StatusBadRequest, "bad", "cannot read this")
	}
	n.mu.Lock()
	n.bodies[text] = string(req.Body)
	n.mu.Unlock()
	step := upstreamtest.Step{Chunks: pieces("All of this is noted."), Usage: &upstreamtest.Usage{Input: 10, Output: 5}}
	switch {
	case strings.HasPrefix(text, "Count to ten"):
		step.Chunks, step.Between = slices.Repeat([]string{"one more "}, 10), 20*time.Millisecond
	case strings.HasPrefix(text, "Count for ever"):
		step.Chunks, step.Between = slices.Repeat([]string{"one more "}, 1000), 50*time.Millisecond
	}
	return step
}

// sent is what the model was sent with a message.
func (n *newsCount) sent(text string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bodies[text]
}

// nodeNews is the whole rig.
func nodeNews(ctx context.Context, b *bench, rounds int) (*tally, error) {
	sum := &newsCount{bodies: make(map[string]string)}
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: sum.hear})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	c, stop, err := b.gather(ctx, model, false)
	if err != nil {
		return nil, err
	}
	defer stop()
	t, all := &tally{}, int64(rounds*newsOfRound)
	var talking sync.WaitGroup
	var missed sync.Mutex
	for range nodeClients / 2 {
		talking.Go(func() {
			for n := c.begun.Add(1); n <= all; n = c.begun.Add(1) {
				for _, err := range []error{c.news(ctx, n, sum), c.follow(ctx, n, sum)} {
					if err != nil {
						missed.Lock()
						t.miss("session %d: %v", n, err)
						missed.Unlock()
					}
				}
			}
		})
	}
	talking.Wait()
	sum.tell(all, t)
	return t, nil
}

// tell writes the figures down.
func (n *newsCount) tell(all int64, t *tally) {
	if len(n.delays) == 0 {
		t.miss("no event was seen on two servers")
		return
	}
	slices.Sort(n.delays)
	p99 := n.delays[len(n.delays)*99/100]
	t.done = fmt.Sprintf("%d sessions, %d events", all, len(n.delays))
	t.figure = fmt.Sprintf("told and known %d of %d, forgotten and unknown %d of %d, stopped elsewhere %d of %d; events elsewhere after p50 %d ms, p99 %d ms, at most %d ms",
		n.told.Load(), all, n.forgotten.Load(), all, n.stopped.Load(), all,
		n.delays[len(n.delays)/2].Milliseconds(), p99.Milliseconds(), n.delays[len(n.delays)-1].Milliseconds())
	if p99 >= mostDelay {
		t.miss("events elsewhere after p99 %s", p99)
	}
}

// news tells a name to one server and asks another for it, has the third forget the name, and asks
// both. Half of the sessions have a session key, under which each turn has a session of its own.
func (c *cluster) news(ctx context.Context, n int64, sum *newsCount) error {
	order := rand.Perm(nodeCount)
	name := fmt.Sprintf("Brixovan%dtel", n)
	say := func(node int, text string) (sent string, err error) {
		session, header := fmt.Sprint("news-", n), map[string]string{}
		if n%2 == 1 {
			session, header = fmt.Sprintf("news-%d-%d", n, rand.Int()), map[string]string{"X-Hermes-Session-Key": fmt.Sprint("key-", n)}
		}
		status, answer, _, err := chat(ctx, c.nodes[order[node]].addr(), session, text, false, header)
		if err != nil || status != http.StatusOK {
			return "", refused(text, status, []byte(answer), err)
		}
		return sum.sent(text), nil
	}
	if _, err := say(1, fmt.Sprintf("Hello, this is visitor %d.", n)); err != nil { // so that the server remembers the lineage
		return err
	}
	if _, err := say(0, fmt.Sprintf("My cat is called %s.", name)); err != nil {
		return err
	}
	sent, err := say(1, fmt.Sprintf("What is my cat called, for visitor %d?", n))
	if err != nil {
		return err
	}
	if !strings.Contains(sent, name) {
		return fmt.Errorf("what another server sent has no %s", name)
	}
	sum.told.Add(1)
	body, _ := json.Marshal(map[string]string{"about": name}) // a string: cannot fail
	status, answer, err := send(ctx, c.nodes[order[2]].addr(), "POST", "/api/memory/forget", nil, body)
	if err != nil || status != http.StatusOK {
		return refused("forget", status, answer, err)
	}
	for node := range order {
		sent, err := say(node, fmt.Sprintf("What is my cat called now, for visitor %d of server %d?", n, node))
		if err != nil {
			return err
		}
		if sent == "" || strings.Contains(sent, name) {
			return fmt.Errorf("a server sent %s after it was forgotten", name)
		}
	}
	sum.forgotten.Add(1)
	return nil
}

// follow follows a run on its server and on another, and stops another run from elsewhere.
func (c *cluster) follow(ctx context.Context, n int64, sum *newsCount) error {
	order := rand.Perm(nodeCount)
	run, err := c.begin(ctx, order[0], fmt.Sprintf("Count to ten for visitor %d.", n))
	if err != nil {
		return err
	}
	var at [2]map[string]time.Time
	var following sync.WaitGroup
	for i := range at {
		following.Go(func() { at[i], _ = c.watch(ctx, order[i], run, func() {}) })
	}
	following.Wait()
	sum.mu.Lock()
	for id, here := range at[0] {
		if there, seen := at[1][id]; seen {
			sum.delays = append(sum.delays, there.Sub(here))
		}
	}
	sum.mu.Unlock()
	if len(at[0]) == 0 || len(at[0]) != len(at[1]) {
		return fmt.Errorf("a run has %d events on its server and %d elsewhere", len(at[0]), len(at[1]))
	}
	if run, err = c.begin(ctx, order[0], fmt.Sprintf("Count for ever for visitor %d.", n)); err != nil {
		return err
	}
	stop := sync.OnceFunc(func() { _, _, err = call(ctx, c.nodes[order[2]].addr(), "POST", "/v1/runs/"+run+"/stop", "", nil) })
	_, last := c.watch(ctx, order[1], run, stop)
	if err != nil {
		return err
	}
	if !strings.Contains(last, "run.cancelled") {
		return fmt.Errorf("a run that was stopped elsewhere ended with %.200s", last)
	}
	sum.stopped.Add(1)
	return nil
}

// begin begins a run on a server.
func (c *cluster) begin(ctx context.Context, node int, input string) (string, error) {
	body, _ := json.Marshal(map[string]string{"input": input}) // a string: cannot fail
	var out struct {
		RunID string `json:"run_id"`
	}
	status, answer, err := call(ctx, c.nodes[node].addr(), "POST", "/v1/runs", "", body)
	if err != nil || status != http.StatusAccepted || json.Unmarshal(answer, &out) != nil {
		return "", refused("begin a run", status, answer, err)
	}
	return out.RunID, nil
}

// watch follows a run on a server to its end. It returns when each event came, and what the last
// one said. some is called with each piece of the answer.
func (c *cluster) watch(ctx context.Context, node int, run string, some func()) (at map[string]time.Time, last string) {
	at = make(map[string]time.Time)
	res, err := begin(ctx, c.nodes[node].addr(), "GET", "/v1/runs/"+run+"/events", nil, nil)
	if err != nil {
		return at, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	for id, data := range eventsOf(res.Body) {
		at[id], last = time.Now(), data
		if strings.Contains(data, "message.delta") {
			some()
		}
	}
	return at, last
}
