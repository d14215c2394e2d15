package ranking

import "encoding/binary"

// termList are the occurrences of a term in the head: for each message the distance from
// the previous one and the count, as varints of two bytes on average.
type termList struct {
	stem     string
	data     []byte
	steps    []step
	last     int32 // the newest message in the list
	inside   int32 // offset of the newest entry, whose count may still grow
	count    int32 // of the newest entry
	messages int32
}

// step is the offset of an entry of a list, and the message of the previous entry: a
// position to start reading. There is one for every stepLength entries.
type step struct{ at, before int32 }

const stepLength = 128

// enter adds one occurrence in message n.
func (l *termList) enter(n int32, bytes *int64) {
	if l.last == n {
		l.count++
		l.write(l.gap(), bytes)
		return
	}
	previous := l.last
	if l.messages > 0 && l.messages%stepLength == 0 {
		l.steps = append(l.steps, step{at: int32(len(l.data)), before: previous})
	}
	l.inside, l.count, l.last = int32(len(l.data)), 1, n
	l.messages++
	l.write(uint64(n-previous), bytes)
}

// gap reads the distance of the newest entry.
func (l *termList) gap() uint64 {
	v, _ := binary.Uvarint(l.data[l.inside:])
	return v >> 1
}

// write writes the newest entry: the distance, doubled, odd if a count follows.
func (l *termList) write(gap uint64, bytes *int64) {
	held := cap(l.data)
	l.data = l.data[:l.inside]
	if l.count == 1 {
		l.data = binary.AppendUvarint(l.data, gap<<1)
	} else {
		l.data = binary.AppendUvarint(l.data, gap<<1|1)
		l.data = append(l.data, byte(min(l.count, 255)))
	}
	*bytes += int64(cap(l.data) - held)
}

// read appends the entries but the oldest skip, oldest first, with base added to their
// messages.
func (l *termList) read(to []posting, skip, base int32) []posting {
	from := step{before: -1}
	if n := skip / stepLength; n > 0 && int(n) <= len(l.steps) {
		from = l.steps[n-1]
		skip -= n * stepLength
	}
	d := from.before
	for i := int(from.at); i < len(l.data); {
		var count uint8
		d, count, i = l.next(i, d)
		if skip > 0 {
			skip--
			continue
		}
		to = append(to, posting{d + base, count})
	}
	return to
}

// next decodes the entry at i: the message after doc, its count, and the offset of the
// next entry.
func (l *termList) next(i int, doc int32) (message int32, count uint8, after int) {
	var v uint64
	if b := l.data[i]; b < 0x80 {
		v, i = uint64(b), i+1
	} else {
		var n int
		v, n = binary.Uvarint(l.data[i:])
		i += n
	}
	if v&1 == 0 {
		return doc + int32(v>>1), 1, i
	}
	return doc + int32(v>>1), l.data[i], i + 1
}
