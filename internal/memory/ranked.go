package memory

import "slices"

// ranked is a list of facts by falling weight, newer facts first among equals. It has
// one slice per weight: there are few weights, and a new fact is appended to its slice,
// however many facts there are.
type ranked struct {
	weights []int32        // falling
	facts   [][]FactNumber // of each weight, rising
}

// put adds a fact.
func (r *ranked) put(n FactNumber, weight int32) {
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
func (r *ranked) remove(n FactNumber, weight int32) {
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

// after is the first place after another.
func (r *ranked) after(place ShelfPlace) (ShelfPlace, bool) {
	w, found := r.find(place.Weight)
	if found {
		if at, _ := slices.BinarySearch(r.facts[w], place.Number); at > 0 {
			return ShelfPlace{place.Weight, r.facts[w][at-1]}, true
		}
		w++
	}
	for ; w < len(r.weights); w++ {
		if list := r.facts[w]; len(list) > 0 {
			return ShelfPlace{r.weights[w], list[len(list)-1]}, true
		}
	}
	return ShelfPlace{}, false
}
