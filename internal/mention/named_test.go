package mention_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestNamedWords: whole words of an id or of a key name things. Parts of words do not, and neither do the words for a
// kind of thing that programs put in front of a number.
func TestNamedWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ none, yes []string }{
		"anna":                      {[]string{"Ann", "nna"}, []string{"Anna", "ANNA"}},
		"anna-work":                 {[]string{"Ann", "wor"}, []string{"Anna", "work", "Anna Work"}},
		"annette":                   {[]string{"Anne", "Ann", "net"}, []string{"Annette"}},
		"alexander@example.org":     {[]string{"Alex", "Xander", "amp"}, []string{"Alexander", "example.org"}},
		"annaBerg":                  {[]string{"Ann", "Ber"}, []string{"Anna", "Berg", "Anna Berg"}},
		"anna2":                     {[]string{"Ann"}, []string{"Anna", "anna2"}},
		"ada-20260105":              {[]string{"Ad"}, []string{"Ada", "20260105"}},
		"notes_of_jörg":             {[]string{"Jör", "note", "org"}, []string{"Jörg", "notes"}},
		"李明的笔记":                     {nil, []string{"李明", "笔记"}},
		"équipe-zoé":                {[]string{"quip", "Zo"}, []string{"Zoé", "équipe"}},
		"agent:main:main":           {[]string{"main", "agent", "ain", "gent", "agent main", "agent:main:main"}, nil},
		"claudia:1":                 {[]string{"Claud", "Claude"}, []string{"claudia"}},
		"letta:agent-1f:human":      {[]string{"agent", "age", "human"}, []string{"1f"}},
		"agent:main:main:thread:77": {[]string{"main", "agent", "thread"}, []string{"77"}},
		"agent:work:main":           {[]string{"main", "agent"}, []string{"work", "work:main"}},
		"agent:main:subagent:6f1adaf2-ada1-4dea-9bea-0123456789ab": {[]string{"main", "agent", "subagent", "Ada"}, nil},
		"agent:main:cron:daily-news":                               {[]string{"main", "cron", "dail"}, []string{"daily", "news"}},
		"agent:work:matrix:direct:anna":                            {[]string{"matrix", "direct", "agent", "Ann"}, []string{"work", "Anna"}},
		"agent:work:matrix:anna":                                   {nil, []string{"work", "Anna", "matrix"}},
		"openclaw:agent:main:main":                                 {[]string{"main", "agent", "claw"}, nil},
		"memory:agent:main:main":                                   {[]string{"main", "agent", "memory"}, nil},
		"chatgpt-9":                                                {[]string{"chatgpt", "GPT", "Chat"}, []string{"chatgpt-9"}},
		"jsonl:chatgpt-9":                                          {[]string{"chatgpt", "GPT", "json"}, nil},
		"memory-1":                                                 {[]string{"memory", "memo"}, []string{"memory-1"}},
		"claude-4711":                                              {[]string{"Claude", "Claud"}, []string{"4711"}},
		"claude_3f2a9b1c":                                          {[]string{"Claude"}, []string{"3f2a9b1c"}},
		"default_user":                                             {[]string{"user", "default", "use"}, nil},
		"claude-berg":                                              {[]string{"Claud"}, []string{"Claude", "Berg"}},
		"claude":                                                   {[]string{"Claud"}, []string{"Claude"}},
		"user-anna":                                                {[]string{"Ann"}, []string{"Anna"}},
		"user-1ada2345":                                            {[]string{"Ada", "user"}, []string{"1ada2345"}},
		"491511234567":                                             {[]string{"4915", "1123"}, []string{"1511234567", "491511234567", "4567"}},
		"me":                                                       {[]string{"me", "Me"}, nil},
		"me-and-anna":                                              {[]string{"Ann"}, []string{"me", "Anna"}},
		"memory:me":                                                {[]string{"me", "memory"}, nil},
		"mem0:me":                                                  {[]string{"mem0"}, []string{"me"}},
		"hermes:MEMORY.md":                                         {[]string{"memory", "md", "mem", "MEMORY.md", "hermes"}, nil},
		"hermes:USER.md~2":                                         {[]string{"user", "md", "use"}, nil},
		"hermes:NOTES.md":                                          {[]string{"hermes"}, []string{"notes", "md"}},
		"jsonl:MEMORY-berg":                                        {[]string{"json"}, []string{"memory", "Berg"}},
		"6f1adaf2-ada1-4dea-9bea-0123456789ab":                     {[]string{"Ada", "Dea", "Bea", "4dea"}, []string{"6f1adaf2-ada1-4dea-9bea-0123456789ab"}},
	} {
		for _, word := range c.none {
			thing := mention.Of(word)
			if thing.InName(name) || thing.InPlace("k:"+name) {
				t.Errorf("%q is found in the name %q", word, name)
			}
			format := thing.FormatOf(mention.OwnWords).WithNames(thing, []string{name})
			if n, err := thing.CountIn(strings.NewReader("\x00"+name+"\x00"), format); n.Hits > 0 || err != nil {
				t.Errorf("%q is counted in the bytes of %q: %+v, %v", word, name, n, err)
			}
		}
		for _, word := range c.yes {
			if thing := mention.Of(word); !thing.InName(name) {
				t.Errorf("%q is not found in the name %q", word, name)
			}
		}
	}
}

// TestNamesInRecords: in a record of this program, an id counts as it does in its column.
func TestNamesInRecords(t *testing.T) {
	t.Parallel()
	record := []byte(`{"session_id":"annette-2","lineage_root_id":"chatgpt-9","recalled":[{"Root":"agent:main:main"}],"output":"Fine."}`)
	for word, want := range map[string]bool{"Anne": false, "chatgpt": false, "main": false, "Annette": true, "Fine": true} {
		if got := mention.Of(word).InRecord(record); got != want {
			t.Errorf("%s: found %t", word, got)
		}
	}
}
