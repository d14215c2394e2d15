package language

import (
	"iter"
	"strings"
)

// Lists reads the lists of words of a lexicon, one a line: "name: item, item". The name
// is "" where a line has none. Empty lines and those that begin with "#" hold none.
func Lists(text string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			name, rest, named := strings.Cut(line, ": ")
			if !named {
				name, rest = "", line
			}
			items := strings.Split(rest, ",")
			for i := range items {
				items[i] = strings.TrimSpace(items[i])
			}
			if !yield(name, items) {
				return
			}
		}
	}
}
