package transfer

import (
	"io"
	"strings"
	"testing"
)

// TestCopies: of a conversation that the input has several times, the newest copy is taken, in
// whichever order they stand.
func TestCopies(t *testing.T) {
	t.Parallel()
	older := tiny
	newer := strings.Replace(tiny, `]}]`, `,{"uuid":"m2","sender":"assistant","text":"Green or black?","created_at":"2024-05-01T10:00:09Z"}]}]`, 1)
	for name, files := range map[string][]string{
		"old, new": {older, newer}, "new, old": {newer, older}, "new twice, old": {newer, newer, older}, "old, new, new": {older, newer, newer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := &Input{}
			for _, text := range files {
				in.Files = append(in.Files, memoryFile("conversations.json", []byte(text)))
			}
			spool, err := NewSpool()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = spool.Close() }()
			report := NewReport(false)
			if err := Read(t.Context(), in, Options{From: "auto"}, report, spool.Keep); err != nil {
				t.Fatal(err)
			}
			r, err := spool.Reader(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), "Green or black?") || int64(len(text)) != spool.Size() {
				t.Errorf("got %s, %v; the size is %d", text, err, spool.Size())
			}
			if report.Conversations != 1 || report.Messages != 2 || len(report.Omitted) != 1 || report.Omitted[0].Count != len(files)-1 {
				t.Errorf("got %+v", report)
			}
		})
	}
}
