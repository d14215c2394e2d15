package memory

import "slices"

// ranked is a list of facts by falling weight, newer facts first among equals. It has
// one slice per weight: there are few weights, and a new fact is appended to its slice,
// however many facts there are.
type ranked struct {
	weights []int32   // falling
	facts   [][]int32 // of each weight, rising
}

// put adds a fact.
func (r *ranked) put(n, weight int32) {
	w, found := r.find(weight)
	if !found {
		r.weights = slices.Insert(r.weights, w, weight)
		r.facts = slices.Insert(r.facts, w, nil)
	}
	list := r.facts[w]
	if len(list) == 0 || list[len(list)-1] < n {
		r.facts[w] = append(list, n)
	} else if at, found := slices.BinarySearch(list, n); !found {
		r.facts[w] = slices.Insert(list, at, n)
	}
}

// remove removes a fact.
func (r *ranked) remove(n, weight int32) {
	w, found := r.find(weight)
	if !found {
		return
	}
	if at, found := slices.BinarySearch(r.facts[w], n); found {
		r.facts[w] = slices.Delete(r.facts[w], at, at+1)
	}
}

func (r *ranked) find(weight int32) (int, bool) {
	return slices.BinarySearchFunc(r.weights, weight, func(a, b int32) int { return int(b) - int(a) })
}

// cursor iterates over a ranked list. The list must not change meanwhile.
type cursor struct {
	list   *ranked
	weight int // place in weights
	passed int // facts of that weight already visited
}

// fact is the current fact; false at the end.
func (c *cursor) fact() (int32, bool) {
	for ; c.weight < len(c.list.facts); c.weight, c.passed = c.weight+1, 0 {
		if facts := c.list.facts[c.weight]; c.passed < len(facts) {
			return facts[len(facts)-1-c.passed], true
		}
	}
	return 0, false
}

// next advances to the next fact.
func (c *cursor) next() { c.passed++ }
