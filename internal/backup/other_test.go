package backup_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/fault"
)

// TestOther names what people take for a backup, and the next command.
func TestOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ head, file, want string }{
		{"\x1f\x8b\x08", "b.tar.gz", "b.tar.gz is packed with gzip. Nothing was changed. Run: gunzip -c b.tar.gz | hermes restore -"},
		{"\x28\xb5\x2f\xfd", "my backup.zst", "Run: zstd -dc 'my backup.zst' | hermes restore -"},
		{"age-encryption.org/v1\n", "it's.age", `Run: age -d -i KEYFILE 'it'\''s.age' | hermes restore -`},
		{"\xfd7zXZ\x00", "-x", "Run: xz -dc ./-x | hermes restore -"},
		{"BZh9", "-", "The standard input is packed with bzip2. Nothing was changed. Run: bunzip2 -c FILE | hermes restore -"},
		{"PK\x03\x04", "b.zip", "b.zip is a zip archive"},
		{"SQLite format 3\x00", "state.db", "state.db is a database"},
		{`{"object":"hermes.session.export"`, "e.jsonl", "Read it with: hermes sessions import e.jsonl"},
	} {
		err := backup.Other([]byte(c.head), c.file)
		if fault.CodeOf(err) != "not_a_backup" || !strings.Contains(fault.MessageOf(err), c.want) {
			t.Errorf("%.20q: got %v, want %s", c.head, err, c.want)
		}
	}
	for _, head := range []string{"", "state.db\x00\x00", "Dear diary"} {
		if err := backup.Other([]byte(head), "b.tar"); err != nil {
			t.Errorf("%q: got %v", head, err)
		}
	}
}
