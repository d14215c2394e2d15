package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostConditions is how many boolean operators (&&, ||, !) a function has at most.
// More of them want a name, a table or a function of their own.
const mostConditions = 5

// readers of language are not held to this yet.
var readers = []string{"memory", "recall"}

// TestConditions counts the boolean operators of every function outside tests, with
// those of the functions written within it.
func TestConditions(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for _, pattern := range []string{"cmd/*/*.go", "internal/*/*.go", "internal/*/*/*.go", "bench/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			if !strings.HasSuffix(file, "_test.go") && !slices.Contains(slices.Concat(support, readers), strings.TrimPrefix(name, "internal/")) {
				for _, f := range functionsWithMore(t, file) {
					t.Errorf("%s.%s has more than %d boolean operators: name a condition, or make a table", name, f, mostConditions)
				}
			}
		}
	}
}

// functionsWithMore names the functions of a file that have too many of them.
func functionsWithMore(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range parsed.Decls {
		fn, is := d.(*ast.FuncDecl)
		if is && booleanOperators(fn) > mostConditions {
			out = append(out, fn.Name.Name)
		}
	}
	return out
}

func booleanOperators(fn *ast.FuncDecl) int {
	n := 0
	ast.Inspect(fn, func(x ast.Node) bool {
		op := token.ILLEGAL
		switch e := x.(type) {
		case *ast.BinaryExpr:
			op = e.Op
		case *ast.UnaryExpr:
			op = e.Op
		}
		switch op {
		case token.LAND, token.LOR, token.NOT:
			n++
		}
		return true
	})
	return n
}
