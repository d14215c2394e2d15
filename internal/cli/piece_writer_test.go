package cli

import (
	"bytes"
	"testing"
)

// TestPieceWriter: wherever a piece ends, signs that act on a terminal are escaped and
// all other characters stay.
func TestPieceWriter(t *testing.T) {
	t.Parallel()
	const text, want = "{\"a\":\"\u009b2J \u202eabc ü😀 名\"}\n", "{\"a\":\"\\u009b2J \\u202eabc ü😀 名\"}\n"
	for at := range len(text) {
		var out bytes.Buffer
		w := newApp(Process{Stdout: &out}).file()
		for _, piece := range []string{text[:at], text[at:]} {
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("got %d, %v", n, err)
			}
		}
		if out.String() != want {
			t.Errorf("cut at %d: got %q, want %q", at, out.String(), want)
		}
	}
}
