package piece

import "bytes"

// Terms reads the terms of a dictionary in order. A key that is not greater than the one before is
// damage.
type Terms struct {
	// Term and Key are the term that Next moved to. Key is valid until the next call of Next, and
	// nil at the end and after an error.
	Term uint32
	Key  []byte

	d    *Dictionary
	next uint32
	buf  []byte // holds Key
}

// All returns the terms, ahead of the first one.
func (d *Dictionary) All() Terms { return Terms{d: d, buf: make([]byte, 0, 64)} }

// Next moves to the next term. It reports false at the end and after an error.
func (t *Terms) Next() bool {
	if t.next == t.d.n || t.d.keys.r.err != nil {
		t.Key = nil
		return false
	}
	t.Term = t.next
	t.next++
	key := t.d.Key(t.Term)
	if t.Term > 0 && bytes.Compare(key, t.Key) <= 0 {
		t.d.keys.r.fail(damaged("key of term %d is not greater than the one before", t.Term))
	}
	if t.d.keys.r.err != nil {
		t.Key = nil
		return false
	}
	t.buf = append(t.buf[:0], key...)
	t.Key = t.buf
	return true
}
