package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// passageLength bounds the part of a lineage that is read, in characters.
	passageLength = 100_000
	// extractLength bounds a summary of quotations, in characters.
	extractLength = 2000
	// quoteLength and besideLength bound a matching message and its neighbours in such
	// a summary.
	quoteLength, besideLength = 600, 200
	// heading is an upper bound for the length of the line before a message's text.
	heading = 64
	// pageLength is the number of messages that are read at a time.
	pageLength = 32
)

// passage is the part of a lineage around the matches, in order.
type passage struct {
	entries []entry
	matches []int64 // Seqs of the matches, best first
}

// entry is a message of a passage, or a part of one.
type entry struct {
	m      session.Message
	text   string
	length int
	centre int // byte offset of the first match in the message's text
}

// readPassage reads around the matches of a hit, message by message. The part around
// each match grows in both directions until parts meet or the length is used up. For
// the scope of a session key, only messages with that key are read.
func readPassage(ctx context.Context, from Transcripts, o owner.Owner, scope Scope, q Query, h *Hit) (*passage, error) {
	r := reader{from: from, o: o, root: h.Session.RootID, key: scope.Key, pages: make(map[int64][]session.Message)}
	p := &passage{}
	taken := make(map[int64]entry)
	left := passageLength
	var edges []*edge
	m := newMatcher(q, decides(q))
	for i := range h.Matches {
		seq := h.Matches[i].Seq
		msg, err := r.message(ctx, seq)
		if err != nil {
			return nil, err
		}
		if msg == nil { // the message was erased meanwhile
			continue
		}
		p.matches = append(p.matches, seq)
		e := entry{m: *msg}
		if spans := m.find(nil, msg.Content); len(spans) > 0 {
			e.centre = spans[bestSpan(spans)].start
		}
		e.text = around(msg.Content, e.centre, left/(len(h.Matches)-i)-heading)
		e.length = utf8.RuneCountInString(e.text) + heading
		taken[seq], left = e, left-e.length
		edges = append(edges, &edge{lo: seq, hi: seq})
	}
	if err := grow(ctx, &r, edges, taken, left); err != nil {
		return nil, err
	}
	for _, e := range taken {
		p.entries = append(p.entries, e)
	}
	slices.SortFunc(p.entries, func(a, b entry) int { return int(a.m.Seq - b.m.Seq) })
	return p, nil
}

// edge is the extent of a passage around one match.
type edge struct {
	lo, hi         int64 // first and last Seq taken
	before, after  int   // characters taken on each side
	noLow, noAbove bool  // no more messages on that side
}

// grow adds neighbouring messages until the length is used up.
func grow(ctx context.Context, r *reader, edges []*edge, taken map[int64]entry, left int) error {
	for left > 0 {
		open := slices.DeleteFunc(slices.Clone(edges), func(e *edge) bool { return e.noLow && e.noAbove })
		if len(open) == 0 {
			return nil
		}
		for _, e := range open {
			down := e.noAbove || !e.noLow && e.before <= e.after
			at := e.hi + 1
			if down {
				at = e.lo - 1
			}
			size, ok, err := r.take(ctx, at, down, left, taken)
			if err != nil {
				return err
			}
			left -= size
			e.move(at, down, size, ok)
			if left <= 0 {
				return nil
			}
		}
	}
	return nil
}

// move records that a message was taken, or that there was none.
func (e *edge) move(at int64, down bool, size int, ok bool) {
	switch {
	case down && !ok:
		e.noLow = true
	case down:
		e.lo, e.before = at, e.before+size
	case !ok:
		e.noAbove = true
	default:
		e.hi, e.after = at, e.after+size
	}
}

// reader reads single messages of a lineage, in pages.
type reader struct {
	from  Transcripts
	o     owner.Owner
	root  session.ID
	key   session.Key
	pages map[int64][]session.Message
}

// take adds the message at a Seq, cut to at most left characters: its end if the
// passage grows down, otherwise its beginning. ok is false at the ends of the lineage,
// and where another match's part begins.
func (r *reader) take(ctx context.Context, at int64, down bool, left int, taken map[int64]entry) (size int, ok bool, err error) {
	if _, met := taken[at]; met {
		return 0, false, nil
	}
	msg, err := r.message(ctx, at)
	if err != nil || msg == nil {
		return 0, false, err
	}
	if r.key != "" && msg.Key != r.key || !msg.Stands() || msg.Echoes() {
		return 0, true, nil
	}
	e := entry{m: *msg, text: msg.Content}
	if e.length = utf8.RuneCountInString(e.text) + heading; e.length > left {
		centre := 0
		if down {
			centre = len(e.text)
		}
		e.text, e.length = around(e.text, centre, left-heading), left
	}
	taken[at] = e
	return e.length, true, nil
}

// message is the message at a Seq; nil for none.
func (r *reader) message(ctx context.Context, at int64) (*session.Message, error) {
	if at < 0 {
		return nil, nil
	}
	page := at / pageLength
	ms, ok := r.pages[page]
	if !ok {
		var err error
		ms, err = r.from.Messages(ctx, r.o, r.root, session.Range{From: page * pageLength, To: (page + 1) * pageLength})
		if err != nil {
			return nil, fmt.Errorf("read around a match: %w", err)
		}
		r.pages[page] = ms
	}
	for i := range ms {
		if ms[i].Seq == at {
			return &ms[i], nil
		}
	}
	return nil, nil
}

// transcript is the passage in the form for a model.
func (p *passage) transcript() string {
	var b strings.Builder
	for i := range p.entries {
		e := &p.entries[i]
		if i > 0 && p.entries[i-1].m.Seq+1 != e.m.Seq {
			b.WriteString("[…]\n")
		}
		writeEntry(&b, &e.m, e.text)
	}
	return b.String()
}

// extract is a summary of quotations. It takes the matches that fit, best first, and
// prints them in order, each with its neighbours.
func (p *passage) extract() string {
	want := make(map[int64]int)
	for _, seq := range p.matches {
		want[seq] = quoteLength
		for _, next := range []int64{seq - 1, seq + 1} {
			if want[next] == 0 {
				want[next] = besideLength
			}
		}
		if p.length(want) > extractLength {
			break
		}
	}
	return p.quote(want)
}

func (p *passage) length(want map[int64]int) int { return utf8.RuneCountInString(p.quote(want)) }

// quote writes the wanted messages, each cut to its number of characters.
func (p *passage) quote(want map[int64]int) string {
	var b strings.Builder
	last := int64(-1)
	for i := range p.entries {
		e := &p.entries[i]
		n := want[e.m.Seq]
		if n == 0 || e.text == "" {
			continue
		}
		if last >= 0 && last+1 != e.m.Seq {
			b.WriteString("[…]\n")
		}
		last = e.m.Seq
		writeEntry(&b, &e.m, around(e.m.Content, e.centre, n))
	}
	return around(strings.TrimSpace(b.String()), 0, extractLength)
}

// writeEntry writes one line: the time, the speaker and the words.
func writeEntry(b *strings.Builder, m *session.Message, text string) {
	name := m.Name
	if m.Role == session.Tool {
		name = cmp.Or(name, m.ToolName)
	}
	who := cite.Speaker(nil, string(m.Role), name)
	fmt.Fprintf(b, "[%s] %s: %s\n", m.SaidAt.UTC().Format("2006-01-02 15:04"), who, cite.Line(text))
}

// around cuts n characters out of a text, centred on the byte at centre.
func around(text string, centre, n int) string {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	if n < 2 {
		return ""
	}
	room := n - 2 // two characters are for the ellipses
	from := centre
	for from > 0 && !utf8.RuneStart(text[min(from, len(text)-1)]) {
		from--
	}
	to := from
	for steps := 0; steps < room; { // one character on each side alternately
		if from > 0 {
			_, size := utf8.DecodeLastRuneInString(text[:from])
			from -= size
			steps++
		}
		if steps < room && to < len(text) {
			_, size := utf8.DecodeRuneInString(text[to:])
			to += size
			steps++
		}
	}
	out := text[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}
