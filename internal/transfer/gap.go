package transfer

import "time"

// An export may lack a message that others follow. What was said before such a gap has no link to the branch behind it: it is a
// tree with a root of its own. The times tell whether it is the earlier part of the conversation.

// bridge puts the part before a gap in front of a branch that begins behind one: the branch of the only other root that ends
// before this one begins. Where several do, it is not known which one is meant, and none is taken. apart are the numbers of the
// messages that the gap has left out: those of such parts, and of parts of which no time tells where they stand.
func (t *tree) bridge(shown []node) (whole []node, apart map[int]bool) {
	if !t.behindGap(shown) {
		return shown, nil
	}
	roots, begins := t.roots(), firstTime(shown)
	var earlier []int // the last messages of the parts before
	unlinked := make(map[int]bool)
	for root, leaf := range t.leaves(roots) {
		if root < 0 || t.nodes[root].parent == shown[0].parent { // what has the parent of the branch is another branch
			continue
		}
		ends := t.lastTime(leaf)
		switch {
		case ends.IsZero(), begins.IsZero():
			unlinked[root] = true
		case ends.Before(begins):
			unlinked[root] = true
			earlier = append(earlier, leaf)
		}
	}
	if len(earlier) == 1 {
		unlinked[roots[earlier[0]]] = false // its other leaves are other branches
		shown = append(t.branch(t.nodes[earlier[0]].id), shown...)
	}
	apart = make(map[int]bool)
	for i := range t.nodes {
		if unlinked[roots[i]] {
			apart[t.nodes[i].item] = true
		}
	}
	return shown, apart
}

// behindGap reports whether a branch begins behind a message that is missing.
func (t *tree) behindGap(branch []node) bool {
	return len(branch) > 0 && branch[0].parent != "" && !t.has(branch[0].parent)
}

// roots are the places of the roots of all messages; -1 for a message that a cycle keeps from having one.
func (t *tree) roots() []int {
	const unseen, underWay = -3, -2
	out := make([]int, len(t.nodes))
	for i := range out {
		out[i] = unseen
	}
	for i := range out {
		var way []int
		at, root := i, -1
		for out[at] == unseen {
			out[at] = underWay
			way = append(way, at)
			parent, known := t.at[t.nodes[at].parent]
			if !known {
				root = at
				break
			}
			at = parent
		}
		if out[at] >= 0 {
			root = out[at]
		}
		for _, w := range way {
			out[w] = root
		}
	}
	return out
}

// firstTime is the first time that is told in a branch; zero for none.
func firstTime(branch []node) time.Time {
	for i := range branch {
		if !branch[i].said.IsZero() {
			return branch[i].said
		}
	}
	return time.Time{}
}

// lastTime is the latest time that is told up to a leaf, from a root; zero for none.
func (t *tree) lastTime(leaf int) (at time.Time) {
	for i, known := leaf, true; known; i, known = t.at[t.nodes[i].parent] {
		if t.nodes[i].said.After(at) {
			at = t.nodes[i].said
		}
	}
	return at
}
