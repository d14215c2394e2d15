package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed page
var embedded embed.FS

// page is the page as it is served.
type page struct {
	// version is a hash of all files; assets have it in their addresses.
	version string
	index   *file
	assets  map[string]*file // by their path below page/, without the index
}

// file is one file of the page.
type file struct {
	kind    string        // its Content-Type
	plain   func() []byte // read from the program each time: hardly any client wants it
	gzipped func() []byte // made at the first request, and kept
}

// indexFile is the file that names all others.
const indexFile = "index.html"

// load reads the files at the first request, so that they do not delay the start.
var load = sync.OnceValue(func() *page {
	return must(read(must(fs.Sub(embedded, "page"))))
})

// read makes the page of a tree of files.
func read(tree fs.FS) (*page, error) {
	p := &page{assets: make(map[string]*file)}
	var one compressor
	all := sha256.New()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(all, "%s %d\n", name, info.Size()) // a hash takes everything
		one.copy(all, tree, name)
		kind := kindOf(name)
		if kind == "" {
			return fmt.Errorf("%s: this kind of file has no Content-Type", name)
		}
		p.assets[name] = &file{
			kind: kind, plain: func() []byte { return must(fs.ReadFile(tree, name)) },
			gzipped: sync.OnceValue(func() []byte { return one.compressed(func(w io.Writer) { one.copy(w, tree, name) }) }),
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	index, ok := p.assets[indexFile]
	if !ok {
		return nil, fmt.Errorf("%s: there is no such file", indexFile)
	}
	delete(p.assets, indexFile)
	p.version = hex.EncodeToString(all.Sum(nil)[:10])
	filled := p.fill(index.plain())
	p.index = &file{kind: index.kind, plain: func() []byte { return filled }, gzipped: sync.OnceValue(func() []byte {
		return one.compressed(func(w io.Writer) { _, _ = w.Write(filled) }) // a buffer takes everything
	})}
	return p, nil
}

// must is the value of a call that cannot fail: the files are in the program.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// kindOf is the Content-Type of a file; "" for a kind of file that the page does not have.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return ""
}

// The marks in the index that fill replaces.
const (
	assetsMark   = "{{assets}}"
	preloadsMark = "{{modulepreloads}}"
)

// mainModule is the module that the index runs.
const mainModule = "js/main.js"

// fill writes into the index where the assets are, and a link for every module: a browser
// then reads them all at once, and not each after the one that imports it. Those that every
// place of the page needs come first. All addresses are relative, so that the page works below
// any path of a proxy.
func (p *page) fill(index []byte) []byte {
	assets := "assets/" + p.version
	needed := p.needed()
	links := make([]string, 0, len(p.assets))
	for _, name := range needed {
		links = append(links, `<link rel="modulepreload" href="`+assets+"/"+name+`">`)
	}
	for _, name := range slices.Sorted(maps.Keys(p.assets)) {
		if strings.HasPrefix(name, "js/") && !slices.Contains(needed, name) {
			links = append(links, `<link rel="modulepreload" href="`+assets+"/"+name+`" fetchpriority="low">`)
		}
	}
	return []byte(strings.NewReplacer(assetsMark, assets, preloadsMark, strings.Join(links, "\n")).Replace(string(index)))
}

// needed are the modules without which the main one does not run, with the main one first.
func (p *page) needed() (names []string) {
	if p.assets[mainModule] != nil {
		names = []string{mainModule}
	}
	for i := 0; i < len(names); i++ {
		for line := range strings.Lines(string(p.assets[names[i]].plain())) {
			_, from, imports := strings.Cut(line, " from './")
			name, _, _ := strings.Cut(from, "'")
			name = path.Dir(names[i]) + "/" + name
			imports = imports && strings.HasPrefix(line, "import ") && p.assets[name] != nil
			if imports && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// compressor compresses one file after the other: a writer takes a megabyte, and a browser
// asks for 40 files at once. Between collections of garbage the writer is kept.
type compressor struct {
	mu      sync.Mutex
	writers sync.Pool // of one
	out     bytes.Buffer
	buffer  [4096]byte
}

// copy writes a file: in pieces, for a whole one would be a copy of what the program has.
func (c *compressor) copy(w io.Writer, tree fs.FS, name string) {
	f := must(tree.Open(name))
	defer func() { _ = f.Close() }() // nothing was written to it
	must(io.CopyBuffer(w, f, c.buffer[:]))
}

// compressed is a text in the best compression.
func (c *compressor) compressed(write func(io.Writer)) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Reset()
	w, ok := c.writers.Get().(*gzip.Writer)
	if ok {
		w.Reset(&c.out)
	} else {
		w = must(gzip.NewWriterLevel(&c.out, gzip.BestCompression))
	}
	write(w)
	_ = w.Close() // a buffer takes everything
	c.writers.Put(w)
	return bytes.Clone(c.out.Bytes())
}
