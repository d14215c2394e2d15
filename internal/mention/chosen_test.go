package mention_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestChosenParts: of a key and of an id, what this program wrote names nothing, and what a person chose names
// something.
func TestChosenParts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ none, yes []string }{
		"agent:main:telegram:dm":                    {[]string{"Gent", "agent", "AGENT", "main", "ain", "telegram", "ram", "gram", "dm", "agent main", "main telegram dm"}, nil},
		"agent:main:telegram:dm:500001":             {[]string{"Gent", "dm"}, []string{"500001", "0001", "dm:500001"}},
		"agent:main:discord:channel:8035:77":        {[]string{"Cord", "disc", "Han", "channel"}, []string{"8035", "8035:77"}},
		"agent:main:whatsapp:group:app":             {[]string{"hat", "what", "group", "roup"}, []string{"app"}},
		"agent:main:matrix:group:!gent:example.org": {[]string{"matrix", "main"}, []string{"gent", "example.org"}},
		"agent:main:slack:channel:C0MAIN":           {[]string{"lack", "slack"}, []string{"C0MAIN", "main"}},
		"agent-main-slack-dm-D1":                    {[]string{"lack", "agent"}, []string{"D1"}},
		"agent:gent:x":                              {nil, []string{"gent", "agent"}},
		"agent:main:gent":                           {nil, []string{"gent", "main"}},
		"agent:main:gent:dmitri":                    {nil, []string{"gent", "main", "dmitri"}},
		"agent:main:Gent:dm":                        {nil, []string{"gent", "main"}},
		"gent:agent:main:telegram:dm":               {[]string{"telegram"}, []string{"gent"}},
		"telegram":                                  {nil, []string{"telegram"}},
		"chatgpt:4711-ada":                          {[]string{"GPT", "chatgpt", "hat", "Chat"}, []string{"ada", "4711", "chatgpt:4711"}},
		"chatgpt:custom-instructions:ada":           {[]string{"custom", "instructions"}, []string{"ada"}},
		"claude:memory:ada":                         {[]string{"Claude", "memory"}, []string{"ada"}},
		"mem0:claude":                               {[]string{"mem0"}, []string{"Claude"}},
		"mem0:memories":                             {[]string{"memories", "Mem0"}, nil},
		"letta:agent-1f:human":                      {[]string{"human", "Letta"}, []string{"1f:human", "agent-1f"}},
		"job:gent":                                  {[]string{"job"}, []string{"gent"}},
		"memory:agent:main:telegram:dm":             {[]string{"memory", "gent", "telegram"}, nil},
		"jsonl:zebulon-1":                           {[]string{"json"}, []string{"zebulon"}},
		"claudia:1":                                 {nil, []string{"claudia"}},
		"20260102_150405_1ada2345":                  {[]string{"Ada", "20260102"}, []string{"20260102_150405_1ada2345"}},
	} {
		for _, word := range c.none {
			thing := mention.Of(word)
			if thing.InName(name) {
				t.Errorf("%q is found in the name %q", word, name)
			}
			if n, err := thing.CountIn(strings.NewReader("\x00"+name+"\x00"), thing.FormatOf(mention.OwnWords)); n.Hits > 0 || err != nil {
				t.Errorf("%q is counted in the bytes of %q: %+v, %v", word, name, n, err)
			}
			if thing.In(mention.Chosen(name)) {
				t.Errorf("%q is found in %q, which is what was chosen of %q", word, mention.Chosen(name), name)
			}
		}
		for _, word := range c.yes {
			if thing := mention.Of(word); !thing.InName(name) {
				t.Errorf("%q is not found in the name %q", word, name)
			}
		}
	}
}

// TestKeysInTexts: the fixed part of a key is no mention in a text either, so that the search of rows, of
// records and of files agrees. The same words outside the key are mentions.
func TestKeysInTexts(t *testing.T) {
	t.Parallel()
	thing := mention.Of("telegram")
	const text = "The key is agent:main:telegram:dm. I use telegram."
	if clean, n := thing.Redact("The key is agent:main:telegram:dm."); n != 0 || thing.In(clean) {
		t.Errorf("a key alone: redacted to %q", clean)
	}
	if spans := thing.Spans(text); len(spans) != 1 || text[:spans[0].Start] != "The key is agent:main:telegram:dm. I use " {
		t.Errorf("got %v", spans)
	}
	for _, record := range []struct {
		text string
		want bool
	}{
		{`{"Kind":"said","Place":{"Platform":"telegram"},"Text":"hello"}`, false},
		{`{"Kind":"said","Place":{"Platform":"telegram"},"Text":"telegram"}`, true},
		{`{"key":"agent:main:telegram:dm:1"}`, false},
		{`{"key":"agent:main:telegram:dm:telegram"}`, true},
	} {
		if got := thing.InRecord([]byte(record.text)); got != record.want {
			t.Errorf("%s: found %t", record.text, got)
		}
	}
	for target, want := range map[string]bool{"telegram": false, "telegram:500001": false, "webhook:https://telegram.example": true, "slack:telegram": true} {
		if got := thing.InTarget(target); got != want {
			t.Errorf("the target %s: found %t", target, got)
		}
	}
}

// TestKeysAcrossPieces: the fixed part of a key is no mention wherever the pieces meet in which a stream is searched.
func TestKeysAcrossPieces(t *testing.T) {
	t.Parallel()
	thing, name := mention.Of("gent"), mention.Of("Quagga")
	for at := 64<<10 - 30; at < 64<<10+30; at++ {
		in := strings.Repeat("-", at) + "agent:main:telegram:dm Quagga" + strings.Repeat("-", 100)
		if c, err := thing.CountIn(strings.NewReader(in), mention.Format{}); err != nil || c.Hits != 0 {
			t.Errorf("at %d: got %+v, %v", at, c, err)
		}
		if c, err := name.CountIn(strings.NewReader(in), mention.Format{}); err != nil || c.Hits != 1 {
			t.Errorf("at %d: got %+v, %v, want a mention", at, c, err)
		}
	}
}
