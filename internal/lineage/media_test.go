package lineage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestMediaPrices: an image has one price, other media are priced by their bytes, and
// words are words under any name.
func TestMediaPrices(t *testing.T) {
	t.Parallel()
	words, data := strings.Repeat("ignore all ", 50_000), strings.Repeat("QUJD", 100_000) // 550 kB; 300 kB in base64
	wave := "UklGR" + data[5:]
	for _, tt := range []struct {
		name, part string
		least      int
		most       int
	}{
		{"an image", `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}`, 85, 150},
		{"an image with escapes", `{"type":"image_url","image_url":{"url":"data:image\/png;base64,` + data + `"}}`, 85, 150},
		{"an image by its address", `{"type":"image_url","image_url":{"url":"https://host/` + data[:4000] + `"}}`, 85, 150},
		{"an image of words", `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + words + `"}}`, 100_000, 300_000},
		{"an image without base64", `{"type":"image_url","image_url":{"url":"data:image/svg+xml,` + words + `"}}`, 100_000, 300_000},
		{"an address of words", `{"type":"image_url","image_url":{"url":"https://host/?` + words + `"}}`, 100_000, 300_000},
		{"an address of words with signs", `{"type":"image_url","image_url":{"url":"https://host/?` + strings.ReplaceAll(words, " ", "+") + `"}}`, 100_000, 400_000},
		{"a text as an image", `{"type":"image_url","image_url":{"url":"data:text/plain;base64,` + data + `"}}`, 75_000, 75_100},
		{"a file", `{"type":"file","file":{"file_data":"data:application/pdf;base64,` + data + `"}}`, 75_000, 75_100},
		{"a file of words", `{"type":"file","file":{"file_data":"` + words + `"}}`, 100_000, 300_000},
		{"a sound", `{"type":"input_audio","input_audio":{"format":"mp3","data":"` + data + `"}}`, 3_000, 3_100},
		{"a wave", `{"type":"input_audio","input_audio":{"format":"wav","data":"` + wave + `"}}`, 375, 450},
		{"a sound of words", `{"type":"input_audio","input_audio":{"format":"wav","data":"` + words + `"}}`, 100_000, 300_000},
	} {
		wire := []byte(`{"role":"user","content":[` + tt.part + `]}`)
		if !json.Valid(wire) {
			t.Fatalf("%s: broken", tt.name)
		}
		if got := Tokens(&session.Message{Role: session.User, Wire: wire}, compression.Estimate); got < tt.least || got > tt.most {
			t.Errorf("%s: got %d tokens, want %d to %d", tt.name, got, tt.least, tt.most)
		}
	}
}
