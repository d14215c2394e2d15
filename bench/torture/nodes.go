package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// anyPlace stores what a turn says although another server was faster.
var anyPlace = []change{
	{"internal/postgres/scopes.go", "if want != 0 && want != was {", "if false {"},
	{"internal/postgres/migrate.go", "t.Exec(ctx, scripts[i], ", "t.Exec(ctx, unplaced(scripts[i]), "},
	{"internal/postgres/unplaced.go", "", `package postgres

import "strings"

func unplaced(script string) string {
	return strings.Replace(script, "UNIQUE INDEX messages_place", "INDEX messages_place", 1)
}
`},
}

// anyTurn lets the turns of a lineage begin on any server, whoever has one under way.
var anyTurn = append([]change{{"internal/postgres/tickets.go", "		mine = first == t.number\n", "		mine = true\n"}}, anyPlace...)

// anyTime lets a server write whose lease is over.
var anyTime = append([]change{{
	"internal/postgres/node.go", "(SELECT FROM nodes WHERE node_id = ? AND until > now() FOR KEY SHARE) n`", "(SELECT ?::text) n`",
}}, anyPlace...)

// withoutTurns is what anyTurn takes away.
const withoutTurns = "turns do not wait for those on other servers, and nobody looks whether a place is taken"

// nodesRig has three servers share one PostgreSQL, and clients that go to any of them with
// each request. A round is a hundred turns.
var nodesRig = rig{
	name: "nodes", fault: "three servers on one PostgreSQL, eight clients that pick a server for each request, 64 lineages", rounds: 20,
	want: "0 lost, 0 doubled, every history linearizable",
	off:  withoutTurns, bareRounds: 5, bare: anyTurn,
	run: func(ctx context.Context, b *bench, rounds int) (*tally, error) {
		return b.cluster(ctx, &setting{rounds: rounds})
	},
}

// nodePoolRig puts PgBouncer between the servers and PostgreSQL.
var nodePoolRig = rig{
	name: "nodepool", fault: "as nodes, through PgBouncer in transaction mode", rounds: 20,
	want: "0 lost, 0 doubled, every history linearizable",
	off:  withoutTurns, bareRounds: 5, bare: anyTurn,
	run: func(ctx context.Context, b *bench, rounds int) (*tally, error) {
		return b.cluster(ctx, &setting{rounds: rounds, pooled: true})
	},
}

// nodeKillRig kills the servers in turn, and PostgreSQL twice.
var nodeKillRig = rig{
	name: "nodekill", fault: "as nodes, with a server killed every 3 s, and PostgreSQL stopped at once, twice", rounds: 20,
	want: "0 acknowledged lost, 0 doubled, every history linearizable; turns go on ≤ 15 s after a kill, ≤ 3 s after the database is back",
	off:  withoutTurns, bareRounds: 5, bare: anyTurn,
	run: func(ctx context.Context, b *bench, rounds int) (*tally, error) {
		return b.cluster(ctx, &setting{rounds: rounds, during: killNodes})
	},
}

// nodeFreezeRig freezes a server for longer than its lease.
var nodeFreezeRig = rig{
	name: "nodefreeze", fault: "as nodes, with a server frozen for 40 s in the middle of its turns, and woken", rounds: 5,
	want: "0 lost, 0 doubled, every history linearizable: nothing is stored of what the frozen server still writes",
	off:  "writes do not look at the lease of their server, and nobody looks whether a place is taken", bareRounds: 4, bare: anyTime,
	run: func(ctx context.Context, b *bench, rounds int) (*tally, error) {
		return b.cluster(ctx, &setting{rounds: rounds, between: 300 * time.Millisecond, during: freezeNode})
	},
}

const (
	nodeCount     = 3
	nodeClients   = 8
	nodeLineages  = 64
	turnsPerRound = 100
	// mostPatience is how long a client tries to get one turn acknowledged.
	mostPatience = 3 * time.Minute
)

// cluster is three servers on one database, with their clients.
type cluster struct {
	pg     *postgrestest.Server
	nodes  [nodeCount]*node
	book   *book
	begun  atomic.Int64 // turns
	events []string
}

// node is a server that may be away.
type node struct {
	mu sync.Mutex
	s  *subject
	at string // its address; the last one while it is away
}

func (n *node) addr() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.at
}

// start starts the server, on another address than before.
func (n *node) start(ctx context.Context) error {
	if err := n.s.start(ctx); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at = n.s.addr
	return nil
}

// fault is what happens to a cluster while its clients talk, until they are done.
type fault func(ctx context.Context, c *cluster, done <-chan struct{}, t *tally) error

// setting is what a rig's cluster is like.
type setting struct {
	rounds  int
	between time.Duration // the pause of the model between the pieces of its answers
	during  fault         // nil for none
	pooled  bool          // a pooler stands between the servers and the database
}

// cluster runs the clients, and a fault while they talk, and checks what they saw.
func (b *bench) cluster(ctx context.Context, set *setting) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: func(req *upstreamtest.Request) upstreamtest.Step {
		step := behind(req)
		step.Between = set.between
		return step
	}})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	c, stop, err := b.gather(ctx, model, set.pooled)
	if err != nil {
		return nil, err
	}
	defer stop()
	t := &tally{}
	began := time.Now()
	if err := c.talk(ctx, int64(set.rounds*turnsPerRound), set.during, t); err != nil {
		return nil, err
	}
	took := time.Since(began)
	if err := c.book.settle(ctx, c.nodes[0].addr(), t); err != nil {
		return nil, err
	}
	c.book.check(t)
	for i, n := range c.nodes {
		b.leaveLog(t, fmt.Sprintf("node-%d", i+1), n.s)
	}
	t.done += fmt.Sprintf(" at %.0f turns a second", float64(set.rounds*turnsPerRound)/took.Seconds())
	if len(c.events) > 0 {
		t.done += fmt.Sprintf(", %d faults", len(c.events))
	}
	return t, nil
}

// gather starts PostgreSQL and the servers. stop ends them.
func (b *bench) gather(ctx context.Context, model *upstreamtest.Server, pooled bool) (c *cluster, stop func(), err error) {
	c = &cluster{book: newBook()}
	if c.pg, err = postgrestest.Start(ctx, postgrestest.Options{Durable: true}); err != nil {
		return nil, nil, err
	}
	stop = func() {
		for _, n := range c.nodes {
			if n != nil {
				n.s.kill()
			}
		}
		c.pg.Stop()
	}
	if err := c.fill(ctx, b, model.URL+"/v1", pooled); err != nil {
		stop()
		return nil, nil, err
	}
	return c, stop, nil
}

// fill starts the servers on the database.
func (c *cluster) fill(ctx context.Context, b *bench, upstream string, pooled bool) error {
	database := []string{"HERMES_DATABASE_URL=" + c.pg.URL("postgres")}
	if pooled {
		if err := c.pg.Pool(ctx); err != nil {
			return err
		}
		database = []string{"HERMES_DATABASE_URL=" + c.pg.Pooled(c.pg.URL("postgres")), "HERMES_DATABASE_LISTEN_URL=" + c.pg.URL("postgres")}
	}
	for i := range c.nodes {
		s, err := b.subject(upstream, database...)
		if err != nil {
			return err
		}
		c.nodes[i] = &node{s: s}
		if err := c.nodes[i].start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// talk lets the clients talk until all turns are taken.
func (c *cluster) talk(ctx context.Context, turns int64, during fault, t *tally) error {
	done, failed := make(chan struct{}), make(chan error, 1)
	if during == nil {
		failed <- nil
	} else {
		go func() { failed <- during(ctx, c, done, t) }()
	}
	var talking sync.WaitGroup
	for i := range nodeClients {
		talking.Go(func() {
			for n := 0; c.begun.Add(1) <= turns; n++ {
				c.book.turn(ctx, c.pick, c.lineage(), i, n)
				if rand.IntN(8) == 0 {
					c.book.read(ctx, c.pick(), i)
				}
			}
		})
	}
	talking.Wait()
	close(done)
	return <-failed
}

// pick is the address of any of the servers.
func (c *cluster) pick() string { return c.nodes[rand.IntN(nodeCount)].addr() }

// lineage is that of the next turn. Half of the turns of a round are in one lineage, so that
// they meet there.
func (c *cluster) lineage() int {
	if rand.IntN(2) == 0 {
		return int(c.begun.Load()/turnsPerRound) % nodeLineages
	}
	return rand.IntN(nodeLineages)
}

// waited pauses, and reports whether the clients still talk.
func waited(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-done:
		return false
	}
}

// killNodes kills a server every three seconds and starts it again. Twice, PostgreSQL goes.
func killNodes(ctx context.Context, c *cluster, done <-chan struct{}, t *tally) error {
	for i := 0; waited(3*time.Second, done); i++ {
		if i == 2 || i == 5 {
			if err := c.crash(ctx, t); err != nil {
				return err
			}
			continue
		}
		n := c.nodes[i%nodeCount]
		n.s.kill()
		c.events = append(c.events, "kill")
		c.book.goesOn(time.Now(), 15*time.Second, fmt.Sprintf("kill %d", i+1))
		if err := n.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// crash ends PostgreSQL at once, and starts it again.
func (c *cluster) crash(ctx context.Context, _ *tally) error {
	c.pg.Crash()
	if err := c.pg.Restart(ctx); err != nil {
		return fmt.Errorf("start PostgreSQL again: %w", err)
	}
	c.events = append(c.events, "crash")
	c.book.goesOn(time.Now(), 3*time.Second, fmt.Sprintf("crash %d of the database", len(c.events)))
	return nil
}

// freezeNode freezes a server for 40 seconds, in which the clients go on talking.
func freezeNode(ctx context.Context, c *cluster, done <-chan struct{}, _ *tally) error {
	waited(500*time.Millisecond, done)
	pid := c.nodes[1].s.cmd.Process.Pid
	if err := syscall.Kill(-pid, syscall.SIGSTOP); err != nil {
		return err
	}
	c.events = append(c.events, "freeze")
	pause(ctx, 40*time.Second)
	if err := syscall.Kill(-pid, syscall.SIGCONT); err != nil {
		return err
	}
	pause(ctx, 5*time.Second) // in which it tries to write
	return nil
}

// book is what clients did in lineages, and what they saw.
type book struct {
	mu       sync.Mutex
	clock    int64
	lineages [nodeLineages]*register
	acked    []time.Time  // when turns were acknowledged
	awaited  []awaited    // times after which turns must go on
	cut      atomic.Int64 // requests without an answer, or with 503
	refused  []string
	longest  time.Duration // of a turn, with all attempts
}

// awaited is a moment after which a turn must be acknowledged soon.
type awaited struct {
	since  time.Time
	within time.Duration
	what   string
}

// register is a lineage: messages are only ever added at its end.
type register struct {
	name string
	ops  []porcupine.Operation
}

func newBook() *book {
	b := &book{}
	for i := range b.lineages {
		b.lineages[i] = &register{name: fmt.Sprintf("nodes-%d", i)}
	}
	return b
}

func (b *book) now() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock++
	return b.clock
}

func (b *book) goesOn(since time.Time, within time.Duration, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaited = append(b.awaited, awaited{since, within, what})
}

// slowest checks how soon turns went on, and returns the longest wait.
func (b *book) slowest(t *tally) (longest time.Duration) {
	slices.SortFunc(b.acked, time.Time.Compare)
	for _, a := range b.awaited {
		i, _ := slices.BinarySearchFunc(b.acked, a.since, time.Time.Compare)
		if i == len(b.acked) {
			continue // the clients were done
		}
		waited := b.acked[i].Sub(a.since)
		longest = max(longest, waited)
		if waited > a.within {
			t.miss("turns went on %s after %s", waited.Round(time.Millisecond), a.what)
		}
	}
	return longest
}
