package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSBOM describes the program of this test, twice.
func TestSBOM(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i := range texts {
		to := filepath.Join(t.TempDir(), "sbom.json")
		if err := run(self, to); err != nil {
			t.Fatalf("run: %v", err)
		}
		body, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(body)
	}
	if texts[0] != texts[1] {
		t.Error("the same program gave two lists")
	}
	var doc document
	if err := json.Unmarshal([]byte(texts[0]), &doc); err != nil {
		t.Fatalf("decode: %v", err)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(doc.SerialNumber) {
		t.Errorf("the serial number is %s", doc.SerialNumber)
	}
	refs := make(map[string]bool)
	for _, c := range append(doc.Components, doc.Metadata.Component) {
		if refs[c.Ref] || c.Name == "" {
			t.Errorf("component %+v has no name, or a reference that another one has", c)
		}
		refs[c.Ref] = true
	}
	if c := doc.Components[0]; c.Name != "std" || c.Version == "" {
		t.Errorf("got the first component %+v, want the standard library", c)
	}
	for _, d := range doc.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !refs[ref] {
				t.Errorf("a dependency names %s, which is no component", ref)
			}
		}
	}
}

// TestNoProgram refuses a file that is no program of Go.
func TestNoProgram(t *testing.T) {
	t.Parallel()
	if err := run("main.go", filepath.Join(t.TempDir(), "sbom.json")); err == nil {
		t.Error("a text was taken for a program")
	}
}
