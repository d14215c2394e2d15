package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Quote is a recalled message as a model is shown it.
type Quote struct {
	// Line is who said it, when, and the words, cut and without secrets. It is not
	// to be changed.
	Line   []byte
	Tokens int
	// Outside says that it is text of another program, or was said by a model that
	// had such text before it.
	Outside bool
}

// Quoted returns a message of the scope as it is quoted, if it exists and a search can
// find it. count is the model's counter; exact says that it uses the model's own
// vocabulary.
func (v *View) Quoted(id int64, count func(string) int, exact bool) (Quote, bool) {
	v.searching.Lock()
	defer v.searching.Unlock()
	return v.quotes.get(id, count, exact)
}

// quotes are the messages of a scope as they are quoted, so that a turn need not
// read them: to fetch a dozen old messages from the store took longer than to find
// them. They lie end to end in a few pieces of memory, where the garbage collector
// has nothing to look at.
type quotes struct {
	places map[int64]quotePlace // by message id
	pieces [][]byte
	size   int64
	next   []byte // is written here first
	// outside are the lineages in which text of another program stands behind the
	// newest message of their user.
	outside map[session.ID]bool
}

// quotePlace is where a quote lies, and what it costs, as far as that was counted.
type quotePlace struct {
	from, size      uint32
	piece           uint32
	estimated, real uint16 // tokens; 0 is not known yet
	outside         bool
}

// pieceSize is how large a piece becomes, in bytes. The first ones are smaller:
// most scopes are.
const pieceSize = 64 << 10

// add puts a message in.
func (q *quotes) add(d *ranking.Document) {
	if q.places == nil {
		q.places = make(map[int64]quotePlace)
	}
	q.next = appendQuote(q.next[:0], d)
	last := len(q.pieces) - 1
	if last < 0 || cap(q.pieces[last])-len(q.pieces[last]) < len(q.next) {
		size := max(len(q.next), min(pieceSize, 2<<10<<min(len(q.pieces), 8)))
		q.pieces = append(q.pieces, make([]byte, 0, size))
		q.size += int64(size)
		last++
	}
	from := len(q.pieces[last])
	q.pieces[last] = append(q.pieces[last], q.next...)
	q.places[d.MessageID] = quotePlace{
		piece: uint32(last), from: uint32(from), size: uint32(len(q.next)),
		outside: d.Role != session.User && q.outside[d.Root],
	}
}

// pass follows whose words a lineage has come to. It is told of its messages in
// order, also of those that are not quoted.
func (q *quotes) pass(d *ranking.Document) {
	switch {
	case d.Role == session.User:
		delete(q.outside, d.Root)
	case d.Outside():
		if q.outside == nil {
			q.outside = make(map[session.ID]bool)
		}
		q.outside[d.Root] = true
	}
}

// Outside reports whether any of the facts rests on words of another program, or of a
// model that had read such words.
func (v *View) Outside(ids []FactID) bool {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.readAll(v.takeUnread(v.Horizon()))
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, id := range ids {
		if n, found := v.state.byID[id]; found && v.quotes.places[v.state.facts[n].Source.MessageID].outside {
			return true
		}
	}
	return false
}

// get returns a quote and counts it if nobody has yet.
func (q *quotes) get(id int64, count func(string) int, exact bool) (Quote, bool) {
	l, ok := q.places[id]
	if !ok {
		return Quote{}, false
	}
	out := Quote{Line: q.pieces[l.piece][l.from : l.from+l.size : l.from+l.size], Outside: l.outside}
	known := &l.estimated
	if exact {
		known = &l.real
	}
	if *known == 0 {
		*known = uint16(min(count(string(out.Line)), 1<<16-1))
		q.places[id] = l
	}
	out.Tokens = int(*known)
	return out, true
}

// Size is about how many bytes the quotes take.
func (q *quotes) Size() int64 {
	const entry = 48
	return q.size + entry*int64(len(q.places))
}

// maxQuote bounds the words of one quoted message, in bytes.
const maxQuote = 1200

// appendQuote adds one quoted message with who said it and when.
func appendQuote(b []byte, d *ranking.Document) []byte {
	b = append(b, "- "...)
	b = cite.Speaker(b, string(d.Role), d.Speaker)
	b = append(b, ", "...)
	b = d.SaidAt.UTC().AppendFormat(b, time.DateOnly)
	b = append(b, ": "...)
	b = cite.Words(b, language.Gist(MaskSecrets(d.Text), maxQuote))
	return append(b, '\n')
}
