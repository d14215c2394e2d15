package cli_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptConversations writes an export of 28 conversations, the two of the manual
// among them. The others are named after their source, their age in days and
// whether they have ended: telegram-91-ended.
func scriptConversations(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: conversations FILE")
	}
	var out strings.Builder
	line := func(id, source, model string, messages int, started, active time.Time, ended bool) {
		end := ""
		if ended {
			end = fmt.Sprintf(`"ended_at":%q,"end_reason":"user_exit",`, active.Format(time.RFC3339))
		}
		fmt.Fprintf(&out, `{"id":%q,"source":%q,"model":%q,"started_at":%q,"last_active":%q,%s"messages":[`,
			id, source, model, started.Format(time.RFC3339), active.Format(time.RFC3339), end)
		for i := range messages {
			comma, role := ",", []string{"user", "assistant"}[i%2]
			if i == 0 {
				comma = ""
			}
			fmt.Fprintf(&out, `%s{"role":%q,"content":"Message %d of %s.","said_at":%q}`, comma, role, i, id, started.Format(time.RFC3339))
		}
		out.WriteString("]}\n")
	}
	at := func(text string) time.Time {
		t, err := time.Parse(time.DateTime, text)
		ts.Check(err)
		return t
	}
	first, second := at("2025-03-05 09:15:23"), at("2025-03-04 14:30:22")
	line("20250305_091523_a1b2c3d4", "cli", "anthropic/claude-opus-4.6", 24, first, first, false)
	line("20250304_143022_e5f6g7h8", "telegram", "anthropic/claude-opus-4.6", 12, second, second, true)
	for i, days := range []int{1, 29, 31, 59, 61, 89, 91, 120, 400} {
		for j, source := range []string{"cli", "telegram", "discord"} {
			if i == 0 && j == 0 {
				continue // 28 with the two above
			}
			ended := source != "discord" || days == 91
			active := time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -days).Add(-time.Hour)
			id := fmt.Sprintf("%s-%d", source, days)
			if ended {
				id += "-ended"
			}
			line(id, source, "gpt-5", 2+i%3*2, active, active, ended)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o600))
}
