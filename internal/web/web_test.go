package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is the page as it stands in the repository.
func tree(t *testing.T) fs.FS {
	t.Helper()
	sub, err := fs.Sub(embedded, "page")
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// texts calls each for every file of the page.
func texts(t *testing.T, each func(name, text string)) {
	t.Helper()
	err := fs.WalkDir(tree(t), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree(t), name)
		each(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, serve func(http.ResponseWriter, *http.Request), headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	serve(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestHeaders: a file of the page loads nothing of others, and is shown in no frame.
func TestHeaders(t *testing.T) {
	t.Parallel()
	version := load().version
	names := []string{indexFile}
	for name := range load().assets {
		names = append(names, name)
	}
	for _, name := range names {
		res := get(t, func(w http.ResponseWriter, r *http.Request) {
			if name == indexFile {
				Index(w, r)
			} else if !Asset(w, r, version, name) {
				t.Errorf("%s: it is not served", name)
			}
		})
		cache := "public, max-age=31536000, immutable"
		if name == indexFile {
			cache = "no-cache"
		}
		for header, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
				"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
			"Cross-Origin-Resource-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "", "Cache-Control": cache, "Content-Type": kindOf(name), "Vary": "Accept-Encoding", "Set-Cookie": "",
		} {
			if got := res.Header.Get(header); got != want {
				t.Errorf("%s: got %s %q, want %q", name, header, got, want)
			}
		}
		for _, feature := range []string{"camera=()", "microphone=()", "geolocation=()"} {
			if !strings.Contains(res.Header.Get("Permissions-Policy"), feature) {
				t.Errorf("%s: got Permissions-Policy %q, want %s", name, res.Header.Get("Permissions-Policy"), feature)
			}
		}
	}
}

// TestNeeded: the modules without which the page does not run are read before those of places
// that are opened later.
func TestNeeded(t *testing.T) {
	t.Parallel()
	p, err := read(fstest.MapFS{
		"index.html":  {Data: []byte("{{modulepreloads}}")},
		"js/a.js":     {Data: []byte("const text = `import x from './z.js'`;\n")},
		"js/main.js":  {Data: []byte("// import from './z.js'\nimport { y } from './y.js';\nawait import('./a.js');\n")},
		"js/y.js":     {Data: []byte("import { b } from './b.js';\nimport { y } from './main.js';\nimport { n } from './none.js';\n")},
		"js/b.js":     {},
		"js/z.js":     {},
		"notes/n.css": {},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, found := range regexp.MustCompile(`js/(\w+)\.js"( fetchpriority="low")?>`).FindAllStringSubmatch(string(p.index.plain()), -1) {
		got = append(got, found[1]+found[2])
	}
	want := []string{"main", "y", "b", `a fetchpriority="low"`, `z fetchpriority="low"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestIndex: the index names every module and no address but relative ones, and is not
// sent again to a browser that has it.
func TestIndex(t *testing.T) {
	t.Parallel()
	res := get(t, Index)
	text := body(t, res)
	for name := range load().assets {
		link := `<link rel="modulepreload" href="assets/` + load().version + "/" + name + `"`
		if strings.HasPrefix(name, "js/") && !strings.Contains(text, link) {
			t.Errorf("the index does not name %s", name)
		}
	}
	for _, found := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if at := strings.TrimPrefix(found[1], "assets/"+load().version+"/"); load().assets[at] == nil {
			t.Errorf("the index names %q, which is no file of the page", found[1])
		}
	}
	if strings.Contains(text, "{{") || strings.Contains(text, "<script>") {
		t.Errorf("got %s", text)
	}
	if again := get(t, Index, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || body(t, again) != "" {
		t.Errorf("the same again: got %d, want 304 without a body", again.StatusCode)
	}
	if other := get(t, Index, "If-None-Match", `"other"`); other.StatusCode != http.StatusOK {
		t.Errorf("after another version: got %d, want 200", other.StatusCode)
	}
}

// TestAsset: another version, and what is no file, is not there.
func TestAsset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version, path string
		want          bool
	}{
		{load().version, "app.css", true}, {"0", "app.css", false}, {load().version, "index.html", false},
		{load().version, "../web.go", false}, {load().version, "js", false}, {load().version, "", false},
	} {
		get(t, func(w http.ResponseWriter, r *http.Request) {
			if got := Asset(w, r, c.version, c.path); got != c.want {
				t.Errorf("%s/%s: got %v, want %v", c.version, c.path, got, c.want)
			}
		})
	}
}

// TestGzip: a file is compressed for those who can read that, and is the same for all.
func TestGzip(t *testing.T) {
	t.Parallel()
	css := func(w http.ResponseWriter, r *http.Request) { Asset(w, r, load().version, "app.css") }
	plain := body(t, get(t, css))
	for value, want := range map[string]bool{
		"": false, "gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "gzip;q=0.01": true, "br": false, "*": false,
	} {
		res := get(t, css, "Accept-Encoding", value)
		got := body(t, res)
		if zipped := res.Header.Get("Content-Encoding") == "gzip"; zipped != want {
			t.Errorf("Accept-Encoding %q: got compressed %v, want %v", value, zipped, want)
			continue
		}
		if want {
			r, err := gzip.NewReader(strings.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			unzipped, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			got = string(unzipped)
		}
		if got != plain {
			t.Errorf("Accept-Encoding %q: got other bytes", value)
		}
	}
}

// TestVersion: a change of any file, or of its name, is another version.
func TestVersion(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, files := range []fstest.MapFS{
		{"index.html": {Data: []byte("a")}, "js/a.js": {Data: []byte("b")}},
		{"index.html": {Data: []byte("a")}, "js/a.js": {Data: []byte("c")}},
		{"index.html": {Data: []byte("a")}, "js/b.js": {Data: []byte("b")}},
		{"index.html": {Data: []byte("ab")}, "js/a.js": {Data: []byte("")}},
	} {
		p, err := read(files)
		if err != nil || seen[p.version] {
			t.Errorf("got version %q, %v, want another one", p.version, err)
			continue
		}
		seen[p.version] = true
	}
	for name, files := range map[string]fstest.MapFS{
		"no index": {"app.css": {}}, "a file without a type": {"index.html": {}, "notes.txt": {}},
	} {
		if p, err := read(files); err == nil {
			t.Errorf("%s: got %v, want an error", name, p)
		}
	}
}

// TestFiles: the files are ours, small, and each has a type.
func TestFiles(t *testing.T) {
	t.Parallel()
	total := len(load().index.gzipped())
	for _, f := range load().assets {
		total += len(f.gzipped())
	}
	if most := 88_000; total > most {
		t.Errorf("got %d bytes in all, compressed, want at most %d", total, most)
	}
	texts(t, func(name, text string) {
		if kindOf(name) == "" {
			t.Errorf("%s: it has no type", name)
		}
		if lines := strings.Count(text, "\n"); path.Ext(name) == ".js" && lines > 300 {
			t.Errorf("%s: got %d lines, want 300 at most", name, lines)
		}
		if slices.Contains(strings.Split(name, "/"), "vendor") || strings.Contains(name, ".min.") {
			t.Errorf("%s: it is not ours", name)
		}
	})
}

// TestWriters: the files are compressed with few writers, of which each takes a megabyte.
//
//nolint:paralleltest // what others allocate would be counted
func TestWriters(t *testing.T) {
	p, err := read(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, f := range p.assets {
		f.gzipped()
	}
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(20<<20); got > most {
		t.Errorf("got %d bytes allocated for %d files, want at most %d", got, len(p.assets), most)
	}
}

// TestNoMarkup: nothing in the page makes nodes of a text, runs a text, or loads what is
// not ours.
func TestNoMarkup(t *testing.T) {
	t.Parallel()
	for _, found := range findings(t, tree(t)) {
		t.Error(found)
	}
}

// TestFindings: the search of TestNoMarkup finds what it looks for.
func TestFindings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`node.innerHTML = text`, `node["outerHTML"]`, `node.insertAdjacentHTML("beforeend", text)`, `document.write(text)`, `node.setHTMLUnsafe(text)`,
		`eval(text)`, `new Function(text)`, `import("https://x.example/a.js")`, `fetch("//x.example")`, `document.cookie`, `window.addEventListener("message", f)`,
		`createElement("img")`, `createElement('iframe')`, `node.srcdoc = text`, `localhost:9`, `navigator.serviceWorker`, `//# sourceMappingURL=x`,
		`parseFromString(text)`, `createContextualFragment(text)`, `node.setAttribute("style", "color: red")`, `node.setAttribute("onclick", text)`,
	} {
		if len(findings(t, fstest.MapFS{"js/a.js": {Data: []byte(text)}})) == 0 {
			t.Errorf("%s: it was not found", text)
		}
	}
	for name, text := range map[string]string{
		"index.html": `<p style="color: red">`, "a.html": `<p onclick="x()">`, "b.html": "<script>x()</script>", "app.css": `@import "x.css"`, "b.css": "background: url(https://x.example/a.png)",
		"icon.svg": "<svg><script/></svg>",
	} {
		if len(findings(t, fstest.MapFS{name: {Data: []byte(text)}})) == 0 {
			t.Errorf("%s: %s was not found", name, text)
		}
	}
	if found := findings(t, fstest.MapFS{"js/a.js": {Data: []byte(`node.textContent = text; import("./a.js"); node.style.setProperty("--x", 1)`)}}); len(found) > 0 {
		t.Errorf("got %v for what is allowed", found)
	}
}

// findings are the places of a tree that the rules of the page forbid.
func findings(t *testing.T, files fs.FS) (found []string) {
	t.Helper()
	everywhere := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|unsafe|document\.write|sourceMappingURL|srcdoc`)
	inScripts := regexp.MustCompile(`\beval\(|\bFunction\(|parseFromString|createContextualFragment|document\.cookie|["']message["']\s*,|onmessage|` +
		`createElement\(["'](?:img|iframe|frame|object|embed|script|style|base|form)["']|setAttribute\(["'](?:style|on)|serviceWorker|` +
		`(?:fetch|import)\(\s*["'` + "`" + `](?:https?:)?//|from\s+["']https?:|localhost:\d`)
	inMarkup := regexp.MustCompile(`(?i)\sstyle\s*=|\son[a-z]+\s*=\s*["']|<script>|<style|<iframe|<form|<base|(?:src|href)\s*=\s*["'](?:https?:)?//|javascript:`)
	inStyles := regexp.MustCompile(`(?i)@import|url\(|@font-face|expression\(`)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		rules := []*regexp.Regexp{everywhere}
		switch path.Ext(name) {
		case ".js":
			rules = append(rules, inScripts)
		case ".css":
			rules = append(rules, inStyles)
		default:
			rules = append(rules, inMarkup, regexp.MustCompile(`(?i)<script[^>]*/>`))
		}
		for _, rule := range rules {
			if hit := rule.Find(bytes.TrimSpace(text)); hit != nil {
				found = append(found, name+" has "+string(hit))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
