package httpapi

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/live"
)

// nodesEvery is how often the nodes of an answer are told at most: a browser draws them, and
// a model may send a hundred pieces a second.
const nodesEvery = 80 * time.Millisecond

// tellNodes is tellRun for a reader of nodes. It reads the run from its beginning, because
// nodes are made of the whole text, and tells what comes after the reader's last event.
func (s *server) tellNodes(out *eventWriter, r *http.Request, after int64) {
	defer out.close()
	out.begin()
	tick := time.NewTimer(s.KeepAlive)
	defer tick.Stop()
	t := nodeTeller{out: out, id: r.PathValue("id"), after: after, tick: tick, pause: s.KeepAlive, feed: new(nodeFeed)}
	for e, err := range s.Live.Follow(r.Context(), ownerOf(r), t.id, 0, tick.C) {
		if err != nil || !t.take(&e) {
			return // the run was deleted, or the server is stopping: the client reconnects
		}
	}
}

// nodeTeller tells the events of a run to a reader of nodes.
type nodeTeller struct {
	out   *eventWriter
	id    string
	after int64 // the reader's last event
	tick  *time.Timer
	pause time.Duration // before a keep-alive
	feed  *nodeFeed
	// last is the newest piece that is not told yet; its Seq is 0 if all are.
	last live.Event
	told time.Time // when nodes were told
	// stale says that the reader has had all that the feed has.
	stale bool
}

// take takes an event, or a tick, and reports whether the client is still connected.
func (t *nodeTeller) take(e *live.Event) bool {
	switch {
	case e.Seq == 0:
		return t.wake()
	case e.Type == live.MessageDelta:
		return t.piece(e)
	case e.Type.Last():
		t.ends(e)
	}
	if !t.flush() {
		return false
	}
	if e.Type == live.RunStarted {
		t.feed, t.stale = new(nodeFeed), false
	}
	return e.Seq <= t.after || t.tell(e)
}

// ends prepares what is told before the last event.
func (t *nodeTeller) ends(e *live.Event) {
	if t.stale {
		t.feed.skip()
	}
	if t.feed.end() && t.last.Seq == 0 {
		t.last = live.Event{Seq: e.Seq - 1, Type: live.MessageDelta, At: e.At}
	}
}

// wake tells what has waited long enough; with nothing to tell it keeps the stream alive.
func (t *nodeTeller) wake() bool {
	t.tick.Reset(t.pause)
	if t.last.Seq > 0 {
		return t.flush()
	}
	return t.out.keepAlive()
}

// piece takes a piece of the answer, and tells it now or soon.
func (t *nodeTeller) piece(e *live.Event) bool {
	var p live.Piece
	if json.Unmarshal(e.Data, &p) != nil {
		return false
	}
	if e.Seq <= t.after {
		t.feed.add(&p)
		t.stale = true
		return true
	}
	if t.stale {
		t.feed.skip()
		t.stale = false
	}
	t.feed.add(&p)
	waits := t.last.Seq > 0
	t.last = *e
	left := nodesEvery - time.Since(t.told)
	if left <= 0 {
		return t.flush()
	}
	if !waits {
		t.tick.Reset(left)
	}
	return true
}

// flush tells all pieces that are not told yet.
func (t *nodeTeller) flush() bool {
	if t.last.Seq == 0 {
		return true
	}
	e := t.last
	t.last = live.Event{}
	piece, anything := t.feed.take()
	if !anything {
		return true
	}
	data, err := json.Marshal(piece)
	if err != nil {
		return false
	}
	e.Data = data
	t.told = time.Now()
	return t.tell(&e)
}

// tell sends an event.
func (t *nodeTeller) tell(e *live.Event) bool {
	data, err := eventData(t.id, e)
	if err != nil {
		return false
	}
	if e.Run != nil {
		data = nodesAtEnd(data, e.Run)
	}
	t.tick.Reset(t.pause)
	return t.out.numbered(e.Seq, string(e.Type), data)
}
