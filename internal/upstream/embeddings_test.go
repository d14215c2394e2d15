package upstream_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestEmbed(t *testing.T) {
	t.Parallel()
	srv := upstreamtest.New(t, upstreamtest.Options{Embed: func(text string) []float32 { return []float32{float32(len(text)), 1} }})
	e := upstream.New(upstream.Options{BaseURL: srv.URL + "/v1", Key: "sk-key"}).Embedder("embed-1")
	got, tokens, err := e.Embed(context.Background(), []string{"one", "three"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{3, 1}, {5, 1}}, got); diff != "" || tokens == 0 {
		t.Errorf("got tokens %d, vectors (+), want (-):\n%s", tokens, diff)
	}
	req := srv.Last()
	var body struct {
		Model string
		Input []string
	}
	if err := json.Unmarshal(req.Body, &body); err != nil {
		t.Fatal(err)
	}
	if req.Path != "/v1/embeddings" || body.Model != "embed-1" || !cmp.Equal(body.Input, []string{"one", "three"}) || req.Header.Get("Authorization") != "Bearer sk-key" {
		t.Errorf("got %s %s as %q", req.Path, req.Body, req.Header.Get("Authorization"))
	}
}

// TestEmbedGarbled gives answers that are no embeddings.
func TestEmbedGarbled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step upstreamtest.Step
		want fault.Kind
	}{
		"no JSON":         {upstreamtest.Step{Raw: []byte("<html>")}, fault.Upstream},
		"none":            {upstreamtest.Step{Raw: []byte(`{"data":[]}`)}, fault.Upstream},
		"one missing":     {upstreamtest.Step{Raw: []byte(`{"data":[{"index":0,"embedding":[1]}]}`)}, fault.Upstream},
		"the same twice":  {upstreamtest.Step{Raw: []byte(`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`)}, fault.Upstream},
		"out of range":    {upstreamtest.Step{Raw: []byte(`{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}`)}, fault.Upstream},
		"other lengths":   {upstreamtest.Step{Raw: []byte(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`)}, fault.Upstream},
		"texts for parts": {upstreamtest.Step{Raw: []byte(`{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}`)}, fault.Upstream},
		"a refusal":       {upstreamtest.Refuse(http.StatusTooManyRequests, "slow_down", "Slow down."), fault.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := upstreamtest.New(t, upstreamtest.Options{EmbedStep: func(*upstreamtest.Request) upstreamtest.Step { return c.step }})
			got, _, err := upstream.New(upstream.Options{BaseURL: srv.URL}).Embedder("e").Embed(context.Background(), []string{"a", "b"})
			if fault.KindOf(err) != c.want {
				t.Errorf("got %v and %v, want %q", got, err, c.want)
			}
		})
	}
}
