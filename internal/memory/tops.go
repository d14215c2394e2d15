package memory

import (
	"cmp"
	"slices"
)

// points is a fact with its points.
type points struct {
	glimpse
	count int32
}

// comparePoints orders facts: more points first, and newer facts first among equals.
func comparePoints(a, b points) int {
	return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.number, a.number))
}

// tops are the facts that a question finds, with their points. They are reused: the facts
// lie in a slice, and a hash table of their places in it, with open addressing, is as large
// as the largest question needed.
type tops struct {
	all   []points
	table []int32 // place in all plus one; 0 for none
	// chosen is the buffer of best.
	chosen []points
}

// clear removes all facts.
func (t *tops) clear() {
	clear(t.all) // the records may be dropped
	clear(t.chosen)
	clear(t.table)
	t.all = t.all[:0]
}

// at is the place of a fact in the table, or the free one where it belongs.
func (t *tops) at(n FactNumber) int {
	mask := len(t.table) - 1
	for i := int(uint64(n)*0x9e3779b97f4a7c15>>33) & mask; ; i = (i + 1) & mask {
		if p := t.table[i]; p == 0 || t.all[p-1].number == n {
			return i
		}
	}
}

// add gives a fact points.
func (t *tops) add(g glimpse, count int32) {
	if !t.addNew(g, count) {
		t.all[t.table[t.at(g.number)]-1].count += count
	}
}

// addNew gives a fact points unless it has some. It reports whether the fact had none.
func (t *tops) addNew(g glimpse, count int32) bool {
	if len(t.table) < 4*(len(t.all)+1) {
		t.grow()
	}
	at := t.at(g.number)
	if t.table[at] != 0 {
		return false
	}
	t.all = append(t.all, points{g, count})
	t.table[at] = int32(len(t.all))
	return true
}

// grow doubles the table.
func (t *tops) grow() {
	t.table = make([]int32, max(1024, 2*len(t.table)))
	for i := range t.all {
		t.table[t.at(t.all[i].number)] = int32(i) + 1
	}
}

// best are the first facts in the order of [comparePoints], at most most of them.
// The slice is valid until the next call.
func (t *tops) best(most int) []points {
	least := t.least(most)
	chosen := t.chosen[:0]
	for i := range t.all {
		if p := &t.all[i]; p.count > 0 && p.count >= least {
			chosen = append(chosen, *p)
		}
	}
	slices.SortFunc(chosen, comparePoints)
	t.chosen = chosen
	return chosen[:min(len(chosen), most)]
}

// least is a number of points that most or more facts reach, as high as can be; 0 if there
// are fewer.
func (t *tops) least(most int) int32 {
	const highest = 255
	var with [highest + 1]int
	for i := range t.all {
		with[min(max(t.all[i].count, 0), highest)]++
	}
	least := int32(highest)
	for reached := with[least]; reached < most && least > 0; reached += with[least] {
		least--
	}
	return least
}
