package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// mark is in every odd text, behind it six digits: whatever path has it was named by one.
const mark = "zq7q"

// oddTexts are ids and names that lead somewhere if anybody follows them. %s is
// the mark, which makes each the only one of its kind.
var oddTexts = []string{
	"../../../../../../etc/%s", "../../../../../../etc/passwd#%s", "../%s", "..", "../..", ".", "./%s", "a/../../%s", "%s/../../../etc/passwd",
	"/etc/passwd", "/etc/%s", "//etc//%s", "/proc/self/environ", "/proc/self/root/etc/%s", "/dev/stdin", "/dev/null", "/tmp/%s", "~/%s",
	"~root/%s", "$HOME/%s", "${HERMES_HOME}/%s",
	`\\server\share\%s`, `\\?\C:\%s`, `//server/share/%s`, `C:\Windows\%s`, `C:%s`, `..\..\..\%s`, `..\../..\%s`, "file:///etc/%s", "file:%s?mode=rwc", "CON", "NUL.txt", "aux.%s", "%s:stream",
	"\x00", "%s\x00", "%s\x00/../../etc/passwd", "../../etc/passwd\x00%s", "%s\n../../etc/passwd", "%s\r\nX-Odd: y", "\t%s", "%s\x7f",
	"\xff\xfe%s", "..\xc0\xaf..\xc0\xaf%s", "\xe0\x80\xaf%s",
	"．．／．．／%s", "‥/%s", "․․/%s", "\u202e%s", "%s\u0000", "ﬀ%s", "e\u0301%s", "%%2e%%2e%%2f%s", "%%252e%%252e%%252f%s", "..%%2f..%%2f%s",
	"..%%c0%%af%s", "..;/%s", "....//....//%s", "..././%s",
	"state.db", "state.db-wal", "state.db?%s", "config.yaml", "server.json", "skills/../state.db#%s", "skills/%s/../../state.db", ".scopes/%s", "SKILL.md", "%s/SKILL.md", "-rf", "--%s", "|%s", "`%s`", "$(touch /tmp/%s)",
	"'; ATTACH DATABASE '/tmp/%s' AS x; --", "%s'||load_extension('/tmp/x')||'", "*", "?", "[%s]", "{%s}", "<%s>", "%s.zip", "%s.tar.gz", "",
	" ", "%s ", " %s", "%s.", "Europe/../../../../etc/%s", "Europe/%s", "webhook:file:///etc/%s", "webhook:https://../%s",
}

// odd is the n-th odd text; every tenth is much longer.
func (w *wanderer) odd(n int) string {
	text := oddTexts[w.rnd.IntN(len(oddTexts))]
	name := fmt.Sprintf("%s%06x", mark, n)
	if strings.Contains(text, "%") {
		text = fmt.Sprintf(strings.Replace(strings.ReplaceAll(text, "%s", "\x01"), "\x01", "%s", 1), name)
		text = strings.ReplaceAll(text, "\x01", name)
	}
	switch w.rnd.IntN(30) {
	case 0:
		return strings.Repeat("../", 85) + text
	case 1:
		return text + strings.Repeat("x", 4200)
	case 2:
		return strings.Repeat(text+"/", 40)
	}
	return text
}

// place is where an id or a name goes: part of a path, of a query, a header, or a
// text in a JSON body.
type place struct {
	method, path string
	query        string // the name, "" for none
	header       string
	body         string // with hole where the text goes
	raw          bool   // in a path: as it is, as far as a request line can hold it
}

// hole is where an odd text goes.
const hole = "ODDTEXT"

// fill is the first line of a request, one more line of its head, and its body.
func (p place) fill(odd string) (line, header, body string) {
	inPath := url.PathEscape(odd)
	if p.raw {
		inPath = strings.NewReplacer(" ", "%20", "\r", "%0D", "\n", "%0A", "\t", "%09", "?", "%3F", "#", "%23").Replace(odd)
	}
	path := strings.ReplaceAll(p.path, hole, inPath)
	if p.query != "" {
		path += "?" + p.query + "=" + url.QueryEscape(odd)
	}
	if p.header != "" {
		header = p.header + ": " + odd + "\r\n"
	}
	inBody := quoted(odd)
	if strings.Contains(p.body, "CALL ") {
		inBody = quoted(inBody) // it stands in JSON that stands in a text
	}
	return p.method + " " + path + " HTTP/1.1\r\n", header, strings.ReplaceAll(p.body, hole, inBody)
}

// quoted is a text as it stands between quotes in JSON.
func quoted(text string) string {
	out, _ := json.Marshal(text) // a string: cannot fail
	return string(out[1 : len(out)-1])
}

// oddBodies are requests whose texts are ids and names, or may be taken for such.
var oddBodies = map[string][]string{
	"POST /v1/chat/completions": {
		`{"model":"m","user":"u","messages":[{"role":"user","content":"hi","name":"n"}]}`,
		`{"messages":[{"role":"user","content":"CALL {\"action\":\"view\",\"name\":\"ODDTEXT\"}"}]}`,
		`{"messages":[{"role":"user","content":"CALL {\"action\":\"view\",\"name\":\"a-skill\",\"file\":\"ODDTEXT\"}"}]}`,
		`{"messages":[{"role":"user","content":"CALL {\"action\":\"save\",\"name\":\"ODDTEXT\",\"description\":\"d\",\"instructions\":\"i\"}"}]}`,
	},
	"POST /v1/responses":               {`{"model":"m","input":"hi","previous_response_id":"r","conversation":"c","user":"u","prompt_cache_key":"k"}`, `{"input":[{"type":"item_reference","id":"i"}]}`},
	"POST /v1/runs":                    {`{"input":"hi","session_id":"s","session_key":"k","model":"m"}`},
	"POST /api/sessions":               {`{"id":"s","title":"t","system_prompt":"p","session_key":"k","source":"api","model":"m"}`},
	"PATCH /api/sessions/{id}":         {`{"title":"t"}`, `{"end_reason":"r"}`},
	"POST /api/sessions/{id}/fork":     {`{"id":"f","title":"t"}`, `{"session_id":"f"}`},
	"POST /api/sessions/{id}/messages": {`{"messages":[{"role":"user","content":"x","name":"n"},{"role":"tool","content":"x","tool_call_id":"c","tool_name":"t"}]}`},
	"POST /api/sessions/import": {`{"id":"i","title":"t","parent_session_id":"p","session_key":"k","source":"api","model":"m","user_id":"u","started_at":"2026-01-01T00:00:00Z",` +
		`"messages":[{"role":"user","content":"x","name":"n","tool_name":"t"}]}`},
	"POST /api/memory":            {`{"statement":"I like tea","kind":"fact"}`},
	"POST /api/memory/forget":     {`{"about":"nothing of the kind","session_id":"s"}`, `{"session_id":"none"}`, `{"session_key":"none"}`, `{"fact_id":"f"}`},
	"POST /api/memory/rebuild":    {`{"verify":true,"session_id":"s","session_key":"k"}`},
	"PATCH /api/memory/{fact_id}": {`{"statement":"I like tea"}`},
	"POST /api/jobs":              {`{"name":"n","schedule":"@yearly","prompt":"p","session_id":"s","session_key":"k","timezone":"UTC","deliver":"local","model":"m"}`},
	"PATCH /api/jobs/{id}":        {`{"name":"n","session_id":"s","timezone":"UTC","deliver":"local"}`},
	"POST /api/keys":              {`{"name":"n","owner":"o"}`},
	"POST /v1/runs/{id}/approval": {`{"approve":true,"call_id":"c"}`},
	"POST /mcp": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"question":"x","session_id":"s","session_key":"k"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forget","arguments":{"fact_id":"f","session_id":"s"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///x"}}`,
	},
}

// oddHeaders are those that hold ids and names.
var oddHeaders = []string{
	"X-Hermes-Session-Id", "X-Hermes-Session-Key", "X-Hermes-Task", "X-Hermes-As-Of", "X-Request-Id", "Idempotency-Key", "Last-Event-ID",
	"If-Match", "If-None-Match",
	"Authorization", "Origin", "Content-Type", "Content-Encoding", "Accept-Language", "Traceparent",
}

// places are all there are: what the server's own description of itself takes in
// paths, queries and headers, and every text of the bodies above.
func (w *wanderer) places(ctx context.Context) ([]place, error) {
	var api description
	if err := w.s.ask(ctx, operatorKey, "GET", "/openapi.json", nil, http.StatusOK, &api); err != nil {
		return nil, err
	}
	var out []place
	for path, methods := range api.Paths {
		for method, raw := range methods {
			queries, err := api.queries(raw)
			if err != nil {
				return nil, fmt.Errorf("description of %s %s: %w", method, path, err)
			}
			out = append(out, placesOf(strings.ToUpper(method), path, queries)...)
		}
	}
	w.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out, nil
}

// description is what the server says of its routes.
type description struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Parameters map[string]struct{ Name, In string }
	}
}

// queries names the query parameters of an operation.
func (d *description) queries(raw json.RawMessage) ([]string, error) {
	var operation struct{ Parameters []map[string]any }
	if err := json.Unmarshal(raw, &operation); err != nil {
		return nil, err
	}
	var out []string
	for _, p := range operation.Parameters {
		name, in := fmt.Sprint(p["name"]), fmt.Sprint(p["in"])
		if ref, ok := p["$ref"].(string); ok {
			known := d.Components.Parameters[ref[strings.LastIndexByte(ref, '/')+1:]]
			name, in = known.Name, known.In
		}
		if in == "query" {
			out = append(out, name)
		}
	}
	return out, nil
}

// placesOf are the places of one operation: its id, its queries, headers and bodies.
func placesOf(method, path string, queries []string) []place {
	bodies := oddBodies[method+" "+path]
	some := ""
	if len(bodies) > 0 {
		some = bodies[0]
	}
	var out []place
	plain := path
	if before, rest, hasID := strings.Cut(path, "{"); hasID {
		_, behind, _ := strings.Cut(rest, "}")
		plain = before + "s" + behind
		for _, raw := range []bool{false, true} {
			out = append(out, place{method: method, path: before + hole + behind, body: some, raw: raw})
		}
	}
	for _, name := range queries {
		out = append(out, place{method: method, path: plain, query: name, body: some})
	}
	for _, header := range oddHeaders {
		out = append(out, place{method: method, path: plain, header: header, body: some})
	}
	for _, body := range bodies {
		for _, holed := range holes(body) {
			p := place{method: method, path: plain, body: holed}
			out = append(out, p)
			if strings.Contains(body, "CALL ") { // skills are the only names that are files
				out = append(out, slices.Repeat([]place{p}, 40)...)
			}
		}
	}
	return out
}

// holes are a JSON body with a hole in the place of each of its texts in turn.
func holes(body string) []string {
	if strings.Contains(body, hole) {
		return []string{body}
	}
	var out []string
	for at := 0; ; {
		i := strings.Index(body[at:], `:"`)
		if i < 0 {
			return out
		}
		from := at + i + 2
		to := from + strings.IndexByte(body[from:], '"')
		out = append(out, body[:from]+hole+body[to:])
		at = to
	}
}

// callTool is a model that calls the tool skills as it is asked to, once.
func callTool(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
		http.Error(w, "cannot read this", http.StatusBadRequest)
		return
	}
	last := in.Messages[len(in.Messages)-1]
	w.Header().Set("Content-Type", "application/json")
	arguments, ok := strings.CutPrefix(fmt.Sprint(last.Content), "CALL ")
	if !ok || last.Role != "user" {
		fmt.Fprint(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}`)
		return
	}
	text, _ := json.Marshal(arguments) // a string: cannot fail
	fmt.Fprintf(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function",`+
		`"function":{"name":"skills","arguments":%s}}]},"finish_reason":"tool_calls"}]}`, text)
}
