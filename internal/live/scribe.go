package live

import "encoding/json"

// entry is something to be stored of a record: an event, a change, or both.
type entry struct {
	event  *Event
	piece  *Piece // what a message.delta says, in place of its data
	record *Record
	done   chan error // told when it is stored; nil if nobody waits
}

// scribe stores what happens in a record, in order. What comes while a
// transaction is under way shares the next one; when much has come, those who
// bring it wait. So memory is bounded, and a fast model costs no more
// transactions than a slow one.
type scribe struct {
	in    chan entry
	ended chan struct{}
	store func([]Event, *Record) error
	// failed is told, once, why nothing more can be stored.
	failed func(error)
}

// maxEntries is how many entries share a transaction, and how many wait.
const maxEntries = 256

func newScribe(store func([]Event, *Record) error, failed func(error)) *scribe {
	return &scribe{in: make(chan entry, maxEntries), ended: make(chan struct{}), store: store, failed: failed}
}

// run stores until the channel is closed. After a failure it only takes in.
func (s *scribe) run() {
	defer close(s.ended)
	var broken error
	for first := range s.in {
		batch := s.gather(first)
		if broken == nil {
			if broken = s.store(eventsOf(batch), recordOf(batch)); broken != nil {
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

// gather adds what is waiting already.
func (s *scribe) gather(first entry) []entry {
	batch := []entry{first}
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

// put hands an event over without waiting for it to be stored.
func (s *scribe) put(e *Event, p *Piece) { s.in <- entry{event: e, piece: p} }

// close ends the scribe when all it was given is stored.
func (s *scribe) close() {
	close(s.in)
	<-s.ended
}

// recordOf is the newest state of a batch.
func recordOf(batch []entry) *Record {
	var out *Record
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

// joins reports whether a piece can go on in another: both are text, or both are
// thinking, and nothing else.
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
		return json.RawMessage("{}") // arguments a model made up, and no JSON
	}
	return out
}
