package recall

import (
	"slices"
	"strings"
)

// What is asked of one owner is not answered by what is said of another: "my name" by "my wife's name", "my brother's
// birthday" by "my sister's birthday". Questions and statements are read with one grammar.

// root is with whom the way to an owner begins.
type root uint8

const (
	rootNone  root = iota
	rootAsker      // the one who asks
	rootUs         // the asker and others
	rootNamed      // a person with a name
	rootOther      // another person or thing
)

// owner is whose a thing is: "Ida" is a name, "my sister's husband" begins with the asker and has the path "sister husband".
type owner struct {
	root   root
	name   string // the stem of the name with which the way begins
	path   string // the relations, in order, with spaces between
	called string // the stem of the name that stands with the last relation: "my brother Jan"
}

// loose is before the last step of a path that leads to a thing and not to a person: "my team's deadline".
const loose = "*"

// joined is an owner with one more relation.
func (o owner) joined(relation string) owner {
	o.path, o.called = strings.TrimSpace(o.path+" "+step(relation)), ""
	return o
}

// step is a relation in a path.
func step(relation string) string { return strings.ReplaceAll(relation, " ", "-") }

// isLoose reports whether the path of an owner leads to a thing.
func (o *owner) isLoose() bool { return strings.Contains(o.path, loose) }

// last is the last relation of the path.
func (o *owner) last() string { return o.path[strings.LastIndexByte(o.path, ' ')+1:] }

// verdict is how the owner of what a passage says relates to the one asked for. Its order is that by which the best of several
// counts.
type verdict uint8

const (
	differs   verdict = iota // the thing asked for is called another's: "my sister's address"
	unrelated                // the thing is told of another only: "my sister lives in Oslo"
	akin                     // it is told of a person with a relation that may mean the other: "my parents", "my mother"
	unclear
	same
)

// acquaintance is what is known of the names of owners, by their paths; that of the asker is "".
type acquaintance struct {
	sure map[string][]string // told as names: "my sister is called Ida"
	may  map[string][]string // perhaps names: "my sister is Ida"
	// names are the stems of all that are told as names.
	names map[string]bool
}

// bears reports whether an owner has a name.
func (a *acquaintance) bears(path, name string) bool {
	return slices.Contains(a.sure[path], name) || slices.Contains(a.may[path], name)
}

// known reports whether it is known how the owner at the end of a path is called.
func (a *acquaintance) known(path string) bool { return len(a.sure[path]) > 0 }

// meet notes a name.
func (a *acquaintance) meet(path, name string, sure bool) {
	to := a.may
	if sure {
		to, a.names[name] = a.sure, true
	}
	if !slices.Contains(to[path], name) {
		to[path] = append(to[path], name)
	}
}

// compare tells whether a thing of one owner may be what is asked of another.
func (a *acquaintance) compare(asked, given *owner) verdict {
	switch {
	case asked.isLoose(), asked.root == rootNone, given.root == rootNone:
		return unclear
	case asked.path != "":
		return a.ofRelation(asked, given)
	case asked.root == rootNamed:
		return a.ofNamed(asked, given)
	case asked.root != rootAsker:
		return unclear
	case given.path != "":
		return differs
	}
	return a.ofAsker(given)
}

// ofAsker is compare for what is asked of the asker and given of a person without a path.
func (a *acquaintance) ofAsker(given *owner) verdict {
	switch given.root {
	case rootAsker, rootUs:
		return same
	case rootNamed:
		if a.bears("", given.name) {
			return same
		}
	}
	return differs
}

// ofRelation is compare for what is asked of a relation, such as "my sister".
func (a *acquaintance) ofRelation(asked, given *owner) verdict {
	switch {
	case given.path != "":
		return a.ofPaths(asked, given)
	case given.root == rootAsker:
		return differs
	case given.root == rootNamed && asked.root != rootNamed:
		return a.named(asked, given.name)
	}
	return unclear
}

// ofPaths is compare for two relations.
func (a *acquaintance) ofPaths(asked, given *owner) verdict {
	switch {
	case given.isLoose(), given.root == rootOther, strings.HasPrefix(given.path, asked.path+" "), strings.HasPrefix(asked.path, given.path+" "):
		return unclear
	case (asked.root == rootNamed) != (given.root == rootNamed), asked.name != given.name:
		return differs
	case asked.path == given.path:
		return sameName(asked.called, given.called)
	case slices.ContainsFunc(a.sure[asked.path], func(name string) bool { return a.bears(given.path, name) }):
		return same
	case theOwnerWords().near(asked.last(), given.last()):
		return akin
	}
	return differs
}

// sameName compares the names that stand with one relation: one may have two sisters.
func sameName(asked, given string) verdict {
	if asked != "" && given != "" && asked != given {
		return differs
	}
	return same
}

// ofNamed is compare for what is asked of a person with a name.
func (a *acquaintance) ofNamed(asked, given *owner) verdict {
	switch {
	case given.called == asked.name, given.path == "" && given.name == asked.name:
		return same
	case given.root == rootOther, given.root == rootUs, given.isLoose():
		return unclear
	case given.root == rootNamed:
		return differs
	}
	if v := a.named(given, asked.name); v != unclear || given.path != "" {
		return v
	}
	return differs
}

// named tells whether an owner is the one with a name, as far as is known.
func (a *acquaintance) named(o *owner, name string) verdict {
	switch {
	case o.called == name, a.bears(o.path, name):
		return same
	case a.known(o.path):
		return differs
	}
	return unclear
}
