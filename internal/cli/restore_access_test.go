package cli

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
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
	pair := func(user string) {
		t.Helper()
		s.exec(`INSERT INTO chat_people (owner_id, platform, account, user_id, chat_id, state, asked_at, approved_at)
			VALUES ('local', 'telegram', 'bot', ?, ?, 'approved', 1, 2)`, user, user)
	}
	revoke := func(user string) {
		t.Helper()
		call, stop := s.serve()
		call(http.MethodDelete, "/api/pairings?platform=telegram&user_id="+user, "")
		stop()
	}
	pair("1")
	revoke("1")
	for _, user := range []string{"1", "2", "3"} {
		pair(user)
	}
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	revoke("2")
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
