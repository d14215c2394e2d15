package upstreamtest

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"strings"
)

// embed answers a call for embeddings. Only the delay, the refusal and the raw body of
// a step count.
func (s *Server) embed(w http.ResponseWriter, r *http.Request, req *Request) {
	var step Step
	if s.opt.EmbedStep != nil {
		step = s.opt.EmbedStep(req)
	}
	if !wait(r.Context(), step.Before, step.Hold) {
		offer(s.left, req)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case step.refuses():
		w.WriteHeader(step.Status)
		_, _ = w.Write([]byte(step.Body))
		return
	case step.Raw != nil:
		_, _ = w.Write(step.Raw)
		return
	case step.Hang:
		<-r.Context().Done()
		offer(s.left, req)
		return
	}
	var in struct{ Input []string }
	if err := json.Unmarshal(req.Body, &in); err != nil {
		http.Error(w, "no texts", http.StatusBadRequest)
		return
	}
	type row struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	rows, tokens := make([]row, len(in.Input)), 0
	for i := range in.Input { // clients must not rely on the order
		k := len(in.Input) - 1 - i
		rows[i] = row{"embedding", k, s.vector(in.Input[k])}
		tokens += len(in.Input[k])/4 + 1
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"object": "list", "model": req.Model, "data": rows, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}

// vector is the vector of a text: the one from the options, else one made of its words.
func (s *Server) vector(text string) []float32 {
	if s.opt.Embed != nil {
		return s.opt.Embed(text)
	}
	v := make([]float32, 64)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < '0' || r > '9' && r < 'a' }) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		v[h.Sum32()%64]++
	}
	v[0] += 0.01
	return v
}
