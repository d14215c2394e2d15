package transfer

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// TestReasons: what is damaged is told by its place, in words of this program, and with what became of it.
func TestReasons(t *testing.T) {
	t.Parallel()
	latin := []byte(strings.Replace(tiny, "tea", "caf\xe9", 1))
	at := bytes.IndexByte(latin, 0xe9)
	flipped := zipped(t, [2]string{"c.json", strings.Replace(tiny, "I like tea.", "I like \",x", 1)})
	sum := bytes.Index(flipped, []byte("PK\x01\x02")) + 16
	flipped[sum] ^= 1 // the checksum
	for _, tt := range []struct {
		name, file string
		text       []byte
		want, not  string
	}{
		{"a place in a value", "m.jsonl", []byte(`{"id":"a","messages":[{"role":"user","content":nul}]}`), `It is not JSON: invalid character '}'`, "jsontext"},
		{"a pointer", "m.jsonl", []byte(`{"id":"a","messages":[{"role":"user","content":nul}]}`), `, at byte 50 of it, within "/messages/0/content". It was left out;`, "offset"},
		{"bytes in a list", "c.json", latin, "first in c.json, byte " + strconv.Itoa(at), "byte 1\n"},
		{"bytes in a line", "m.jsonl", []byte("{\"session\":\"s\",\"role\":\"user\",\"content\":\"\xe9\"}"), "first in m.jsonl, line 1, byte 40", ""},
		{"bytes behind a line end in a text", "c.json", bytes.Replace(latin, []byte("caf"), []byte("\n"), 1), "first in c.json, in what begins at byte 1", ""},
		{"a file that was cut off", "c.json.gz", []byte(gzipped(t, tiny)[:40]), "ends before it can be unpacked whole: it was cut off. Get the export again.", "EOF"},
		{"a checksum", "c.zip", flipped, "None of its conversations was taken.", "what stands behind it was read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, err := Open(fileOf(t, tt.file, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			got, err := readAll(t, in, Options{From: "auto"})
			if err != nil {
				got += err.Error()
			}
			if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("got %s, want %q, and no %q", got, tt.want, tt.not)
			}
			if tt.name == "a checksum" && !strings.Contains(got, "failed         1 ") {
				t.Errorf("got %s, want one failure", got)
			}
		})
	}
}
