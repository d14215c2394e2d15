package live

import (
	"encoding/json"
	"time"
)

// entry is something to store for a run: an event, a change, or both.
type entry struct {
	event  *Event
	piece  *Piece // what a message.delta says, in place of its data
	record *Run
	done   chan error // reports when it is stored; nil if the caller does not wait
}

// scribe stores the events of a run in order. Entries that arrive during a transaction
// share the next one, and when too many wait, the senders block. So memory is bounded,
// and a fast model needs no more transactions than a slow one.
type scribe struct {
	// patience is how long an entry that nobody waits for may wait for others.
	patience time.Duration

	in    chan entry
	ended chan struct{}
	store func([]Event, *Run) error
	// failed is called once, with the reason why nothing more can be stored.
	failed func(error)
}

// maxEntries is how many entries share a transaction, and how many wait.
const maxEntries = 256

func newScribe(patience time.Duration, store func([]Event, *Run) error, failed func(error)) *scribe {
	return &scribe{patience: patience, in: make(chan entry, maxEntries), ended: make(chan struct{}), store: store, failed: failed}
}

// run stores entries until the channel is closed. After a failure it only drains the
// channel.
func (s *scribe) run() {
	defer close(s.ended)
	var broken error
	for first := range s.in {
		batch := s.gather(first)
		if broken == nil {
			if broken = s.store(eventsOf(batch), runOf(batch)); broken != nil {
				s.failed(broken)
			}
		}
		for _, e := range batch {
			if e.done != nil {
				e.done <- broken
			}
		}
	}
}

// gather adds the entries that already wait, and those that come while the entries have patience.
func (s *scribe) gather(first entry) []entry {
	batch := []entry{first}
	if s.patience > 0 && first.done == nil {
		batch = s.linger(batch)
	}
	for len(batch) < maxEntries {
		select {
		case e, open := <-s.in:
			if !open {
				return batch
			}
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// linger adds the entries that come while a batch has patience, up to one that somebody waits for.
func (s *scribe) linger(batch []entry) []entry {
	late := time.NewTimer(s.patience)
	defer late.Stop()
	for len(batch) < maxEntries {
		select {
		case e, open := <-s.in:
			if !open {
				return batch
			}
			if batch = append(batch, e); e.done != nil {
				return batch
			}
		case <-late.C:
			return batch
		}
	}
	return batch
}

// put queues an event without waiting for it to be stored.
func (s *scribe) put(e *Event, p *Piece) { s.in <- entry{event: e, piece: p} }

// close ends the scribe once everything queued is stored.
func (s *scribe) close() {
	close(s.in)
	<-s.ended
}

// runOf is the newest state of a batch.
func runOf(batch []entry) *Run {
	var out *Run
	for _, e := range batch {
		if e.record != nil {
			out = e.record
		}
	}
	return out
}

// eventsOf are the events of a batch. Pieces of text that follow one another
// become one.
func eventsOf(batch []entry) []Event {
	var out []Event
	var pieces []*Piece // what out consists of, where it is a piece
	for _, e := range batch {
		if e.event == nil {
			continue
		}
		if n := len(out); n > 0 && pieces[n-1].joins(e.piece) {
			pieces[n-1].Content += e.piece.Content
			pieces[n-1].Reasoning += e.piece.Reasoning
			continue
		}
		out, pieces = append(out, *e.event), append(pieces, e.piece)
	}
	for i, p := range pieces {
		if p != nil {
			out[i].Data = encoded(p)
		}
	}
	return out
}

// joins reports whether next can be appended to p: both are text, or both are thinking,
// and neither holds anything else.
func (p *Piece) joins(next *Piece) bool {
	plain := func(p *Piece) bool {
		return p != nil && len(p.ToolCalls) == 0 && (p.Content == "") != (p.Reasoning == "")
	}
	return plain(p) && plain(next) && (p.Content == "") == (next.Content == "")
}

// encoded is the JSON of event data: texts, numbers and valid JSON only.
func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}") // the model's arguments were not JSON
	}
	return out
}
