package httpapi

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/news"
	"github.com/hermes-memory/hermes/internal/owner"
)

// mostStreams is how many streams of news a key may have at once.
const mostStreams = 20

// streams counts the streams of news by key.
type streams struct {
	mu sync.Mutex
	by map[string]int
}

// enter counts a stream of a key. The returned function ends it.
func (s *streams) enter(key string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[key] >= mostStreams {
		f := fault.New(fault.RateLimited, "too_many_event_streams", "This key has too many streams of events open. Close one, such as the page in another tab.")
		f.RetryAfter = 10 * time.Second
		return nil, f
	}
	if s.by == nil {
		s.by = make(map[string]int)
	}
	s.by[key]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.by[key]--; s.by[key] == 0 {
			delete(s.by, key)
		}
	}, nil
}

// readableBy is the scope that a key needs to read a kind of thing.
func readableBy(t news.Type) owner.Scope {
	switch t {
	case news.Session:
		return owner.SessionsRead
	case news.Memory, news.Work:
		return owner.Memory
	case news.Run, news.Approval:
		return owner.Chat
	case news.Job, news.JobRun:
		return owner.Jobs
	}
	return owner.Admin
}

// tellNews answers GET /api/events: server-sent events that say which things of the caller's
// owner have changed, as far as the key may read them, until the client, the key or the
// server goes.
func (s *server) tellNews(w http.ResponseWriter, r *http.Request) error {
	if s.News == nil {
		return fault.New(fault.NotFound, "no_events", "This server tells no events. Read again from time to time.")
	}
	after, err := eventsAfter(r)
	if err != nil {
		return err
	}
	if onlyHead(w, r) {
		return nil
	}
	o := ownerOf(r)
	leave, err := s.streams.enter(o.ID() + " " + o.Key())
	if err != nil {
		return err
	}
	defer leave()
	reader, whole := s.News.Join(o.ID(), after)
	defer reader.Leave()
	out := newEventWriter(w, 0)
	defer out.close()
	out.begin()
	begin := "ready"
	if !whole {
		begin = "reset"
	}
	if out.numbered(reader.Last, begin, []byte("{}")) {
		s.passOn(out, r, reader)
	}
	return nil
}

// passOn passes news on until the stream ends.
func (s *server) passOn(out *eventWriter, r *http.Request, reader *news.Reader) {
	tick := time.NewTicker(s.KeepAlive)
	defer tick.Stop()
	for {
		first := reader.Last + 1
		items, outcome := reader.Next(r.Context(), tick.C)
		ok := true
		switch outcome {
		case news.News:
			ok = tellItems(out, ownerOf(r), first, items)
		case news.Missed:
			ok = out.numbered(reader.Last, "reset", []byte("{}"))
		case news.Tick:
			ok = out.keepAlive()
		case news.Over:
			return
		}
		if !ok {
			return
		}
	}
}

// tellItems sends the items that a caller may read. first is the number of the first one.
func tellItems(out *eventWriter, o owner.Owner, first int64, items []news.Item) bool {
	for i := range items {
		if !o.Can(readableBy(items[i].Type)) {
			continue
		}
		data, err := json.Marshal(&items[i])
		if err != nil || !out.numbered(first+int64(i), "change", data) {
			return false
		}
	}
	return true
}
