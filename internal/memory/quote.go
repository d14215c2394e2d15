package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/secret"
)

// Quote is a recalled message in the form for a model.
type Quote struct {
	// Line is the speaker, the day and the words, cut and without secrets. It must not
	// be changed. Nil if the message does not exist.
	Line   []byte
	Tokens int
	// Outside says that the message is text of another program, or was written by a
	// model that had read such text.
	Outside bool
}

// Quotes returns the quotes of messages in the scope, in the order of the ids. count counts
// tokens; exact says that it uses the model's tokenizer. If the store cannot be read, Err
// tells it.
func (v *View) Quotes(ids []int64, count func(string) int, exact bool) []Quote {
	out, err := v.quotes.get(v.from, ids, count, exact)
	defer v.reading()()
	v.corpus.err = cmp.Or(v.corpus.err, err)
	for i, id := range ids {
		out[i].Outside = out[i].Line != nil && v.corpus.tainted(id)
	}
	return out
}

// Outside reports whether any of the facts rests on text of another program, or of a
// model that had read such text.
func (v *View) Outside(ids []FactID) bool {
	var messages []int64
	v.with(func(s *State) {
		messages = messages[:0]
		for _, id := range ids {
			if k := s.named(id); k != nil {
				messages = append(messages, k.Source.MessageID)
			}
		}
	})
	defer v.reading()()
	v.readAll(v.takeUnread(v.Horizon()))
	return slices.ContainsFunc(messages, v.corpus.tainted)
}

// quotes are the quotes that questions have found lately. Later questions of a scope mostly
// find the same ones.
type quotes struct {
	mu sync.Mutex
	// newer are quotes that were used since older ones were set aside.
	newer, older map[int64]*quote
	size         int64 // of newer, in bytes
}

// quote is a quote, with its tokens as far as they are known.
type quote struct {
	line            []byte
	estimated, real int // tokens; 0 is not known yet
}

// mostQuoted bounds newer, and so half of the quotes of a scope, in bytes.
const mostQuoted = 64 << 10

// get returns quotes. It reads those from the store that were not used lately.
func (q *quotes) get(from *source, ids []int64, count func(string) int, exact bool) ([]Quote, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.read(from, ids)
	out := make([]Quote, len(ids))
	for i, id := range ids {
		if l := q.newer[id]; l != nil {
			out[i] = Quote{Line: l.line, Tokens: l.tokens(count, exact)}
		}
	}
	if q.size > mostQuoted {
		q.older, q.newer, q.size = q.newer, nil, 0
	}
	return out, err
}

// read makes the quotes with some ids newer ones.
func (q *quotes) read(from *source, ids []int64) error {
	missing := make([]int64, 0, len(ids))
	for _, id := range ids {
		if q.newer[id] != nil {
			continue
		}
		if l := q.older[id]; l != nil {
			q.add(id, l)
		} else {
			missing = append(missing, id)
		}
	}
	if from == nil || len(missing) == 0 {
		return nil
	}
	docs, err := from.store.DocumentsNumbered(from.ctx, from.owner, from.scope, missing)
	if err != nil {
		return fmt.Errorf("read messages to quote: %w", err)
	}
	for i := range docs {
		m := messageOf(docs[i])
		q.add(m.MessageID, &quote{line: appendQuote(nil, &m)})
	}
	return nil
}

func (q *quotes) add(id int64, l *quote) {
	if q.newer == nil {
		q.newer = make(map[int64]*quote)
	}
	q.newer[id] = l
	q.size += l.size()
}

func (l *quote) size() int64 {
	const entry = 96
	return int64(cap(l.line)) + entry
}

// tokens counts the tokens of a quote at first use.
func (l *quote) tokens(count func(string) int, exact bool) int {
	known := &l.estimated
	if exact {
		known = &l.real
	}
	if *known == 0 {
		*known = count(string(l.line))
	}
	return *known
}

// Size is the approximate size of the quotes, in bytes.
func (q *quotes) Size() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	size := q.size
	for l := range maps.Values(q.older) {
		size += l.size()
	}
	return size
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
