package httpapi

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// exportPage is the number of messages that an export reads at a time.
	exportPage = 100
	// exportRows is the number of sessions that it reads at a time.
	exportRows = 50
)

// exportSessions answers GET /api/sessions/export: one lineage per line, the
// newest activity last, with every column and all messages. Facts are derived data and are
// left out. A failure after the first byte becomes a last line with "error".
func (s *server) exportSessions(w http.ResponseWriter, r *http.Request) error {
	e := &exporter{s: s, r: r, o: ownerOf(r), seen: make(map[session.ID]bool), began: s.Now().UTC()}
	var one *session.Session
	if r.URL.Query().Has("session_id") {
		r.SetPathValue("id", r.URL.Query().Get("session_id"))
		tip, err := s.find(r)
		if err != nil {
			return err
		}
		one = &tip
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // an export has no time limit
	begun := &begun{w: w}
	e.out = bufio.NewWriterSize(begun, 64<<10)
	var err error
	if one != nil {
		err = e.lineage(one.RootID)
	} else {
		err = e.all(session.Source(r.URL.Query().Get("source")))
	}
	if err != nil && !begun.yes {
		return err
	}
	if err != nil { // the client may be gone, or the server stopping
		if r.Context().Err() == nil {
			s.Log.ErrorContext(r.Context(), "export broke off", "err", err)
		}
		_, _ = e.out.WriteString("\n" + string(errorBody(asFault(err))) + "\n")
	}
	_ = e.out.Flush() // an error means that the client is gone
	begun.begin()
	return nil
}

// begun begins the response with its first byte, so that an earlier failure still gets
// its own status.
type begun struct {
	w   http.ResponseWriter
	yes bool
}

func (b *begun) begin() {
	if !b.yes {
		b.yes = true
		b.w.Header().Set("Content-Type", "application/x-ndjson")
		b.w.WriteHeader(http.StatusOK)
	}
}

// Write implements io.Writer.
func (b *begun) Write(p []byte) (int, error) {
	b.begin()
	return b.w.Write(p)
}

// exporter writes lineages one after another.
type exporter struct {
	s     *server
	r     *http.Request
	o     owner.Owner
	out   *bufio.Writer
	seen  map[session.ID]bool
	began time.Time
	line  []byte
}

// all writes every lineage of a source.
func (e *exporter) all(source session.Source) error {
	roots, err := e.roots(source)
	if err != nil {
		return err
	}
	for _, root := range roots {
		if err := e.lineage(root); err != nil {
			return err
		}
	}
	return nil
}

// roots lists the lineages of a source, the one that was used least recently first: an import
// learns fastest in the order in which things were said. A session that is used while the list
// is read moves to its front, so the front is read a second time.
func (e *exporter) roots(source session.Source) ([]session.ID, error) {
	all, err := e.activeSince(source, time.Time{})
	if err != nil {
		return nil, err
	}
	front, err := e.activeSince(source, e.began)
	slices.Reverse(all)
	slices.Reverse(front)
	return append(all, front...), err
}

// activeSince lists the lineages that were used since a time and were not listed yet, the one
// that was used most recently first.
func (e *exporter) activeSince(source session.Source, since time.Time) (roots []session.ID, err error) {
	f := session.Filter{Source: source, Limit: exportRows}
	for {
		rows, err := e.s.Sessions.Sessions(e.r.Context(), e.o, f)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if rows[i].LastActive.Before(since) {
				return roots, nil
			}
			if root := rows[i].RootID; !e.seen[root] {
				e.seen[root] = true
				roots = append(roots, root)
			}
		}
		if len(rows) < f.Limit {
			return roots, nil
		}
		last := &rows[len(rows)-1]
		f.Before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
	}
}

// lineage writes one line.
func (e *exporter) lineage(root session.ID) error {
	rows, err := e.s.Sessions.Sessions(e.r.Context(), e.o, session.Filter{Lineage: root})
	if err != nil || len(rows) == 0 { // it was deleted meanwhile
		return err
	}
	tip := &rows[len(rows)-1]
	hash, err := e.lastHash(tip)
	if err != nil {
		return err
	}
	from, err := e.s.Curator.HeldBy(e.r.Context(), e.o, root)
	if err != nil {
		return err
	}
	head, err := json.Marshal(archiveOf(tip, rows, hash, from))
	if err != nil {
		return err
	}
	e.line = append(append(e.line[:0], head[:len(head)-1]...), `,"messages":[`...)
	for from := int64(0); from < tip.NextSeq; {
		next := session.Range{From: from, To: tip.NextSeq, Limit: exportPage, Receipts: true}
		ms, err := e.s.Sessions.Messages(e.r.Context(), e.o, tip.RootID, next)
		if err != nil {
			return err
		}
		if len(ms) == 0 {
			break
		}
		if err := e.messages(ms, from); err != nil {
			return err
		}
		from = ms[len(ms)-1].Seq + 1
	}
	e.line = append(e.line, "]}\n"...)
	return e.drain()
}

// lastHash is the running hash of the newest message of a lineage, nil if it has none.
func (e *exporter) lastHash(tip *session.Session) ([]byte, error) {
	newest, err := e.s.Sessions.Messages(e.r.Context(), e.o, tip.RootID, session.Range{To: tip.NextSeq, Limit: 1, Newest: true})
	if err != nil || len(newest) == 0 || tip.NextSeq == 0 {
		return nil, err
	}
	return newest[0].Hash, nil
}

// messages writes a page of a lineage's messages, the first of which was asked for at
// the place from.
func (e *exporter) messages(ms []session.Message, from int64) (err error) {
	for i := range ms {
		if from+int64(i) > 0 {
			e.line = append(e.line, ',')
		}
		if e.line, err = appendArchived(e.line, &ms[i]); err != nil {
			return err
		}
		if err := e.drain(); err != nil {
			return err
		}
	}
	return nil
}

// drain writes the buffered lines.
func (e *exporter) drain() error {
	_, err := e.out.Write(e.line)
	e.line = e.line[:0]
	return err
}
