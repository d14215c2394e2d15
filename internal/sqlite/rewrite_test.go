package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestTracesFindWhatIsThere is the other half of the contract: a search that
// finds nothing would be content with everything.
func TestTracesFindWhatIsThere(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "The password is QUETZALCOATL.")
	writeFile(t, filepath.Join(filepath.Dir(path), "export.json"), `{"said":"Quetzalcoatl"}`)
	traces := func() map[string]curate.Trace {
		if err := db.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := db.Traces(t.Context(), mention.Of("quetzalcoatl"))
		if err != nil {
			t.Fatal(err)
		}
		out := make(map[string]curate.Trace)
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

// TestTracesOfTheFormat: the words of the schema and of the protocols are no traces, and
// a text with one of them in another word is.
func TestTracesOfTheFormat(t *testing.T) {
	t.Parallel()
	db := openAt(t, tempFile(t))
	write(t, db, "s", 0, "We met Adam in Oslo.")
	for about, left := range map[string]bool{"id": false, "user": false, "table": false, "session": false, "lineag": false, "met": true} {
		traces, err := db.Traces(t.Context(), mention.Of(about))
		if err != nil {
			t.Fatal(err)
		}
		hits, format := 0, 0
		for _, tr := range traces {
			hits, format = hits+tr.Hits, format+tr.Format
		}
		if hits > 0 != left || !left && format == 0 {
			t.Errorf("%q: got %d hits and %d words of the format in %+v, want hits %v", about, hits, format, traces, left)
		}
	}
}

// TestTracesOfBookkeeping: what the program writes into a home for itself names nothing, whatever letters it has. The same
// letters in a file of another program are a trace.
func TestTracesOfBookkeeping(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "We met Adam in Oslo.")
	home := filepath.Dir(path)
	for name, text := range map[string]string{
		"erasures.jsonl": `{"kind":"thing","store":"6b70","owner":"local","hash":"df6b","words":1,"at":"2026-11-30T16:17:44Z","done":true}`,
		"server.json":    `{"address":"127.0.0.1:4567","pid":2026,"token":"hash","version":"thing"}`,
		"notes.json":     `{"hash":"2026","kind":"thing","address":"4567"}`,
	} {
		writeFile(t, filepath.Join(home, name), text)
	}
	for _, about := range []string{"Ash", "thing", "2026", "4567"} {
		found, err := db.Traces(t.Context(), mention.Of(about))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if theirs := f.File == "notes.json"; theirs != (f.Hits > 0) || theirs != f.Foreign {
				t.Errorf("%s: got %+v", about, f)
			}
		}
	}
}

// TestTracesOfSettings: the name of a setting in the configuration file is no mention of a thing. A value is one, and what a
// person has noted there.
func TestTracesOfSettings(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "config.yaml"), `# for Quagga
platforms:
  telegram: { users: [4711], memory_key: okapi }
  allowed_users: ["discord:1"]
session_reset: { types: { group: { mode: idle } }, platforms: { slack: { at_hour: 3 } } }
mcp_servers: { wombat: { command: zebu } }
`)
	db := openAt(t, filepath.Join(home, "state.db"))
	for about, want := range map[string]int{
		"telegram": 0, "gram": 0, "discord": 0, "slack": 0, "platforms": 0, "group": 0, "mcp": 0, "memory": 0, "hour": 0,
		"quagga": 1, "4711": 1, "okapi": 1, "wombat": 1, "zebu": 1,
	} {
		found, err := db.Traces(t.Context(), mention.Of(about))
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range found {
			if tr.File == "config.yaml" && tr.Hits != want {
				t.Errorf("%s: got %d mentions in the settings, want %d", about, tr.Hits, want)
			}
		}
	}
}

// TestTracesFollowTheHome: a home that is reached by a link is searched, a linked
// file in it, too, and a linked directory is named.
func TestTracesFollowTheHome(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "home")
	writeFile(t, filepath.Join(elsewhere, "notes.md"), "the zebra")
	for from, to := range map[string]string{
		link: home, filepath.Join(home, "notes"): filepath.Join(elsewhere, "notes.md"), filepath.Join(home, "more"): elsewhere,
		filepath.Join(home, "broken"): filepath.Join(elsewhere, "none"), filepath.Join(home, "again.db"): filepath.Join(home, "state.db"),
	} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	db := openAt(t, filepath.Join(link, "state.db"))
	write(t, db, "s", 0, "A Zebra at the door.")
	if err := db.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := db.Traces(t.Context(), mention.Of("zebra"))
	if err != nil {
		t.Fatal(err)
	}
	hits := make(map[string]int)
	for _, tr := range found {
		hits[tr.File] = tr.Hits
	}
	if hits["state.db"] == 0 || hits["again.db"] == 0 || hits["notes"] != 1 {
		t.Errorf("got %v, want hits in state.db, again.db and notes", hits)
	}
	if _, named := hits["more (a link, not searched)"]; !named {
		t.Errorf("got %v, want the linked directory named", hits)
	}
	if got := strangers(t)["the bare driver"](t, filepath.Join(home, "state.db")); got != "1" {
		t.Errorf("a stranger counts %s messages, want 1", got)
	}
}
