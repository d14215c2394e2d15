package sqlite

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestVerifyFindsDamage: a broken page of any table or index is found. The text index does not
// count: it is derived from the messages, and made again.
func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	atVersion(t, path, len(migrations(t)))
	must(t, raw(t, path), `PRAGMA wal_checkpoint(TRUNCATE)`)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), path); err != nil {
		t.Fatalf("before the damage: %v", err)
	}
	list := ask[string](t, raw(t, path), `SELECT group_concat(rootpage || ' ' || name, char(10)) FROM sqlite_schema WHERE rootpage > 0`)
	pages := strings.Split(list, "\n")
	if len(pages) < 50 {
		t.Fatalf("got %d pages", len(pages))
	}
	for _, one := range pages {
		var page int
		var name string
		if _, err := fmt.Sscan(one, &page, &name); err != nil {
			t.Fatal(err)
		}
		size := int(whole[16])<<8 | int(whole[17])
		broken := append([]byte(nil), whole...)
		clear(broken[(page-1)*size : page*size])
		file := tempFile(t)
		if err := os.WriteFile(file, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Verify(t.Context(), file)
		if harmless := ofTextIndex(name); (err == nil) != harmless || err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
