package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/news"
)

const (
	// newsPause is the time between two transactions with news. A transaction with a notification
	// waits for others with one, so that news are sent together, after the turns that make them.
	newsPause = 50 * time.Millisecond
	// mostNews bounds the news that wait. If there are more, the other nodes are told that some are lost.
	mostNews = 4096
	// newsRoom bounds a notification, in bytes: PostgreSQL takes less than 8,000.
	newsRoom = 7000
)

// dispatches are the news of this node that wait to be sent.
type dispatches struct {
	from    string // names this node
	mu      sync.Mutex
	waiting []told
	lost    bool
	rung    chan struct{}
}

// told is an item of an owner.
type told struct {
	Owner string    `json:"owner,omitempty"`
	Item  news.Item `json:"item"`
}

// dispatch is a notification with news.
type dispatch struct {
	From string            `json:"from"`
	News []json.RawMessage `json:"news,omitempty"` // told
	Lost bool              `json:"lost,omitempty"`
}

// TellNews passes news on to the other nodes, soon. They may be lost.
func (db *DB) TellNews(owner string, it news.Item) {
	if db.node == nil || db.Nodes() < 2 {
		return
	}
	d := &db.dispatches
	d.mu.Lock()
	if len(d.waiting) < mostNews {
		d.waiting = append(d.waiting, told{owner, it})
	} else {
		d.lost = true
	}
	d.mu.Unlock()
	select {
	case d.rung <- struct{}{}:
	default: // it has rung already
	}
}

// HearNews calls heard for the news of other nodes, and lost when some may have been lost. It is
// called once. The functions must not block.
func (db *DB) HearNews(heard func(owner string, it news.Item), lost func()) {
	db.ears.mu.Lock()
	defer db.ears.mu.Unlock()
	db.ears.news, db.ears.lost = heard, lost
}

// sendNews sends news until ctx ends.
func (db *DB) sendNews(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-db.dispatches.rung:
		case <-ctx.Done():
			return
		}
		if err := db.sendWaiting(ctx); err != nil && ctx.Err() == nil {
			db.log.Warn("other nodes are not told what has changed here", "err", err)
		}
		pause.Reset(newsPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

// sendWaiting sends the news that wait, in one transaction. What cannot be sent is lost.
func (db *DB) sendWaiting(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connPatience)
	defer cancel()
	payloads, err := db.dispatches.take()
	if err != nil || len(payloads) == 0 {
		return err
	}
	if _, err = db.pool.Exec(ctx, notifyAll, payloads); err != nil {
		db.dispatches.lose()
		return judge(err)
	}
	return nil
}

// notifyAll sends notifications in their order. None of them waits for the disk.
const notifyAll = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('` + channel + `', n)
	FROM unnest($1::text[]) WITH ORDINALITY w (n, at) ORDER BY at`

// greeting is a dispatch without news: this node hears now what the others tell.
func (d *dispatches) greeting() string { return aboutNews + `{"from":"` + d.from + `"}` }

// lose notes that news are lost. The next ones say so.
func (d *dispatches) lose() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost = true
}

// take returns the notifications for what waits. Of equal items one is enough.
func (d *dispatches) take() (payloads []string, err error) {
	d.mu.Lock()
	waiting, lost := d.waiting, d.lost
	d.waiting, d.lost = nil, false
	d.mu.Unlock()
	next, size := dispatch{From: d.from, Lost: lost}, 0
	flush := func() error {
		text, err := json.Marshal(next)
		payloads = append(payloads, aboutNews+string(text))
		next, size = dispatch{From: d.from}, 0
		return err
	}
	for _, t := range slices.CompactFunc(waiting, told.repeats) {
		text, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > newsRoom && len(next.News) > 0 {
			if err := flush(); err != nil {
				return nil, err
			}
			size = len(text)
		}
		next.News = append(next.News, text)
	}
	if len(next.News) > 0 || next.Lost {
		err = flush()
	}
	return payloads, err
}

// repeats reports whether an item says what the one before says.
func (t told) repeats(before told) bool { return t == before && t.Item.Seq == nil }

// hearNews passes a notification with news on.
func (db *DB) hearNews(text string) {
	var d dispatch
	if json.Unmarshal([]byte(text), &d) != nil || d.From == db.dispatches.from {
		return
	}
	db.node.meet()
	db.ears.mu.Lock()
	heard, lost := db.ears.news, db.ears.lost
	db.ears.mu.Unlock()
	if heard == nil {
		return
	}
	if d.Lost {
		lost()
	}
	for _, text := range d.News {
		var t told
		if json.Unmarshal(text, &t) == nil {
			heard(t.Owner, t.Item)
		}
	}
}

// loseNews says that news of other nodes may have been lost.
func (db *DB) loseNews() {
	db.ears.mu.Lock()
	lost := db.ears.lost
	db.ears.mu.Unlock()
	if lost != nil {
		lost()
	}
}
