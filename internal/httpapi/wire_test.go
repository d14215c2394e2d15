package httpapi_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestWire plays the files of testdata/wire: each shows one promise of the wire.
//
// A file begins with prose. Its sections belong to numbered steps:
//
//	config      how the server differs from a plain one (see options)
//	1 do        what happens first, one command a line (see wire.command)
//	1 upstream  the replies the model's server will give (see scripted)
//	1 request   method and path, headers, blank line, body
//	1 response  status, the headers that matter, blank line, body
//	1 sent      the bodies the model's server received: only the members named
//	1 sent raw  the one body it received, to the byte
//
// A step without "sent" must not reach the model's server. Quotes from memory
// are left out of "sent". Ids, receipts and
// keys are named in the order they turn up: <id1>, <receipt1>…; a request may
// use those names. "<any>", "<number>" and "<time>" stand for values, "<any>"
// also for a part of a text, "<words 300>" for a text of that many words.
//
// Run with -update to write what was got, then read the difference.
func TestWire(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, file, options{alternate: *twoServers})
		})
	}
}

// twoServers is for two servers on one PostgreSQL database, which take the requests in turn: no client
// can tell how many servers there are.
var twoServers = flag.Bool("two-servers", false, "play testdata/wire against two servers on one PostgreSQL database")

var update = flag.Bool("update", false, "write what was got to testdata/wire")

// wire plays one file.
type wire struct {
	*world
	t     *testing.T
	names names
	seen  int // requests of the model's server that were looked at
	out   *txtar.Archive
}

func play(t *testing.T, file string, opt options) {
	t.Helper()
	in, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if config := section(in, "config"); config != "" {
		if err := json.Unmarshal([]byte(config), &opt); err != nil {
			t.Fatalf("config: %v", err)
		}
	}
	w := &wire{world: newWorld(t, opt), t: t, names: newNames(), out: &txtar.Archive{Comment: in.Comment}}
	if config := section(in, "config"); config != "" {
		w.write("config", config)
	}
	for step := 1; hasStep(in, step); step++ {
		w.clock.Advance(time.Second)
		w.play(in, strconv.Itoa(step))
	}
	if *update && !opt.alternate && !t.Failed() {
		if err := os.WriteFile(file, txtar.Format(w.out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func section(a *txtar.Archive, name string) string {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return string(a.Files[i].Data)
		}
	}
	return ""
}

func hasStep(a *txtar.Archive, step int) bool {
	return slices.ContainsFunc(a.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, strconv.Itoa(step)+" ") })
}

func (w *wire) write(name, text string) {
	w.out.Files = append(w.out.Files, txtar.File{Name: name, Data: []byte(strings.TrimRight(text, "\n") + "\n")})
}

// play carries out one step and compares what came of it.
func (w *wire) play(in *txtar.Archive, step string) {
	w.t.Helper()
	if do := section(in, step+" do"); do != "" {
		w.write(step+" do", do)
		for line := range strings.Lines(do) {
			w.command(strings.Fields(line))
		}
	}
	w.seen = len(w.up.Requests())
	script := section(in, step+" upstream")
	if script != "" {
		w.write(step+" upstream", script)
		w.up.Queue(w.scripted(script)...)
	}
	request := section(in, step+" request")
	if request == "" {
		return
	}
	w.write(step+" request", request)
	got := w.respond(request)
	want := section(in, step+" response")
	shown := mergedResponse(want, got)
	w.compare(step+" response", want, shown)
	w.compareSent(in, step)
}

// compare holds a section against what was got.
func (w *wire) compare(name, want, got string) {
	w.t.Helper()
	want, got = strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")
	w.write(name, got)
	if want != got && !*update {
		w.t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

// command changes the world between two requests.
func (w *wire) command(words []string) {
	w.t.Helper()
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return
	}
	switch words[0] {
	case "clock": // clock +24h
		d, err := time.ParseDuration(words[1])
		if err != nil {
			w.t.Fatal(err)
		}
		w.clock.Advance(d)
	case "restart":
		w.restart()
	case "jobs": // what is due is fired
		if err := w.jobs.Pass(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	case "runs": // what waits is carried out
		w.finishRuns()
	case "upstream": // upstream off
		w.up.Close()
	case "draining":
		w.refuse.Store(true)
		if w.second != nil {
			w.second.refuse.Store(true)
		}
	case "key": // key bob chat memory
		var scopes []owner.Scope
		for _, s := range words[2:] {
			scopes = append(scopes, owner.Scope(s))
		}
		w.names.add("{"+words[1]+"}", w.key(words[1], scopes...))
	case "revoke": // revoke bob
		if _, err := w.keyring.Revoke(w.t.Context(), words[1]); err != nil {
			w.t.Fatal(err)
		}
	case "talk": // talk user:42 12 60: twelve turns of sixty words
		n, _ := strconv.Atoi(words[2])
		size, _ := strconv.Atoi(words[3])
		for i := range n {
			w.chat(words[1], fmt.Sprintf("Turn %d. %s", i, wordsOf(size)))
		}
	default:
		w.t.Fatalf("unknown command %q", words)
	}
}

// respond sends a request and returns the response as a file shows it.
func (w *wire) respond(text string) string {
	w.t.Helper()
	head, body, _ := strings.Cut(w.ids().stored(w.names.fill(text)), "\n\n")
	var method, path string
	var headers []string
	for line := range strings.Lines(head) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case method == "":
			method, path, _ = strings.Cut(line, " ")
		default:
			name, value, _ := strings.Cut(line, ":")
			headers = append(headers, name, strings.TrimSpace(value))
		}
	}
	got := w.call(method, path, strings.TrimSuffix(body, "\n"), headers...)
	w.checkAccounts(got.body)
	return w.names.replace(w.ids().dense(showResponse(got)))
}

// checkAccounts holds what every turn reports of its context: the parts add up
// and, where memory bounds the context, stay within the budget.
func (w *wire) checkAccounts(body string) {
	w.t.Helper()
	for line := range strings.Lines(body) {
		var got struct {
			Hermes *struct{ Context lineage.Context }
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &got) != nil || got.Hermes == nil {
			continue
		}
		c := got.Hermes.Context
		sum, room := c.System+c.Memory+c.Tail+c.Input+c.Tools, max(c.Budget-c.Client, min(runtest.Floor, c.Budget))
		if c.Sent != sum || c.Sent-c.Client > room && c.Sent != c.Naive {
			w.t.Errorf("got a context of %+v, want parts that add up, and no more by memory than the budget", c)
		}
	}
}

// shownHeaders are the headers of a response that a file always shows, in
// order; that one is missing is told, too.
func shownHeaders() []string {
	return []string{
		"Content-Type", "X-Hermes-Session-Id", "X-Hermes-Session-Key", "X-Hermes-Lineage-Root-Id",
		"X-Hermes-Session-Created", "X-Hermes-Responder", "Idempotency-Replayed", "Retry-After", "Allow", "Location",
		"Www-Authenticate", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
		"Access-Control-Expose-Headers", "Access-Control-Max-Age", "Access-Control-Allow-Credentials", "Vary",
		"Cache-Control", "X-Accel-Buffering", "X-Hermes-Run-Id", "X-Hermes-Tools-Omitted", "X-Hermes-Items-Omitted", "X-Hermes-Task",
	}
}

// showResponse is a response as a file shows it.
func showResponse(r reply) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", r.status)
	for _, name := range shownHeaders() {
		for _, value := range r.header.Values(name) {
			if name != "Cache-Control" || value != "no-store" {
				fmt.Fprintf(&b, "%s: %s\n", name, value)
			}
		}
	}
	b.WriteString("\n" + r.body)
	return b.String()
}

// mergedResponse is what was got, with the placeholders of the expectation.
func mergedResponse(want, got string) string {
	wantHead, wantBody, _ := strings.Cut(want, "\n\n")
	head, body, _ := strings.Cut(got, "\n\n")
	if likeText(wantHead, head) {
		head = wantHead
	}
	if strings.Contains(head, "text/event-stream") {
		return head + "\n\n" + mergedEvents(wantBody, body)
	}
	return head + "\n\n" + mergedJSON(wantBody, body, true)
}

// mergedJSON is a JSON value for the file; what is none is left as it is.
func mergedJSON(want, got string, long bool) string {
	gotNode, err := parseNode(got)
	if err != nil {
		return got
	}
	wantNode, err := parseNode(want)
	out := gotNode.softened()
	if err == nil {
		out = wantNode.merged(gotNode)
	}
	if long {
		return out.pretty("")
	}
	return out.compact()
}

// mergedEvents is a stream for the file, one line for each of its own.
func mergedEvents(want, got string) string {
	wants := strings.Split(want, "\n")
	var out []string
	for i, line := range strings.Split(strings.TrimRight(got, "\n"), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			expected := ""
			if i < len(wants) {
				expected = strings.TrimPrefix(wants[i], "data: ")
			}
			line = "data: " + mergedJSON(expected, data, false)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// compareSent holds what the model's server received against the file.
func (w *wire) compareSent(in *txtar.Archive, step string) {
	w.t.Helper()
	var bodies []string
	for _, r := range w.up.Requests()[w.seen:] {
		if strings.HasSuffix(r.Path, "/chat/completions") {
			bodies = append(bodies, w.names.replace(string(r.Body)))
		}
	}
	if want := section(in, step+" sent raw"); want != "" {
		if len(bodies) != 1 {
			w.t.Fatalf("step %s: got %d upstream calls, want 1", step, len(bodies))
		}
		w.compare(step+" sent raw", want, bodies[0])
		return
	}
	want, _ := parseNode(section(in, step+" sent"))
	got := node{kind: '['}
	for i, body := range bodies {
		n, err := parseNode(body)
		if err != nil {
			w.t.Fatalf("step %s: the upstream was sent no JSON: %v\n%s", step, err, body)
		}
		got.items = append(got.items, selected(&want, i, &n))
		got.items[i].dropQuotes()
	}
	switch {
	case len(bodies) > 0:
		out := want.merged(got)
		w.compare(step+" sent", section(in, step+" sent"), out.pretty(""))
	case section(in, step+" sent") != "":
		w.compare(step+" sent", section(in, step+" sent"), "")
	}
}

// selected are the members of a call that a file names, "messages" at least.
func selected(want *node, i int, call *node) node {
	names := []string{"messages"}
	if i < len(want.items) {
		names = want.items[i].names
	}
	out := node{kind: '{', names: names}
	for _, name := range names {
		item, ok := call.member(name)
		if !ok {
			item = node{kind: '"', text: absentValue}
		}
		out.items = append(out.items, item)
	}
	return out
}

// dropQuotes leaves the quotes of older messages out of the message that recalls:
// which are chosen is not the wire's business. A message with nothing else is left
// out, too.
func (n *node) dropQuotes() {
	for i := range n.items {
		if n.names[i] == "messages" {
			n.items[i].items = slices.DeleteFunc(n.items[i].items, func(m node) bool {
				at := slices.Index(m.names, "content")
				if at < 0 || !strings.HasPrefix(m.items[at].text, "[Memory: ") {
					return false
				}
				kept := olderQuotes.ReplaceAllString(m.items[at].text, "")
				m.items[at].text = kept
				return strings.Count(kept, "\n") == 1
			})
		}
	}
}

// olderQuotes are the quotes of older messages, with the line above them.
var olderQuotes = regexp.MustCompile(`(?m)^(Earlier messages:|- .*, \d{4}-\d\d-\d\d: ".*")\n`)

// scripted reads the replies of the model's server. The fields are those of
// upstreamtest.Step.
func (w *wire) scripted(text string) []upstreamtest.Step {
	w.t.Helper()
	var in []struct {
		upstreamtest.Step
		Raw string
	}
	if err := json.Unmarshal([]byte(w.names.fill(text)), &in); err != nil {
		w.t.Fatalf("upstream: %v", err)
	}
	out := make([]upstreamtest.Step, len(in))
	for i := range in {
		out[i] = in[i].Step
		if in[i].Raw != "" {
			out[i].Raw = []byte(in[i].Raw)
		}
	}
	return out
}
