package piece

// Cursor reads the entries of a posting list, the lowest number first. The zero Cursor is at the
// end of an empty list. A hot loop declares its cursor ahead of the for statement, which would
// copy the cursor for every entry.
type Cursor struct {
	// Number and Count are the entry that Next moved to. Count is 1 to 255.
	Number uint32
	Count  uint8

	left  uint32 // entries after this one
	bound uint64 // of the section's numbers
	at    int    // the next entry in data
	data  []byte // the rest of a block, from where the cursor entered it
	next  uint64 // the position after data
	end   uint64 // the position after the section
	r     *Reader
}

// Left is the number of entries after this one.
func (c *Cursor) Left() uint32 { return c.left }

// Next moves to the next entry. It reports false at the end of the list and after an error.
func (c *Cursor) Next() bool {
	if c.left == 0 {
		return false
	}
	c.left--
	if c.at+entrySize > len(c.data) {
		return c.across()
	}
	data := c.data[c.at : c.at+entrySize]
	first := data[0]
	if first-2 >= 0x7e { // 64 numbers or more from the one before, or none
		n, ok := c.take(data)
		c.at += n
		return ok || c.damaged()
	}
	number := uint64(c.Number) + uint64(first>>1)
	c.Number = uint32(number)
	if c.Count = 1; first&1 == 0 {
		c.at++
	} else {
		c.Count = max(data[1], 1)
		c.at += 2
	}
	return number < c.bound || c.damaged()
}

// take moves to the entry at the beginning of data, which takes n bytes. It reports false if there
// is none, or if its number is not greater than the one before.
func (c *Cursor) take(data []byte) (n int, ok bool) {
	var gap uint64
	for shift := 0; ; shift += 7 {
		if n >= len(data) {
			return 0, false
		}
		b := data[n]
		n++
		gap |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	if gap>>1 == 0 && c.Count > 0 { // only a first entry has the number 0
		return 0, false
	}
	c.Count = 1
	if gap&1 != 0 {
		if n >= len(data) || data[n] == 0 {
			return 0, false
		}
		c.Count = data[n]
		n++
	}
	number := uint64(c.Number) + gap>>1
	c.Number = uint32(number)
	return n, number < c.bound
}

// across is Next at the end of a block: the entry may go on in the next one.
func (c *Cursor) across() bool {
	var buf [2 * entrySize]byte
	rest := copy(buf[:], c.data[c.at:])
	var after []byte
	if c.next < c.end {
		if after = c.r.span(c.next, c.end); after == nil {
			c.left = 0
			return false
		}
	}
	n, ok := c.take(buf[:rest+copy(buf[rest:], after)])
	if !ok {
		return c.damaged()
	}
	if n < rest {
		c.at += n
	} else {
		c.data, c.at = after, n-rest
		c.next += uint64(len(after))
	}
	return true
}

func (c *Cursor) damaged() bool {
	c.r.fail(damaged("posting list before byte %d of the piece", c.next))
	c.left, c.Number, c.Count = 0, 0, 0
	return false
}
