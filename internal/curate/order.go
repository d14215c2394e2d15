package curate

import "strings"

// A chat orders an erasure with an event, which names the thing as long as the erasure is under way: a server that is
// killed then leaves the order to the next one. [Sweeper.Sweep] therefore spares orders, and [Sweeper.SweepOrders] erases
// them behind all else.

// orderPlan begins the plan of such an event. The thing follows.
const orderPlan = "forget "

// OrderDone is the plan of such an event once everything is erased, and the thing in the event as well.
const OrderDone = "forgotten"

// OrderOf is the plan of an event that orders to forget a thing.
func OrderOf(thing string) string { return orderPlan + thing }

// OrderedThing is the thing that an event with a plan orders to forget.
func OrderedThing(plan string) (thing string, ordered bool) {
	return strings.CutPrefix(plan, orderPlan)
}
