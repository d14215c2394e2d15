package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/storage"
)

const (
	// batchRows and batchBytes bound what one transaction stores. Two batches are in memory.
	batchRows  = 4096
	batchBytes = 4 << 20
)

// identity names the source, by the keys of its store.
func (m *move) identity(ctx context.Context) (string, error) {
	var d digest
	for _, t := range m.tables {
		if t.Name != "meta" {
			continue
		}
		for row, err := range m.from.Rows(ctx, storage.Reading{Table: t, Ordered: true}) {
			if err != nil {
				return "", err
			}
			d.encode(row.Values)
			d.all = append(d.all, d.row...)
		}
	}
	sum := sha256.Sum256(d.all)
	return hex.EncodeToString(sum[:8]), nil
}

// copyAll copies what an earlier run has not copied.
func (m *move) copyAll(ctx context.Context) error {
	for _, t := range m.tables {
		n, err := m.from.Count(ctx, t.Name)
		if err != nil {
			return err
		}
		m.total += n
		switch t.Name {
		case "messages":
			m.report.Messages = n
		case "files":
			m.report.Files = n
		}
	}
	for _, t := range m.tables {
		if slices.Contains(m.mark.Done, t.Name) {
			continue
		}
		if err := m.copyTable(ctx, t); err != nil {
			return err
		}
	}
	counters, err := m.from.Counters(ctx)
	if err != nil {
		return err
	}
	m.report.Tables, m.report.Rows, m.report.Bytes = len(m.tables), m.mark.Rows, m.mark.Bytes
	return m.to.SetCounters(ctx, counters)
}

// batch are rows on their way from the source to the target.
type batch struct {
	rows  [][]any
	bytes int64
	after []any
	last  bool
}

// copyTable copies a table. The next batch is read while one is stored.
func (m *move) copyTable(ctx context.Context, t storage.MovedTable) error {
	reading := storage.Reading{Table: t, Ordered: true}
	first := m.mark.Table != t.Name
	if !first {
		reading.After = place(m.mark.After)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan *batch)
	read := recovery.Async(func() error {
		defer close(batches)
		return m.read(ctx, reading, batches)
	})
	var err error
	for b := range batches {
		if err == nil {
			err = m.store(ctx, t, b, first)
			first = false
		}
		if err != nil {
			stop() // the reader ends
		}
	}
	if failed := <-read; err == nil {
		err = failed
	}
	return err
}

// read sends the rows of a table in batches. The last one may be empty.
func (m *move) read(ctx context.Context, r storage.Reading, batches chan<- *batch) error {
	b := &batch{}
	send := func() error {
		select {
		case batches <- b:
			b = &batch{}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for row, err := range m.from.Rows(ctx, r) {
		if err != nil {
			return err
		}
		b.rows, b.after = append(b.rows, row.Values), row.Place
		b.bytes += sizeOf(row.Values)
		if len(b.rows) < batchRows && b.bytes < batchBytes {
			continue
		}
		if err := send(); err != nil {
			return err
		}
	}
	b.last = true
	return send()
}

// store stores a batch, and how far the copy has come with it.
func (m *move) store(ctx context.Context, t storage.MovedTable, b *batch, first bool) error {
	next := m.mark
	next.Rows += int64(len(b.rows))
	next.Bytes += b.bytes
	if b.last {
		next.Table, next.After, next.Done = "", nil, append(slices.Clone(next.Done), t.Name)
	} else {
		parts, err := partsOf(b.after)
		if err != nil {
			return fmt.Errorf("copy %s: %w", t.Name, err)
		}
		next.Table, next.After = t.Name, parts
	}
	text, err := next.text()
	if err != nil {
		return err
	}
	if err := m.to.Add(ctx, &storage.MovedBatch{Table: t, Rows: b.rows, First: first, Mark: text}); err != nil {
		return err
	}
	m.mark = next
	m.tell(Progress{Table: t.Name, Rows: next.Rows, Of: m.total, Bytes: next.Bytes, Left: m.left()})
	return nil
}

// left estimates how long the copy still takes.
func (m *move) left() time.Duration {
	copied := m.mark.Rows - m.skip
	if copied < batchRows {
		return 0
	}
	per := float64(time.Since(m.began)) / float64(copied)
	return time.Duration(per * float64(max(m.total-m.mark.Rows, 0)))
}

// sizeOf is how many bytes the values of a row have.
func sizeOf(values []any) (n int64) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += int64(len(v))
		case []byte:
			n += int64(len(v))
		case nil:
		default:
			n += 8
		}
	}
	return n
}
