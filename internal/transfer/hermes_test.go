package transfer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// agentSQL makes the tables of Hermes Agent with a session that was compressed, and the one behind it.
const agentSQL = `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, started_at REAL, end_reason TEXT, title TEXT, session_key TEXT, model TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
	timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0, display_kind TEXT);
INSERT INTO sessions VALUES ('a','cli',NULL,1767323040,'compression','Work',NULL,'m'),('b','cli','a',1767323140,NULL,'Work',NULL,'m');
`

// agentRow is a row of the messages of Hermes Agent.
type agentRow struct {
	session, role, text, call string
	at                        int
	compacted                 bool
	kind                      string
}

func agentRows(rows ...agentRow) string {
	var b strings.Builder
	for i, r := range rows {
		call, calls := "NULL", "NULL"
		switch {
		case r.role == roleTool:
			call = "'" + r.call + "'"
		case r.call != "":
			calls = `'[{"id":"` + r.call + `","function":{"name":"ls","arguments":"{}"}}]'`
		}
		active, compacted := 1, 0
		if r.compacted {
			active, compacted = 0, 1
		}
		fmt.Fprintf(&b, "INSERT INTO messages VALUES (%d,'%s','%s','%s',%s,%s,NULL,%d,%d,%d,'%s');\n",
			i+1, r.session, r.role, r.text, call, calls, 1767323000+r.at, active, compacted, r.kind)
	}
	return b.String()
}

const summaryText = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. The user has a boat."

// TestCompressed: what a compression of Hermes Agent writes again is taken once, and its summary is not taken.
func TestCompressed(t *testing.T) {
	t.Parallel()
	before := func(compacted bool) []agentRow {
		return []agentRow{
			{"a", "user", "I keep bees.", "", 1, compacted, ""}, {"a", "assistant", "Nice.", "", 2, compacted, ""},
			{"a", "user", "What is here?", "", 3, compacted, ""}, {"a", "assistant", "", "t1", 4, compacted, ""}, {"a", "tool", "many files", "t1", 5, compacted, ""},
			{"a", "assistant", "Files.", "", 6, compacted, ""}, {"a", "user", "go on", "", 7, compacted, ""},
		}
	}
	again := func(session string, late int) []agentRow {
		return []agentRow{
			{session, "user", "I keep bees.", "", 1 + late, false, ""}, {session, "assistant", "Nice.", "", 2 + late, false, ""},
			{session, "user", summaryText, "", 8, false, ""}, {session, "assistant", "", "t1", 4 + late, false, ""},
			{session, "tool", "[Old tool output cleared to save context space]", "t1", 5 + late, false, ""},
			{session, "assistant", "Files.", "", 6 + late, false, ""}, {session, "user", "go on", "", 7 + late, false, ""},
		}
	}
	after := func(session string) []agentRow {
		return []agentRow{
			{session, "assistant", "On.", "", 101, false, ""}, {session, "user", "go on", "", 102, false, ""}, {session, "user", "Seen by the model only.", "", 103, false, "hidden"},
		}
	}
	merged := again("b", 90)
	merged[2] = agentRow{"b", "user", "[PRIOR CONTEXT — for reference only; not a new message]\nNice.\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n" + summaryText, "", 8, false, ""}
	for name, rows := range map[string][][]agentRow{
		"in the next session":          {before(false), again("b", 90), after("b")},
		"with the times of before":     {before(false), again("b", 0), after("b")},
		"in the same session":          {before(true), again("a", 90), after("a")},
		"in the same session, at once": {before(true), again("a", 0), after("a")},
		"in the message before":        {before(false), merged, after("b")},
		"with each turn":               {before(false), before(false), before(false), again("b", 90), again("b", 90)[2:], after("b")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []agentRow
			for _, some := range rows {
				all = append(all, some...)
			}
			path := filepath.Join(t.TempDir(), "state.db")
			makeDatabase(t, path, agentSQL+agentRows(all...))
			got, err := readPath(t, path)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "  20") {
					said = append(said, strings.TrimSpace(line[25:]))
				}
			}
			want := []string{
				`user: "I keep bees."`, `assistant: "Nice."`, `user: "What is here?"`, `assistant: "" calls t1 ls({})`, `tool(ls): "many files" answers t1`,
				`assistant: "Files."`, `user: "go on"`, `assistant: "On."`, `user: "go on"`,
			}
			if strings.Join(said, "|") != strings.Join(want, "|") {
				t.Errorf("got %s\nwant %q", got, want)
			}
		})
	}
}

// TestCompressedBranch: what a branch of Hermes Agent has of its parent is taken with the parent only, whether a
// compression came before the branch or behind it.
func TestCompressedBranch(t *testing.T) {
	t.Parallel()
	const sessions = `INSERT INTO sessions VALUES ('p','cli',NULL,1767323040,'branched','P',NULL,'m'),
		('q','cli','p',1767323140,'compression','Q',NULL,'m'),('r','cli','q',1767323150,NULL,'Q',NULL,'m');`
	row := func(session, role, text string, at int) agentRow {
		return agentRow{session, role, text, "", at, false, ""}
	}
	old := func(r agentRow) agentRow {
		r.compacted = true
		return r
	}
	bees, nice, here, files := "I keep bees.", "Nice.", "What is here?", "Files."
	plain := []agentRow{row("p", "user", bees, 1), row("p", "assistant", nice, 2), row("p", "user", here, 3), row("p", "assistant", files, 4)}
	folded := []agentRow{
		old(plain[0]), old(plain[1]), old(plain[2]), old(plain[3]),
		row("p", "user", bees, 11), row("p", "user", summaryText, 12), row("p", "user", here, 13), row("p", "assistant", files, 14),
	}
	branch := []agentRow{
		row("q", "user", bees, 51), row("q", "user", summaryText, 52), row("q", "user", here, 53), row("q", "assistant", files, 54),
	}
	fresh := []agentRow{row("q", "user", "I sold them.", 60), row("q", "assistant", "Oh.", 61)}
	child := []agentRow{
		row("r", "user", bees, 71), row("r", "user", summaryText, 72), row("r", "assistant", files, 73), row("r", "user", "I sold them.", 74),
		row("r", "assistant", "Oh.", 75), row("r", "user", "Truly.", 76),
	}
	onward := []agentRow{row("p", "user", "I sell honey.", 90), row("p", "assistant", "Good.", 91)}
	copied := []agentRow{
		row("q", "user", bees, 51), row("q", "assistant", nice, 51), row("q", "user", here, 51), row("q", "assistant", files, 51),
	}
	all := []string{`user: "I sold them."`, `assistant: "Oh."`, `user: "Truly."`}
	for name, c := range map[string]struct {
		rows [][]agentRow
		want []string
	}{
		"behind the branch":                 {[][]agentRow{plain, copied, fresh, child}, all},
		"before the branch":                 {[][]agentRow{folded, branch, fresh, child}, all},
		"before it, and the parent goes on": {[][]agentRow{folded, onward, branch, fresh, child}, all},
		"one message is no proof": {
			[][]agentRow{folded, branch[:2], {row("q", "assistant", files, 54), row("q", "user", "New.", 55)}},
			[]string{`assistant: "Files."`, `user: "New."`},
		},
		"one message of the same time": {
			[][]agentRow{folded, onward, branch[:2], {row("q", "assistant", files, 4), row("q", "user", "New.", 55)}}, []string{`user: "New."`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows []agentRow
			for _, some := range c.rows {
				rows = append(rows, some...)
			}
			path := filepath.Join(t.TempDir(), "state.db")
			makeDatabase(t, path, agentSQL+sessions+agentRows(rows...))
			got, err := readPath(t, path)
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ = strings.Cut(got, "hermes:q ")
			var said []string
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "  20") {
					said = append(said, strings.TrimSpace(line[25:]))
				}
			}
			if strings.Join(said, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %s\nwant %q", got, c.want)
			}
		})
	}
}
