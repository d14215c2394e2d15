package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// indexRig damages the text index under load.
var indexRig = rig{
	name: "index", fault: "F8 the text index's blocks overwritten with noise by another program, under load", rounds: 30, run: damageIndex,
	want: "0 failed appends, search back by itself, the index sound, the same results as of a rebuilt index",
	off:  "a damaged index is left as it is", bareRounds: 3,
	bare: []change{{"internal/sqlite/heal.go", "func (x *indexer) remake(ctx context.Context, why string) error {\n", "func (x *indexer) remake(ctx context.Context, why string) error {\n	if ctx != nil {\n		return nil\n	}\n"}},
}

// words are what messages of this rig speak of. Each is said often; a tick is said
// by four writers only, so that a search for it is not cut short by its time.
var words = strings.Fields("anchor bridge candle desert engine forest garden harbor island jacket kettle ladder marble needle orchard pepper quarry ribbon saddle timber")

// damageIndex is the whole rig.
func damageIndex(ctx context.Context, b *bench, rounds int) (*tally, error) {
	s, err := b.serve(ctx, "", "HERMES_RESPONDER=recall")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	t, l := &tally{}, indexLoad{s: s}
	load, stop := context.WithCancel(ctx)
	defer stop()
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() { l.write(load, i) })
	}
	working.Go(func() { l.search(load) })
	damaged := 0
	for range rounds {
		pause(ctx, 700*time.Millisecond)
		n, err := damage(ctx, s.file())
		if err != nil {
			return nil, err
		}
		damaged += n
	}
	stop()
	working.Wait()
	took, equal, err := s.healed(ctx, int(l.acked.Load())/(4*perAppend))
	if err != nil {
		return nil, err
	}
	if code := s.stop(); code != 0 {
		t.miss("the stop ended with %d", code)
	}
	rows, err := checkFile(ctx, s.file(), t)
	if err != nil {
		return nil, err
	}
	lost := int(l.acked.Load()) - len(rows)
	t.done = fmt.Sprintf("%d times, %d blocks overwritten, %d messages acknowledged, %d searches", rounds, damaged, l.acked.Load(), l.searched.Load())
	t.figure = fmt.Sprintf("%d failed appends, %d lost, %d searches told to wait; search whole %.1f s after the load; %d of %d searches have the results of a rebuilt index",
		l.failed.Load(), max(0, lost), l.refused.Load(), took.Seconds(), equal, ticksAsked)
	if l.failed.Load() > 0 || lost > 0 {
		t.miss("%d failed appends, %d lost", l.failed.Load(), lost)
	}
	if equal < ticksAsked {
		t.miss("%d searches bring something else", ticksAsked-equal)
	}
	return t, nil
}

// indexLoad is what is done to a server whose index is damaged.
type indexLoad struct {
	s                                *subject
	acked, failed, searched, refused atomic.Int64
}

// write appends messages until the load ends.
func (l *indexLoad) write(ctx context.Context, writer int) {
	for n := 0; ctx.Err() == nil; n++ {
		said := fmt.Sprintf("Writer %d saw the %s at tick%d.", writer, words[n%len(words)], n)
		_, status, _, err := appendTo(ctx, l.s.addr, fmt.Sprintf("index/%d", writer), said)
		switch {
		case err == nil && status == http.StatusOK:
			l.acked.Add(perAppend)
		case ctx.Err() == nil:
			l.failed.Add(1)
			pause(ctx, 10*time.Millisecond)
		}
	}
}

// search searches until the load ends.
func (l *indexLoad) search(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		l.searched.Add(1)
		status, _, err := send(ctx, l.s.addr, "GET", "/api/search?q="+words[n%len(words)], nil, nil)
		if told := err == nil && status == http.StatusOK; !told && ctx.Err() == nil {
			l.refused.Add(1)
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// damage overwrites blocks of the index from outside, and says how many.
func damage(ctx context.Context, path string) (int, error) {
	db, err := openFile(path, false)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, `PRAGMA busy_timeout = 10000`); err != nil {
		return 0, err
	}
	res, err := db.ExecContext(ctx, `UPDATE messages_fts_data SET block = randomblob(length(block)) WHERE id > 10`)
	if err != nil {
		return 0, fmt.Errorf("damage the index: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// healed searches until every search is answered, then has the index rebuilt, and
// counts the ticks that are found the same.
func (s *subject) healed(ctx context.Context, ticks int) (took time.Duration, equal int, err error) {
	began := time.Now()
	before, err := s.found(ctx, ticks)
	for ; err != nil && time.Since(began) < 20*time.Second; before, err = s.found(ctx, ticks) {
		pause(ctx, 100*time.Millisecond)
	}
	if took = time.Since(began); before == nil {
		return took, 0, nil // it never was, which is a figure, too
	}
	if status, body, err := send(ctx, s.addr, "POST", "/api/search/rebuild", nil, nil); err != nil || status != http.StatusOK {
		return took, 0, fmt.Errorf("rebuild the index: status %d, %w: %s", status, err, body)
	}
	after, err := s.found(ctx, ticks)
	if err != nil {
		return took, 0, err
	}
	for i := range before {
		if before[i] == after[i] {
			equal++
		}
	}
	return took, equal, nil
}

// ticksAsked is how many ticks are looked for, all over the time of the load.
const ticksAsked = 40

// found is what searches for ticks bring.
func (s *subject) found(ctx context.Context, ticks int) ([]string, error) {
	var out []string
	for i := range ticksAsked {
		status, body, err := send(ctx, s.addr, "GET", fmt.Sprintf("/api/search?q=tick%d", i*ticks/ticksAsked), nil, nil)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("search: status %d, %w", status, err)
		}
		if bytes.Contains(body, []byte(`"partial":true`)) {
			return nil, errors.New("the index is still catching up")
		}
		out = append(out, string(body))
	}
	return out, nil
}
