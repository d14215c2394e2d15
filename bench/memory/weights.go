package main

import (
	"fmt"
	"io"
	"strings"
)

func (m *learned) write(w io.Writer, head, names []string) error {
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
