package cli_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMetrics reads the metrics on both addresses of a server that had a turn.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), []string{"HERMES_ADMIN_ADDR=127.0.0.1:0", "HERMES_MEMORY_LIMIT=128MiB"}, "--addr", "127.0.0.1:0")
	s.say("m", "I like tea.")
	at := regexp.MustCompile(`metrics +(http://\S+)`).FindStringSubmatch(s.log.String())
	if at == nil {
		t.Fatalf("the banner names no address:\n%s", s.log)
	}
	fetch := func(url, key string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	for _, c := range []struct {
		name, url, key string
		status         int
	}{
		{"admin", at[1], "", 200},
		{"with a key", "http://" + s.addr + "/metrics", "hermes", 200},
		{"without", "http://" + s.addr + "/metrics", "", 401},
		{"nothing else there", strings.Replace(at[1], "/metrics", "/api/sessions", 1), "hermes", 404},
	} {
		status, body := fetch(c.url, c.key)
		if status != c.status {
			t.Errorf("%s: got %d, want %d", c.name, status, c.status)
		}
		if status == 200 {
			for _, want := range []string{
				`hermes_turns_total{outcome="ok",responder="recall"} 1`, `hermes_facts_learned_total 1`,
				"hermes_writer_batch_operations_count", "go_goroutines", "hermes_build_info", "hermes_lineages_in_memory 1",
				"hermes_memory_cache_misses_total 1", "hermes_memory_cache_limit_bytes 3.3554432e+07", "go_gc_gomemlimit_bytes 1.2079593e+08",
			} {
				if !strings.Contains(body, want) {
					t.Errorf("%s: no %s", c.name, want)
				}
			}
		}
	}
	s.stop()
}
