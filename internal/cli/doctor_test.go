package cli

import (
	"strings"
	"testing"

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
