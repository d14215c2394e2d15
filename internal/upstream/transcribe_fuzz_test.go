package upstream

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParseTranscript: whatever a server sends, what is taken for words is text.
func FuzzParseTranscript(f *testing.F) {
	for _, seed := range []string{`{"text":" Hello. "}`, `{"text":null}`, `{"text":7}`, `null`, `"x"`, `{"text":"\ud800"}`, "{\"text\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := parseTranscript(raw)
		if err == nil && (!utf8.ValidString(got) || strings.TrimSpace(got) != got) {
			t.Errorf("got %q", got)
		}
	})
}

// FuzzNameOfRecording: whatever a platform says, the name and the type are plain.
func FuzzNameOfRecording(f *testing.F) {
	for _, seed := range []string{"audio/ogg; codecs=opus", "AUDIO/MPEG", "", "a\r\nb", `audio/ogg; x="`, "video/mp4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, recorded string) {
		name, kind := nameOfRecording(recorded)
		if !strings.HasPrefix(name, "voice.") || strings.ContainsAny(name+kind, "\"\r\n;\\") || !strings.Contains(kind, "/") {
			t.Errorf("got %q, %q", name, kind)
		}
	})
}
