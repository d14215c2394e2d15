package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/bench/served"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

const (
	storesTurns  = 1000 // of each store, a session has a hundred
	storesBlocks = 10
	coldNodes    = 10 // servers that are started for one cold turn each
)

// stores compares the two stores: CPU of a turn, and what PostgreSQL does for one. The inputs of the
// formula in docs/scale.md are from here. Then it measures cold turns over a large scope.
func (b *bench) stores(ctx context.Context) error {
	pg, err := postgrestest.Start(ctx, postgrestest.Options{Durable: true})
	if err != nil {
		return err
	}
	defer pg.Stop()
	if err := b.storesWarm(ctx, pg); err != nil {
		return err
	}
	return b.storesCold(ctx, pg)
}

// storesWarm takes turns on a file and on PostgreSQL, in blocks that alternate.
func (b *bench) storesWarm(ctx context.Context, pg *postgrestest.Server) error {
	file, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer file.Stop()
	node, err := b.startNode(ctx, pg)
	if err != nil {
		return err
	}
	defer node.Stop()
	each := storesTurns / b.scale / storesBlocks
	var series [2]series
	var work databaseWork
	talks := [2]*talks{newTalks(file), newTalks(node)}
	for n := range storesBlocks {
		before, err := workOf(ctx, pg)
		if err != nil {
			return err
		}
		for i, t := range talks {
			if err := t.warm(ctx, &series[i], each, fmt.Sprint("stores:", n)); err != nil {
				return err
			}
		}
		after, err := workOf(ctx, pg)
		if err != nil {
			return err
		}
		work.add(after.since(before))
	}
	turns := float64(storesBlocks * (each + warmFirst))
	onFile, onNode := series[0].cpuEach(), series[1].cpuEach()
	b.bar("CPU of a turn on PostgreSQL, of the server alone", "<= 1.5 x that on a file", times(onNode, onFile) <= 1.5,
		"%.2f x (%s and %s)", times(onNode, onFile), ms(onNode), ms(onFile))
	f, p := series[0].spread(), series[1].spread()
	b.add("a turn on PostgreSQL, p50 (on a file)", "", "%s (%s)", ms(p.p50), ms(f.p50))
	b.add("PostgreSQL for a turn", "", "%s of CPU, %.1f kB of log, %.1f transactions, %.1f kB of tables and indexes",
		ms(time.Duration(float64(work.cpu)/turns)), work.log/turns/1000, work.commits/turns, work.size/turns/1000)
	return nil
}

// storesCold takes the first turn of servers that have just been started on a large scope, and warm
// ones behind it.
func (b *bench) storesCold(ctx context.Context, pg *postgrestest.Server) error {
	long := 100_000 / b.scale
	s, err := b.startNode(ctx, pg)
	if err != nil {
		return err
	}
	defer func() { s.Stop() }()
	g := group{"large", 1, long}
	if err := b.fillGroup(ctx, s, g); err != nil {
		return err
	}
	if err := s.Quiet(ctx); err != nil { // the pieces of the scope are made
		return err
	}
	warm := &series{}
	var cold, started []time.Duration
	for i := range 2 * coldNodes {
		if err := newTalks(s).warm(ctx, warm, coldWarm, g.session(0)); err != nil {
			return err
		}
		if err := s.Quiet(ctx); err != nil { // a server that lives for a second makes no pieces
			return err
		}
		s.Stop()
		if s, err = b.startNode(ctx, pg); err != nil {
			return err
		}
		turns := &started // the first turn of a server that is still starting, or of one that has started
		if i%2 == 0 {
			turns = &cold
			if err := s.Quiet(ctx); err != nil {
				return err
			}
		}
		took, err := newTalks(s).turn(ctx, g.session(0))
		if err != nil {
			return err
		}
		*turns = append(*turns, took)
	}
	w, c, f := warm.spread(), spreadOf(cold), spreadOf(started)
	b.bar(fmt.Sprintf("a cold turn on PostgreSQL, %s messages", thousands(long)), "<= 5 x a warm one", times(c.p50, w.p50) <= 5,
		"%.1f x (%s and %s), p95 %s", times(c.p50, w.p50), ms(c.p50), ms(w.p50), ms(c.p95))
	b.add("the same, as the first healthy answer comes", "", "%.1f x (%s), p95 %s", times(f.p50, w.p50), ms(f.p50), ms(f.p95))
	return nil
}

// startNode starts a server with a new home on a database.
func (b *bench) startNode(ctx context.Context, pg *postgrestest.Server) (*served.Server, error) {
	home, err := os.MkdirTemp(b.dir, "node-")
	if err != nil {
		return nil, fmt.Errorf("make home: %w", err)
	}
	return served.Start(ctx, b.binary, home, b.upstream.server.URL+"/v1", "HERMES_MODEL=scripted-model",
		"HERMES_DATABASE_URL="+pg.URL("postgres"))
}

// databaseWork is what a PostgreSQL server has done.
type databaseWork struct {
	cpu     time.Duration
	log     float64 // bytes of the write-ahead log
	commits float64
	size    float64 // bytes of the database
}

func (w *databaseWork) add(o databaseWork) {
	w.cpu, w.log, w.commits, w.size = w.cpu+o.cpu, w.log+o.log, w.commits+o.commits, w.size+o.size
}

func (w databaseWork) since(o databaseWork) databaseWork {
	return databaseWork{w.cpu - o.cpu, w.log - o.log, w.commits - o.commits, w.size - o.size}
}

// statsDelay is how long PostgreSQL may keep its counters of a connection to itself.
const statsDelay = 1500 * time.Millisecond

// workOf is what a server has done so far.
func workOf(ctx context.Context, pg *postgrestest.Server) (databaseWork, error) {
	counted := time.NewTimer(statsDelay)
	defer counted.Stop()
	select {
	case <-counted.C:
	case <-ctx.Done():
		return databaseWork{}, ctx.Err()
	}
	conn, err := pgx.Connect(ctx, pg.URL("postgres"))
	if err != nil {
		return databaseWork{}, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var w databaseWork
	const ask = `SELECT pg_current_wal_insert_lsn() - '0/0', sum(xact_commit), pg_database_size(current_database()) FROM pg_stat_database`
	if err := conn.QueryRow(ctx, ask).Scan(&w.log, &w.commits, &w.size); err != nil {
		return w, fmt.Errorf("read the counters of PostgreSQL: %w", err)
	}
	w.cpu = served.FamilyCPU(pg.Pid())
	return w, nil
}
