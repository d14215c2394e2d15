package memory

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/session"
)

// endable removes from some facts those that by may not end, because its source has
// no say over them, or because they were said after it in another conversation. Both then stand, each shown with its
// source.
func endable(facts []*record, by *record) []*record {
	return slices.DeleteFunc(facts, func(k *record) bool {
		later := k.Source.Root != by.Source.Root && k.after(by)
		return later || !outranks(&by.Source, &k.Source)
	})
}

// outranks reports whether a statement of one source may end a statement of another. What
// a person said is ended only by that person, or by the user, whose messages have no name. Tools
// and the assistant end only what tools and the assistant said. The memories of another program end
// nothing: that program has kept what held together.
func outranks(now, was *Source) bool {
	if now.Role != session.User {
		return was.Role != session.User && !now.OfProgram()
	}
	return was.Role != session.User || now.Speaker == "" || now.Speaker == was.Speaker
}
