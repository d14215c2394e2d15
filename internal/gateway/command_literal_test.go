package gateway_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestNoTextNamesACommandItself: no text of this package or of an adapter writes the name of a command behind a slash.
// The platform says how its people give a command.
func TestNoTextNamesACommandItself(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range gateway.CommandList() {
		names = append(names, c.Name)
	}
	literal := regexp.MustCompile(`(^|[^\w/.:])[/!](` + strings.Join(names, "|") + `)\b([^/]|$)`)
	found := 0
	for _, dir := range []string{".", "telegram", "discord", "slack", "whatsapp"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					found++
					if hit := literal.FindString(text.Value); hit != "" {
						t.Errorf("%s: %s has %q", set.Position(text.Pos()), text.Value, hit)
					}
				}
				return true
			})
		}
	}
	if found < 500 {
		t.Errorf("%d texts were read, want all of them", found)
	}
}
