// Command sbom prints the modules that a Go program was built from, as a bill of
// materials in the format CycloneDX. It reads what the Go toolchain has written into the
// program, so the list is that of this very file. Equal programs give equal lists.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program, to string) error {
	in, err := os.Open(program)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	bom, err := describe(in)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	text, err := json.MarshalIndent(bom, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(text, '\n'), 0o644)
}

// program is an open file of a program.
type program interface {
	io.ReadSeeker
	io.ReaderAt
}

// describe makes the bill of a program.
func describe(in program) (*document, error) {
	info, err := buildinfo.Read(in)
	if err != nil {
		return nil, fmt.Errorf("read what it was built from: %w", err)
	}
	sum := sha256.New()
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := io.Copy(sum, in); err != nil {
		return nil, err
	}
	digest := sum.Sum(nil)
	main := componentOf(&info.Main, "application", settings(info))
	main.Hashes = []hash{{"SHA-256", hex.EncodeToString(digest)}}
	doc := &document{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1, SerialNumber: serial(digest),
		Metadata: metadata{Component: main},
	}
	all := dependency{Ref: main.Ref, DependsOn: []string{}}
	std := component{
		Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"), Ref: "pkg:golang/std@" + info.GoVersion,
		PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), Scope: "required",
	}
	doc.Components = append(doc.Components, std)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		doc.Components = append(doc.Components, componentOf(m, "library", ""))
	}
	for i := range doc.Components {
		all.DependsOn = append(all.DependsOn, doc.Components[i].Ref)
	}
	doc.Dependencies = []dependency{all}
	return doc, nil
}

// componentOf describes a module. The toolchain's hash of a module covers a list of the
// hashes of its files.
func componentOf(m *debug.Module, kind, qualifiers string) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version}
	if kind == "library" {
		c.Scope = "required"
	}
	c.PURL = "pkg:golang/" + escapePath(m.Path) + "@" + url.PathEscape(m.Version) + qualifiers
	c.Ref = c.PURL
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == sha256.Size {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	return c
}

func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// settings are the system and the processor of a program, as qualifiers of its name.
func settings(info *debug.BuildInfo) string {
	q := url.Values{"type": {"module"}}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH":
			q.Set(strings.ToLower(s.Key), s.Value)
		}
	}
	return "?" + q.Encode()
}

// serial is the number of a document, made of the program that it describes.
func serial(digest []byte) string {
	id := append([]byte(nil), digest[:16]...)
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // a UUID of version 8
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
