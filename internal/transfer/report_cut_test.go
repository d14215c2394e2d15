package transfer

import (
	"strings"
	"testing"
)

// TestReportCut: the report tells of messages that lack what was forgotten, and only if there are any.
func TestReportCut(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{0: false, 3: true} {
		report := NewReport(false)
		report.Cut = n
		var out strings.Builder
		report.Write(&out)
		if got := strings.Contains(out.String(), "messages cut     3 lack what was forgotten here; --restore takes it\n"); got != want {
			t.Errorf("%d messages: got %q", n, out.String())
		}
	}
}
