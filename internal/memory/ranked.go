package memory

import (
	"cmp"
	"slices"
)

// ranked is a list of facts by falling weight, newer facts first among equals. It has
// one slice per weight: there are few weights, and a new fact is appended to its slice,
// however many facts there are.
type ranked struct {
	weights []int32     // falling
	facts   [][]*record // of each weight, by rising number
}

// put adds a fact.
func (r *ranked) put(k *record) {
	w, found := r.weight(k.Weight)
	if !found {
		r.weights = slices.Insert(r.weights, w, k.Weight)
		r.facts = slices.Insert(r.facts, w, nil)
	}
	list := r.facts[w]
	if len(list) == 0 || list[len(list)-1].Number < k.Number {
		r.facts[w] = append(list, k)
	} else if at, found := place(list, k.Number); !found {
		r.facts[w] = slices.Insert(list, at, k)
	}
}

// remove removes a fact.
func (r *ranked) remove(k *record) {
	w, found := r.weight(k.Weight)
	if !found {
		return
	}
	if at, found := place(r.facts[w], k.Number); found {
		r.facts[w] = slices.Delete(r.facts[w], at, at+1)
	}
}

func (r *ranked) weight(weight int32) (int, bool) {
	return slices.BinarySearchFunc(r.weights, weight, func(a, b int32) int { return cmp.Compare(b, a) })
}

// place is where a number stands in a list of one weight.
func place(list []*record, n FactNumber) (int, bool) {
	return slices.BinarySearchFunc(list, n, func(k *record, n FactNumber) int { return cmp.Compare(k.Number, n) })
}

// after is the first fact after a place.
func (r *ranked) after(at ShelfPlace) (*record, bool) {
	w, found := r.weight(at.Weight)
	if found {
		if n, _ := place(r.facts[w], at.Number); n > 0 {
			return r.facts[w][n-1], true
		}
		w++
	}
	for ; w < len(r.weights); w++ {
		if list := r.facts[w]; len(list) > 0 {
			return list[len(list)-1], true
		}
	}
	return nil, false
}
