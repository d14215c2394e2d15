package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// Quote is a recalled message in the form for a model.
type Quote struct {
	// Line is the speaker, the day and the words, cut and without secrets. It must not
	// be changed.
	Line   []byte
	Tokens int
	// Outside says that the message is text of another program, or was written by a
	// model that had read such text.
	Outside bool
}

// Quoted returns the quote of a message in the scope, if the message exists and a
// search can find it. count counts tokens; exact says that it uses the model's
// tokenizer.
func (v *View) Quoted(id int64, count func(string) int, exact bool) (Quote, bool) {
	v.searching.Lock()
	defer v.searching.Unlock()
	return v.quotes.get(id, count, exact)
}

// quotes are the quotes of a scope's messages, cached because reading a dozen old
// messages from the store took longer than finding them. They are stored in a few large
// slices, which hold no pointers for the garbage collector.
type quotes struct {
	places map[int64]quotePlace // by message id
	pieces [][]byte
	size   int64
	next   []byte // buffer for the next quote
	// outside are the lineages with text of another program after the user's newest
	// message.
	outside map[session.ID]bool
}

// quotePlace is the position of a quote, and its token counts as far as they are known.
type quotePlace struct {
	from, size      uint32
	piece           uint32
	estimated, real uint16 // tokens; 0 is not known yet
	outside         bool
}

// pieceSize is the final size of a piece, in bytes. The first pieces are smaller,
// because most scopes are small.
const pieceSize = 64 << 10

// add adds a message.
func (q *quotes) add(d *message) {
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

// pass tracks whether a lineage contains text of another program. It is called with all
// messages in order, including those that are not quoted.
func (q *quotes) pass(d *message) {
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

// Outside reports whether any of the facts rests on text of another program, or of a
// model that had read such text.
func (v *View) Outside(ids []FactID) bool {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.readAll(v.takeUnread(v.Horizon()))
	outside := false
	v.with(func(s *State) {
		for _, id := range ids {
			k := s.named(id)
			outside = outside || k != nil && v.quotes.places[k.Source.MessageID].outside
		}
	})
	return outside
}

// get returns a quote, and counts its tokens at first use.
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

// Size is the approximate size of the quotes, in bytes.
func (q *quotes) Size() int64 {
	const entry = 48
	return q.size + entry*int64(len(q.places))
}

// maxQuote bounds the words of one quote, in bytes.
const maxQuote = 1200

// appendQuote appends a quote with its speaker and day.
func appendQuote(b []byte, d *message) []byte {
	b = append(b, "- "...)
	b = cite.Speaker(b, string(d.Role), d.Speaker)
	b = append(b, ", "...)
	b = d.SaidAt.UTC().AppendFormat(b, time.DateOnly)
	b = append(b, ": "...)
	b = cite.Words(b, language.Gist(secret.Masked(d.Text, d.secrets), maxQuote))
	return append(b, '\n')
}
