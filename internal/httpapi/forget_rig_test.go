package httpapi_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// theName is what the rig forgets, and spellings are the ways in which clients
// write it into JSON: each is the inside of a JSON string.
const (
	theName = "Qüßzlewick İdaς"
	// theRest is a part of the name that every spelling has, whatever the case.
	theRest = "zlewick"
)

func spellings() map[string]string {
	return map[string]string{
		"as it is":           theName,
		"escaped":            `Q\u00fc\u00dfzlewick \u0130da\u03c2`,
		"escaped in capital": `Q\u00FC\u00DFzlewick\u0020\u0130da\u03C2`,
		"NFD":                "Qu\u0308ßzlewick I\u0307daς",
		"capitals":           "QÜSSZLEWICK İDAΣ",
		"small letters":      "qüsszlewick ıdaσ",
		"no-break space":     "Qüßzlewick\u00a0İdaς",
		"line break":         `Qüßzlewick\nİdaς`,
		"two blanks":         "Qüßzlewick  İdaς",
		"entities":           "Q&uuml;&szlig;zlewick&nbsp;&#304;da&#x3C2;",
		"escaped twice":      `{\"n\":\"Q\\u00fc\\u00dfzlewick \\u0130da\\u03c2\"}`,
		"soft hyphen":        "Qü\u00adßzlewick İdaς",
		"control character":  `Qü\u0007ßzlewick İ\u009cdaς`,
		"form":               "Qüßzlewick+İdaς",
		"vowel separator":    "Qüßzlewick\u180eİdaς",
		"URL":                "Q%C3%BC%C3%9Fzlewick%20%C4%B0da%CF%82",
		"URL twice":          "Q%25C3%25BC%25C3%259Fzlewick%2520%25C4%25B0da%25CF%2582",
		"URL over JSON":      "Q%5Cu00fc%5Cu00dfzlewick%5Cu0020%5Cu0130da%5Cu03c2",
		"URL of old":         "Q%u00FC%u00DFzlewick%u0020%u0130da%u03C2",
		"entities twice":     "Q&#38;#252;&amp;szlig;zlewick&#38;nbsp;&#38;#304;da&#38;#x3C2;",
		"open entities":      "Q&uuml&szligzlewick&#00032&#304da&#962",
	}
}

// TestForgettingLeavesNothing plants a name in all spellings wherever a client
// can put a text, forgets it, and looks for it in every text of the database and,
// for the local owner, in every byte of the home.
func TestForgettingLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{quiet: true, undescribed: true, answer: func(r *upstreamtest.Request) upstreamtest.Step {
		// A model that repeats what it was told last, in pieces, and calls a tool.
		var body struct {
			Messages []struct {
				Content any `json:"content"`
			} `json:"messages"`
		}
		_ = json.Unmarshal(r.Body, &body)
		said := []rune("Understood.")
		if n := len(body.Messages); n > 0 {
			said = []rune("You said: " + joinedText(body.Messages[n-1].Content))
		}
		half := len(said) / 2
		return upstreamtest.Step{Chunks: []string{string(said[:half]), string(said[half:])}}
	}})
	ada := w.key("ada", owner.AllScopes()...)
	for _, key := range []string{localKey, ada} {
		plantInParts(t, w, key)
	}
	for n, spelling := range slices.Sorted(maps.Keys(spellings())) {
		for _, key := range []string{localKey, ada} {
			plant(t, w, key, n, spellings()[spelling])
		}
	}
	if planted := decodedHits(t, w, ""); len(planted) < 20 {
		t.Errorf("the rig itself: the name stands in %d columns only: %v", len(planted), planted)
	}
	for _, who := range []struct{ name, key string }{{"ada", ada}, {owner.LocalID, localKey}} {
		got := w.call("POST", "/api/memory/forget", `{"about":"Q\u00fc\u00dfzlewick \u0130da\u03c2"}`, "Authorization", "Bearer "+who.key)
		if got.status != http.StatusOK || !strings.Contains(got.body, `"left":0`) {
			t.Fatalf("%s: got %d %s", who.name, got.status, got.body)
		}
		if left := decodedHits(t, w, who.name); len(left) > 0 {
			t.Errorf("%s: left in %v", who.name, left)
		}
		verified := w.call("POST", "/api/memory/rebuild", `{"verify":true}`, "Authorization", "Bearer "+who.key)
		if !strings.Contains(verified.body, `"verify":true,"identical":true`) {
			t.Errorf("%s: a rebuild differs: %s", who.name, verified.body)
		}
	}
	for name, bytes := range homeBytes(t, w.dir) {
		if strings.Contains(strings.ToLower(bytes), theRest) {
			t.Errorf("%s: its bytes have the name", name)
		}
	}
}

// TestForgettingShortNames: a short name is forgotten as a word, and leaves the words
// that contain it.
func TestForgettingShortNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{quiet: true, undescribed: true})
	for i, c := range []struct{ about, with, without string }{
		{"Bo", "I met Bo. Then it rained.", "We talked about elbows and Bob."},
		{"李明", "我叫李明。", "我叫王芳。"},
		{"田中", "I met 田中さん.", "I met 山田さん."},
		{"🦜", "My bird is a 🦜!", "My bird is a 🐦!"},
	} {
		session := fmt.Sprintf("short%d", i)
		for _, text := range []string{c.with, c.without} {
			w.call("POST", "/v1/chat/completions", `{"model":"scripted","messages":[{"role":"user","content":[{"type":"text","text":"`+text+`"}]}]}`,
				"Authorization", "Bearer "+localKey, "X-Hermes-Session-Id", session)
		}
		got := w.call("POST", "/api/memory/forget", `{"about":"`+c.about+`"}`, "Authorization", "Bearer "+localKey)
		if got.status != http.StatusOK || !strings.Contains(got.body, `"left":0`) || strings.Contains(got.body, `"messages_redacted":0`) {
			t.Errorf("%s: got %d %s", c.about, got.status, got.body)
		}
		kept := w.call("GET", "/api/sessions/"+session+"/messages", "", "Authorization", "Bearer "+localKey).body
		if strings.Contains(kept, c.with) || !strings.Contains(kept, c.without) {
			t.Errorf("%s: got %s", c.about, kept)
		}
	}
}

// joinedText is the text of a message, as the parts make it.
func joinedText(content any) string {
	parts, ok := content.([]any)
	if !ok {
		return fmt.Sprint(content)
	}
	var texts []string
	for _, p := range parts {
		part, _ := p.(map[string]any)
		texts = append(texts, fmt.Sprint(part["text"]))
	}
	return strings.Join(texts, "\n")
}

// homeBytes are the files of a home, once nothing of them waits in a log.
func homeBytes(t *testing.T, home string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = path + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plant puts a spelling of the name into whatever a client can fill.
func plant(t *testing.T, w *world, key string, n int, name string) {
	t.Helper()
	auth := []string{"Authorization", "Bearer " + key}
	s := fmt.Sprintf("s%d", n)
	post := func(path, body string, headers ...string) reply {
		t.Helper()
		got := w.call("POST", path, body, append(slices.Clone(auth), headers...)...)
		if got.status >= 400 {
			t.Errorf("%s %s: got %d %s", path, body, got.status, got.body)
		}
		return got
	}
	chat := func(messages, more string, headers ...string) reply {
		return post("/v1/chat/completions", `{"model":"scripted","messages":[`+messages+`]`+more+`}`, headers...)
	}
	chat(`{"role":"system","content":"Speak of `+name+`."},{"role":"user","content":"We use Redis. My friend is `+name+`. I live in Oslo."}`, "", "X-Hermes-Session-Id", s)
	chat(`{"role":"user","name":"x","content":[{"type":"text","text":"Once more `+name+`, please."}]}`, `,"metadata":{"k":"v"}`, "X-Hermes-Session-Id", s, "Idempotency-Key", "k"+s)
	chat(`{"role":"user","content":"Under a key: `+name+` likes tea."}`, "", "X-Hermes-Session-Id", s, "X-Hermes-Session-Key", "shared")
	chat(`{"role":"user","content":"Look it up."},{"role":"assistant","content":null,"tool_calls":[{"id":"call `+name+`","type":"function","function":{"name":"find","arguments":"{\"q\":\"x\"}"}}]},
		{"role":"tool","tool_call_id":"call `+name+`","content":"Found `+name+` in the register."},{"role":"user","content":"Thanks."}`, "", "X-Hermes-Session-Id", s+"-tools")
	post("/api/sessions", `{"id":"`+s+`-named","title":"About `+printable(name)+` `+s+`","system_prompt":"You serve `+name+`.","source":"src","model":"m `+name+`"}`)
	post("/api/sessions/"+s+"-named/messages", `{"messages":[{"role":"user","name":"`+name+`","content":"It was told by me."}]}`)
	w.call("PATCH", "/api/sessions/"+s+"-named", `{"end_reason":"because of `+name+`"}`, auth...)
	post("/api/jobs", `{"name":"Job `+s+` `+printable(name)+`","schedule":"@yearly","prompt":"Report on `+name+`."}`)
	post("/api/jobs", `{"name":"other `+s+`","schedule":"@yearly","prompt":"Report.","model":"m `+name+`"}`)
	run := post("/v1/runs", `{"input":"Tell of `+name+`.","session_id":"`+s+`-run","metadata":{"of `+name+`":"x","k":"`+name+`"}}`)
	id := firstMatch(`run_[0-9a-f]+`, run.body)
	w.call("GET", "/v1/runs/"+id+"/events", "", auth...) // until it is over
	post("/v1/responses", `{"model":"scripted","input":"Answer about `+name+`.","metadata":{"`+name+`":"y"},"instructions":"Mind `+name+`.","conversation":"`+s+`-resp"}`)
	post("/api/memory", `{"statement":"The owner of the boat is `+name+`."}`, "X-Hermes-Session-Id", s)
}

// printable is a spelling without the control characters that titles may not have.
func printable(name string) string {
	return strings.NewReplacer(`\n`, " ", `\u0007`, "", `\u009c`, "").Replace(name)
}

// plantInParts plants the name over several parts of messages: only their joined text
// has it.
func plantInParts(t *testing.T, w *world, key string) {
	t.Helper()
	const parts = `[{"type":"text","text":"Is it Qüßzlewick"},{"type":"text","text":"İdaς today?"}]`
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"scripted","messages":[{"role":"system","content":` + parts + `},{"role":"user","content":` + parts + `},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":` + parts + `},{"role":"user","content":"Thanks."}]}`,
		"/v1/messages":  `{"model":"scripted","max_tokens":9,"system":` + parts + `,"messages":[{"role":"user","content":` + parts + `}]}`,
		"/v1/runs":      `{"input":[{"role":"user","content":` + strings.ReplaceAll(parts, `"text",`, `"input_text",`) + `}]}`,
		"/v1/responses": `{"model":"scripted","input":[{"role":"user","content":` + strings.ReplaceAll(parts, `"text",`, `"input_text",`) + `}]}`,
	} {
		got := w.call("POST", path, body, "Authorization", "Bearer "+key, "X-Hermes-Session-Id", "parts"+strings.ReplaceAll(path, "/", "-"))
		if got.status >= 400 {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
}

// decodedHits are the columns of an owner's rows, of all for "", that name the
// thing, by what another program reads in the file.
func decodedHits(t *testing.T, w *world, of string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "state.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	columns := textsOf(t, db)
	var hits []string
	for _, c := range columns {
		if holdsName(t, db, c, of) {
			hits = append(hits, c.table+"."+c.name)
		}
	}
	return hits
}

type textColumn struct {
	table, name string
	owned       bool
}

// textsOf are all texts of the tables there are, whatever they are for.
func textsOf(t *testing.T, db *sql.DB) []textColumn {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT t.name, c.name, EXISTS (SELECT 1 FROM pragma_table_info(t.name) o WHERE o.name = 'owner_id')
		FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var out []textColumn
	for rows.Next() {
		var c textColumn
		if err := rows.Scan(&c.table, &c.name, &c.owned); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func holdsName(t *testing.T, db *sql.DB, c textColumn, of string) bool {
	t.Helper()
	query, args := `SELECT "`+c.name+`" FROM "`+c.table+`" WHERE "`+c.name+`" IS NOT NULL`, []any{}
	if c.owned && of != "" {
		query, args = query+` AND owner_id = ?`, append(args, of)
	}
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := false
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(text), theRest) { // no spelling breaks it up
			found = true
			if of != "" {
				t.Logf("%s.%s: %.300s", c.table, c.name, text)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
