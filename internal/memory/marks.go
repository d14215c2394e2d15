package memory

// marks is a set of facts that is cleared in constant time, so that the cost of a
// question does not depend on the number of facts.
type marks struct {
	set []uint32
	now uint32
}

// begin empties the set and makes room for n facts.
func (m *marks) begin(n int) {
	if m.now++; m.now == 0 {
		clear(m.set)
		m.now = 1
	}
	if len(m.set) < n {
		m.set = append(m.set, make([]uint32, n-len(m.set)+n/4)...)
	}
}

func (m *marks) add(n int32)      { m.set[n] = m.now }
func (m *marks) has(n int32) bool { return m.set[n] == m.now }
