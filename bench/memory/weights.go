package main

import (
	"fmt"
	"io"
	"strings"
)

// writeWeights writes a model as package fitted reads it. The lines of head say which
// command, data and date made the weights, and what they measured.
func writeWeights(w io.Writer, head, names []string, m *learned) error {
	var b strings.Builder
	for _, line := range head {
		fmt.Fprintf(&b, "# %s\n", strings.TrimSpace(line))
	}
	fmt.Fprintf(&b, "base %.4g\n", m.base)
	for j, name := range names {
		if strings.ContainsAny(name, " \t\n") {
			return fmt.Errorf("the name %q of a feature has a space", name)
		}
		fmt.Fprintf(&b, "%s %.4g\n", name, m.weights[j])
	}
	_, err := io.WriteString(w, b.String())
	return err
}
