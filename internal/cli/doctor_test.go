package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/httpapi"
)

// TestExamineDatabase: damaged rows are something wrong, and are named.
func TestExamineDatabase(t *testing.T) {
	t.Parallel()
	rows := []string{`1 rows of "messages" hold a time outside the years 1 to 9998 (said_at)`}
	for _, tt := range []struct {
		data httpapi.Data
		want verdict
		says string
	}{
		{httpapi.Data{File: "f", Checked: "quick"}, fine, "quick check passed"},
		{httpapi.Data{File: "f", Rows: rows}, failing, "damaged rows: 1 rows of"},
		{httpapi.Data{File: "f", Damage: []string{"page 7"}, Rows: rows}, failing, "is damaged: page 7"},
	} {
		if got := examineDatabase(&tt.data); got.Level != tt.want || !strings.Contains(got.Says, tt.says) {
			t.Errorf("%+v: got %+v", tt.data, got)
		}
	}
}

// TestHomeFinding: a home of another account is no home that is readable by this account alone.
func TestHomeFinding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode    os.FileMode
		account string
		want    verdict
		says    string
	}{
		{0o700, "", fine, "/h, readable by you alone"},
		{0o755, "", warning, "can be read by others"},
		{0o700, "hermes", warning, "belongs to the account hermes"},
		{0o755, "65534", warning, "belongs to the account 65534"},
	} {
		got := homeFinding("/h", tt.mode, tt.account)
		if got.Level != tt.want || !strings.Contains(got.Says, tt.says) || (got.Do == "") != (got.Level == fine) {
			t.Errorf("%+v: got %+v", tt, got)
		}
	}
}

// TestHomeOfAnotherAccount examines a home that was given to another account, which only root can do.
func TestHomeOfAnotherAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chown(dir, 64123, -1); err != nil {
		t.Skip("a directory can be given away by root alone")
	}
	if got := examineHome(&config.Config{Home: dir}); got.Level != warning || !strings.Contains(got.Do, "sudo -u 64123 HERMES_HOME="+dir) {
		t.Errorf("got %+v", got)
	}
}
