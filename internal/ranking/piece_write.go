package ranking

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// Write writes the messages from number from to before number to as a piece: new messages
// of the head, or those of several pieces, which become one. Emit is that of
// [piece.NewWriter]. The index stays as it is.
func (x *Index) Write(from, to int, emit func(n int, block []byte) error) error {
	if from < 0 || from >= to || to > x.Len() {
		return fmt.Errorf("messages %d to %d of %d", from, to, x.Len())
	}
	p := &pieceWriter{x: x, w: piece.NewWriter(PieceFormat, numSections, emit), from: int32(from), to: int32(to)}
	p.collect()
	p.writeRecords()
	p.writeWords()
	p.writeOrigins()
	p.writeMeanings()
	p.writeLineages()
	p.writeSpeakers()
	p.writeTerms()
	p.writeFacts()
	if err := x.Err(); err != nil {
		return err
	}
	return p.w.Close()
}

// pieceWriter writes a run of an index as a piece.
type pieceWriter struct {
	x        *Index
	w        *piece.Writer
	from, to int32
	roots    map[session.ID]int32 // their numbers in the piece
	sessions map[session.ID]int32
	speakers map[int32]int32 // their numbers in the piece, by those in the index
	names    []string
	lines    []line
	enters   []int32
	known    facts
	buf      []byte
}

// collect numbers the lineages, sessions and speakers.
func (p *pieceWriter) collect() {
	p.roots, p.sessions = make(map[session.ID]int32), make(map[session.ID]int32)
	p.speakers = map[int32]int32{none: none}
	for d := p.from; d < p.to; d++ {
		p.roots[p.x.root(d)], p.sessions[p.x.session(d)] = 0, 0
		in, n := p.x.at(d)
		who := p.x.brief(in, n).speaker
		if _, known := p.speakers[who]; !known {
			p.speakers[who] = int32(len(p.names))
			p.names = append(p.names, p.x.names.list[who])
		}
	}
	for range number(p.roots) {
		p.lines = append(p.lines, line{first: none})
	}
	number(p.sessions)
}

// number gives the keys their numbers in order, and returns them.
func number(ids map[session.ID]int32) []session.ID {
	keys := make([]session.ID, 0, len(ids))
	for id := range ids {
		keys = append(keys, id)
	}
	slices.Sort(keys)
	for i, id := range keys {
		ids[id] = int32(i)
	}
	return keys
}

// writeRecords writes the messages, and notes what is known of all of them.
func (p *pieceWriter) writeRecords() {
	out := p.w.Records(inRecords, recordWidth)
	for d := p.from; d < p.to; d++ {
		r := p.record(d)
		l := &p.lines[r.line]
		if l.first < 0 {
			l.first = d - p.from
			if r.position > 0 {
				p.enters = append(p.enters, r.line)
			}
		}
		l.last = d - p.from
		p.known.see(&r)
		p.buf = putRecord(p.buf[:0], &r)
		out.Add(p.buf)
	}
}

// record is message d in the numbers of the piece.
func (p *pieceWriter) record(d int32) record {
	var m doc
	p.x.read(&m, d)
	in, n := p.x.at(d)
	r := *p.x.parts[in].record(n)
	r.line, r.session, r.speaker = p.roots[p.x.root(d)], p.sessions[p.x.session(d)], p.speakers[m.speaker]
	r.prev, r.next, r.first = m.prev, none, earlier
	if m.prev >= p.from {
		r.prev = m.prev - p.from
	} else if m.prev >= 0 {
		r.prev = earlier
	}
	if m.next >= 0 && m.next < p.to {
		r.next = m.next - p.from
	}
	if m.first >= p.from {
		r.first = m.first - p.from
	}
	return r
}

// writeWords writes the words of the messages.
func (p *pieceWriter) writeWords() {
	out := p.w.Bytes(inWords)
	briefs := make([]byte, 0, int(p.to-p.from)*briefWidth)
	for d := p.from; d < p.to; d++ {
		in, n := p.x.at(d)
		words := p.x.parts[in].words(n)
		briefs = binary.LittleEndian.AppendUint32(briefs, out.Add(words))
		b := p.x.brief(in, n)
		briefs = append(briefs, byte(len(words)/hashSize), b.light)
		briefs = binary.LittleEndian.AppendUint32(briefs, uint32(p.speakers[b.speaker]))
	}
	to := p.w.Records(inBriefs, briefWidth)
	for b := range slices.Chunk(briefs, briefWidth) {
		to.Add(b)
	}
}

// writeOrigins writes where the messages come from, and their dates and times.
func (p *pieceWriter) writeOrigins() {
	var dates, periods []span
	out := p.w.Records(inOrigins, originWidth)
	for d := p.from; d < p.to; d++ {
		in, n := p.x.at(d)
		o := p.x.parts[in].origin(n)
		p.buf = binary.LittleEndian.AppendUint64(p.buf[:0], uint64(o.messageID))
		p.buf = binary.LittleEndian.AppendUint64(p.buf, uint64(o.seq))
		p.buf = binary.LittleEndian.AppendUint64(p.buf, uint64(o.saidAt))
		p.buf = binary.LittleEndian.AppendUint32(p.buf, uint32(len(dates)))
		out.Add(p.buf)
		dates = p.x.parts[in].spans(dates, n)
		periods = addTime(periods, int(d-p.from), o.saidAt)
		p.known.newest = max(p.known.newest, o.saidAt)
	}
	p.writeSpans(inSpans, dates)
	p.writeSpans(inPeriods, periods)
}

func (p *pieceWriter) writeSpans(section int, all []span) {
	out := p.w.Records(section, spanWidth)
	for _, s := range all {
		p.buf = putSpan(p.buf[:0], s)
		out.Add(p.buf)
	}
}

// writeMeanings writes the meanings of the messages.
func (p *pieceWriter) writeMeanings() {
	signs := p.w.Records(inSigns, signWidth)
	for d := p.from; d < p.to; d++ {
		in, n := p.x.at(d)
		sign := p.x.parts[in].sign(n)
		p.buf = binary.LittleEndian.AppendUint64(p.buf[:0], sign[0])
		p.buf = binary.LittleEndian.AppendUint64(p.buf, sign[1])
		signs.Add(p.buf)
	}
	senses := p.w.Records(inSenses, wordvec.VectorSize)
	for d := p.from; d < p.to; d++ {
		in, n := p.x.at(d)
		senses.Add(p.x.parts[in].sense(n))
	}
}

// writeLineages writes the lineages and the sessions.
func (p *pieceWriter) writeLineages() {
	p.writeKeys(inRoots, number(p.roots))
	p.writeKeys(inSessions, number(p.sessions))
	out := p.w.Records(inLines, lineWidth)
	for _, l := range p.lines {
		p.buf = binary.LittleEndian.AppendUint32(p.buf[:0], uint32(l.first))
		p.buf = binary.LittleEndian.AppendUint32(p.buf, uint32(l.last))
		out.Add(p.buf)
	}
	entering := p.w.Bytes(inEntering)
	for _, line := range p.enters {
		entering.Add(binary.LittleEndian.AppendUint32(nil, uint32(line)))
	}
}

func (p *pieceWriter) writeKeys(section int, keys []session.ID) {
	out := p.w.Dictionary(section)
	for _, key := range keys {
		out.Add([]byte(key), piece.List{})
	}
	out.End()
}

func (p *pieceWriter) writeSpeakers() {
	out := p.w.Bytes(inSpeakers)
	for _, name := range p.names {
		out.Add(binary.AppendUvarint(nil, uint64(len(name))))
		out.Add([]byte(name))
	}
}

func (p *pieceWriter) writeFacts() {
	b := binary.LittleEndian.AppendUint32(nil, uint32(p.to-p.from))
	b = append(b, byte(truth(p.known.mixed))|byte(truth(p.known.tainted))<<1)
	p.w.Bytes(inFacts).Add(binary.LittleEndian.AppendUint64(b, uint64(p.known.newest)))
}

// writeTerms writes the terms in the order of their stems, each with its messages.
func (p *pieceWriter) writeTerms() {
	all := p.walkTerms()
	defer all.end()
	terms, lists := p.w.Dictionary(inTerms), p.w.Postings(inLists)
	var found []posting
	var stem, milestones []byte
	for all.next(&stem) {
		found = all.pass(stem, found[:0], p.x)
		for _, o := range found {
			if o.doc >= p.from && o.doc < p.to {
				lists.Add(uint32(o.doc-p.from), o.count)
			}
		}
		if list := lists.End(); list.Count > 0 {
			if terms.Add(stem, list)%milestone == 0 {
				milestones = putMilestone(milestones, string(stem))
			}
		}
	}
	terms.End()
	out := p.w.Records(inMilestones, numberWidth)
	for m := range slices.Chunk(milestones, numberWidth) {
		out.Add(m)
	}
}
