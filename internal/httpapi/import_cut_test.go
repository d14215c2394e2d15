package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestImportCountsCut: the reply counts the stored messages that lack what was forgotten here, and a dry run counts the same.
func TestImportCountsCut(t *testing.T) {
	t.Parallel()
	own := newWorld(t, options{})
	own.chat("s", cat)
	own.chat("s", "I like tea. The cat sleeps.")
	exported := own.export("")
	first := []noted{{"1", rome, 1}, {"2", green, 2}}
	for name, c := range map[string]struct {
		before, query, line, fate string
		goesOn                    bool
		want                      int
	}{
		"new":             {line: namedLine(cat, fine, tea), fate: "imported:1 messages:3", want: 1},
		"new, restored":   {query: "&restore=true", line: namedLine(cat, fine, tea), fate: "imported:1 messages:3"},
		"without a word":  {line: namedLine(tea, fine), fate: "imported:1 messages:2"},
		"unchanged":       {before: namedLine(cat, fine), line: namedLine(cat, fine), fate: "unchanged:1"},
		"grown":           {before: namedLine(cat, fine), line: namedLine(cat, fine, cat), fate: "grown:1 messages:1", want: 1},
		"changed":         {before: namedLine(tea, fine), line: namedLine(cat, fine), fate: "changed:1 messages:2", want: 1},
		"apart":           {before: namedLine(tea, fine), line: namedLine(tea, good, cat), goesOn: true, fate: "apart:1 messages:3", want: 1},
		"memories":        {before: memoryLine(first...), line: memoryLine(noted{"3", "Has a cat.", 9}), fate: "grown:1 messages:1", want: 1},
		"memories edited": {before: memoryLine(first...), line: memoryLine(noted{"2", "Has a cat.", 9}), fate: "changed:1 messages:1", want: 1},
		"a former id": {
			line: strings.Replace(namedLine(cat, fine), `"origin":{`, `"origin":{"formerly":["b"],`, 1), fate: "imported:1 messages:2", want: 1,
		},
		"an export of this program": {line: exported, fate: "imported:1 messages:4", want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			if c.before != "" {
				w.call("POST", "/api/sessions/import", c.before)
			}
			if c.goesOn {
				w.chat("chat:c", "I went on.")
			}
			w.forgets("cat")
			for _, dry := range []string{"true", "false"} {
				query := "?dry_run=" + dry + c.query
				fate := c.fate
				if c.line == exported && dry == "true" { // a forecast tells no messages of it
					fate = "imported:1"
				}
				var got struct{ Cut int }
				if err := json.Unmarshal([]byte(w.imports(t, query, c.line, fate)), &got); err != nil {
					t.Fatal(err)
				}
				if got.Cut != c.want {
					t.Errorf("%q: got %d messages, want %d", query, got.Cut, c.want)
				}
			}
		})
	}
}

// TestImportCutTitle: what is left of a title stays on one line, and a title of which nothing is left is none.
func TestImportCutTitle(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"My cat is called Ada.":          "",
		"My cat. The cat sleeps.":        "",
		"Cat":                            "",
		"My cat is called Ada. Tea time": "[erased] Tea time",
		"Tea time":                       "Tea time",
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			w.forgets("cat")
			w.imports(t, "", strings.Replace(namedLine(tea, fine), `"source"`, `"title":"`+title+`","title_source":"model","source"`, 1), "imported:1 messages:2")
			var got struct {
				Title  string
				Source string `json:"title_source"`
			}
			w.decode(w.call("GET", "/api/sessions/chat:c", ""), &got)
			if got.Title != want || (got.Source == "") != (want == "") {
				t.Errorf("got the title %q from %q, want %q", got.Title, got.Source, want)
			}
		})
	}
}
