package transfer

import (
	"slices"
	"time"
)

// tree are the messages of a conversation with its branches. It knows their places, and not
// what they say.
type tree struct {
	nodes []node
	at    map[string]int // by id
}

// node is a message in a tree.
type node struct {
	id, parent string
	said       time.Time
	// item is the message's number among all of the conversation.
	item int
}

// add adds a message, or replaces the one that has its id.
func (t *tree) add(n node) {
	if t.at == nil {
		t.at = make(map[string]int)
	}
	if i, twice := t.at[n.id]; twice {
		t.nodes[i] = n
		return
	}
	if i, known := t.at[n.parent]; known {
		n.parent = t.nodes[i].id // one text for both
	}
	t.at[n.id] = len(t.nodes)
	t.nodes = append(t.nodes, n)
}

// has reports whether there is a message with an id.
func (t *tree) has(id string) bool {
	_, ok := t.at[id]
	return ok
}

// branch are the messages from the root to a leaf. A cycle ends it.
func (t *tree) branch(leaf string) []node {
	var found []node
	seen := make([]bool, len(t.nodes))
	for id := leaf; ; {
		i, known := t.at[id]
		if !known || seen[i] {
			break
		}
		seen[i] = true
		found = append(found, t.nodes[i])
		id = t.nodes[i].parent
	}
	slices.Reverse(found)
	return found
}

// newest are the messages of the branch with the latest leaf, and of several such leaves the
// last one that was added.
func (t *tree) newest() []node {
	one := make([]int, len(t.nodes))
	leaf, found := t.leaves(one)[0]
	if !found {
		leaf = len(t.nodes) - 1 // all in cycles
	}
	if leaf < 0 {
		return nil
	}
	return t.branch(t.nodes[leaf].id)
}

// leaves are the places of the latest leaf of each group of messages, by the groups. of tells the group of each message.
func (t *tree) leaves(of []int) map[int]int {
	followed := make([]bool, len(t.nodes))
	for i := range t.nodes {
		if p, known := t.at[t.nodes[i].parent]; known {
			followed[p] = true
		}
	}
	best := make(map[int]int)
	for i := range t.nodes {
		if followed[i] {
			continue
		}
		if b, has := best[of[i]]; !has || !t.nodes[i].said.Before(t.nodes[b].said) {
			best[of[i]] = i
		}
	}
	return best
}

// shown are the messages of the branch of a leaf, or of the newest one if there is no such
// leaf.
func (t *tree) shown(leaf string) []node {
	if t.has(leaf) {
		return t.branch(leaf)
	}
	return t.newest()
}
