package upstream_test

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestTranscribe(t *testing.T) {
	t.Parallel()
	srv := upstreamtest.New(t, upstreamtest.Options{Heard: func(recording []byte) string { return " said: " + string(recording) + "\n" }})
	m := upstream.New(upstream.Options{BaseURL: srv.URL + "/v1", Key: "sk-key"}).Transcriber("whisper-1")
	for recorded, name := range map[string]string{
		"audio/ogg; codecs=opus": "voice.ogg", "audio/mp4": "voice.m4a", "": "voice.ogg", "evil\"\r\nX: y": "voice.ogg", "text/plain": "voice.ogg",
	} {
		got, err := m.Transcribe(context.Background(), []byte("bytes"), recorded)
		if err != nil || got != "said: bytes" {
			t.Fatalf("%q: got %q, %v", recorded, got, err)
		}
		req := srv.Last()
		_, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
		if err != nil || req.Path != "/v1/audio/transcriptions" || req.Header.Get("Authorization") != "Bearer sk-key" {
			t.Fatalf("got %s with %v", req.Path, req.Header)
		}
		form := multipart.NewReader(strings.NewReader(string(req.Body)), params["boundary"])
		fields := map[string]string{}
		for part, err := form.NextPart(); err == nil; part, err = form.NextPart() {
			value, _ := io.ReadAll(part)
			fields[part.FormName()] = string(value)
			if part.FormName() == "file" && part.FileName() != name {
				t.Errorf("%q: got the name %q, want %q", recorded, part.FileName(), name)
			}
		}
		if fields["model"] != "whisper-1" || fields["file"] != "bytes" {
			t.Errorf("got %v", fields)
		}
	}
}

// TestTranscribeRefused gives answers that are no transcriptions.
func TestTranscribeRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step upstreamtest.Step
		want fault.Kind
	}{
		"no JSON":   {upstreamtest.Step{Raw: []byte("<html>")}, fault.Upstream},
		"no text":   {upstreamtest.Step{Raw: []byte(`{"words":[]}`)}, fault.Upstream},
		"a refusal": {upstreamtest.Refuse(http.StatusTooManyRequests, "slow_down", "Slow down."), fault.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := upstreamtest.New(t, upstreamtest.Options{HeardStep: func(*upstreamtest.Request) upstreamtest.Step { return c.step }})
			_, err := upstream.New(upstream.Options{BaseURL: srv.URL}).Transcriber("w").Transcribe(context.Background(), []byte("x"), "")
			if fault.KindOf(err) != c.want {
				t.Errorf("got %v, want the kind %s", err, c.want)
			}
		})
	}
}
