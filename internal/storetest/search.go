package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

func searchTests() []test {
	return []test{
		{"a compression chain is one hit", testSearchLineage},
		{"the better match comes first", testSearchOrder},
		{"a limit", testSearchLimit},
		{"a session with many matches hides no other", testSearchCrowd},
		{"of sessions with a common word, the newest are found", testSearchNewest},
		{"scopes", testSearchScopes},
		{"role, source and time", testSearchFilters},
		{"matches and snippets", testSearchMatches},
		{"deleted messages are not found", testSearchDeleted},
		{"a tool result that repeats stored text is not found", testSearchEcho},
		{"a rewritten message is found by its new text", testSearchRewritten},
		{"other owners' messages do not change a score", testSearchScores},
		{"a search without a scope is refused", testSearchNowhere},
		{"the index can be rebuilt", testReindex},
	}
}

// mustParse parses one of our own queries.
func mustParse(text string) search.Query {
	q, err := search.Parse(text)
	if err != nil {
		panic(err)
	}
	return q
}

// look searches all sessions of alice.
func look(t *testing.T, st Store, query string) []search.Hit {
	t.Helper()
	return lookFor(t, st, alice(), search.Request{Query: mustParse(query), Scope: search.Scope{All: true}})
}

func lookFor(t *testing.T, st Store, o owner.Owner, r search.Request) []search.Hit {
	t.Helper()
	found, err := st.Search(context.Background(), o, r)
	if err != nil {
		t.Fatalf("search for %s: %v", r.Query, err)
	}
	return found.Hits
}

// roots are the lineages of hits, in their order.
func roots(hits []search.Hit) []session.ID {
	var out []session.ID
	for i := range hits {
		out = append(out, hits[i].Session.RootID)
	}
	return out
}

func testSearchLineage(t *testing.T, st Store) {
	l := newTalk(alice(), "first", "")
	l.say(t, st, "We talked of the zeppelin", "Yes")
	l.commit(t, st, l.fold(t, st, "second", "The zeppelin again", "Yes"))
	l.commit(t, st, l.fold(t, st, "third", "Something else", "Yes"))
	hits := look(t, st, "zeppelin")
	if len(hits) != 1 {
		t.Fatalf("got %d hits, want the lineage once", len(hits))
	}
	h := &hits[0]
	same(t, "the session", h.Session, l.tip())
	if h.MatchCount != 2 || len(h.Matches) != 2 {
		t.Errorf("got %d matches, %d of them shown, want 2", h.MatchCount, len(h.Matches))
	}
	for _, m := range h.Matches {
		want := l.messages[m.Seq]
		if m.MessageID != want.ID || m.SessionID != want.SessionID || m.Role != want.Role || !m.SaidAt.Equal(want.SaidAt) || m.Root != "first" {
			t.Errorf("got the match %+v, want it to name %+v", m, want)
		}
	}
	same(t, "alone in its scope", roots(lookFor(t, st, alice(), search.Request{Query: mustParse("zeppelin"), Scope: search.Scope{Root: "first"}})), []session.ID{"first"})
}

func testSearchOrder(t *testing.T, st Store) {
	padding := strings.Repeat("and so on with other matters entirely ", 20)
	newTalk(alice(), "once in passing", "").say(t, st, padding+"a kraken "+padding)
	newTalk(alice(), "the subject", "").say(t, st, "Kraken, kraken: what a kraken does")
	newTalk(alice(), "short", "").say(t, st, "I saw the kraken today and then went home")
	same(t, "by how much they say", roots(look(t, st, "kraken")), []session.ID{"the subject", "short", "once in passing"})

	newTalk(alice(), "common", "").say(t, st, "octopus octopus")
	for i := range 5 {
		newTalk(alice(), session.ID(fmt.Sprintf("filler %d", i)), "").say(t, st, "octopus here")
	}
	newTalk(alice(), "rare", "").say(t, st, "narwhal here")
	if got := look(t, st, "octopus OR narwhal")[0].Session.ID; got != "rare" {
		t.Errorf("got %q first, want the one with the rarer word", got)
	}
	newTalk(alice(), "exact", "").say(t, st, "she deployed it")
	newTalk(alice(), "other form", "").say(t, st, "she deploys it")
	same(t, "the form asked for first", roots(look(t, st, "deployed")), []session.ID{"exact", "other form"})
	for range 5 { // equal ones keep their order
		same(t, "again", roots(look(t, st, "octopus")), roots(look(t, st, "octopus")))
	}
}

// testSearchNewest: more messages match than are ranked, in fewer sessions than requested. Those that
// are kept are the newest, wherever a store has put the rows.
func testSearchNewest(t *testing.T, st Store) {
	const sessions = 60
	for i := range sessions {
		texts := make([]string, 8)
		for k := range texts {
			texts[k] = fmt.Sprintf("pebble number %d", i*len(texts)+k)
		}
		newTalk(alice(), session.ID(fmt.Sprintf("%02d", i)), "").say(t, st, texts...)
	}
	r := search.Request{Query: mustParse("pebble"), Scope: search.Scope{All: true}, Limit: search.MaxLimit}
	found, err := st.Search(t.Context(), alice(), r)
	kind(t, "search", err, "")
	if !found.Partial || len(found.Hits) == sessions {
		t.Fatalf("got %d hits and partial %v, want more matches than are ranked", len(found.Hits), found.Partial)
	}
	var newest []session.ID
	for i := sessions - len(found.Hits); i < sessions; i++ {
		newest = append(newest, session.ID(fmt.Sprintf("%02d", i)))
	}
	same(t, "the sessions", sortedIDs(roots(found.Hits)), newest)
}

func testSearchLimit(t *testing.T, st Store) {
	for i := range 5 {
		newTalk(alice(), session.ID(rune('a'+i)), "").say(t, st, "walrus", "walrus", "walrus", "walrus")
	}
	for limit, want := range map[int]int{1: 1, 3: 3, 5: 5, 0: 5, 1000: 5} {
		r := search.Request{Query: mustParse("walrus"), Scope: search.Scope{All: true}, Limit: limit, Matches: 2}
		hits := lookFor(t, st, alice(), r)
		if len(hits) != want || hits[0].MatchCount != 4 || len(hits[0].Matches) != 2 {
			t.Errorf("limit %d: got %d hits, the first with %d of %d matches, want %d with 2 of 4", limit, len(hits), len(hits[0].Matches), hits[0].MatchCount, want)
		}
	}
}

// testSearchCrowd has one session with more matches than a store examines.
func testSearchCrowd(t *testing.T, st Store) {
	for i := range 4 {
		newTalk(alice(), session.ID(fmt.Sprintf("quiet %d", i)), "").say(t, st, "one gannet")
	}
	l := newTalk(alice(), "loud", "")
	for range 6 {
		l.say(t, st, slices.Repeat([]string{"gannet"}, 100)...)
	}
	found, err := st.Search(t.Context(), alice(), search.Request{Query: mustParse("gannet"), Scope: search.Scope{All: true}})
	kind(t, "search", err, "")
	if len(found.Hits) != 5 || !found.Partial {
		t.Errorf("got %d hits and partial %v, want 5, and that not all matches were ranked", len(found.Hits), found.Partial)
	}
}

func testSearchScopes(t *testing.T, st Store) {
	newTalk(alice(), "a1", "key A").say(t, st, "the pelican of A")
	newTalk(alice(), "b1", "key B").say(t, st, "the pelican of B")
	newTalk(alice(), "free", "").say(t, st, "the pelican of no one")
	mixed := newTalk(alice(), "mixed", "key A")
	mixed.say(t, st, "a pelican under A")
	mixed.key = "key B"
	mixed.say(t, st, "a pelican under B")
	newTalk(bob(), "a1", "key A").say(t, st, "the pelican of bob")
	for _, c := range []struct {
		name  string
		scope search.Scope
		want  []session.ID
	}{
		{"all", search.Scope{All: true}, []session.ID{"a1", "b1", "free", "mixed"}},
		{"a key", search.Scope{Key: "key A"}, []session.ID{"a1", "mixed"}},
		{"another key", search.Scope{Key: "key B"}, []session.ID{"b1", "mixed"}},
		{"an unknown key", search.Scope{Key: "key"}, nil},
		{"a lineage", search.Scope{Root: "free"}, []session.ID{"free"}},
		{"an unknown lineage", search.Scope{Root: "fre"}, nil},
	} {
		hits := lookFor(t, st, alice(), search.Request{Query: mustParse("pelican"), Scope: c.scope})
		same(t, c.name, sortedIDs(roots(hits)), c.want)
		for i := range hits {
			if hits[i].Session.ID == "mixed" && c.scope.Key != "" && (hits[i].MatchCount != 1 || !strings.HasSuffix(hits[i].Matches[0].Snippet.Text, string(c.scope.Key[4:]))) {
				t.Errorf("%s: got %+v, want what was said under that key alone", c.name, hits[i].Matches)
			}
		}
	}
}

func testSearchFilters(t *testing.T, st Store) {
	api := newTalk(alice(), "api", "")
	api.say(t, st, "osprey asked", "osprey answered")
	cli := newTalk(alice(), "cli", "")
	cli.sessions[0].Source = session.SourceCLI
	cli.now = epoch().Add(24 * time.Hour)
	cli.say(t, st, "osprey asked", "osprey answered")
	for _, c := range []struct {
		name string
		r    search.Request
		want []session.ID
		each int
	}{
		{"nothing", search.Request{}, []session.ID{"api", "cli"}, 2},
		{"users", search.Request{Role: session.User}, []session.ID{"api", "cli"}, 1},
		{"tools", search.Request{Role: session.Tool}, nil, 0},
		{"a source", search.Request{Source: session.SourceCLI}, []session.ID{"cli"}, 2},
		{"a source and a role", search.Request{Source: session.SourceCLI, Role: session.Assistant}, []session.ID{"cli"}, 1},
		{"an unknown source", search.Request{Source: "fax"}, nil, 0},
		{"from", search.Request{From: epoch().Add(time.Hour)}, []session.ID{"cli"}, 2},
		{"to", search.Request{To: epoch().Add(time.Hour)}, []session.ID{"api"}, 2},
		{"to is not included", search.Request{From: api.messages[0].SaidAt, To: api.messages[0].SaidAt}, nil, 0},
		{"from is included", search.Request{From: api.messages[0].SaidAt, To: api.messages[0].SaidAt.Add(time.Millisecond)}, []session.ID{"api"}, 2},
	} {
		c.r.Query, c.r.Scope = mustParse("osprey"), search.Scope{All: true}
		hits := lookFor(t, st, alice(), c.r)
		same(t, c.name, sortedIDs(roots(hits)), c.want)
		for i := range hits {
			if hits[i].MatchCount != c.each {
				t.Errorf("%s: got %d matches of %q, want %d", c.name, hits[i].MatchCount, hits[i].Session.ID, c.each)
			}
		}
	}
}

func testSearchMatches(t *testing.T, st Store) {
	newTalk(alice(), "s", "").say(t, st, strings.Repeat("Präambel ", 100)+"dann kam der Bär.\nUnd der Bär blieb "+strings.Repeat("danach ", 100))
	h := look(t, st, "bar")[0] // diacritics and case make no difference
	got := h.Matches[0].Snippet
	runes := []rune(got.Text)
	if len(got.Highlights) != 2 || !strings.HasPrefix(got.Text, "…") || !strings.HasSuffix(got.Text, "…") || strings.Contains(got.Text, "\n") {
		t.Fatalf("got %+v, want one line with two highlights, cut at both ends", got)
	}
	for _, at := range got.Highlights {
		if text := string(runes[at[0]:at[1]]); text != "Bär" {
			t.Errorf("got %q highlighted, want Bär", text)
		}
	}
}

// testSearchEcho has a tool print a text that was found before.
func testSearchEcho(t *testing.T, st Store) {
	for note, bird := range map[string]string{session.EchoNote: "hoopoe", session.FoundNote: "bittern", session.AsideNote: "siskin"} {
		l := newTalk(alice(), session.ID(bird), "")
		l.say(t, st, "a "+bird, "a bird")
		step := l.step(t, st, "what of the "+bird+"?", "", "looked up")
		step.Messages[1].Role, step.Messages[1].Content, step.Messages[1].Note = session.Tool, "found: a "+bird, note
		kind(t, "append", st.AppendTurn(t.Context(), alice(), step), "")
		hits := look(t, st, bird)
		if len(hits) != 1 || hits[0].MatchCount != 2 {
			t.Fatalf("%s: got %+v, want the two messages", note, hits)
		}
		model := &summarizer{}
		tool(t, st, model, search.Scope{All: true}, bird, 1)
		if s := model.given[0]; strings.Contains(s, "found:") || !strings.Contains(s, "looked up") {
			t.Errorf("a model is given\n%s\nwant what was said alone", s)
		}
	}
}

func testSearchDeleted(t *testing.T, st Store) {
	newTalk(alice(), "gone", "").say(t, st, "the dodo 渡渡鳥", "yes")
	newTalk(alice(), "kept", "").say(t, st, "another dodo 渡渡鳥", "yes")
	same(t, "before", sortedIDs(roots(look(t, st, "dodo"))), []session.ID{"gone", "kept"})
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
	for _, query := range []string{"dodo", "渡渡鳥"} {
		same(t, "after: "+query, roots(look(t, st, query)), []session.ID{"kept"})
	}
	newTalk(alice(), "gone", "").say(t, st, "something new")
	same(t, "with the id used again", roots(look(t, st, "dodo")), []session.ID{"kept"})
}

func testSearchRewritten(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "The password is 合言葉 opensesame", "noted")
	if len(look(t, st, "opensesame 合言葉")) != 1 {
		t.Fatal("the suite itself: finds nothing to rewrite")
	}
	m := l.messages[0]
	m.Content = "The password is 秘密 redacted"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Messages: []session.Message{m}, Scopes: []curate.ScopeFacts{{Scope: memory.Scope{Root: "s"}}},
	}), "")
	for query, want := range map[string]int{"opensesame": 0, "合言葉": 0, "redacted": 1, "秘密": 1, "password": 1} {
		if got := len(look(t, st, query)); got != want {
			t.Errorf("%s: got %d hits, want %d", query, got, want)
		}
	}
}

// testSearchScores has bob write the words that alice searches for. Her results and
// scores stay exactly the same.
func testSearchScores(t *testing.T, st Store) {
	for i := range 6 {
		newTalk(alice(), session.ID(rune('a'+i)), "").say(t, st, strings.Repeat("puffin ", i+1)+"auk", "auk")
	}
	before := fmt.Sprintf("%+v", look(t, st, "puffin OR auk"))
	l := newTalk(bob(), "bobs", "")
	for range 8 {
		l.say(t, st, slices.Repeat([]string{"puffin auk", "puffin"}, 100)...)
	}
	if got := fmt.Sprintf("%+v", look(t, st, "puffin OR auk")); got != before {
		t.Errorf("bob's words changed alice's results: got\n%s\nwant\n%s", got, before)
	}
}

// searchTheSession searches every scope both owners have.
func searchTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	var out []search.Hit
	for _, scope := range []search.Scope{{All: true}, {Key: theKey}, {Root: theSession}} {
		found, err := st.Search(ctx, o, search.Request{Query: mustParse("question OR canary OR more"), Scope: scope})
		if err != nil {
			return nil, err
		}
		out = append(out, found.Hits...)
	}
	return out, nil
}

func testSearchNowhere(t *testing.T, st Store) {
	newTalk(alice(), "s", "key").say(t, st, "a heron")
	for _, scope := range []search.Scope{{}, {All: true, Key: "key"}, {Key: "key", Root: "s"}} {
		found, err := st.Search(t.Context(), alice(), search.Request{Query: mustParse("heron"), Scope: scope})
		if err == nil || len(found.Hits) > 0 {
			t.Errorf("scope %+v: got %d hits and %v, want an error", scope, len(found.Hits), err)
		}
	}
}

// testReindex rebuilds the index of an empty and of a filled store.
func testReindex(t *testing.T, st Store) {
	kind(t, "of nothing", st.Reindex(t.Context()), "")
	l := newTalk(alice(), "s", "")
	l.say(t, st, "a heron", "noted")
	newTalk(bob(), "bobs", "").say(t, st, "another heron")
	for range 2 {
		kind(t, "of three messages", st.Reindex(t.Context()), "")
		if hits := look(t, st, "heron"); len(hits) != 1 || hits[0].MatchCount != 1 {
			t.Errorf("got %+v, want the one message of alice's", hits)
		}
	}
}
