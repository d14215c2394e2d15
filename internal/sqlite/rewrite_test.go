package sqlite

import (
	"bytes"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestTracesFindWhatIsThere is the other half of the contract: a search that
// finds nothing would be content with everything.
func TestTracesFindWhatIsThere(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "The password is QUETZALCOATL.")
	writeFile(t, filepath.Join(filepath.Dir(path), "export.json"), `{"said":"Quetzalcoatl"}`)
	traces := func() map[string]run.Trace {
		found, err := db.Traces(t.Context(), [][]byte{[]byte("quetzalcoatl")})
		if err != nil {
			t.Fatal(err)
		}
		out := make(map[string]run.Trace)
		for _, tr := range found {
			out[tr.File] = tr
		}
		return out
	}
	before := traces()
	for _, file := range []string{"state.db", "export.json"} {
		if tr := before[file]; tr.Hits == 0 || tr.Bytes == 0 {
			t.Errorf("%s: got %+v, want at least one hit", file, tr)
		}
	}
	if err := db.DeleteLineage(t.Context(), owner.Local(), "s"); err != nil {
		t.Fatal(err)
	}
	after := traces()
	if after["state.db"].Hits != 0 || after["state.db-wal"].Hits != 0 || after["export.json"].Hits == 0 {
		t.Errorf("after an erasure: got %+v, want hits in export.json alone", after)
	}
	write(t, db, "s", 0, "still ours") // the search let go of no lock
	if got := strangers(t)["the bare driver"](t, path); got != "1" {
		t.Errorf("a stranger counts %s messages, want 1", got)
	}
}

// TestSearch counts needles in bytes that are no text, however they arrive.
func TestSearch(t *testing.T) {
	t.Parallel()
	const needle, copies = "quetzalcoatl", 7
	source := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same bytes each time
	var hay bytes.Buffer
	for i := range copies {
		for range 50_000 * i {
			hay.WriteByte(byte(source.UintN(256)))
		}
		hay.WriteString(strings.ToUpper(needle[:i]) + needle[i:])
	}
	hay.WriteString("İİİİKKKK\xff\xfe" + needle[:5])
	for name, in := range map[string]io.Reader{
		"at once":       bytes.NewReader(hay.Bytes()),
		"in halves":     iotest.HalfReader(bytes.NewReader(hay.Bytes())),
		"end with data": iotest.DataErrReader(bytes.NewReader(hay.Bytes())),
	} {
		size, hits, err := countIn(in, [][]byte{[]byte(needle), []byte("nonesuch")})
		if err != nil || size != int64(hay.Len()) || hits != copies {
			t.Errorf("%s: got %d hits in %d bytes (%v), want %d in %d", name, hits, size, err, copies, hay.Len())
		}
	}
	// Letters whose small form has another length must not move the count.
	small := strings.Repeat("\xff\xff\xffabc"+needle+"İKKKabc", 3)
	if _, hits, err := countIn(iotest.OneByteReader(strings.NewReader(small)), [][]byte{[]byte(needle), []byte("abc")}); err != nil || hits != 9 {
		t.Errorf("byte by byte: got %d hits (%v), want 9", hits, err)
	}
	if _, hits, err := countIn(iotest.OneByteReader(strings.NewReader("ÜBER Über über ЁЖ ёж")), [][]byte{[]byte("über"), []byte("ёж")}); err != nil || hits != 5 {
		t.Errorf("other alphabets: got %d hits (%v), want 5", hits, err)
	}
	if _, _, err := countIn(iotest.ErrReader(io.ErrUnexpectedEOF), [][]byte{[]byte(needle)}); err == nil {
		t.Error("a failing reader: got no error")
	}
}
