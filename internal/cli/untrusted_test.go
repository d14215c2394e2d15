package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/provider/honcho/honchotest"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// poison is what no text may bring to a terminal: sequences that change the colour,
// the title and the clipboard, a bell, one-byte sequences, a rubout, signs that turn
// the direction, hidden characters, tags, and a line that pretends to be another.
const poison = "\x1b[31m\x1b]0;owned\a\x1b]52;c;cm0=\x1b\\\u009b2J\u0090q\u009c\x7f\b\x00" +
	"\u202egpj\u202c\u2066x\u2069\u200e\u061c\u200b\u200d\u2060\ufeff\u00ad\ufe0f\U000e0041\U000e007f\u2028\r\nhermes: forged"

// told is poison as the API takes it where it refuses control characters.
const told = "\u202egpj\u202c\u2066x\u2069\u200e\u200b\u2060\ufeff\U000e0041"

// obeyed is said of characters that a terminal obeys or hides.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == 0x200b || r == 0x200d ||
		unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp, unicode.Cf, unicode.Variation_Selector)
}

// shell runs commands in this process, over one home.
type shell struct {
	t   *testing.T
	env map[string]string
}

func (s *shell) start(ctx context.Context, stdin string, out, errs io.Writer, args ...string) int {
	return Main(ctx, Process{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: out, Stderr: errs, Getenv: func(name string) string { return s.env[name] },
	})
}

// run returns what a command prints, which must be fit for a terminal.
func (s *shell) run(stdin string, args ...string) (out, errs string) {
	s.t.Helper()
	var o, e bytes.Buffer
	s.start(s.t.Context(), stdin, &o, &e, args...)
	for name, text := range map[string]string{"standard output": o.String(), "standard error": e.String()} {
		if i := strings.IndexFunc(text, obeyed); i >= 0 {
			s.t.Errorf("hermes %q: %s holds %q", args, name, text[i:min(len(text), i+40)])
		}
		if forges := strings.Contains("\n"+text, "\nhermes: forged"); forges && (name == "standard error" || !tellsText(args)) {
			s.t.Errorf("hermes %q: %s has a line that an untrusted text made: %q", args, name, text)
		}
	}
	return o.String(), e.String()
}

// tellsText reports whether a command prints a text with its lines: an answer, a
// transcript, the memory block.
func tellsText(args []string) bool {
	words := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "--json" })
	return len(words) == 0 || words[0] == "chat" || words[0] == "state" || words[0] == "runs" || slices.Equal(words[:min(2, len(words))], []string{"sessions", "show"})
}

// serve runs a server until the returned function is called, and calls its API.
func (s *shell) serve() (call func(method, path, body string) string, stop func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	var log bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- s.start(ctx, "", &log, &log, "serve", "--addr", "127.0.0.1:0") }()
	file, err := waitForServer(ctx, s.env["HERMES_HOME"], nil)
	if err != nil {
		s.t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	call = func(method, path, body string) string {
		s.t.Helper()
		req, err := http.NewRequestWithContext(ctx, method, "http://"+file.Address+path, strings.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+file.Token)
		res, err := client.Do(req)
		if err != nil {
			s.t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 300 {
			s.t.Fatalf("%s %s: got %d %s, %v", method, path, res.StatusCode, text, err)
		}
		return string(text)
	}
	return call, func() {
		cancel()
		if code := <-ended; code != exitOK {
			s.t.Errorf("the server ended with %d: %s", code, &log)
		}
		if i := strings.IndexFunc(log.String(), obeyed); i >= 0 {
			s.t.Errorf("hermes serve prints %q", log.String()[i:min(log.Len(), i+40)])
		}
	}
}

// quoted is a text in JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// fill makes something of everything there is, with poison wherever the API takes it.
// It returns the ids of a run and of a receipt.
func (s *shell) fill() (run, receipt string) {
	s.t.Helper()
	call, stop := s.serve()
	defer stop()
	var reply struct {
		RunID  string `json:"run_id"`
		Hermes struct {
			ReceiptID string `json:"receipt_id"`
		}
	}
	read := func(text string) {
		s.t.Helper()
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			s.t.Fatalf("%s: %v", text, err)
		}
	}
	for _, id := range []string{"s1", "s2", "s3"} {
		call("POST", "/api/sessions", `{"id":"`+id+`","session_key":"`+id+`","title":`+quoted("title of "+id+told)+`,"model":`+quoted("m"+told)+`}`)
		for _, text := range []string{"My sister is called Wilhelmina " + poison, "We moved from Redis to Postgres because " + poison + " of the price."} {
			body := `{"model":"x","messages":[{"role":"user","name":"bob","content":` + quoted(text) + `}]}`
			read(call("POST", "/v1/runs", `{"session_id":"`+id+`","input":`+quoted(text)+`}`))
			call("GET", "/v1/runs/"+reply.RunID+"/events", "")
			_ = body
		}
	}
	call("POST", "/api/sessions/s1/messages", `{"messages":[{"role":"user","name":`+quoted("Bob"+told)+`,"content":`+quoted("My brother is called Theobald "+poison)+`}]}`)
	req := `{"model":"x","messages":[{"role":"user","content":` + quoted("What is my sister called?"+poison) + `}]}`
	read(call("POST", "/v1/chat/completions", req))
	call("POST", "/api/jobs", `{"name":"report","schedule":"@yearly","prompt":`+quoted("Tell me "+poison)+`,"session_id":"job"}`)
	call("POST", "/gateway/webhook", `{"platform":"pigeon","event_id":"e","chat_id":"c","chat_type":"group","user_id":"u","user_name":`+quoted(poison)+
		`,"text":`+quoted(poison)+`}`)
	call("POST", "/api/jobs", `{"name":"other","schedule":"@yearly","prompt":"x"}`)
	var jobs struct{ Data []struct{ ID, Name string } }
	if err := json.Unmarshal([]byte(call("GET", "/api/jobs", "")), &jobs); err != nil {
		s.t.Fatal(err)
	}
	for _, j := range jobs.Data {
		call("POST", "/api/jobs/"+j.ID+"/run", "")
		until(s.t, func() bool { return strings.Contains(call("GET", "/api/jobs/"+j.ID+"/runs", ""), `"completed"`) })
	}
	return reply.RunID, reply.Hermes.ReceiptID
}

// until polls for what a server does behind its answers.
func until(t *testing.T, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// ownWords are the columns that hold only what the program itself puts there: ids it
// has checked, words of a fixed list, times in the form of a schedule, JSON. Any other
// text is poisoned in the file, so that a new column is, too.
func ownWords(table, column string) bool {
	switch table {
	case "meta", "erasures", "requests":
		return true
	}
	switch column {
	case "owner_id", "id", "root_id", "session_id", "parent_session_id", "session_key", "job_id", "run_id", "receipt_id", "fact_id", "message_id",
		"superseded_by", "role", "kind", "state", "status", "type", "on_restart", "catch_up", "schedule", "timezone", "scopes", "note":
		return true
	}
	return false
}

// plant poisons the file: it may hold what an earlier version has stored.
func (s *shell) plant() {
	s.t.Helper()
	u := url.URL{Scheme: "file", Path: filepath.Join(s.env["HERMES_HOME"], "state.db")}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, row := range []string{
		`INSERT INTO work (owner_id, root_id, kind, state, wake_at, asked, fence, error, updated_at) VALUES ('local', 's1', 'reading', 'waiting', 9e15, 1, 1, 'x', 1)`,
		`INSERT INTO provider_debts (owner_id, provider, name, message_id, owed_at, wake_at, error) VALUES ('local', 'x@x', 'x', 1, 1, 9e15, 'x')`,
		`UPDATE deliveries SET error = 'x'`,
		`UPDATE job_runs SET reason = 'x', error = 'x'`,
	} {
		if _, err := db.ExecContext(s.t.Context(), row); err != nil {
			s.t.Fatalf("%s: %v", row, err)
		}
	}
	rows, err := db.QueryContext(s.t.Context(), `SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'messages_fts%' AND c.type = 'TEXT'`)
	if err != nil {
		s.t.Fatal(err)
	}
	var updates []string
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			s.t.Fatal(err)
		}
		if !ownWords(table, column) {
			updates = append(updates, fmt.Sprintf(`UPDATE %s SET %[2]s = %[2]s || ? WHERE %[2]s IS NOT NULL AND NOT (json_valid(%[2]s) AND substr(%[2]s, 1, 1) IN ('{', '['))`, table, column))
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		s.t.Fatal(err)
	}
	for _, update := range updates {
		if _, err := db.ExecContext(s.t.Context(), update, poison); err != nil {
			s.t.Fatalf("%s: %v", update, err)
		}
	}
}

// TestUntrustedText plants poison in every text that a person, a client, an upstream
// or an import can store, and runs every command there is.
func TestUntrustedText(t *testing.T) {
	t.Parallel()
	up := upstreamtest.New(t, upstreamtest.Options{
		Models: []string{"m" + poison},
		Default: func(*upstreamtest.Request) upstreamtest.Step {
			return upstreamtest.Step{Text: "Noted: " + poison + "\n# heading " + poison}
		},
	})
	dir := t.TempDir()
	s := &shell{t: t, env: map[string]string{
		"HERMES_HOME": filepath.Join(dir, "home"), "HERMES_PROBE": "false", "HERMES_UPSTREAM_URL": up.URL + "/v1", "HERMES_MODEL": "m" + told,
	}}
	external := honchotest.Start(t)
	external.Always(&providertest.Fault{Status: http.StatusUnprocessableEntity, Body: `{"detail":` + quoted(poison) + `}`})
	s.env["HERMES_MEMORY_PROVIDER"], s.env["HERMES_MEMORY_PROVIDER_URL"] = "honcho", external.URL
	run, receipt := s.fill()
	s.plant()
	for _, see := range []struct{ want, in string }{
		{"Wilhelmina " + poison, first(s.run("", "sessions", "show", "s1", "--json"))},
		{"title of s1" + told + poison, first(s.run("", "sessions", "list", "--json"))},
	} {
		if !strings.Contains(strings.Join(values(see.in), "\n"), see.want) {
			t.Errorf("--json does not give the text as it is: %.600s", see.in)
		}
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	archive := write("in.jsonl", `{"id":"bad`+told+`","messages":[{"role":`+quoted(poison)+`,"content":""}],"started_at":"2026-01-02T10:00:00Z"}`+"\n")
	scenario := write("scenario.yaml", "name: "+quoted("n"+poison)+"\npromise: "+quoted("p"+poison)+"\nsteps:\n  - say: "+quoted("x"+poison)+"\n    expect: "+quoted("y"+poison)+"\n")
	call := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"query":"Wilhelmina","session_key":"s1"}}}` + "\n"
	fact := s.fact()
	stdin := map[string]string{"hermes mcp": call, "hermes": "What is my sister called? " + poison}
	cases := map[string][][]string{
		"hermes":                 {{}, {"nonesuch" + poison}},
		"hermes chat":            {{"-q", "What is my sister called?" + poison}, {"-r", poison, "-q", "x"}, {"-r", "s1", "-q", "Hello" + poison}},
		"hermes serve":           {{"--addr", poison}, {"--log-level", poison}},
		"hermes memory list":     {{"--key", "s1", "--all"}, {"--session", "s1"}, {"--key", poison}},
		"hermes memory search":   {{"Wilhelmina", "--key", "s1", "--explain"}, {poison, "--key", "s1"}},
		"hermes memory add":      {{"My aunt is called Kunigunde " + poison, "--key", "s1"}},
		"hermes memory edit":     {{fact, "My sister is called Ottilie " + poison, "--key", "s1"}, {poison, "x", "--key", "s1"}},
		"hermes memory forget":   {{fact, "--key", "s1"}, {"f_" + poison, "--key", "s1"}},
		"hermes state":           {{"s1"}, {"s2"}, {poison}},
		"hermes timeline":        {{"s1"}, {"s2", "--topic", "Redis"}, {"s2", "--topic", poison}},
		"hermes why":             {{receipt}, {poison}},
		"hermes forget":          {{"--about", "Theobald" + poison}, {"--session", poison}},
		"hermes rebuild":         {{"--verify"}, {}, {"--index"}},
		"hermes keys create":     {{"--name", "laptop"}, {"--name", poison}},
		"hermes keys list":       {{}},
		"hermes keys edit":       {{"laptop" + poison, "--rate", "5"}, {poison, "--rate", "5"}},
		"hermes keys revoke":     {{"laptop" + poison}, {poison}},
		"hermes config show":     {{}, {"--model", poison}},
		"hermes cost":            {{"s1"}, {poison}},
		"hermes doctor":          {{"--addr", "127.0.0.1:0"}, {"--addr", "127.0.0.1:0", "--model", poison}, {"--addr", poison}},
		"hermes prove":           {{scenario}, {"--list", scenario}, {poison}, {"--only", poison}},
		"hermes man":             {{}},
		"hermes sessions list":   {{}, {"--source", poison}},
		"hermes sessions show":   {{"s1"}, {"s2", "--undone"}, {poison}},
		"hermes sessions search": {{"Wilhelmina"}, {"forged"}, {poison}},
		"hermes sessions rename": {{"s2", "other title" + told}, {"s2", poison}},
		"hermes sessions fork":   {{"s2"}, {"s2", "--title", "t" + told}, {poison}},
		"hermes sessions diff":   {{"s1", "s2"}, {"s1", poison}},
		"hermes sessions export": {{filepath.Join(dir, "out.jsonl")}, {filepath.Join(dir, poison, "x")}},
		"hermes sessions import": {{archive}, {filepath.Join(dir, poison)}},
		"hermes backup":          {{filepath.Join(dir, "b.tar")}, {filepath.Join(dir, poison)}},
		"hermes restore":         {{archive, "--yes"}, {filepath.Join(dir, poison), "--yes"}, {"--ledger", "--since", poison}},
		"hermes import":          {{archive, "--from", "jsonl"}, {filepath.Join(dir, poison)}, {archive, "--from", poison}, {dir, "--dry-run"}},
		"hermes sessions delete": {{"s3", "--yes"}, {"s2"}, {poison, "--yes"}},
		"hermes sessions prune":  {{"--older-than", "0", "--yes"}, {"--source", poison, "--dry-run"}},
		"hermes sessions stats":  {{}},
		"hermes jobs create":     {{"third" + told, "@daily", "Say " + poison, "--deliver", "webhook:https://example.org/" + poison}, {"fourth" + told, "@daily", "x"}, {poison, poison, poison}},
		"hermes jobs list":       {{}},
		"hermes jobs show":       {{"report" + poison}, {poison}},
		"hermes jobs runs":       {{"report" + poison}},
		"hermes jobs run":        {{"report" + poison}},
		"hermes jobs pause":      {{"report" + poison}},
		"hermes jobs resume":     {{"report" + poison}},
		"hermes jobs edit":       {{"report" + poison, "--prompt", "again " + poison}, {"report" + poison, "--schedule", poison}},
		"hermes jobs delete":     {{"other" + poison}, {"other" + poison, "--yes"}},
		"hermes jobs preview":    {{"@daily"}, {poison}, {"@daily", "--timezone", poison}},
		"hermes runs list":       {{}},
		"hermes runs show":       {{run}, {poison}},
		"hermes runs follow":     {{run}, {poison}},
		"hermes runs stop":       {{run}, {poison}},
		"hermes runs approve":    {{run, poison}},
		"hermes runs deny":       {{run, poison}},
		"hermes mcp":             {{}, {"--session-id", poison}},
		"hermes mcp install":     {{"claude", "--print", "--key", poison}, {"codex", "--print"}, {"claude", "--project", "--dry-run"}, {poison}},
		"hermes mcp uninstall":   {{"claude", "--project", "--dry-run"}, {poison}},
		"hermes mcp status":      {{}},
		"hermes audit":           {{}, {"--verify"}, {"--actor", poison}},
		"hermes work":            {{}},
		"hermes page":            {{}, {"--print"}},
		"hermes version":         {{}},
		"hermes health":          {{}, {"--addr", poison}},
		"hermes service":         {{}, {poison}},
		"hermes migrate":         {{"--from", filepath.Join(dir, poison), "--to", filepath.Join(dir, "to.db")}, {"--to", "postgres://" + poison + "@127.0.0.1:1/x"}, {poison}},
		"hermes service install": {{"--dry-run"}, {"--dry-run", "--system"}, {poison}},
		"hermes service status":  {{}, {poison}},
		"hermes pairing":         {{}, {poison}},
		"hermes pairing approve": {{"telegram", poison}, {poison, "ABCDEFGH"}},
		"hermes pairing list":    {{}, {poison}},
		"hermes pairing revoke":  {{"telegram", poison}, {poison, "1"}},
		"hermes platforms":       {{}, {poison}},
		"hermes platforms check": {{}},

		"hermes platforms events":         {{}, {"--platform", poison}, {"--status", poison}},
		"hermes platforms slack-manifest": {{}, {"--http", poison}},
		"hermes service uninstall":        {{"--dry-run"}, {poison}},
		"hermes sessions mirror":          {{}},
		"hermes provider":                 {{}},
		"hermes provider status":          {{}, {poison}},
		"hermes provider test":            {{}},
		"hermes provider backfill":        {{"--dry-run"}, {"--yes"}},
		"hermes provider forget":          {{"--yes"}},
		"hermes help":                     {{}, {poison}, {"keys", poison}},
	}
	for _, group := range []string{"", " memory", " keys", " config", " sessions", " jobs", " runs", " provider"} {
		cases["hermes"+group] = append(cases["hermes"+group], []string{"--help"}, []string{poison}, []string{"--" + poison})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		cases["hermes completion "+shell] = [][]string{{}}
	}
	cases["hermes completion"] = [][]string{{}}
	cases["hermes __complete"] = [][]string{{"state", ""}, {"sessions", "show", "s"}}
	all := commands(newApp(Process{}).rootCommand())
	for _, path := range all {
		if _, ok := cases[path]; !ok {
			t.Errorf("%s has no case here: give it one that shows an untrusted text", path)
		}
	}
	order := slices.SortedFunc(maps.Keys(cases), func(a, b string) int { return strings.Compare(late(a)+a, late(b)+b) })
	for _, path := range order {
		for _, args := range cases[path] {
			words := append(strings.Fields(path)[1:], args...)
			s.run(stdin[path], words...)
			out, errs := s.run(stdin[path], append([]string{"--json"}, words...)...)
			if path == "hermes mcp" || !strings.HasPrefix(out, "{") && !strings.HasPrefix(out, "[") {
				continue
			}
			for d := json.NewDecoder(strings.NewReader(out)); ; {
				var v any
				if err := d.Decode(&v); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("hermes --json %q: no JSON: %v in %.300s (%s)", words, err, out, errs)
					break
				}
			}
		}
	}
}

func first(out, _ string) string { return out }

// late puts commands behind those that need what they take away.
func late(path string) string {
	switch {
	case strings.HasSuffix(path, " revoke"), strings.HasSuffix(path, " delete"), strings.HasSuffix(path, " prune"), strings.HasSuffix(path, "forget"):
		return "~"
	}
	return ""
}

// fact is the id of a fact of the key s1.
func (s *shell) fact() string {
	s.t.Helper()
	out, errs := s.run("", "memory", "list", "--key", "s1", "--json")
	var facts []fact
	if err := json.Unmarshal([]byte(out), &facts); err != nil || len(facts) == 0 {
		s.t.Fatalf("facts: got %s %s, %v", out, errs, err)
	}
	return facts[0].ID
}

// values are all texts of a JSON document.
func values(text string) []string {
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var v any
	_ = json.Unmarshal([]byte(text), &v) // what is none has no values
	walk(v)
	return out
}

// commands are the paths of all commands, those that only hold others included.
func commands(c *cobra.Command) []string {
	if !c.HasParent() { // as cobra does when it runs
		c.InitDefaultCompletionCmd()
		c.InitDefaultHelpCmd()
	}
	out := []string{c.CommandPath()}
	for _, sub := range c.Commands() {
		out = append(out, commands(sub)...)
	}
	return out
}
