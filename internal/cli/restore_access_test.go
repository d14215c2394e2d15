package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRestoreOfBeforeTheFirstKey: a backup from before the first key does not bring the
// development key back: not in the same home, and not in another one that has the ledger.
func TestRestoreOfBeforeTheFirstKey(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	ledger := t.TempDir()
	s.env["HERMES_BACKUP_DIR"] = ledger
	s.add("s1", "I like tea.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	fresh := s.elsewhere()
	if out := fresh.do(exitOK, "restore", file, "--yes"); strings.Contains(out, "development key") {
		t.Errorf("a home that never had keys: got %s", out)
	}
	if got := fresh.status("hermes"); got != http.StatusOK {
		t.Errorf("a home that never had keys: got %d with the development key, want 200", got)
	}
	s.do(exitOK, "keys", "create", "--name", "bot")
	for name, home := range map[string]*shell{"here": s, "another home": s.elsewhere()} {
		home.env["HERMES_BACKUP_DIR"] = ledger
		if out := home.do(exitOK, "restore", file, "--yes"); !strings.Contains(out, "development key stays switched off") {
			t.Errorf("%s: got %s", name, out)
		}
		if got := home.status("hermes"); got != http.StatusUnauthorized {
			t.Errorf("%s: got %d with the development key, want 401", name, got)
		}
		key := strings.Fields(home.do(exitOK, "keys", "create", "--name", "again", "--owner", "local"))[0]
		if got := home.status(key); got != http.StatusOK {
			t.Errorf("%s: got %d with a new key, want 200", name, got)
		}
	}
}

// TestRestoreShutsOutAgain: a pairing that was revoked after the backup does not come back. One
// that was revoked before it, and approved again, does.
func TestRestoreShutsOutAgain(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	ledger := t.TempDir()
	s.env["HERMES_BACKUP_DIR"] = ledger
	s.add("s1", "I like tea.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.shutOutAround(func() { s.do(exitOK, "backup", file) })
	for name, home := range map[string]*shell{"here": s, "another home": s.elsewhere()} {
		home.env["HERMES_BACKUP_DIR"] = ledger
		if out := home.do(exitOK, "restore", file, "--yes"); !strings.Contains(out, "again: 0 keys, 1 pairing") {
			t.Errorf("%s: got %s", name, out)
		}
		if n := home.count(`SELECT sum(user_id) FROM chat_people`); n != 1+3 {
			t.Errorf("%s: the ids of those who are let in have the sum %d, want 1 and 3", name, n)
		}
	}
}

// shutOutAround shuts out person 1 and lets them in again, lets in persons 2 and 3, calls save,
// and shuts out person 2.
func (s *shell) shutOutAround(save func()) {
	s.t.Helper()
	pair := func(user string) {
		s.t.Helper()
		s.exec(`INSERT INTO chat_people (owner_id, platform, account, user_id, chat_id, state, asked_at, approved_at)
			VALUES ('local', 'telegram', 'bot', ?, ?, 'approved', 1, 2)`, user, user)
	}
	revoke := func(user string) {
		s.t.Helper()
		call, stop := s.serve()
		call(http.MethodDelete, "/api/pairings?platform=telegram&user_id="+user, "")
		stop()
	}
	pair("1")
	revoke("1")
	for _, user := range []string{"1", "2", "3"} {
		pair(user)
	}
	save()
	revoke("2")
}

// TestLedgerShutsOut: the ledger alone shuts people out again and revokes keys again, in data
// that was put back by other means than hermes restore.
func TestLedgerShutsOut(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.env["HERMES_BACKUP_DIR"] = t.TempDir()
	s.add("s1", "I like tea.")
	key := strings.Fields(s.do(exitOK, "keys", "create", "--name", "bot", "--owner", "local"))[0]
	file := filepath.Join(t.TempDir(), "b.tar")
	var at string
	s.shutOutAround(func() {
		at = time.Now().Add(time.Millisecond).UTC().Format(time.RFC3339Nano)
		s.do(exitOK, "backup", file)
	})
	s.do(exitOK, "keys", "revoke", "bot")
	if err := os.WriteFile(filepath.Join(s.env["HERMES_HOME"], "state.db"), s.databaseOf(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.status(key); got != http.StatusOK {
		t.Fatalf("before the ledger: got %d with the key, want 200", got)
	}
	if out := s.do(exitOK, "restore", "--ledger", "--since", at); !strings.Contains(out, "Revoked again: 1 key, 1 pairing") {
		t.Errorf("got %s", out)
	}
	if n := s.count(`SELECT sum(user_id) FROM chat_people`); n != 1+3 {
		t.Errorf("the ids of those who are let in have the sum %d, want 1 and 3", n)
	}
	if got := s.status(key); got != http.StatusUnauthorized {
		t.Errorf("got %d with the key, want 401", got)
	}
}
