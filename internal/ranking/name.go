package ranking

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// names are the speakers of a scope and the words of their names.
type names struct {
	ids   map[string]int32   // the name as given → id
	words map[string][]int32 // a word of a name, stemmed → the persons with that name
	list  []string
}

func newNames() names {
	return names{ids: make(map[string]int32), words: make(map[string][]int32)}
}

// add returns the id of a speaker; −1 for a message that names none.
func (n *names) add(name string) int32 {
	if name == "" {
		return -1
	}
	if id, ok := n.ids[name]; ok {
		return id
	}
	id := int32(len(n.list))
	name = strings.Clone(name)
	n.ids[name] = id
	n.list = append(n.list, name)
	scan := language.Scan(name)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		n.words[string(w.Stem)] = append(n.words[string(w.Stem)], id)
	}
	return id
}

// isWord reports whether w is part of a speaker's name.
func (n *names) isWord(w []byte) bool {
	_, ok := n.words[string(w)]
	return ok
}

// bearers are the speakers that a word of a question may mean: those with that name, or
// else those whose name it abbreviates, if there is only one such name. A word such as
// "Will" is a name inside a question, but not at its start.
func (n *names) bearers(w *language.Word) []int32 {
	if w.Stop && w.Start == 0 {
		return nil
	}
	if ids, ok := n.words[string(w.Stem)]; ok {
		return ids
	}
	if w.Stop || !w.Capital || len(w.Stem) < shortestAlias {
		return nil
	}
	var found []int32
	for word, ids := range n.words {
		if strings.HasPrefix(word, string(w.Stem)) {
			if found != nil {
				return nil
			}
			found = ids
		}
	}
	return found
}

// shortestAlias is the minimum length of an abbreviated name.
const shortestAlias = 3

func (n *names) size() int64 { return int64(len(n.list)) * 128 }
