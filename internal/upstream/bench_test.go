//go:build unix

package upstream

import (
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// cpu is the processor time this process has used, in microseconds.
func cpu(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}

// BenchmarkOpenAI measures calls over loopback. The processor time it reports
// holds that of the scripted server too.
func BenchmarkOpenAI(b *testing.B) {
	ask := session.Message{Role: session.User, Content: strings.Repeat("What did we decide about the depot? ", 40)}
	body := []byte(`{"model":"hermes","messages":[{"role":"user","content":"x"}],"stream":true,"temperature":0.2}`)
	for _, bb := range []struct {
		name   string
		pieces int
		prompt run.Prompt
	}{
		{"whole", 1, run.Prompt{Body: body, Messages: []session.Message{ask, ask, ask, ask}}},
		{"stream of 10", 10, run.Prompt{Streaming: true, Body: body, Messages: []session.Message{ask, ask, ask, ask}}},
		{"stream of 100", 100, run.Prompt{Streaming: true, Body: body, Messages: []session.Message{ask, ask, ask, ask}}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			step := upstreamtest.Step{Chunks: make([]string, bb.pieces)}
			for i := range step.Chunks {
				step.Chunks[i] = " word"
			}
			if !bb.prompt.Streaming {
				step.Shape = upstreamtest.AsJSON
			}
			s := upstreamtest.New(b, upstreamtest.Options{Quiet: true, Default: func(*upstreamtest.Request) upstreamtest.Step { return step }})
			m := New(Options{BaseURL: s.URL, Key: testKey, Model: "m", Transport: pool(b)})
			b.ReportAllocs()
			start := cpu(b)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					p := bb.prompt
					if _, err := listen(m.Stream(b.Context(), &p)); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric((cpu(b)-start)/float64(b.N), "cpu-µs/op")
		})
	}
}

func BenchmarkChunk(b *testing.B) {
	raw := []byte(`{"id":"chatcmpl-abcdefghijklmnopqrst","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"abcdefgh"}`)
	var c openai.Chunk
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if err := c.Read(raw); err != nil {
			b.Fatal(err)
		}
	}
}
