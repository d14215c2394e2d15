package gatewaytest

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

func fileCases() []contractCase {
	return []contractCase{
		{"a file can be fetched", testFetch},
		{"photos and voice messages", testFileKinds},
		{"a download is given up", testFetchGivenUp},
	}
}

func testFetch(t *testing.T, b *bench) {
	b.start(t)
	want := bytes.Repeat([]byte("0123456789"), 10_000)
	file := &gateway.File{Name: "receipt.txt", Data: want}
	e := b.chat(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "a receipt", File: file})
	size := int64(len(want))
	if b.NoSizes {
		size = 0
	}
	if len(e.Files) != 1 || e.Files[0].Name != "receipt.txt" || e.Files[0].Size != size || e.Text != "a receipt" {
		t.Fatalf("got %q with %+v, want one file", e.Text, e.Files)
	}
	r, err := b.adapter.Fetch(t.Context(), e.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	e.Files[0].Ref += "x"
	if _, err := b.adapter.Fetch(t.Context(), e.Files[0]); err == nil {
		t.Error("a file that is not there was fetched")
	} else {
		b.noSecret(t, "the error", err.Error())
	}
}

// testFileKinds: photos and voice messages are told apart from other files, and their bytes
// are those that were sent. Without a text there is none.
func testFileKinds(t *testing.T, b *bench) {
	b.start(t)
	for kind, text := range map[gateway.FileKind]string{gateway.Photo: "look", gateway.Voice: "", gateway.Document: ""} {
		file := &gateway.File{Name: string(kind) + ".bin", Data: []byte("the bytes of a " + kind)}
		e := b.chat(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: text, File: file, FileKind: kind})
		if len(e.Files) != 1 || e.Files[0].Kind != kind || e.Text != text {
			t.Errorf("%s: got %q with %+v", kind, e.Text, e.Files)
			continue
		}
		r, err := b.adapter.Fetch(t.Context(), e.Files[0])
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, file.Data) {
			t.Errorf("%s: got %q, %v, want %q", kind, got, err, file.Data)
		}
		_ = r.Close()
	}
}

// testFetchGivenUp: a download ends with its context, and nothing is left of it.
func testFetchGivenUp(t *testing.T, b *bench) {
	b.start(t)
	file := &gateway.File{Name: "a.txt", Data: []byte("content")}
	e := b.chat(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "a file", File: file})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := b.adapter.Fetch(ctx, e.Files[0]); err == nil {
		_ = r.Close()
		t.Error("a download that was given up has begun")
	} else {
		b.noSecret(t, "the error", err.Error())
		b.noSecret(t, "the words for people", fault.MessageOf(err))
	}
}
