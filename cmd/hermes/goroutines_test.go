package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unguarded are directories, below the root, whose goroutines serve no owner: what
// only tests import, and the programs of one person in one terminal.
var unguarded = []string{
	"internal/recovery", "internal/storetest", "internal/runtest", "internal/upstream/upstreamtest", "internal/terminal", "internal/prove",
}

// TestGoroutines walks everything that begins a goroutine. The function must be made
// by package recovery, or a panic in it ends the server for every owner.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	const root = "../.."
	found := 0
	for _, dir := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil || slices.Contains(unguarded, filepath.ToSlash(name)) {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, b := range begun(file) {
				found++
				if !b.guarded {
					t.Errorf("%s: the goroutine of %s is not made by package recovery", path, b.name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("found %d places that begin goroutines: the walk does not see them any more", found)
	}
}

// TestCalm walks over the packages that the Makefile tests without the race detector: none
// begins a goroutine, and none keeps state behind a lock or an atomic value. bench/memory is
// a program for one person, whose goroutines each measure one life.
func TestCalm(t *testing.T) {
	t.Parallel()
	for _, dir := range strings.Fields(makeVariable(t, "CALM")) {
		if dir == "bench/memory" {
			continue
		}
		for path, file := range filesOf(t, filepath.Join("../..", dir)) {
			for _, b := range begun(file) {
				t.Errorf("%s: %s begins a goroutine: take its package out of CALM in the Makefile", path, b.name)
			}
			for _, name := range shared(file) {
				t.Errorf("%s: %s is shared by goroutines: take its package out of CALM in the Makefile", path, name)
			}
		}
	}
}

// TestAlone: each name in the Makefile's ALONE, the tests that run without the race detector,
// is that of a test.
func TestAlone(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, dir := range []string{"cmd", "internal", "bench"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := strings.Split(strings.Trim(makeVariable(t, "ALONE"), "^()$"), "|")
	if len(names) < 20 {
		t.Errorf("ALONE has %d names: it is not read any more", len(names))
	}
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^func ` + name + `\(`).MatchString(source.String()) {
			t.Errorf("no test is called %s: take it out of ALONE in the Makefile", name)
		}
	}
}

// makeVariable is the value of a variable of the Makefile, over all its lines.
func makeVariable(t *testing.T, name string) string {
	t.Helper()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.ReplaceAll(string(makefile), "$\\\n", "")
	line := regexp.MustCompile(`(?m)^` + name + ` = (.+)$`).FindStringSubmatch(joined)
	if line == nil {
		t.Fatalf("the Makefile has no line %s = …", name)
	}
	return line[1]
}

// filesOf are the parsed files of a directory but its tests, by path.
func filesOf(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no Go files (%v)", dir, err)
	}
	out := make(map[string]*ast.File)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if out[path], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// shared are the names of a file by which goroutines share state: all of sync and sync/atomic
// but functions that make a value once.
func shared(file *ast.File) []string {
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			pkg, ok := s.X.(*ast.Ident)
			if ok && slices.Contains([]string{"sync", "atomic"}, pkg.Name) && !strings.HasPrefix(s.Sel.Name, "OnceValue") {
				out = append(out, pkg.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return out
}

// TestGoroutinesAreSeen: each way to begin a goroutine is told apart from a guarded one.
func TestGoroutinesAreSeen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code    string
		guarded bool
	}{
		{`go work()`, false},
		{`go func() { work() }()`, false},
		{`go recovery.Func(work, failed)()`, true},
		{`wait.Go(work)`, false},
		{`wait.Go(func() { work() })`, false},
		{`wait.Go(recovery.Func(work, failed))`, true},
		{`group.Go(recovery.Task(work))`, true},
		{`group.TryGo(work)`, false},
		{`time.AfterFunc(second, work)`, false},
		{`time.AfterFunc(second, recovery.Func(work, failed))`, true},
		{`context.AfterFunc(ctx, func() { stop() })`, false},
		{`context.AfterFunc(ctx, cancel)`, true},
		{`context.AfterFunc(ctx, func() { cancel(errSlow) })`, true},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+tt.code+"\n}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := begun(file); len(got) != 1 || got[0].guarded != tt.guarded {
			t.Errorf("%s: got %+v, want guarded %v", tt.code, got, tt.guarded)
		}
	}
}

// beginning is a place that begins a goroutine.
type beginning struct {
	name    string
	guarded bool
}

// begun are the places of a file that begin goroutines: go statements, and calls of
// methods and functions that are named for it.
func begun(file *ast.File) []beginning {
	var out []beginning
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, beginning{"a go statement", ofRecovery(n.Call.Fun)})
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 && slices.Contains([]string{"Go", "TryGo", "AfterFunc"}, s.Sel.Name) {
				work := n.Args[len(n.Args)-1]
				out = append(out, beginning{fmt.Sprintf("%s.%s", s.X, s.Sel.Name), ofRecovery(work) || cancels(work)})
			}
		}
		return true
	})
	return out
}

// ofRecovery reports whether a function is what a call of package recovery returned.
func ofRecovery(fun ast.Expr) bool {
	call, ok := fun.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "recovery"
}

// cancels reports whether a function does nothing but end a context, which cannot
// panic: cancel, or a literal that calls cancel.
func cancels(fun ast.Expr) bool {
	if literal, ok := fun.(*ast.FuncLit); ok && len(literal.Body.List) == 1 {
		if s, ok := literal.Body.List[0].(*ast.ExprStmt); ok {
			if call, ok := s.X.(*ast.CallExpr); ok {
				fun = call.Fun
			}
		}
	}
	name, ok := fun.(*ast.Ident)
	return ok && name.Name == "cancel"
}
