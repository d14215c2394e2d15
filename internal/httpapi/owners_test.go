package httpapi_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

var (
	ownerCalls = flag.Int("calls", callsPerWorld, "how many calls TestOwners makes")
	ownerSeed  = flag.Uint64("seed", 1, "where TestOwners begins: the same seed makes the same calls")
)

// callsPerWorld bounds a world's growth: what exports and lists hold grows with it.
const callsPerWorld = 1500

// TestOwners: three owners at once do at random what the route table allows, under
// the same names, under their own, and under each other's. No answer, and no
// prompt, holds a word of another; a foreign id and one that never was are answered
// alike, to the byte; and what an owner has laid by is at the end as it was. `make
// isolation` makes a million calls.
func TestOwners(t *testing.T) {
	t.Parallel()
	for n := range (*ownerCalls + callsPerWorld - 1) / callsPerWorld {
		t.Run(fmt.Sprintf("world %d", n), func(t *testing.T) {
			t.Parallel()
			walkWorld(t, *ownerSeed+uint64(n), min(*ownerCalls, callsPerWorld))
		})
	}
}

// crowd is a world with owners who walk about in it.
type crowd struct {
	*world
	walkers []*walker
	broken  atomic.Bool // an owner has seen data of another
	made    atomic.Int64

	mu sync.Mutex
	// seen is whose an id is, by who was told it first.
	seen           map[string]string
	pairs, foreign int
	statuses       map[int]int
}

// walkWorld lets three owners walk through one world.
func walkWorld(t *testing.T, seed uint64, calls int) {
	c := &crowd{seen: make(map[string]string), statuses: make(map[int]int)}
	c.world = newWorld(t, options{Budget: 2000, answer: c.answer, quiet: true, undescribed: *ownerCalls > callsPerWorld, postgres: *ownerStore == "postgres"})
	for i, p := range []struct{ name, canary, twin string }{
		{"ada", "ZEBRAQX", "ZEBRAQJ"}, {"bob", "QUAGGAVX", "QUAGGAVJ"}, {"local", "OKAPIKOVX", "OKAPIKOVJ"},
	} {
		keys := []string{localKey, localKey}
		if p.name != "local" {
			keys = []string{c.key(p.name), c.anotherKey(p.name)}
		}
		c.walkers = append(c.walkers, &walker{
			crowd: c, tenant: &tenant{w: c.world, name: p.name, key: keys[0], canary: p.canary}, keys: keys, twin: p.twin,
			rnd: rand.New(rand.NewPCG(seed, uint64(i))), taken: make(map[string]bool),
		})
	}
	for _, p := range c.walkers {
		p.settle(t)
		p.layBy(t)
	}
	var walks sync.WaitGroup
	for _, p := range c.walkers {
		walks.Go(func() {
			for !c.broken.Load() && c.made.Load() < int64(calls) {
				p.step()
			}
		})
	}
	walks.Wait()
	for _, p := range c.walkers {
		if diff := cmp.Diff(p.before, p.laidBy()); diff != "" {
			t.Errorf("%s: what was laid by is not as it was (-before +after):\n%s", p.name, diff)
		}
	}
	t.Logf("seed %d: %d calls, %d of them with another's ids, %d pairs compared, statuses %v, %d ids", seed, c.made.Load(), c.foreign, c.pairs, c.statuses, len(c.seen))
}

// anotherKey is a second key of an owner.
func (c *crowd) anotherKey(name string) string {
	_, secret, err := c.keyring.Create(c.t.Context(), owner.NewKey{Name: name + " too", OwnerID: name})
	if err != nil {
		c.t.Fatal(err)
	}
	return secret
}

// answer is what the model says: the canary it was shown. It is shown one owner's.
func (c *crowd) answer(r *upstreamtest.Request) upstreamtest.Step {
	text := ""
	for _, p := range c.walkers {
		if strings.Contains(strings.ToUpper(string(r.Body)), p.canary) {
			if text != "" {
				c.fail("a prompt holds %s and %s: %s", p.canary, text, r.Body)
			}
			text = p.canary
		}
	}
	return upstreamtest.Step{Chunks: []string{"It is ", text, ", because of the rain."}}
}

// fail tells of the first that did not hold: what follows would be its echo.
func (c *crowd) fail(format string, args ...any) {
	if !c.broken.Swap(true) {
		c.t.Errorf(format, args...)
	}
}

// walker is an owner on the way.
type walker struct {
	*crowd
	*tenant
	keys   []string
	twin   string // a word like the canary that no client sends
	rnd    *rand.Rand
	vault  tenant // what is laid by
	before map[string]string
	taken  map[string]bool // names of others that are this one's own as well

	mu   sync.Mutex // guards ids, which the others draw from
	next int
	ids  [32]tenant // what this one was told lately, but for what is laid by
}

// layBy puts a session, a job, a response and a run aside, which their owner never
// touches again.
func (p *walker) layBy(t *testing.T) {
	t.Helper()
	aside := &tenant{w: p.world, name: "vault-" + p.name, key: p.key, canary: p.canary, made: "vault-" + p.name}
	aside.lay(t)
	p.vault = *aside
	p.before = p.laidBy()
	p.tellFact()
	for i := range p.ids {
		p.ids[i] = *p.tenant
	}
}

// lay fills a session of the tenant's name with what the canary is in.
func (p *tenant) lay(t *testing.T) {
	t.Helper()
	told := p.call("POST", "/v1/chat/completions", chatBody("The gate is called "+p.canary+" because of the tower.", false), "X-Hermes-Session-Id", p.name, "X-Hermes-Session-Key", p.name)
	p.facts = factPattern.FindAllString(p.call("GET", "/api/sessions/"+p.name+"/state", "").body, -1)
	p.receipt = firstMatch(`\br_[0-9a-v]+\b`, told.body)
	p.job = firstMatch(`\bjob_[0-9a-f]+\b`, p.call("POST", "/api/jobs", `{"name":"`+p.name+`","schedule":"@yearly","prompt":"`+p.canary+`"}`).body)
	p.response = firstMatch(`\bresp_[0-9a-f]+\b`, p.call("POST", "/v1/responses", `{"input":"The lock is called `+p.canary+`.","conversation":"`+p.name+`","background":true}`).body)
	p.call("GET", "/v1/responses/"+p.response+"?stream=true", "") // until it is over
	p.item = firstMatch(`\bmsg_[0-9a-f]+_0\b`, p.call("GET", "/v1/responses/"+p.response, "").body)
	p.run = p.w.run(p.name, "The key is called "+p.canary+".", "Authorization", "Bearer "+p.key)
	if len(p.facts) == 0 || p.receipt == "" || p.job == "" || p.response == "" || p.item == "" {
		t.Fatalf("%s: got %+v, want all of it filled in", p.name, p)
	}
}

// tellFact stores a fact under the shared key, in a session whose name no other owner
// uses: the id of a fact is a hash of the place of its message.
func (p *walker) tellFact() {
	session := "facts-" + p.name
	p.call("POST", "/v1/chat/completions", chatBody("My boat is called "+p.canary+" because of the river.", false), "X-Hermes-Session-Id", session, "X-Hermes-Session-Key", "shared")
	if facts := factPattern.FindAllString(p.call("GET", "/api/sessions/"+session+"/state", "").body, -1); len(facts) > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.facts = facts[len(facts)-1:]
		for i := range p.ids {
			p.ids[i].facts = p.facts
		}
	}
}

func firstMatch(pattern, text string) string { return regexp.MustCompile(pattern).FindString(text) }

// laidBy reads what was laid by.
func (p *walker) laidBy() map[string]string {
	v := &p.vault
	id := v.name
	out := make(map[string]string)
	for _, path := range []string{
		"/api/sessions/" + id, "/api/sessions/" + id + "/messages", "/api/sessions/" + id + "/state", "/api/sessions/" + id + "/timeline",
		"/api/memory?session_key=" + id, "/api/memory/" + v.facts[0] + "?session_key=" + id, "/api/receipts/" + v.receipt, "/api/jobs/" + v.job,
		"/v1/responses/" + v.response, "/v1/responses/" + v.response + "/input_items", "/v1/runs/" + v.run, "/v1/runs/" + v.run + "/events",
	} {
		got := v.call("GET", path, "")
		if got.status != http.StatusOK || !strings.Contains(got.body, v.canary) {
			p.fail("%s at home: %s: got %d %s", p.name, path, got.status, got.body)
		}
		out[path] = got.body
	}
	return out
}

// asking is a request that was made up.
type asking struct {
	method, path, body string
	headers            []string
}

func (a asking) text() string { return a.path + "\n" + a.body + "\n" + strings.Join(a.headers, "\n") }

// step sends a random request. If the request names data of another owner, step sends it
// again with absent names in place of these.
func (p *walker) step() {
	if p.rnd.IntN(60) == 0 {
		p.tellFact()
	}
	other := p.walkers[p.rnd.IntN(len(p.walkers))]
	mine, theirs := p.draw(p.rnd), other.draw(p.rnd)
	switch {
	case other == p:
		theirs = mine // then it is all its own, but it does not forget all that has the canary in it
		theirs.canary = p.twin
	case p.rnd.IntN(3) == 0:
		theirs = other.vault
	}
	absents := absent(theirs, other.twin)
	a, b := rand.NewPCG(p.rnd.Uint64(), 0), new(rand.PCG)
	*b = *a
	foreign, nothing := p.makeUp(rand.New(a), mine, theirs), p.makeUp(rand.New(b), mine, absents)
	key := p.keys[p.rnd.IntN(len(p.keys))]
	got := p.ask(foreign, key)
	if other == p || foreign.text() == nothing.text() {
		return
	}
	p.crowd.mu.Lock()
	p.foreign++
	p.crowd.mu.Unlock()
	if got.status < 300 && foreign.method != http.MethodGet {
		p.take(foreign, theirs)
	}
	if p.hasTaken(foreign.text()) || wholeDay.MatchString(foreign.text()) || foreign.headers != nil && !slices.Equal(foreign.headers, nothing.headers) {
		return
	}
	want := p.ask(nothing, key)
	if got.status != want.status && foreign.method == http.MethodGet { // a run of its own may have made the session between the two
		got, want = p.ask(foreign, key), p.ask(nothing, key)
	}
	p.compare(foreign, got, nothing, want, theirs, absents)
}

// compare checks that requests for another owner's data and for absent data get the same
// answer.
func (p *walker) compare(foreign asking, got reply, nothing asking, want reply, theirs, absents tenant) {
	p.crowd.mu.Lock()
	p.pairs++
	p.crowd.mu.Unlock()
	if got.status != want.status {
		p.fail("%s: %s %s: got %d %s, want the %d %s of %s, which never was", p.name, foreign.method, foreign.text(), got.status, got.body, want.status, want.body, nothing.text())
	}
	forgets := foreign.path == "/api/memory/forget" && p.name != "local" // who is told of all of the file
	if got.status < 300 && foreign.path != "/mcp" && !forgets {
		return // a list may have changed
	}
	if diff := cmp.Diff(plain(want, absents), plain(got, theirs)); diff != "" {
		p.fail("%s: %s %s tells another's from what never was (-never +another's):\n%s", p.name, foreign.method, foreign.text(), diff)
	}
}

var (
	factPattern = regexp.MustCompile(`\bf_[0-9a-f]{16}\b`)
	longPart    = regexp.MustCompile(`[0-9a-v]{8,}`)
	// erasedCounts are the figures of a certificate that every forgetting changes: the bytes of the
	// whole file, and the number of its own entry in the audit.
	erasedCounts = regexp.MustCompile(`"(?:bytes|audit_seq)":"?\d+"?`)
	wholeDay     = regexp.MustCompile(`\b20260301\b`) // begins everybody's ids
	requestIDs   = regexp.MustCompile(`\breq_[0-9a-f]+\b`)
)

// idsIn are the ids in a text that are made for one owner alone. Those of facts are
// not among them: they are a hash of where a fact was said, and sessions of two
// owners may have one name.
func idsIn(text string) (out []string) {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') }) {
		kind, rest, is := strings.Cut(word, "_")
		if is && len(rest) >= 16 && slices.Contains([]string{"resp", "run", "job", "msg", "r"}, kind) {
			out = append(out, word)
		}
	}
	return out
}

// plain is an answer without what differs from one request to the next, and
// without the ids that were asked for.
func plain(r reply, asked tenant) map[string]string {
	made := asked.made
	if made == asked.name {
		made = asked.run // the name is seen to below
	}
	ids := strings.NewReplacer(asked.receipt, "ID", asked.response, "ID", asked.item, "ID", asked.run, "ID", asked.job, "ID",
		asked.facts[0], "ID", asked.canary, "ID", made, "ID")
	// A name is short, and may stand by chance in an id of hexadecimal digits.
	called := regexp.MustCompile(`(^|[^0-9A-Za-z])` + regexp.QuoteMeta(asked.name) + `([^0-9A-Za-z]|$)`)
	without := func(text string) string { return called.ReplaceAllString(ids.Replace(text), "${1}ID$2") }
	whole := r.body
	r.body = erasedCounts.ReplaceAllString(whole, "")
	skipped := []string{"Date", "X-Request-Id"}
	if r.body != whole {
		skipped = append(skipped, "Content-Length") // of the figures, too
	}
	out := map[string]string{"body": requestIDs.ReplaceAllString(without(r.body), "REQ")}
	for name, values := range r.header {
		if !slices.Contains(skipped, name) {
			out[name] = without(strings.Join(values, "\n"))
		}
	}
	return out
}

// absent is a tenant whose ids look like another's and do not exist.
func absent(p tenant, twin string) tenant {
	turn := func(id string) string {
		return longPart.ReplaceAllStringFunc(id, func(part string) string {
			return strings.NewReplacer("0", "1", "1", "2", "2", "0", "a", "b", "b", "c", "c", "a", "e", "f", "f", "e", "7", "8", "8", "7").Replace(part)
		})
	}
	p.receipt, p.response, p.item, p.run, p.job, p.made = turn(p.receipt), turn(p.response), turn(p.item), turn(p.run), turn(p.job), turn(p.made)
	p.facts = []string{turn(p.facts[0])}
	if p.made == p.name {
		p.made = p.name[:len(p.name)-1] + "~"
	}
	p.name, p.canary = p.name[:len(p.name)-1]+"~", twin
	return p
}

// draw is an owner with some of the ids that it was told lately.
func (p *walker) draw(rnd *rand.Rand) tenant {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids[rnd.IntN(len(p.ids))]
}

// makeUp makes a request of a route of the table.
func (p *walker) makeUp(rnd *rand.Rand, mine, theirs tenant) asking {
	table := httpapi.Table()
	v := table[rnd.IntN(len(table))]
	a := asking{method: v.Method, path: v.Path}
	var cases []write
	for _, w := range writes(&mine, &theirs) {
		if w.route == v.Method+" "+v.Path {
			cases = append(cases, w)
		}
	}
	switch {
	case len(cases) > 0:
		w := cases[rnd.IntN(len(cases))]
		a.path, a.body = w.path, w.body
		if rnd.IntN(3) == 0 {
			a.body = strings.Replace(a.body, `"stream":false`, `"stream":true`, 1)
		}
	case v.Method == http.MethodGet:
		a.path = fillPath(v.Path, anyID(rnd, v.Path, mine, theirs)) + p.query(rnd, theirs)
	default:
		c := routeCases()[v.Method+" "+v.Path]
		a.path, a.body = c.path, c.body
	}
	switch rnd.IntN(40) {
	case 0:
		a.path = fillPath(v.Path, pick(rnd, brokenIDs()))
	case 1:
		a.path, _, _ = strings.Cut(a.path, "?")
		a.path += pick(rnd, brokenQueries())
	case 2:
		a.method = pick(rnd, []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"})
		if a.method != http.MethodGet && a.method != v.Method {
			a.path = fillPath(v.Path, theirs.response)
		}
	case 3:
		a.body = pick(rnd, brokenBodies())
	}
	a.headers = p.sessionHeaders(rnd, v, theirs)
	if erases(v) && rnd.IntN(4) > 0 {
		a = asking{method: "POST", path: "/v1/chat/completions", body: chatBody("My cow is called "+p.canary+", because of the sea.", rnd.IntN(2) == 0), headers: a.headers}
	}
	return a
}

// erases are routes that take away what the others fill.
func erases(v httpapi.Verb) bool {
	return slices.Contains([]string{
		"POST /api/memory/forget", "DELETE /api/sessions/{id}", "POST /api/sessions/prune", "POST /api/sessions/{id}/undo", "DELETE /api/memory/{fact_id}",
	}, v.Method+" "+v.Path)
}

func pick[T any](rnd *rand.Rand, of []T) T { return of[rnd.IntN(len(of))] }

// anyID is an id for a path: mostly one of the kind that the path takes, and mostly
// another's.
func anyID(rnd *rand.Rand, path string, mine, theirs tenant) string {
	p := theirs
	if rnd.IntN(3) == 0 {
		p = mine
	}
	if rnd.IntN(8) == 0 {
		return pick(rnd, []string{p.response, p.run, p.facts[0], p.receipt, p.job, p.item, "shared", "20260301"})
	}
	switch {
	case strings.HasPrefix(path, "/v1/responses"):
		return p.response
	case strings.HasPrefix(path, "/v1/runs"):
		return p.run
	case strings.HasPrefix(path, "/api/memory"):
		return p.facts[0]
	case strings.HasPrefix(path, "/api/receipts"):
		return p.receipt
	case strings.HasPrefix(path, "/api/jobs"):
		return p.job
	}
	return pick(rnd, []string{"shared", "own:" + p.name, p.made, p.name})
}

// query is the search part of a URL.
func (p *walker) query(rnd *rand.Rand, theirs tenant) string {
	name := theirs.name
	return pick(rnd, append(scopes(),
		"?session_id=own:"+name, "?session_key="+name, "?session_id="+name+"&q=gate", "?session_id="+theirs.made, "?q="+theirs.canary, "?topic="+theirs.canary,
		"?q=%22called+"+theirs.canary+"%22", "?q="+theirs.canary[:5]+"*", "?stream=true", "?limit=200", "?after="+theirs.item, "?starting_after=0&stream=true"))
}

// sessionHeaders choose a transcript and a memory. Few are another's: after that
// the name is this one's, too.
func (p *walker) sessionHeaders(rnd *rand.Rand, v httpapi.Verb, theirs tenant) (out []string) {
	if rnd.IntN(3) > 0 {
		out = append(out, "X-Hermes-Session-Id", pick(rnd, []string{"shared", "own:" + p.name, "own:" + p.name, "more of " + p.name}))
	}
	switch rnd.IntN(40) {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		out = append(out, "X-Hermes-Session-Key", "shared")
	case 8:
		out = append(out, "X-Hermes-Session-Key", theirs.name)
	case 9:
		out = append(out, "X-Hermes-As-Of", "2026-03-01T11:59:00Z")
	case 10, 11:
		out = append(out, "If-Match", `"1"`)
	}
	if v.Scope == "chat" && v.Method == http.MethodPost && rnd.IntN(6) == 0 {
		out = append(out, "Idempotency-Key", pick(rnd, []string{"shared", "one", "two"}))
	}
	if strings.HasPrefix(v.Path, "/v1/chat") && rnd.IntN(8) == 0 {
		out = append(out, pick(rnd, []string{"X-Hermes-Store", "X-Hermes-Detach"}), "none")
	}
	return out
}

// take notes the names of another that this one has given to something of its own.
func (p *walker) take(a asking, theirs tenant) {
	if strings.Contains(a.body, `"own:`+theirs.name) {
		p.taken["own:"+theirs.name] = true
	}
	if slices.Contains(a.headers, theirs.name) {
		p.taken["session_key="+theirs.name] = true
	}
}

func (p *walker) hasTaken(text string) bool {
	for name := range p.taken {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// ask sends a request, and looks through all of the answer for what is not this
// owner's. What was in the request is no news.
func (p *walker) ask(a asking, key string) reply {
	p.crowd.made.Add(1)
	got := p.world.call(a.method, a.path, a.body, append([]string{"Authorization", "Bearer " + key}, a.headers...)...)
	all := got.body
	for name, values := range got.header {
		all += "\n" + name + ": " + strings.Join(values, "\n")
	}
	upper, sent := strings.ToUpper(all), a.text()
	for _, other := range p.walkers {
		if other == p || strings.Contains(sent, other.canary) {
			continue
		}
		for i, form := range other.forms() {
			if i == 0 && strings.Contains(upper, form) || i > 0 && strings.Contains(all, form) {
				p.fail("%s: %s %s: got %d with what %s said: %s", p.name, a.method, sent, got.status, other.name, all)
			}
		}
	}
	p.note(a, got, all, sent)
	p.learn(all, got)
	return got
}

// forms are the canary and what base64 makes of it, wherever it begins.
func (p *walker) forms() []string {
	out := []string{p.canary}
	for shift := range 3 {
		text := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + p.canary))
		out = append(out, text[[]int{0, 2, 3}[shift]:len(text)-1])
	}
	return out
}

// note counts, and finds ids in an answer that another owner was sent before.
func (p *walker) note(a asking, got reply, all, sent string) {
	p.crowd.mu.Lock()
	defer p.crowd.mu.Unlock()
	p.statuses[got.status]++
	for _, id := range idsIn(all) {
		switch whose := p.seen[id]; {
		case strings.Contains(sent, id):
		case whose == "":
			p.seen[id] = p.name
		case whose != p.name:
			p.fail("%s: %s %s: got %d with %s, which is of %s: %s", p.name, a.method, sent, got.status, id, whose, all)
		}
	}
	if got.status >= 500 {
		p.fail("%s: %s %s: got %d %s", p.name, a.method, sent, got.status, got.body)
	}
}

// learn keeps ids that the answer told, for later requests and for the others.
func (p *walker) learn(all string, got reply) {
	if got.status >= 300 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.ids[p.next]
	p.next = (p.next + 1) % len(p.ids)
	for _, id := range idsIn(all) {
		if p.vault.response == id || p.vault.run == id || p.vault.job == id || p.vault.receipt == id || p.vault.item == id {
			continue
		}
		switch kind, _, _ := strings.Cut(id, "_"); kind {
		case "resp":
			now.response = id
		case "run":
			now.run = id
		case "job":
			now.job = id
		case "msg":
			now.item = id
		case "r":
			now.receipt = id
		}
	}
	if made := got.header.Get("X-Hermes-Session-Id"); strings.HasPrefix(made, "2026") {
		now.made = made
	}
	p.ids[p.next] = now
}
