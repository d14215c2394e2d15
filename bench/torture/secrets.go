package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// secretsRig gives a server every secret it can have, and looks for them in
// everything that it says.
var secretsRig = rig{
	name: "secrets", fault: "T15 a secret in every setting, echoed by a model, a collector and a tool server that fail", rounds: 20, run: lookForSecrets,
	want: "0 hits in the log, answers, metrics, spans, exports, files and commands",
	off:  "what an upstream says is passed on as it is", bareRounds: 1,
	bare: []change{{"internal/upstream/scrub.go", "	text = strings.Map(printable, strings.ToValidUTF8(text, \"\\uFFFD\"))\n", "	return text\n"}},
}

// canary is a secret, and the setting it stands in.
type canary struct{ where, text string }

// canaries have shapes as keys have them; each begins otherwise.
var canaries = []canary{
	{"HERMES_UPSTREAM_KEY", "uK7-upstreamcanary-0123456789abcdefghij"},
	{"API_SERVER_KEY", "sK8-servercanary-0123456789abcdefghijkl"},
	{"OPENAI_API_KEY", "sk-oK9openaicanary0123456789abcdefghij"},
	{"ANTHROPIC_API_KEY", "sk-ant-aK1canary0123456789abcdefghijkl"},
	{"OPENROUTER_API_KEY", "sk-or-rK2canary0123456789abcdefghijklm"},
	{"OTEL_EXPORTER_OTLP_HEADERS", "tK3-collectorcanary-0123456789abcdefgh"},
	{"TOOL_TOKEN", "mK4-toolservercanary-0123456789abcdefg"},
}

// outputs is everything that was said, by where.
type outputs struct {
	mu   sync.Mutex
	text map[string]*bytes.Buffer
}

func (s *outputs) add(where string, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text[where] == nil {
		s.text[where] = new(bytes.Buffer)
	}
	s.text[where].Write(text)
	s.text[where].WriteByte('\n')
}

// echoing is a server that fails, and says with what it was asked.
func echoing(how *int, mu *sync.Mutex) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n := *how
		*how++
		mu.Unlock()
		secret := strings.Join(append(r.Header.Values("Authorization"), r.Header.Get("X-Token")), " ")
		// a string: cannot fail
		told, _ := json.Marshal("You sent " + secret + " and (" + secret + "), key=" + strings.TrimPrefix(secret, "Bearer "))
		switch n % 5 {
		case 0:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":%s,"type":"invalid_request_error","code":%s,"param":%s}}`, told, told, told)
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "<html>%s</html>", told)
		case 2:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, piece("It begins "), "data: {\"error\":{\"message\":"+string(told)+"}}\n\n")
		case 3:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {]"+string(told)+"\n\n")
		default:
			w.Header().Set("X-Echo", secret)
			w.Header().Set("Location", "http://127.0.0.1:1/?"+strings.ReplaceAll(secret, " ", "+"))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
}

// lookForSecrets is the whole rig.
func lookForSecrets(ctx context.Context, b *bench, rounds int) (*tally, error) {
	var mu sync.Mutex
	how := 0
	model := echoing(&how, &mu)
	defer model.Close()
	all := &outputs{text: make(map[string]*bytes.Buffer)}
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what came is looked at
		all.add("spans", body)
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, r.Header)
	}))
	defer collector.Close()
	s, err := b.subject(model.URL + "/v1")
	if err != nil {
		return nil, err
	}
	config := "mcp_servers:\n  tools:\n    url: " + model.URL +
		"/mcp\n    headers: { Authorization: \"Bearer ${TOOL_TOKEN}\", X-Token: \"${TOOL_TOKEN}\" }\n"
	if err := os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	s.env = []string{"HERMES_LOG_LEVEL=debug", "HERMES_FALLBACK=off", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "HERMES_MEMORY_MODEL=m",
		"HERMES_EMBEDDINGS_MODEL=e",
		"HERMES_TOOLS=memory,session_search"}
	for _, c := range canaries {
		if c.where == "OTEL_EXPORTER_OTLP_HEADERS" {
			s.env = append(s.env, c.where+"=authorization=Bearer%20"+c.text)
			continue
		}
		s.env = append(s.env, c.where+"="+c.text)
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	defer s.kill()
	answers := 0
	for n := range rounds {
		answers += s.provoke(ctx, all, n)
	}
	s.commands(ctx, b, all)
	s.stop()
	all.add("log", []byte(s.log.String()))
	if err := addFiles(s.home, all); err != nil {
		return nil, err
	}
	t := &tally{}
	size, hits := 0, 0
	for where, text := range all.text {
		size += text.Len()
		for _, c := range canaries {
			// Half of a key is a secret, too.
			if n := bytes.Count(text.Bytes(), []byte(c.text[:len(c.text)/2])); n > 0 {
				hits += n
				t.miss("%s is %d times in: %s", c.where, n, where)
			}
		}
	}
	t.done = fmt.Sprintf("%d secrets, %d answers, %d places, %d KiB looked through", len(canaries), answers, len(all.text), size>>10)
	t.figure = fmt.Sprintf("%d hits", hits)
	return t, nil
}

// provoke asks for what fails, under right and wrong keys.
func (s *subject) provoke(ctx context.Context, all *outputs, round int) (answers int) {
	body := func(stream bool) string {
		return string(chatBody(fmt.Sprintf("We use Rust because of reason %d.", round), stream))
	}
	for _, ask := range []struct{ method, path, body string }{
		{"POST", "/v1/chat/completions", body(true)}, {"POST", "/v1/chat/completions", body(false)},
		{"POST", "/v1/messages", `{"max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`}, {"POST", "/v1/messages/count_tokens", "{"},
		{"POST", "/v1/responses", `{"input":"hi","stream":true}`}, {"POST", "/v1/responses", `{"input":"hi","background":true}`},
		{"POST", "/v1/runs", `{"input":"hi"}`}, {"GET", "/v1/runs", ""}, {"GET", "/v1/models", ""}, {"GET", "/v1/models/x", ""}, {"GET", "/v1/capabilities", ""},
		{"GET", "/health/detailed", ""}, {"GET", "/metrics", ""}, {"GET", "/readyz", ""}, {"GET", "/api/keys", ""}, {"GET", "/api/audit", ""},
		{"GET", "/api/work", ""},
		{"GET", "/api/sessions/export", ""}, {"GET", "/api/jobs", ""}, {"GET", "/api/memory/recall?q=Rust&session_id=s", ""}, {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{"GET", "/nowhere", ""}, {"POST", "/v1/chat/completions", "{"},
	} {
		for _, key := range []string{canaries[1].text, canaries[1].text + "x", "x" + canaries[0].text} {
			header := map[string]string{"Authorization": "Bearer " + key, "X-Hermes-Session-Id": "s"}
			res, err := begin(ctx, s.addr, ask.method, ask.path, header, []byte(ask.body))
			if err != nil {
				continue
			}
			text, _ := io.ReadAll(res.Body) // half an answer is looked at, too
			_ = res.Body.Close()
			answers++
			all.add("answer to "+ask.method+" "+ask.path, append(text, []byte(fmt.Sprint(res.Header))...))
		}
	}
	return answers
}

// commands are those that tell of the server and its configuration.
func (s *subject) commands(ctx context.Context, b *bench, all *outputs) {
	for _, line := range []string{"config show", "config show --json", "doctor", "doctor --json", "keys list", "audit", "sessions export -",
		"runs list", "work", "serve --addr 256.0.0.1:1"} {
		cmd := exec.CommandContext(ctx, b.hermes, strings.Fields(line)...)
		cmd.Env = s.cmd.Env
		out, _ := cmd.CombinedOutput() // some are to fail
		all.add("hermes "+line, out)
	}
}

// addFiles looks at all that lies in the home.
func addFiles(home string, all *outputs) error {
	return filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.add("the file "+filepath.Base(path), text)
		return err
	})
}
