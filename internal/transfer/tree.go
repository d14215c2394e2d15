package transfer

import (
	"slices"
	"time"
)

// node is a message in a tree of branches.
type node struct {
	parent string
	at     time.Time
	leaf   bool // nothing follows it
}

// branch are the ids from the root to a leaf. A cycle ends it.
func branch(nodes map[string]*node, leaf string) []string {
	var ids []string
	seen := make(map[string]bool)
	for id := leaf; !seen[id]; id = nodes[id].parent {
		if nodes[id] == nil {
			break
		}
		seen[id] = true
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

// newestLeaf is the leaf with the latest time, and of several the last in order; "" for no
// leaf.
func newestLeaf(nodes map[string]*node, order []string) string {
	for _, n := range nodes {
		n.leaf = true
	}
	for _, n := range nodes {
		if p := nodes[n.parent]; p != nil {
			p.leaf = false
		}
	}
	best := ""
	for _, id := range order {
		if n := nodes[id]; n.leaf && (best == "" || !n.at.Before(nodes[best].at)) {
			best = id
		}
	}
	if best == "" && len(order) > 0 { // all in cycles
		best = order[len(order)-1]
	}
	return best
}
