package cli

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// restoreHouse is a home with a server, over which commands run.
func restoreHouse(t *testing.T) *shell {
	t.Helper()
	return &shell{t: t, env: map[string]string{"HERMES_HOME": t.TempDir(), "HERMES_PROBE": "false", "TZ": "UTC"}}
}

// do runs a command that must end with a code, and returns all that it prints.
func (s *shell) do(code int, args ...string) string {
	s.t.Helper()
	var out, errs bytes.Buffer
	if got := s.start(s.t.Context(), "", &out, &errs, args...); got != code {
		s.t.Fatalf("hermes %q: got %d, want %d: %s%s", args, got, code, &out, &errs)
	}
	return out.String() + errs.String()
}

// elsewhere is another home.
func (s *shell) elsewhere() *shell {
	other := restoreHouse(s.t)
	return other
}

// exec does something to the database of the home.
func (s *shell) exec(query string, args ...any) {
	s.t.Helper()
	s.withDB(func(db *sql.DB) error {
		_, err := db.ExecContext(s.t.Context(), query, args...)
		return err
	})
}

// count asks the database of the home for a number.
func (s *shell) count(query string) (n int) {
	s.t.Helper()
	s.withDB(func(db *sql.DB) error { return db.QueryRowContext(s.t.Context(), query).Scan(&n) })
	return n
}

func (s *shell) withDB(do func(*sql.DB) error) {
	s.t.Helper()
	u := url.URL{Scheme: "file", Path: filepath.Join(s.env["HERMES_HOME"], "state.db"), RawQuery: "_pragma=busy_timeout(10000)"}
	db, err := sql.Open("sqlite", u.String())
	if err == nil {
		err = do(db)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// add imports a session.
func (s *shell) add(id, text string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "in.jsonl")
	line := `{"id":"` + id + `","started_at":"2026-01-01T00:00:00Z","messages":[{"role":"user","content":` + quoted(text) + `}]}`
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.do(exitOK, "sessions", "import", file)
}

// chat is a turn of a session.
func chat(call func(method, path, body string) string, id, text string) {
	call(http.MethodPost, "/api/sessions/"+id+"/messages", `{"messages":[{"role":"user","content":`+quoted(text)+`}]}`)
}

// TestRestoreForgetsAgain is check B4: what was forgotten and revoked after a backup stays so
// when the backup is restored, in the same home and in another one that has the ledger.
func TestRestoreForgetsAgain(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	ledger := t.TempDir()
	s.env["HERMES_BACKUP_DIR"] = ledger
	call, stop := s.serve()
	for id, text := range map[string]string{
		"s1": "I met Wilhelmina Quux in Oslo. I like tea.", "s2": "Bob prefers plums.", "s3": "My cat is called Grizabella. My dog is called Rex.",
	} {
		call(http.MethodPost, "/api/sessions", `{"id":"`+id+`"}`)
		chat(call, id, text)
	}
	call(http.MethodPost, "/api/jobs", `{"name":"about Wilhelmina Quux","schedule":"@yearly","prompt":"x"}`)
	key := strings.Fields(s.do(exitOK, "keys", "create", "--name", "bot"))[0]
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	if !strings.Contains(call(http.MethodGet, "/api/memory?session_id=s3", ""), "Grizabella") {
		t.Fatal("the fact is not there")
	}
	s.do(exitOK, "forget", "--yes", "--about", "wilhelmina  QUUX")
	s.do(exitOK, "forget", "--yes", "--session", "s2")
	facts := call(http.MethodGet, "/api/memory?session_id=s3", "")
	id := facts[strings.Index(facts, `"id":"`)+6:]
	id = id[:strings.IndexByte(id, '"')]
	call(http.MethodDelete, "/api/memory/"+id+"?session_id=s3", "")
	s.do(exitOK, "keys", "revoke", "bot")
	if out := s.do(exitFailed, "restore", file, "--yes"); !strings.Contains(out, fmt.Sprintf("A server uses this home (process %d)", os.Getpid())) {
		t.Errorf("under a server: %s", out)
	}
	stop()
	for name, home := range map[string]*shell{"here": s, "another home": s.elsewhere()} {
		home.env["HERMES_BACKUP_DIR"] = ledger
		out := home.do(exitOK, "restore", file, "--yes")
		if !strings.Contains(out, "again: 1 thing, 1 single fact, 1 session") {
			t.Errorf("%s: got %s", name, out)
		}
		there := fmt.Sprintf("Restored 2 sessions and %d messages in ", home.count(`SELECT count(*) FROM messages`))
		if home.count(`SELECT count(*) FROM sessions`) != 2 || !strings.Contains(out, there) {
			t.Errorf("%s: got %s, want %q: a session was forgotten again", name, out, there)
		}
		for _, gone := range []string{"Wilhelmina", "plums", "Grizabella"} {
			for _, file := range []string{"state.db", "state.db-wal", "erasures.jsonl"} {
				text, _ := os.ReadFile(filepath.Join(home.env["HERMES_HOME"], file)) // the log may be gone
				if bytes.Contains(text, []byte(gone)) {
					t.Errorf("%s: %s holds %q", name, file, gone)
				}
			}
		}
		if all := home.do(exitOK, "sessions", "export", "-"); !strings.Contains(all, "I like tea") || !strings.Contains(all, "Rex") {
			t.Errorf("%s: more is gone than was forgotten: %s", name, all)
		}
		if got := home.status(key); got != http.StatusUnauthorized {
			t.Errorf("%s: the revoked key: got %d, want 401", name, got)
		}
	}
}

// status is the status of a request with a key.
func (s *shell) status(key string) int {
	s.t.Helper()
	_, stop := s.serve()
	defer stop()
	file, err := readServerFile(s.env["HERMES_HOME"])
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+file.Address+"/v1/models", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// TestRestoreElsewhere is check B5: nothing that was under way in one home is done in another.
func TestRestoreElsewhere(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	call, stop := s.serve()
	call(http.MethodPost, "/api/sessions", `{"id":"s1"}`)
	chat(call, "s1", "I like tea.")
	for _, name := range []string{"one", "two"} {
		call(http.MethodPost, "/api/jobs", `{"name":"`+name+`","schedule":"@yearly","prompt":"x"}`)
	}
	call(http.MethodPost, "/v1/runs", `{"session_id":"s1","input":"What do I like?"}`)
	until(t, func() bool { return strings.Contains(call(http.MethodGet, "/v1/runs", ""), `"completed"`) })
	stop()
	const at = 1_700_000_000_000
	s.exec(`UPDATE jobs SET next_run_at = ? WHERE name = 'one'`, at)
	s.exec(`INSERT INTO job_runs (owner_id, job_id, due_at, id, status, wake_at) SELECT owner_id, id, ?, 'run_1', 'due', ? FROM jobs WHERE name = 'two'`, at, at)
	s.exec(`INSERT INTO deliveries (owner_id, id, job_id, due_at, target, state, wake_at, created_at)
		SELECT owner_id, 'd1', id, ?, 'webhook:http://127.0.0.1:1/', 'pending', ?, ? FROM jobs WHERE name = 'two'`, at, at, at)
	s.exec(`UPDATE runs SET state = 'running', wake_at = 0, finished_at = NULL, on_restart = 'retry'`)
	s.exec(`INSERT INTO chat_sends (owner_id, id, platform, account, chat_id, thread_id, type, origin, part, text, state, created_at)
		VALUES ('local', 'x', 'telegram', 'bot', 'c', '', 'dm', 'o', 0, 'hello', 'waiting', 1)`)
	s.exec(`INSERT INTO chat_events (owner_id, platform, account, event_id, chat_id, thread_id, kind, user_id, state, body, received_at)
		VALUES ('local', 'telegram', 'bot', 'e', 'c', '', 'said', 'u', 'waiting', '{}', 1)`)
	file := filepath.Join(t.TempDir(), "b.tar")
	before := s.count(`SELECT count(*) FROM messages`)
	// A command opens the home as a process that starts does, and keeps what is under way.
	s.do(exitOK, "backup", file)
	other := s.elsewhere()
	out := other.do(exitOK, "restore", file)
	for _, want := range []string{"interrupted   1 runs, 1 runs of jobs, 1 incoming messages", "not sent      2 deliveries", "paused        2 jobs", "another machine or home"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q", out, want)
		}
	}
	call, stop = other.serve()
	call(http.MethodPost, "/api/jobs", `{"name":"three","schedule":"in 1s","prompt":"x"}`)
	until(t, func() bool { return strings.Contains(call(http.MethodGet, "/api/jobs/runs", ""), `"completed"`) }) // the scheduler is at work
	stop()
	for what, query := range map[string]string{
		"fires":      `SELECT count(*) FROM job_runs WHERE status <> 'skipped' AND job_id IN (SELECT id FROM jobs WHERE name <> 'three')`,
		"deliveries": `SELECT count(*) FROM deliveries WHERE state <> 'failed' AND job_id IN (SELECT id FROM jobs WHERE name <> 'three')`,
		"attempts":   `SELECT coalesce(sum(attempts), 0) FROM deliveries WHERE id = 'd1'`,
		"runs":       `SELECT count(*) FROM runs WHERE state <> 'interrupted'`,
		"sends":      `SELECT count(*) FROM chat_sends WHERE state <> 'failed'`,
		"events":     `SELECT count(*) FROM chat_events WHERE state <> 'ignored' OR body IS NOT NULL`,
		"active":     `SELECT count(*) FROM jobs WHERE state = 'scheduled' AND name <> 'three'`,
	} {
		if n := other.count(query); n != 0 {
			t.Errorf("%s: got %d, want none", what, n)
		}
	}
	if after := other.count(`SELECT count(*) FROM messages WHERE root_id = 's1'`); after != before {
		t.Errorf("got %d messages, want %d: something was answered", after, before)
	}
	// In its own home jobs go on, without the due time that has passed.
	if out := s.do(exitOK, "restore", file, "--yes"); !strings.Contains(out, "paused        0 jobs") {
		t.Errorf("here: got %s", out)
	}
	if n := s.count(`SELECT count(*) FROM jobs WHERE state = 'scheduled' AND next_run_at > ` + "1700000000000"); n != 2 {
		t.Errorf("here: got %d jobs that go on, want 2", n)
	}
}

// TestRestoreRefuses is the part of check B3 about restoring: a damaged backup is refused, and
// the data of the home is as it was.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.add("s2", "I like coffee.")
	for name, text := range map[string][]byte{
		"flipped": bytes.Replace(whole, []byte("I like tea"), []byte("I hate tea"), 1), "cut": whole[:len(whole)/2], "empty": {}, "a text": []byte("Dear diary,\n"),
	} {
		bad := filepath.Join(t.TempDir(), "bad.tar")
		if err := os.WriteFile(bad, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := s.do(exitFailed, "restore", bad, "--yes"); !strings.Contains(out, "damaged") && !strings.Contains(out, "no backup of hermes") {
			t.Errorf("%s: got %s", name, out)
		}
		if all := s.do(exitOK, "sessions", "export", "-"); !strings.Contains(all, "coffee") {
			t.Errorf("%s: the home was changed: %s", name, all)
		}
		left, err := filepath.Glob(filepath.Join(s.env["HERMES_HOME"], ".restore-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
	if out := s.do(exitFailed, "restore", filepath.Dir(file), "--yes"); !strings.Contains(out, "is a directory. Name the backup in it.") {
		t.Errorf("a directory: got %s", out)
	}
	s.do(exitOK, "restore", file, "--yes")
	if all := s.do(exitOK, "sessions", "export", "-"); strings.Contains(all, "coffee") || !strings.Contains(all, "tea") {
		t.Errorf("restored: got %s", all)
	}
	// A damaged database may be what a backup is restored for.
	db := filepath.Join(s.env["HERMES_HOME"], "state.db")
	if err := os.WriteFile(db, bytes.Repeat([]byte("SQLite format 3\x00"), 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.do(exitOK, "restore", file, "--yes"); !strings.Contains(out, "could not be read") {
		t.Errorf("over a damaged database: got %s", out)
	}
	if all := s.do(exitOK, "sessions", "export", "-"); !strings.Contains(all, "tea") {
		t.Errorf("restored over a damaged database: got %s", all)
	}
}

// databaseOf is the database in a backup.
func (s *shell) databaseOf(file string) (db []byte) {
	s.t.Helper()
	f, err := os.Open(file)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := backup.Read(f, func(name string, _ int64, in io.Reader) (err error) {
		if name == "state.db" {
			db, err = io.ReadAll(in)
		}
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
	return db
}

// TestForgetNamesBackups: a forgetting names the copies that it does not change, with the time
// when they are gone, and deletes them if it is told to.
func TestForgetNamesBackups(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	dir := t.TempDir()
	s.env["HERMES_BACKUP_DIR"] = dir
	s.add("s1", "I met Wilhelmina in Oslo.")
	if out := s.do(exitOK, "forget", "--yes", "--about", "unicorns"); strings.Contains(out, "backup") {
		t.Errorf("without backups: got %s", out)
	}
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	_, stop := s.serve()
	until(t, func() bool { found, _ := filepath.Glob(filepath.Join(dir, "hermes-*.tar")); return len(found) == 1 })
	stop()
	out := s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina")
	if !strings.Contains(out, "1 backup made before may still hold it; the last one ages out on 2") || !strings.Contains(out, dir+"/hermes-2") {
		t.Errorf("with a backup: got %s", out)
	}
	s.do(exitOK, "restore", file, "--yes")
	out = s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina")
	if !strings.Contains(out, "2 backups made before may still hold it, until they are deleted") || !strings.Contains(out, "state.db.before-") {
		t.Errorf("with a replaced database: got %s", out)
	}
	if out := s.do(exitFailed, "forget", "--yes", "--about", "Wilhelmina", "--backups", "all"); !strings.Contains(out, "is \"delete\", or left out") {
		t.Errorf("an unknown word: got %s", out)
	}
	if out := s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina", "--backups", "delete"); !strings.Contains(out, "Deleted 2 backups") {
		t.Errorf("delete: got %s", out)
	}
	for _, pattern := range []string{filepath.Join(dir, "hermes-*"), filepath.Join(s.env["HERMES_HOME"], "*.before-*")} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	// The file of before comes back by hand: the ledger alone mends it.
	s.do(exitUsage, "restore", "--ledger", "--since", "2020-13-01")
	s.do(exitUsage, "restore", "--ledger", "--since", "2020-01")
	if out := s.do(exitOK, "restore", "--ledger", "--since", "2020-01-01"); !strings.Contains(out, "Forgotten again: 0 things") {
		t.Errorf("the ledger on what is clean: got %s", out)
	}
	if err := os.WriteFile(filepath.Join(s.env["HERMES_HOME"], "state.db"), s.databaseOf(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.do(exitOK, "restore", "--ledger", "--since", "2020-01-01T00:00:00Z"); !strings.Contains(out, "Forgotten again: 1 thing,") {
		t.Errorf("the ledger on an earlier file: got %s", out)
	}
	if all := s.do(exitOK, "sessions", "export", "-"); strings.Contains(all, "Wilhelmina") {
		t.Errorf("after it: got %s", all)
	}
	if _, err := os.Stat(filepath.Join(dir, "erasures.jsonl")); err != nil {
		t.Errorf("the ledger: %v", err)
	}
	key := strings.Fields(s.do(exitOK, "keys", "create", "--name", "bot", "--scopes", "memory"))[0]
	_, stop = s.serve()
	defer stop()
	server, err := readServerFile(s.env["HERMES_HOME"])
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+server.Address+"/api/memory/forget",
		strings.NewReader(`{"about":"Wilhelmina","backups":"delete"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("another owner deletes backups: got %d, want 403", res.StatusCode)
	}
}

// TestForgetSeesWhatRestoringLeft: a directory of an interrupted restoring goes when the home is opened.
// A forgetting does not certify anything while one is there.
func TestForgetSeesWhatRestoringLeft(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I met Wilhelmina in Oslo.")
	home := s.env["HERMES_HOME"]
	text, err := os.ReadFile(filepath.Join(home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(home, ".restore-1")
	leave := func() {
		t.Helper()
		if err := errors.Join(os.MkdirAll(left, 0o700), os.WriteFile(filepath.Join(left, "state.db"), text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	_, stop := s.serve()
	leave() // nothing does that while a server runs, so that it does not look for one
	said := s.do(exitFailed, "forget", "--yes", "--about", "Wilhelmina")
	if !strings.Contains(said, ".restore-1/state.db") || strings.Contains(said, "Nothing is left") {
		t.Errorf("under a server: said %s", said)
	}
	stop()
	if said := s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina"); !strings.Contains(said, "Nothing is left") {
		t.Errorf("without a server: said %s", said)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	leave()
	_, stop = s.serve()
	stop()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there after a server: %v", err)
	}
}

// TestRestoreUnderAnother: a restoring under another command or a chat says that no server is in its way.
func TestRestoreUnderAnother(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	release, err := sqlite.Hold(filepath.Join(s.env["HERMES_HOME"], "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("Another command uses this home (process %d), such as another 'hermes restore'. Wait", os.Getpid())
	if said := s.do(exitFailed, "restore", file, "--yes"); !strings.Contains(said, want) {
		t.Errorf("said %s, want %s", said, want)
	}
	if err := writeServerFile(s.env["HERMES_HOME"], &listening{chat: true}, "token"); err != nil {
		t.Fatal(err)
	}
	want = fmt.Sprintf("A chat uses this home (process %d). End it with /exit", os.Getpid())
	if said := s.do(exitFailed, "restore", file, "--yes"); !strings.Contains(said, want) {
		t.Errorf("said %s, want %s", said, want)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

// TestRestorePacked: a backup that was packed or encrypted is told from its first bytes, with the
// command that unpacks it.
func TestRestorePacked(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	dir := t.TempDir()
	database, err := os.ReadFile(filepath.Join(s.env["HERMES_HOME"], "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"b.tar.gz":  {"\x1f\x8b\x08\x00", "Run: gunzip -c " + filepath.Join(dir, "b.tar.gz") + " | hermes restore -"},
		"b.tar.age": {"age-encryption.org/v1\n", "| hermes restore -"},
		"state.db":  {string(database), "is a database"},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := s.do(exitFailed, "restore", file, "--yes"); !strings.Contains(said, c.want) {
			t.Errorf("%s: said %s", name, said)
		}
	}
	if all := s.do(exitOK, "sessions", "export", "-"); !strings.Contains(all, "tea") {
		t.Errorf("the home was changed: %s", all)
	}
}

// TestRestoreCountsThings: a thing that was forgotten is counted once, in however many spellings the backup has it.
func TestRestoreCountsThings(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "José lives in Oslo. JOSÉ and Jose\u0301 like tea. Ann O'Brien and Ann O’BRIEN too. We met AdaLovelace, Ada Lovelace and ada_lovelace.")
	s.add("s2", "My teacher is Müller. The Straße is long.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	for _, name := range []string{"José", "O'Brien", "Ada Lovelace", "Müller", "Straße", "Grizabella"} {
		s.do(exitOK, "forget", "--yes", "--about", name)
	}
	for range 2 { // the second one has learnt from the first, too
		if said := s.do(exitOK, "restore", file, "--yes"); !strings.Contains(said, "again: 5 things, 0 single facts, 0 sessions") {
			t.Errorf("said %s, want 5 things", said)
		}
	}
}

// TestRestoreFromStandardInputAsks: data is not replaced by a backup from the standard input without --yes: the
// question cannot be asked there.
func TestRestoreFromStandardInputAsks(t *testing.T) {
	t.Parallel()
	empty, s := restoreHouse(t), restoreHouse(t)
	file := filepath.Join(t.TempDir(), "empty.tar")
	empty.do(exitOK, "backup", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.add("s1", "I like tea.")
	if _, errs := s.run(string(text), "restore", "-"); !strings.Contains(errs, "Say --yes") {
		t.Errorf("said %s, want the flag that is missing", errs)
	}
	if got := s.count(`SELECT count(*) FROM messages`); got == 0 {
		t.Error("the data was replaced")
	}
	s.run(string(text), "restore", "-", "--yes")
	if got := s.count(`SELECT count(*) FROM messages`); got != 0 {
		t.Errorf("with --yes: got %d messages, want those of the backup", got)
	}
}

// TestBackupNamesWhatItLeavesOut: a link among the skills is no file, and the backup says that it lacks it.
func TestBackupNamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	skills := filepath.Join(s.env["HERMES_HOME"], "skills")
	if err := os.MkdirAll(filepath.Join(skills, "own"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(skills, "linked")); err != nil {
		t.Fatal(err)
	}
	if said := s.do(exitOK, "backup", filepath.Join(t.TempDir(), "b.tar")); !strings.Contains(said, "Left out 1 link, pipe or the like: skills/linked.") {
		t.Errorf("said %s, want the link", said)
	}
}
