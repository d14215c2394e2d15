package upstream

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
)

// Embedder asks one embeddings model of a server.
type Embedder struct {
	c     *client
	to    *url.URL
	model string
}

var _ memory.Embedder = (*Embedder)(nil)

// Embedder is an embeddings model of the same server.
func (m *OpenAI) Embedder(model string) *Embedder {
	return &Embedder{c: m.c, to: m.c.at("/embeddings"), model: model}
}

// maxDimensions is the longest vector that is accepted; common models use 256 to 4,096.
const maxDimensions = 16384

// Embed returns one vector for each text, all of one length, and the cost in tokens; 0
// if the server does not report it.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, int, error) {
	data, err := json.Marshal(map[string]any{"model": e.model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, 0, fault.Wrap(fault.Internal, "", "The request for embeddings could not be encoded.", err)
	}
	a, err := e.c.post(ctx, e.to, data, false)
	if err != nil {
		return nil, 0, err
	}
	defer a.close()
	raw, err := a.all(e.c.opt.MaxBody)
	if err != nil {
		return nil, 0, err
	}
	return parseVectors(raw, len(texts))
}

// parseVectors reads n vectors in OpenAI's form.
func parseVectors(raw []byte, n int) ([][]float32, int, error) {
	var list struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt tokens `json:"prompt_tokens"`
			Total  tokens `json:"total_tokens"`
		} `json:"usage"`
	}
	garbled := func(err error) error {
		return fault.Wrap(fault.Upstream, codeGarbled, "The upstream's embeddings are not valid.", err)
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, 0, garbled(err)
	}
	out := make([][]float32, n)
	if len(list.Data) != n {
		return nil, 0, garbled(nil)
	}
	for i := range list.Data {
		d := &list.Data[i]
		size := len(d.Embedding)
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil || size == 0 || size > maxDimensions || size != len(list.Data[0].Embedding) {
			return nil, 0, garbled(nil)
		}
		out[d.Index] = d.Embedding
	}
	return out, int(max(0, list.Usage.Prompt, list.Usage.Total)), nil
}
