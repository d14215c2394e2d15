package memory

import "math"

// FactNumber orders the facts of a scope: it is the id of the fact's message, and the
// ordinal of the fact in the message, from 0 in the order learnt.
type FactNumber int64

// partBits is the size of the ordinal. A message has at most maxFactsOfUser facts.
const partBits = 10

// MaxPart is the highest ordinal.
const MaxPart = 1<<partBits - 1

// NumberOf returns the number of a fact.
func NumberOf(message int64, part int) FactNumber { return FactNumber(message<<partBits | int64(part)) }

// LastNumber is the highest number of the facts of a message and of those before it; 0 for none.
func LastNumber(message int64) FactNumber {
	if message == 0 {
		return 0
	}
	return NumberOf(message, MaxPart)
}

// Message returns the id of the fact's message.
func (n FactNumber) Message() int64 { return int64(n >> partBits) }

// Part returns the ordinal of the fact in its message.
func (n FactNumber) Part() int { return int(n & MaxPart) }

// Section is a part of the block for a model.
type Section = section

// Nowhere is the section of facts that are not shown.
const Nowhere = nowhere

// Mark is what memory derived from a fact together with others, for its readers. The
// store keeps it with the fact.
type Mark struct {
	Number FactNumber
	// DoubtedBy is the newest fact that perhaps replaced the fact; "" for none.
	DoubtedBy FactID
	// Section and Weight are the place of the fact on the shelf. Facts without a mark are
	// Nowhere.
	Section Section
	Weight  int32
}

// StoredFact is a fact as the store returns it.
type StoredFact struct {
	Fact
	Mark
}

// ShelfPlace is a place in a section of the shelf: facts are ordered by falling weight,
// then by falling number.
type ShelfPlace struct {
	Weight int32
	Number FactNumber
}

// ShelfTop is the place before all facts of a section.
func ShelfTop() ShelfPlace { return ShelfPlace{Weight: math.MaxInt32, Number: math.MaxInt64} }

// before reports whether a place comes before another.
func (p ShelfPlace) before(o ShelfPlace) bool {
	return p.Weight > o.Weight || p.Weight == o.Weight && p.Number > o.Number
}

// Place returns the place of a fact in its section.
func (m *Mark) Place() ShelfPlace { return ShelfPlace{Weight: m.Weight, Number: m.Number} }
